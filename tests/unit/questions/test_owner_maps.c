// SPDX-License-Identifier: GPL-2.0-or-later
/* What processes map of the kernel's memory, and what drivers say of it. */
#include <stdio.h>

#include "lib/error.h"
#include "lib/sysroot.h"
#include "owners/owner_lists.h"
#include "test.h"
#include "tree.h"

#define MIB (INT64_C(1) << 20)

/* Of a process, as the kernel writes it. */
static const char maps[] =
	"55d0a0000000-55d0a0010000 r-xp 00000000 fe:00 21652      /usr/bin/perf\n"
	"7f0000000000-7f0000101000 rw-s 00000000 00:10 1038       "
	"anon_inode:[perf_event]\n"
	"7f0000200000-7f0000301000 rw-s 00000000 00:10 1038       "
	"anon_inode:[perf_event]\n"
	/* 35 pages: the kernel has 64 for it. */
	"7f0000400000-7f0000423000 rw-s 00000000 00:10 2667       "
	"anon_inode:[io_uring]\n"
	"7f0000500000-7f0000540000 rw-s 10000000 00:10 2667       "
	"anon_inode:[io_uring]\n"
	"7f0000600000-7f0000a00000 rw-s 00000000 00:09 26670580   "
	"socket:[26670580]\n"
	/* Where TCP puts what it receives. */
	"7f0020000000-7f0060000000 r--s 00000000 00:09 26670581   "
	"socket:[26670581]\n"
	"7f0000b00000-7f0000c00000 rw-s 00000000 00:06 200        "
	"/dev/dri/card0\n"
	"7f0000d00000-7f0000e00000 rw-s 00100000 00:06 201        "
	"/dev/dri/card1\n"
	"7f0000f00000-7f0001000000 rw-s 00100000 00:06 202        "
	"/dev/dri/card2\n"
	"7f0001000000-7f0001100000 rw-s 00100000 00:06 203        "
	"/dev/dri/card3\n"
	/* Files that are called so. */
	"7f0001000000-7f0001100000 rw-p 00000000 fe:00 21653      "
	"/tmp/anon_inode:[perf_event]\n"
	"7f0001200000-7f0001300000 rw-p 00000000 00:00 0 \n"
	"7f0001400000-7f0001300000 rw-s 00000000 00:10 1038       "
	"anon_inode:[perf_event]\n"
	"damaged\n";

/*
 * card0 is vgem, card1 of a driver with memory on the card, card2 virtio, card3
 * vgem of the faux bus.
 */
static void add_cards(const struct tree *tree)
{
	tree_add_link(tree, "sys/class/drm/card0/device",
		      "../../../platform/vgem");
	tree_add_link(tree, "sys/class/drm/card1/device/driver",
		      "../../../../bus/pci/drivers/radeon");
	tree_add_link(tree, "sys/class/drm/card2/device/driver",
		      "../../../../bus/virtio/drivers/virtio_gpu");
	tree_add_link(tree, "sys/devices/faux/vgem/driver",
		      "../../../bus/faux/drivers/faux_driver");
	tree_add_link(tree, "sys/class/drm/card3/device",
		      "../../../devices/faux/vgem");
}

static struct owner_maps ask(const struct tree *tree, unsigned int pid,
			     bool has_graphics)
{
	const struct owner_mapper mapper = { .pid = pid,
					     .has_graphics = has_graphics };
	const struct owner_mapper ended = { .pid = 1 };
	struct owner_socket mapped = { .ino = 26670580,
				       .protocol = OWNER_PACKET };
	const struct owner_sockets sockets = { .sockets = &mapped, .count = 1 };
	struct owner_maps found = { 0 }, none = { 0 };
	struct sysroot root;
	struct error err;

	assert_int_equal(sysroot_init(&root, tree->path, &err), 0);
	owner_maps_read(&found, &mapper, &sockets, &root);
	owner_maps_read(&none, &ended, &sockets, &root);
	assert_int_equal(none.error, -ENOENT);
	sysroot_deinit(&root);
	return found;
}

static void what_is_mapped(void **state __attribute__((unused)))
{
	struct owner_maps found;
	struct tree tree;

	tree_create(&tree);
	add_cards(&tree);
	tree_add_text(&tree, "proc/7/maps", maps);
	tree_add_link(&tree, "proc/7/fd/3", "/dev/dri/card0");
	/* As the kernel has it where the driver says nothing. */
	tree_add_text(&tree, "proc/7/fdinfo/3", "pos:\t0\nflags:\t02100002\n");
	found = ask(&tree, 7, true);
	assert_int_equal(found.error, 0);
	assert_int_equal(found.bytes[OWNER_MAP_PERF], 2 * (MIB + 4096));
	assert_int_equal(found.bytes[OWNER_MAP_IO_URING], MIB / 4 + MIB / 4);
	assert_int_equal(found.bytes[OWNER_MAP_PACKET], 4 * MIB);
	assert_int_equal(found.bytes[OWNER_MAP_GRAPHICS], 3 * MIB);
	assert_int_equal(found.bytes[OWNER_MAP_GRAPHICS_PAGES], 0);
	tree_destroy(&tree);
}

#define CLIENT(driver, id)                                                     \
	"pos:\t0\nflags:\t02100002\nmnt_id:\t26\ndrm-driver:\t" driver         \
	"\ndrm-pdev:\t0000:00:02.0\ndrm-client-id:\t" id "\n"

/* Documentation/gpu/drm-usage-stats.rst, and the files of three drivers. */
static void what_drivers_say(void **state __attribute__((unused)))
{
	static const struct {
		const char *info;
		int64_t shared, pages;
	} clients[] = {
		{ CLIENT("i915", "8") "drm-total-system0:\t128 MiB\n"
				      "drm-shared-system0:\t16 MiB\n"
				      "drm-resident-system0:\t100 MiB\n"
				      "drm-resident-stolen-system0:\t7 MiB\n"
				      "drm-engine-render:\t9288864723 ns\n",
		  100 * MIB, 0 },
		{ CLIENT("amdgpu", "9") "drm-memory-vram:\t513308 KiB\n"
					"drm-memory-gtt: \t 2048 KiB\n"
					"drm-memory-cpu: \t1024 KiB\n"
					"drm-total-gtt:\t4096 KiB\n",
		  0, 3 * MIB },
		{ CLIENT("xe", "9") "drm-total-gtt:\t6 MiB\n"
				    "drm-total-vram0:\t80 MiB\n"
				    "drm-total-cycles-rcs:\t7655183225\n",
		  0, 6 * MIB },
		{ CLIENT("panfrost", "2") "drm-resident-memory:\t4096\n", 4096,
		  0 },
		/* It says something, and has nothing. */
		{ CLIENT("v3d", "2") "drm-resident-memory:\t0\n", 0, 0 },
	};

	for (size_t i = 0; i < COUNT_OF(clients); i++) {
		struct owner_maps found;
		struct tree tree;

		tree_create(&tree);
		add_cards(&tree);
		tree_add_text(&tree, "proc/7/maps", maps);
		tree_add_link(&tree, "proc/7/fd/3", "/dev/null");
		tree_add_text(&tree, "proc/7/fdinfo/3", clients[i].info);
		for (int copy = 4; copy < 6; copy++) {
			char path[32];

			snprintf(path, sizeof(path), "proc/7/fd/%d", copy);
			tree_add_link(&tree, path, "/dev/dri/renderD128");
			snprintf(path, sizeof(path), "proc/7/fdinfo/%d", copy);
			tree_add_text(&tree, path, clients[i].info);
		}
		found = ask(&tree, 7, true);
		assert_int_equal(found.bytes[OWNER_MAP_GRAPHICS],
				 clients[i].shared);
		assert_int_equal(found.bytes[OWNER_MAP_GRAPHICS_PAGES],
				 clients[i].pages);
		assert_int_equal(found.bytes[OWNER_MAP_PACKET], 4 * MIB);
		tree_destroy(&tree);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_mapped),
		cmocka_unit_test(what_drivers_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

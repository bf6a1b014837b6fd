// SPDX-License-Identifier: GPL-2.0-or-later
/* What waits in sockets, by what /proc/PID/net says. */
#include <stdio.h>

#include "lib/error.h"
#include "lib/sysroot.h"
#include "owners/owner_lists.h"
#include "test.h"
#include "tree.h"

#define HEAD                                                                   \
	"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when "  \
	"retrnsmt   uid  timeout inode\n"
#define TIMES " 00:00000000 00000000     0        0 "

static const char tcp[] = HEAD
	/* It listens: three connections wait, not three bytes. */
	"   0: 00000000:07E8 00000000:0000 0A 00000000:00000003" TIMES
	"1145 1 0000000034281d89 100 0 0 10 0\n"
	"   1: 0100007F:07E8 0100007F:8E2A 01 00010000:00000200" TIMES
	"1200 1 0000000034281d89 20 4 30 10 -1\n"
	"   2: 0100007F:07E8 0100007F:8E2B 01 00000000:00000000" TIMES
	"1201 1 0000000034281d89 20 4 30 10 -1\n"
	/* Nobody has it any more. */
	"   3: 0100007F:07E8 0100007F:8E2C 06 00000000:00000010" TIMES
	"0 3 0000000034281d89\n"
	"damaged\n";

static const char udp[] = HEAD
	"  100: 0100007F:A1B2 00000000:0000 07 00000000:00F00000" TIMES
	"90 2 0000000034281d89 0\n"
	"  101: 0100007F:A1B2 00000000:0000 07 00000000:1FFFFFFFF" TIMES
	"91 2 0000000034281d89 0\n";

static const char unix_sockets[] =
	"Num       RefCount Protocol Flags    Type St Inode Path\n"
	"ffff8c4c0: 00000003 00000000 00000000 0001 03 22001\n"
	"ffff8c4c1: 00000002 00000000 00000000 0002 01 22002 /run/a log\n"
	/* It listens. */
	"ffff8c4c2: 00000002 00000000 00010000 0001 01 22003 @/tmp/x\n"
	/* Nobody has accepted it yet. */
	"ffff8c4c3: 00000003 00000000 00000000 0001 03     0\n"
	"damaged\n";

static const char packet[] =
	"sk               RefCnt Type Proto  Iface R Rmem   User   Inode\n"
	"00000000cd4d0b2c 3      3    0003   2     1 0      0      31001\n"
	"damaged\n";

static int64_t bytes_of(const struct owner_sockets *sockets, uint64_t ino)
{
	const struct owner_socket *found = owner_sockets_find(sockets, ino);

	return found ? found->bytes : -1;
}

static void assert_protocol(const struct owner_sockets *sockets, uint64_t ino,
			    enum owner_protocol protocol)
{
	const struct owner_socket *found = owner_sockets_find(sockets, ino);

	assert_non_null(found);
	assert_int_equal(found->protocol, protocol);
}

static void what_waits_in_queues(void **state __attribute__((unused)))
{
	struct owner_sockets sockets = { 0 };
	struct sysroot root;
	struct tree tree;
	struct error err;

	tree_create(&tree);
	tree_add_link(&tree, "proc/7/ns/net", "net:[4026531833]");
	tree_add_text(&tree, "proc/7/net/tcp", tcp);
	tree_add_text(&tree, "proc/7/net/udp6", udp);
	tree_add_text(&tree, "proc/7/net/unix", unix_sockets);
	tree_add_text(&tree, "proc/7/net/packet", packet);
	tree_add_link(&tree, "proc/8/ns/net", "net:[4026531833]");
	tree_add_text(&tree, "proc/8/net/tcp", tcp);
	tree_add_link(&tree, "proc/9/ns/net", "net:[4026532000]");
	tree_add_text(&tree, "proc/9/net/udp",
		      HEAD "  7: 0100007F:A1B2 00000000:0000 07 "
			   "00000000:00001000" TIMES "80 2 0 0\n");
	assert_int_equal(sysroot_init(&root, tree.path, &err), 0);

	assert_null(owner_sockets_find(&sockets, 1200));
	assert_int_equal(owner_sockets_add(&sockets, &root, "7"), 0);
	assert_null(owner_sockets_find(&sockets, 1145));
	assert_int_equal(bytes_of(&sockets, 1200), 0x10200);
	assert_null(owner_sockets_find(&sockets, 1201));
	assert_null(owner_sockets_find(&sockets, 0));
	assert_int_equal(bytes_of(&sockets, 90), 0xf00000);
	assert_null(owner_sockets_find(&sockets, 91));
	for (uint64_t ino = 22001; ino < 22003; ino++)
		assert_protocol(&sockets, ino, OWNER_UNIX);
	assert_null(owner_sockets_find(&sockets, 22003));
	assert_protocol(&sockets, 31001, OWNER_PACKET);
	assert_protocol(&sockets, 1200, OWNER_TCP);
	assert_protocol(&sockets, 90, OWNER_UDP);
	assert_int_equal(sockets.count, 5);
	/* Another process there sees the same. */
	assert_int_equal(owner_sockets_add(&sockets, &root, "8"), 0);
	assert_int_equal(sockets.count, 5);
	assert_int_equal(owner_sockets_add(&sockets, &root, "9"), 0);
	assert_int_equal(bytes_of(&sockets, 80), 0x1000);
	assert_int_equal(bytes_of(&sockets, 1200), 0x10200);
	/* One that has ended. */
	assert_int_equal(owner_sockets_add(&sockets, &root, "10"), 0);
	assert_int_equal(sockets.count, 6);
	assert_int_equal(sockets.failed, 0);
	owner_sockets_deinit(&sockets);
	sysroot_deinit(&root);
	tree_destroy(&tree);
}

/* Any user can make them: the last one counts as the first does. */
static void namespaces_without_end(void **state __attribute__((unused)))
{
	enum { NAMESPACES = 1100 };
	struct owner_sockets sockets = { 0 };
	struct sysroot root;
	struct tree tree;
	struct error err;
	char path[64], text[512], pid[16];

	tree_create(&tree);
	assert_int_equal(sysroot_init(&root, tree.path, &err), 0);
	for (int i = 1; i <= NAMESPACES; i++) {
		snprintf(path, sizeof(path), "proc/%d/ns/net", i);
		snprintf(text, sizeof(text), "net:[%d]", i);
		tree_add_link(&tree, path, text);
		snprintf(path, sizeof(path), "proc/%d/net/udp", i);
		snprintf(text, sizeof(text),
			 HEAD "  7: 0100007F:A1B2 00000000:0000 07 "
			      "00000000:00001000" TIMES "%d 2 0 0\n",
			 i);
		tree_add_text(&tree, path, text);
		snprintf(pid, sizeof(pid), "%d", i);
		assert_int_equal(owner_sockets_add(&sockets, &root, pid), 0);
	}
	assert_int_equal(sockets.count, NAMESPACES);
	assert_int_equal(bytes_of(&sockets, NAMESPACES), 0x1000);
	owner_sockets_deinit(&sockets);
	sysroot_deinit(&root);
	tree_destroy(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_waits_in_queues),
		cmocka_unit_test(namespaces_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

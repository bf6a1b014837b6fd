// SPDX-License-Identifier: GPL-2.0-or-later
/* What /proc/PID/fdinfo says of a BPF map, by kernels of several years. */
#include "lib/error.h"
#include "lib/sysroot.h"
#include "owners/owner_lists.h"
#include "test.h"
#include "tree.h"

struct map {
	const char *info;
	bool is_map;
	uint32_t id;
	int64_t bytes, per_cpu;
};

static void check(const struct map *map)
{
	struct sysroot root;
	struct tree tree;
	struct error err;
	struct owner_bpf_map found = { 0 };

	tree_create(&tree);
	tree_add_text(&tree, "proc/7/fdinfo/5", map->info);
	assert_int_equal(sysroot_init(&root, tree.path, &err), 0);
	assert_int_equal(owner_bpf_map(&root, "7", "5", 4, &found),
			 map->is_map);
	assert_int_equal(found.id, map->id);
	assert_int_equal(found.vmalloc_bytes, map->bytes);
	assert_int_equal(found.per_cpu_bytes, map->per_cpu);
	assert_false(owner_bpf_map(&root, "7", "6", 4, &found));
	sysroot_deinit(&root);
	tree_destroy(&tree);
}

#define FD "pos:\t0\nflags:\t02000002\nmnt_id:\t15\n"
#define HASH "map_type:\t1\nkey_size:\t4\nvalue_size:\t8\nmax_entries:\t90\n"

static void what_is_a_map(void **state __attribute__((unused)))
{
	static const struct map maps[] = {
		{ FD HASH "map_flags:\t0x0\nmemlock:\t8192\nmap_id:\t19\n",
		  true, 19, 8192, 0 },
		{ FD HASH "map_flags:\t0x80\nmap_extra:\t0x0\nmemlock:\t"
			  "81920312\nmap_id:\t58126\nfrozen:\t0\n",
		  true, 58126, 81920312, 0 },
		/* 1,000 entries of 12 bytes, for four processors. */
		{ FD "map_type:\t6\nkey_size:\t4\nvalue_size:\t12\n"
		     "max_entries:\t1000\nmap_flags:\t0x0\nmemlock:\t72448\n"
		     "map_id:\t20\n",
		  true, 20, 8448, 64000 },
		/* Not more than it is charged for. */
		{ FD "map_type:\t5\nvalue_size:\t8\nmax_entries:\t1000\n"
		     "map_flags:\t0x0\nmemlock:\t20000\nmap_id:\t20\n",
		  true, 20, 0, 20000 },
		/* Its elements are in slab. */
		{ FD HASH "map_flags:\t0x1\nmemlock:\t8192\nmap_id:\t19\n",
		  true, 19, 0, 0 },
		{ FD HASH "map_flags:\t0x81\nmemlock:\t8192\nmap_id:\t19\n",
		  true, 19, 0, 0 },
		/* Before Linux 6.4 nobody counts that of a ring buffer. */
		{ FD "map_type:\t27\nmemlock:\t0\nmap_id:\t19\n", true, 19, 0,
		  0 },
		/* Before Linux 4.13 maps have no number. */
		{ FD HASH "map_flags:\t0x0\nmemlock:\t8192\n", false, 0, 0, 0 },
		{ FD HASH "memlock:\t8192\nmap_id:\t4294967296\n", false, 0, 0,
		  0 },
		{ FD HASH "memlock:\t18446744073709551615\nmap_id:\t1\n", true,
		  1, 0, 0 },
		{ FD, false, 0, 0, 0 },
		{ "x", false, 0, 0, 0 },
	};

	for (size_t i = 0; i < COUNT_OF(maps); i++)
		check(&maps[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(what_is_a_map) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "test.h"

#include <errno.h>
#include <string.h>

#include "lib/error.h"
#include "lib/sysroot.h"
#include "repro/limits_check.h"
#include "tree.h"

#define MIB (UINT64_C(1) << 20)
#define MEMINFO "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\n" /* 4 GiB */

static int set_up(void **state)
{
	static struct tree_fixture host;

	tree_create(&host.tree);
	tree_add_text(&host.tree, "proc/meminfo", MEMINFO);
	*state = &host;
	return sysroot_init(&host.root, host.tree.path, NULL);
}

static void takes(struct tree_fixture *host, uint64_t most_bytes)
{
	struct error err;

	assert_int_equal(memory_check(&host->root, most_bytes, &err), 0);
	assert_int_equal(memory_check(&host->root, most_bytes + 1, &err),
			 -ENOMEM);
	assert_non_null(
		strstr(text_of(&err), "a quarter of what is available"));
}

static void a_quarter(void **state)
{
	takes(*state, 1024 * MIB);
}

/* The lowest limit of a cgroup and its ancestors counts. */
static void cgroup_v2(void **state)
{
	struct tree_fixture *host = *state;

	tree_add_text(&host->tree, "proc/self/cgroup", "0::/a/b/c\n");
	takes(host, 1024 * MIB);
	tree_add_text(&host->tree, "sys/fs/cgroup/a/b/c/memory.max", "max\n");
	takes(host, 1024 * MIB);
	tree_add_text(&host->tree, "sys/fs/cgroup/a/memory.max", "419430400\n");
	takes(host, 100 * MIB);
	tree_add_text(&host->tree, "sys/fs/cgroup/a/b/memory.max",
		      "838860800\n");
	takes(host, 100 * MIB);
	/* Page cache is left, the rest of what is used is not. */
	tree_add_text(&host->tree, "sys/fs/cgroup/a/memory.current",
		      "209715200\n");
	takes(host, 50 * MIB);
	tree_add_text(&host->tree, "sys/fs/cgroup/a/memory.stat",
		      "anon 104857600\nfile 104857600\n"
		      "inactive_file 41943040\nactive_file 62914560\n");
	takes(host, 75 * MIB);
}

static void cgroup_v1(void **state)
{
	struct tree_fixture *host = *state;

	tree_add_text(&host->tree, "proc/self/cgroup",
		      "9:cpu:/other\n4:memory:/box\n0::/\n");
	tree_add_text(&host->tree,
		      "sys/fs/cgroup/memory/box/memory.limit_in_bytes",
		      "41943040\n");
	tree_add_text(&host->tree, "sys/fs/cgroup/memory/memory.limit_in_bytes",
		      "9223372036854771712\n");
	takes(host, 10 * MIB);
	tree_add_text(&host->tree,
		      "sys/fs/cgroup/memory/box/memory.usage_in_bytes",
		      "41943040\n");
	tree_add_text(&host->tree, "sys/fs/cgroup/memory/box/memory.stat",
		      "inactive_file 1\nactive_file 2\n"
		      "total_inactive_file 8388608\n"
		      "total_active_file 12582912\n");
	takes(host, 5 * MIB);
}

/* A host of 1 GB. One of these experiments fills twice its size. */
static void a_size_that_fits(void **state)
{
	struct tree_fixture *host = *state;

	assert_int_equal(memory_size(&host->root, 100 * MIB, 2), 100 * MIB);
	tree_add_text(&host->tree, "proc/meminfo",
		      "MemTotal: 972016 kB\nMemAvailable: 755324 kB\n");
	assert_int_equal(memory_size(&host->root, 100 * MIB, 1), 100 * MIB);
	assert_int_equal(memory_size(&host->root, 100 * MIB, 2), 80 * MIB);
	assert_int_equal(memory_check(&host->root, 2 * 80 * MIB, NULL), 0);
	assert_int_equal(memory_check(&host->root, 2 * 100 * MIB, NULL),
			 -ENOMEM);
	tree_add_text(&host->tree, "proc/meminfo", "MemAvailable: 1024 kB\n");
	assert_int_equal(memory_size(&host->root, 100 * MIB, 1), 16 * MIB);
	tree_add_text(&host->tree, "proc/meminfo", "");
	assert_int_equal(memory_size(&host->root, 100 * MIB, 1), 100 * MIB);
}

static void a_full_disk(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(disk_check("/tmp", 0, &err), 0);
	assert_int_equal(disk_check("/tmp", UINT64_C(1) << 60, &err), -ENOSPC);
	assert_int_equal(disk_check("/proc", 1, &err), -ENOSPC);
	assert_int_equal(disk_check("/nowhere", 0, &err), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_quarter, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(cgroup_v2, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(cgroup_v1, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(a_size_that_fits, set_up,
						tree_fixture_tear_down),
		cmocka_unit_test(a_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

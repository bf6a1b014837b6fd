// SPDX-License-Identifier: GPL-2.0-or-later
#include "test.h"

#include <errno.h>
#include <string.h>

#include "error.h"
#include "limits_check.h"
#include "sysroot.h"
#include "tree.h"

#define MIB (UINT64_C(1) << 20)
#define MEMINFO "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\n" /* 4 GiB */

struct host {
	struct tree tree;
	struct sysroot root;
};

static int set_up(void **state)
{
	static struct host host;

	tree_create(&host.tree);
	tree_add_text(&host.tree, "proc/meminfo", MEMINFO);
	*state = &host;
	return sysroot_init(&host.root, host.tree.path, NULL);
}

static int tear_down(void **state)
{
	struct host *host = *state;

	sysroot_deinit(&host->root);
	tree_destroy(&host->tree);
	return 0;
}

static void takes(struct host *host, uint64_t most_bytes)
{
	struct error err;

	assert_int_equal(memory_check(&host->root, most_bytes, &err), 0);
	assert_int_equal(memory_check(&host->root, most_bytes + 1, &err),
			 -ENOMEM);
	assert_non_null(strstr(err.text, "a quarter of what is available"));
}

static void a_quarter(void **state)
{
	takes(*state, 1024 * MIB);
}

/* The least of a cgroup and those it is in. */
static void cgroup_v2(void **state)
{
	struct host *host = *state;

	tree_add_text(&host->tree, "proc/self/cgroup", "0::/a/b/c\n");
	takes(host, 1024 * MIB);
	tree_add_text(&host->tree, "sys/fs/cgroup/a/b/c/memory.max", "max\n");
	takes(host, 1024 * MIB);
	tree_add_text(&host->tree, "sys/fs/cgroup/a/memory.max", "419430400\n");
	takes(host, 100 * MIB);
	tree_add_text(&host->tree, "sys/fs/cgroup/a/b/memory.max",
		      "838860800\n");
	takes(host, 100 * MIB);
}

static void cgroup_v1(void **state)
{
	struct host *host = *state;

	tree_add_text(&host->tree, "proc/self/cgroup",
		      "9:cpu:/other\n4:memory:/box\n0::/\n");
	tree_add_text(&host->tree,
		      "sys/fs/cgroup/memory/box/memory.limit_in_bytes",
		      "41943040\n");
	tree_add_text(&host->tree, "sys/fs/cgroup/memory/memory.limit_in_bytes",
		      "9223372036854771712\n");
	takes(host, 10 * MIB);
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
		cmocka_unit_test_setup_teardown(a_quarter, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cgroup_v2, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cgroup_v1, set_up, tear_down),
		cmocka_unit_test(a_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples that nothing can be compared with leave nothing to clean up. */
#include <errno.h>
#include <string.h>

#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/history.h"
#include "sample/baseline_file.h"
#include "test.h"

#define OTHER FIXTURES "/no-module/bufstat/reading.json"

static void of_another_host(void **state __attribute__((unused)))
{
	static const char *const rows[] = { "devices", "filesystems" };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct baseline baseline = { 0 };
		struct sysroot root;
		struct error err;

		assert_int_equal(sysroot_init(&root, NULL, &err), 0);
		assert_int_equal(baseline_read(&baseline, OTHER, rows[i], &root,
					       &err),
				 -EXDEV);
		assert_null(baseline.devices);
		assert_false(baseline.taken);
		sysroot_deinit(&root);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_another_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

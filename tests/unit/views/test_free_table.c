// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests single rules; tests/cli/free-differential compares with free. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "free/free_options.h"
#include "free/free_table.h"
#include "measure/meminfo.h"
#include "test.h"

#define HEADING                                                                \
	"               total        used        free      shared"             \
	"  buff/cache   available\n"
#define NO_SWAP "Swap:              0           0           0\n"

static void assert_table(const char *text, enum free_unit unit,
			 unsigned int flags, const char *expected)
{
	struct free_options options = { .unit = unit, .flags = flags };
	struct meminfo meminfo;
	char *printed = NULL;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	assert_non_null(out);
	meminfo_parse(&meminfo, text, strlen(text));
	free_table_print(out, &meminfo, &options);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(printed, expected);
	free(printed);
}

static void absent_counts_as_zero(void **state __attribute__((unused)))
{
	assert_table("", FREE_UNIT_DEFAULT, 0,
		     HEADING "Mem:               0           0           0"
			     "           0           0           0\n" NO_SWAP);
}

static void used_is_total_minus_available(void **state __attribute__((unused)))
{
	assert_table("MemTotal: 1000 kB\nMemFree: 200 kB\nMemAvailable: 700\n"
		     "Buffers: 30\nCached: 40\nSReclaimable: 5\nShmem: 6\n",
		     FREE_UNIT_DEFAULT, 0,
		     HEADING "Mem:            1000         300         200"
			     "           6          75         700\n" NO_SWAP);
}

static void available_is_free_if_it_cannot_be_true(void **state
						   __attribute__((unused)))
{
	static const char *const lines[] = { "", "MemAvailable: 0 kB\n",
					     "MemAvailable: 1001 kB\n" };

	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		char text[128];

		snprintf(text, sizeof(text),
			 "MemTotal: 1000 kB\nMemFree: 200 kB\n%s", lines[i]);
		assert_table(text, FREE_UNIT_DEFAULT, 0,
			     HEADING
			     "Mem:            1000         800         200"
			     "           0           0         200\n" NO_SWAP);
	}
}

static void every_row_is_there_if_asked(void **state __attribute__((unused)))
{
	assert_table("MemTotal: 1000 kB\nMemFree: 200 kB\nHighTotal: 500 kB\n"
		     "HighFree: 600 kB\nSwapTotal: 50 kB\nSwapFree: 20 kB\n"
		     "Buffers: 3 kB\nCached: 4 kB\n"
		     "CommitLimit: 10 kB\nCommitted_AS: 11 kB\n",
		     FREE_UNIT_BYTES,
		     FREE_WIDE | FREE_LOHI | FREE_TOTAL | FREE_COMMITTED,
		     "               total        used        free      shared"
		     "     buffers       cache   available\n"
		     "Mem:         1024000      819200      204800           0"
		     "        3072        4096      204800\n"
		     "Low:         1024000      819200      204800\n"
		     "High:         512000           0      614400\n"
		     "Swap:          51200       30720       20480\n"
		     "Total:       1075200      849920      225280\n"
		     "Comm:          10240       11264       -1024\n");
}

static void units_are_cut_off_not_rounded(void **state __attribute__((unused)))
{
	static const char text[] = "SwapTotal: 1999999999 kB\nSwapFree: 1 kB\n";
	static const struct {
		enum free_unit unit;
		unsigned int flags;
		const char *total;
	} cases[] = {
		{ FREE_UNIT_DEFAULT, 0, "1999999999" },
		{ FREE_UNIT_DEFAULT, FREE_SI, "2047999998" },
		{ FREE_UNIT_KILO, 0, "1999999999" },
		{ FREE_UNIT_MEGA, 0, "1953124" },
		{ FREE_UNIT_MEGA, FREE_SI, "2047999" },
		{ FREE_UNIT_GIGA, 0, "1907" },
		{ FREE_UNIT_TERA, 0, "1" },
		{ FREE_UNIT_TERA, FREE_SI, "2" },
		{ FREE_UNIT_PETA, 0, "0" },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct free_options options = { .unit = cases[i].unit,
						.flags = cases[i].flags };
		struct meminfo meminfo;
		char *printed = NULL, total[32];
		size_t size;
		FILE *out = open_memstream(&printed, &size);

		assert_non_null(out);
		meminfo_parse(&meminfo, text, sizeof(text) - 1);
		free_table_print(out, &meminfo, &options);
		assert_int_equal(fclose(out), 0);
		assert_int_equal(sscanf(strstr(printed, "Swap:"), "Swap: %31s",
					total),
				 1);
		assert_string_equal(total, cases[i].total);
		free(printed);
	}
}

static void a_line(void **state __attribute__((unused)))
{
	assert_table("MemTotal: 1048576 kB\nMemFree: 1023 kB\nCached: 10239 kB"
		     "\nSwapTotal: 9 kB\nSwapFree: 9 kB\n",
		     FREE_UNIT_DEFAULT, FREE_LINE | FREE_HUMAN | FREE_TOTAL,
		     "SwapUse          0B CachUse         9Mi "
		     " MemUse       1.0Gi MemFree       1.0Mi \n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(absent_counts_as_zero),
		cmocka_unit_test(used_is_total_minus_available),
		cmocka_unit_test(available_is_free_if_it_cannot_be_true),
		cmocka_unit_test(every_row_is_there_if_asked),
		cmocka_unit_test(units_are_cut_off_not_rounded),
		cmocka_unit_test(a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

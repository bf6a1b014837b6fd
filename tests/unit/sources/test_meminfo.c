// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/meminfo.h"
#include "test.h"
#include "tree.h"

/*
 * Parses a copy that ends where the text ends, so that the sanitizer sees a
 * read of one byte too many.
 */
static struct meminfo parse_bytes(const char *text, size_t size)
{
	char *copy = malloc(size ? size : 1);
	struct meminfo meminfo;

	assert_non_null(copy);
	memcpy(copy, text, size);
	memset(&meminfo, 0xff, sizeof(meminfo));
	meminfo_parse(&meminfo, copy, size);
	free(copy);
	return meminfo;
}

static struct meminfo parse(const char *text)
{
	return parse_bytes(text, strlen(text));
}

static void assert_kib(struct meminfo meminfo, enum meminfo_field field,
		       uint64_t kib)
{
	assert_true(meminfo_has(&meminfo, field));
	assert_true(meminfo.kib[field] == kib);
}

static void assert_absent(struct meminfo meminfo, enum meminfo_field field)
{
	assert_false(meminfo_has(&meminfo, field));
	assert_int_equal(meminfo.kib[field], 0);
}

static void every_field_is_found_under_its_name(void **state
						__attribute__((unused)))
{
	static const char *const names[MEMINFO_FIELDS] = {
		"MemTotal",  "MemFree",	   "MemAvailable", "Buffers",
		"Cached",    "SwapCached", "Shmem",	   "SReclaimable",
		"SwapTotal", "SwapFree",   "LowTotal",	   "LowFree",
		"HighTotal", "HighFree",   "CommitLimit",  "Committed_AS",
		"Dirty",     "Writeback",  "Mapped",
	};
	char line[64];

	for (int field = 0; field < MEMINFO_FIELDS; field++) {
		struct meminfo meminfo;

		snprintf(line, sizeof(line), "%s:   %d kB\n", names[field],
			 field + 100);
		meminfo = parse(line);
		assert_int_equal(meminfo.present, 1U << field);
		assert_int_equal(meminfo.kib[field], field + 100);
	}
}

static void nothing_is_in_an_empty_text(void **state __attribute__((unused)))
{
	assert_int_equal(parse("").present, 0);
	assert_int_equal(parse("\n\n\n").present, 0);
}

static void absent_differs_from_zero(void **state __attribute__((unused)))
{
	struct meminfo meminfo = parse("MemFree: 0 kB\n");

	assert_kib(meminfo, MEMINFO_MEM_FREE, 0);
	assert_absent(meminfo, MEMINFO_MEM_AVAILABLE);
}

static void order_and_unknown_fields_do_not_matter(void **state
						   __attribute__((unused)))
{
	struct meminfo meminfo = parse("Cached: 3 kB\n"
				       "Unknown: 9 kB\n"
				       "HugePages_Total:    7\n"
				       "Buffers:\t 2 kB\n"
				       "MemTotal: 1 kB\n");

	assert_kib(meminfo, MEMINFO_MEM_TOTAL, 1);
	assert_kib(meminfo, MEMINFO_BUFFERS, 2);
	assert_kib(meminfo, MEMINFO_CACHED, 3);
	assert_int_equal(meminfo.present, 1U << MEMINFO_MEM_TOTAL |
						  1U << MEMINFO_BUFFERS |
						  1U << MEMINFO_CACHED);
}

static void a_name_has_to_match_in_full(void **state __attribute__((unused)))
{
	assert_int_equal(parse("Buffer: 1 kB\nBuffersX: 1 kB\nXBuffers: 1 kB\n"
			       " Buffers: 1 kB\nbuffers: 1 kB\nBuffers : 1 kB\n"
			       "Buffers 1 kB\n: 1 kB\n")
				 .present,
			 0);
}

static void the_last_of_two_lines_counts(void **state __attribute__((unused)))
{
	assert_kib(parse("Buffers: 1 kB\nBuffers: 2 kB\n"), MEMINFO_BUFFERS, 2);
	assert_absent(parse("Buffers: 1 kB\nBuffers: x kB\n"), MEMINFO_BUFFERS);
}

static void the_last_line_needs_no_newline(void **state __attribute__((unused)))
{
	assert_kib(parse("MemFree: 1 kB\nBuffers: 25 kB"), MEMINFO_BUFFERS, 25);
	assert_kib(parse("Buffers: 25"), MEMINFO_BUFFERS, 25);
	assert_absent(parse("Buffers: "), MEMINFO_BUFFERS);
	assert_absent(parse("Buffers:"), MEMINFO_BUFFERS);
	assert_absent(parse("Buffers"), MEMINFO_BUFFERS);
}

static void a_value_is_not_taken_from_the_next_line(void **state
						    __attribute__((unused)))
{
	struct meminfo meminfo = parse("Buffers:\n5 kB\nCached: 6 kB\n");

	assert_absent(meminfo, MEMINFO_BUFFERS);
	assert_kib(meminfo, MEMINFO_CACHED, 6);
}

static void only_kibibytes_are_a_unit(void **state __attribute__((unused)))
{
	assert_kib(parse("Buffers: 7\n"), MEMINFO_BUFFERS, 7);
	assert_kib(parse("Buffers: 7 \t  kB\n"), MEMINFO_BUFFERS, 7);
	assert_absent(parse("Buffers: 7 MB\n"), MEMINFO_BUFFERS);
	assert_absent(parse("Buffers: 7 kBytes\n"), MEMINFO_BUFFERS);
	assert_absent(parse("Buffers: 7kB\n"), MEMINFO_BUFFERS);
	assert_absent(parse("Buffers: 7 kB 8 kB\n"), MEMINFO_BUFFERS);
}

static void trailing_spaces_do_not_matter(void **state __attribute__((unused)))
{
	assert_kib(parse("Buffers: 7 kB \t \n"), MEMINFO_BUFFERS, 7);
	assert_kib(parse("Buffers: 7   "), MEMINFO_BUFFERS, 7);
}

static void numbers_up_to_64_bits_are_read(void **state __attribute__((unused)))
{
	assert_kib(parse("Buffers: 18446744073709551615 kB\n"), MEMINFO_BUFFERS,
		   UINT64_MAX);
	assert_kib(parse("Buffers: 00000000000000000007 kB\n"), MEMINFO_BUFFERS,
		   7);
	assert_absent(parse("Buffers: 18446744073709551616 kB\n"),
		      MEMINFO_BUFFERS);
	assert_absent(parse("Buffers: 99999999999999999999999999999999999999999"
			    "999999999999999999999999 kB\n"),
		      MEMINFO_BUFFERS);
}

static void what_is_no_number_is_absent(void **state __attribute__((unused)))
{
	static const char *const lines[] = {
		"Buffers: -5 kB\n",  "Buffers: +5 kB\n",
		"Buffers: 0x5 kB\n", "Buffers: 1e3 kB\n",
		"Buffers: 5.5 kB\n", "Buffers: 1,000 kB\n",
		"Buffers: kB\n",     "Buffers: \xd9\xa5 kB\n",
		"Buffers: 5 kB\r\n",
	};

	for (size_t i = 0; i < COUNT_OF(lines); i++)
		assert_absent(parse(lines[i]), MEMINFO_BUFFERS);
}

static void nul_bytes_end_nothing(void **state __attribute__((unused)))
{
	static const char text[] = "\0\0MemFree: 1 kB\n"
				   "Buffers: 2\0 kB\n"
				   "Cac\0hed: 3 kB\n"
				   "Dirty: 4 kB\0\n"
				   "Mapped: 5 kB\n\0";
	struct meminfo meminfo = parse_bytes(text, sizeof(text));

	assert_int_equal(meminfo.present, 1U << MEMINFO_MAPPED);
	assert_int_equal(meminfo.kib[MEMINFO_MAPPED], 5);
}

static void ten_megabytes_in_one_line_are_read(void **state
					       __attribute__((unused)))
{
	static const char tail[] = "kB\nCached: 8 kB\n";
	const size_t size = 10U << 20;
	char *text = malloc(size);
	struct meminfo meminfo;

	assert_non_null(text);
	memset(text, ' ', size);
	memcpy(text, "Buffers: 7", 10);
	memcpy(text + size - strlen(tail), tail, strlen(tail));
	/* No figure has forty characters. */
	meminfo = parse_bytes(text, size);
	assert_absent(meminfo, MEMINFO_BUFFERS);
	assert_kib(meminfo, MEMINFO_CACHED, 8);

	memset(text, ' ', size);
	memcpy(text, "Buffers: 7 kB", 13);
	assert_kib(parse_bytes(text, size), MEMINFO_BUFFERS, 7);

	memset(text, 'x', size);
	assert_int_equal(parse_bytes(text, size).present, 0);
	free(text);
}

/* Reads @size bytes of @text as /proc/meminfo; @text NULL: no such file. */
static int read_tree(const char *text, size_t size, struct meminfo *meminfo,
		     struct error *err)
{
	struct sysroot root;
	struct tree tree;
	int ret;

	tree_create(&tree);
	if (text)
		tree_add_file(&tree, "proc/meminfo", text, size);
	assert_int_equal(sysroot_init(&root, tree.path, err), 0);
	ret = meminfo_read(meminfo, &root, err);
	sysroot_deinit(&root);
	tree_destroy(&tree);
	return ret;
}

static void a_file_is_read_through_the_sysroot(void **state
					       __attribute__((unused)))
{
	struct meminfo meminfo;
	struct error err;

	assert_int_equal(read_tree("Buffers: 9 kB\n", 14, &meminfo, &err), 0);
	assert_kib(meminfo, MEMINFO_BUFFERS, 9);
}

static void a_missing_or_empty_file_is_an_error(void **state
						__attribute__((unused)))
{
	struct meminfo meminfo;
	struct error err;

	assert_int_equal(read_tree(NULL, 0, &meminfo, &err), -ENOENT);
	assert_non_null(strstr(text_of(&err), "/proc/meminfo: No such file"));
	assert_int_equal(read_tree("", 0, &meminfo, &err), -EIO);
	assert_non_null(strstr(text_of(&err), "/proc/meminfo: "));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_is_found_under_its_name),
		cmocka_unit_test(nothing_is_in_an_empty_text),
		cmocka_unit_test(absent_differs_from_zero),
		cmocka_unit_test(order_and_unknown_fields_do_not_matter),
		cmocka_unit_test(a_name_has_to_match_in_full),
		cmocka_unit_test(the_last_of_two_lines_counts),
		cmocka_unit_test(the_last_line_needs_no_newline),
		cmocka_unit_test(a_value_is_not_taken_from_the_next_line),
		cmocka_unit_test(only_kibibytes_are_a_unit),
		cmocka_unit_test(trailing_spaces_do_not_matter),
		cmocka_unit_test(numbers_up_to_64_bits_are_read),
		cmocka_unit_test(what_is_no_number_is_absent),
		cmocka_unit_test(nul_bytes_end_nothing),
		cmocka_unit_test(ten_megabytes_in_one_line_are_read),
		cmocka_unit_test(a_file_is_read_through_the_sysroot),
		cmocka_unit_test(a_missing_or_empty_file_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The module's file damaged or truncated, and other files in its place. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "measure/devices_text.h"
#include "measure/snapshot.h"
#include "test.h"

#define VERSION "bufstat-devices 1.0\n"
#define PAGE_SIZE "page_size 4096\n"
#define PAGES(pages) "pages " pages "\n"
#define HEAD(pages) VERSION PAGE_SIZE PAGES(pages)
#define COLUMNS "columns major minor name pages dirty writeback openers\n"

static const char good[] = VERSION "module_version 0.1.0\n" PAGE_SIZE
				   "devices 12\n" PAGES("37483") COLUMNS
	"252 1 vda1 25639 3 0 2\n"
	"253 0 dm-0 11844 - - 1\n"
	"end 2\n";

/* Parses a copy in a block of its exact size, so that ASan sees overruns. */
static int parse(const char *text, size_t size, struct error *err)
{
	struct snapshot snapshot = { 0 };
	char *copy = malloc(size + 1);
	int ret;

	assert_non_null(copy);
	memcpy(copy, text, size);
	copy[size] = '\0';
	*err = (struct error){ 0 };
	ret = devices_text_parse(copy, size, &snapshot, err);
	snapshot_deinit(&snapshot);
	free(copy);
	return ret;
}

struct bad_text {
	const char *text;
	const char *message;
};

static void expect_damaged(const struct bad_text *cases, size_t count)
{
	struct error err;

	for (size_t i = 0; i < count; i++) {
		int ret = parse(cases[i].text, strlen(cases[i].text), &err);

		if (ret != -EBADMSG)
			fail_msg("%zu: returned %d: %s", i, ret, text_of(&err));
		assert_string_equal(text_of(&err), cases[i].message);
	}
}

static void good_is_good(void **state __attribute__((unused)))
{
	struct error err;

	assert_int_equal(parse(good, strlen(good), &err), 0);
}

static void cut_short_at_every_byte(void **state __attribute__((unused)))
{
	struct error err;

	for (size_t size = 0; size < strlen(good); size++) {
		int ret = parse(good, size, &err);

		if (ret != -EBADMSG)
			fail_msg("%zu bytes: returned %d", size, ret);
		if (!strstr(text_of(&err), "cut short, there is no end marker"))
			fail_msg("%zu bytes: %s", size, text_of(&err));
	}
}

/*
 * No changed byte makes the parser read outside the text. If the text is still
 * accepted, say with another digit of the openers, its rows add up.
 */
static void every_byte_changed(void **state __attribute__((unused)))
{
	static const char bytes[] = { '\0', '\n', ' ',	'-',
				      '0',  '9',  '\\', '\x80' };
	struct error err;
	char text[sizeof(good)];
	size_t refused = 0;

	for (size_t at = 0; at < strlen(good); at++) {
		for (size_t i = 0; i < COUNT_OF(bytes); i++) {
			memcpy(text, good, sizeof(good));
			text[at] = bytes[i];
			refused += parse(text, strlen(good), &err) < 0;
		}
	}
	assert_true(refused > strlen(good));
}

static void bad_first_lines(void **state __attribute__((unused)))
{
	static const char *const lines[] = {
		"",
		"bufstat-devices",
		"bufstat-devices 1",
		"bufstat-devices 1.",
		"bufstat-devices 1.x",
		"bufstat-devices x.0",
		"bufstat-devices -1.0",
		"bufstat-devices 1.0 ",
		"bufstat-devices 1.0.0",
		"bufstat-devices  1.0",
		"bufstat-devices 4294967296.0",
		" bufstat-devices 1.0",
		"Bufstat-devices 1.0",
		"bufstat-filesystems 1.0",
		"252 1 vda1 25639 3 0 2",
		"\xef\xbb\xbf"
		"bufstat-devices 1.0",
	};
	unsigned int major, minor;
	struct error err;
	char text[256];

	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		snprintf(text, sizeof(text), "%s\n%s", lines[i],
			 strchr(good, '\n') + 1);
		assert_int_equal(parse(text, strlen(text), &err), -EBADMSG);
		assert_string_equal(text_of(&err),
				    "line 1: not the format bufstat-devices");
		assert_int_equal(devices_text_version(text, &major, &minor),
				 -EBADMSG);
	}
}

static void other_majors(void **state __attribute__((unused)))
{
	struct error err;

	assert_int_equal(parse("bufstat-devices 2.0\n?", 21, &err), -EPROTO);
	assert_non_null(strstr(text_of(&err), "format 2.0"));
	assert_non_null(strstr(text_of(&err), "install a newer bufstat"));
	assert_int_equal(parse("bufstat-devices 0.9\n?", 21, &err), -EPROTO);
	assert_non_null(strstr(text_of(&err), "newer module"));
}

static void bad_headers(void **state __attribute__((unused)))
{
	static const struct bad_text cases[] = {
		{ VERSION PAGES("0") COLUMNS "end 0\n",
		  "line 3: no usable page_size" },
		{ VERSION PAGE_SIZE COLUMNS "end 0\n", "line 3: no pages" },
		{ HEAD("0") "end 0\n",
		  "line 5: cut short, there is no end marker" },
		{ HEAD("0") PAGE_SIZE COLUMNS "end 0\n",
		  "line 4: a second page_size" },
		{ HEAD("0") PAGES("0") COLUMNS "end 0\n",
		  "line 4: a second pages" },
		{ HEAD("") COLUMNS "end 0\n",
		  "line 3: pages: not a number in range" },
		{ HEAD("-") COLUMNS "end 0\n",
		  "line 3: pages: not a number in range" },
		{ HEAD("0x0") COLUMNS "end 0\n",
		  "line 3: pages: not a number in range" },
		{ HEAD("0 ") COLUMNS "end 0\n",
		  "line 3: pages: not a number in range" },
		{ HEAD("9223372036854775808") COLUMNS "end 0\n",
		  "line 3: pages: not a number in range" },
		{ HEAD("18446744073709551615") COLUMNS "end 0\n",
		  "line 3: pages: not a number in range" },
		{ HEAD("18446744073709551616") COLUMNS "end 0\n",
		  "line 3: pages: not a number in range" },
	};

	expect_damaged(cases, COUNT_OF(cases));
}

static void bad_page_sizes(void **state __attribute__((unused)))
{
	static const struct {
		const char *size;
		const char *message;
	} cases[] = {
		{ "0", "line 4: no usable page_size" },
		{ "1", "line 4: no usable page_size" },
		{ "512", "line 4: no usable page_size" },
		{ "2048", "line 4: no usable page_size" },
		{ "4095", "line 4: no usable page_size" },
		{ "12288", "line 4: no usable page_size" },
		{ "2097152", "line 2: page_size: not a number in range" },
		{ "2147483648", "line 2: page_size: not a number in range" },
		{ "18446744073709551615",
		  "line 2: page_size: not a number in range" },
		{ "-4096", "line 2: page_size: not a number in range" },
		{ "0x1000", "line 2: page_size: not a number in range" },
		{ "4K", "line 2: page_size: not a number in range" },
	};
	struct error err;
	char text[256];

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		snprintf(text, sizeof(text),
			 VERSION "page_size %s\n" PAGES("0") COLUMNS "end 0\n",
			 cases[i].size);
		assert_int_equal(parse(text, strlen(text), &err), -EBADMSG);
		assert_string_equal(text_of(&err), cases[i].message);
	}
}

static void bad_columns(void **state __attribute__((unused)))
{
	static const struct bad_text cases[] = {
		{ HEAD("0") "columns minor pages\nend 0\n",
		  "line 4: no column major, minor or pages" },
		{ HEAD("0") "columns major pages\nend 0\n",
		  "line 4: no column major, minor or pages" },
		{ HEAD("0") "columns major minor\nend 0\n",
		  "line 4: no column major, minor or pages" },
		{ HEAD("0") "columns \nend 0\n",
		  "line 4: no column major, minor or pages" },
		{ HEAD("0") "columns MAJOR MINOR PAGES\nend 0\n",
		  "line 4: no column major, minor or pages" },
		{ HEAD("0") "columns\tmajor minor pages\nend 0\n",
		  "line 6: cut short, there is no end marker" },
		{ HEAD("0") "columns major minor pages pages\nend 0\n",
		  "line 4: a second column pages" },
		{ HEAD("0") "columns major name minor pages name\nend 0\n",
		  "line 4: a second column name" },
	};

	expect_damaged(cases, COUNT_OF(cases));
}

/* Adds @extra columns after the three required ones. */
static int parse_wide(unsigned int extra, struct error *err)
{
	char text[4096] = HEAD("7") "columns major minor pages";

	for (unsigned int i = 0; i < extra; i++)
		strcat(text, " c");
	strcat(text, "\n8 0 7");
	for (unsigned int i = 0; i < extra; i++)
		strcat(text, " -");
	strcat(text, "\nend 1\n");
	return parse(text, strlen(text), err);
}

static void too_many_columns(void **state __attribute__((unused)))
{
	struct error err;

	assert_int_equal(parse_wide(61, &err), 0);
	assert_int_equal(parse_wide(62, &err), -EBADMSG);
	assert_string_equal(text_of(&err), "line 4: more than 64 columns");
	assert_int_equal(parse_wide(500, &err), -EBADMSG);
}

static void rows_of_another_width(void **state __attribute__((unused)))
{
	static const struct bad_text cases[] = {
		{ HEAD("5") COLUMNS "8 0 sda 5 0 0\nend 1\n",
		  "line 5: fewer fields than columns" },
		{ HEAD("5") COLUMNS "8 0 sda 5 0 0 0 0\nend 1\n",
		  "line 5: more fields than columns" },
		{ HEAD("5") COLUMNS "8 0 sda 5 0 0 0 \nend 1\n",
		  "line 5: more fields than columns" },
		{ HEAD("5") COLUMNS "8  0 sda 5 0 0 0\nend 1\n",
		  "line 5: more fields than columns" },
		{ HEAD("5") COLUMNS "8\t0\tsda\t5\t0\t0\t0\nend 1\n",
		  "line 5: fewer fields than columns" },
		{ HEAD("0") COLUMNS "\nend 0\n",
		  "line 5: fewer fields than columns" },
		{ HEAD("0") COLUMNS "end\n",
		  "line 5: fewer fields than columns" },
	};

	expect_damaged(cases, COUNT_OF(cases));
}

/* major, minor and every figure must be numbers as in number.h. */
static void figures_that_are_no_numbers(void **state __attribute__((unused)))
{
	static const char *const bad[] = {
		"",
		"-1",
		"+1",
		"0x1",
		"1K",
		"1.0",
		"1e3",
		"?",
		"\t1",
		"1\r",
		"18446744073709551616", /* 2^64 */
		"18446744073709551615", /* 2^63 and more in bytes */
		"2251799813685248", /* 2^63 in bytes */
	};
	const char *fields[] = { "8", "0", "0", "0", "0", "0" };
	struct error err;
	char text[512], message[512];

	for (size_t at = 0; at < COUNT_OF(fields); at++) {
		const char *good_field = fields[at];

		for (size_t i = 0; i < COUNT_OF(bad); i++) {
			fields[at] = bad[i];
			snprintf(text, sizeof(text),
				 HEAD("0") COLUMNS
				 "%s %s sda %s %s %s %s\nend 1\n",
				 fields[0], fields[1], fields[2], fields[3],
				 fields[4], fields[5]);
			assert_int_equal(parse(text, strlen(text), &err),
					 -EBADMSG);
			if (at < 2)
				strcpy(message, "line 5: not a device number");
			else
				snprintf(message, sizeof(message),
					 "line 5: %.32s: not a number in range",
					 bad[i]);
			assert_string_equal(text_of(&err), message);
		}
		fields[at] = good_field;
	}
}

static void device_numbers_past_32_bits(void **state __attribute__((unused)))
{
	static const struct bad_text cases[] = {
		{ HEAD("5") COLUMNS "4294967296 0 x 5 0 0 0\nend 1\n",
		  "line 5: not a device number" },
		{ HEAD("5") COLUMNS "8 4294967296 x 5 0 0 0\nend 1\n",
		  "line 5: not a device number" },
		{ HEAD("5") COLUMNS "- 0 x 5 0 0 0\nend 1\n",
		  "line 5: not a device number" },
		{ HEAD("5") COLUMNS "8 0 x - 0 0 0\nend 1\n",
		  "line 5: -: not a number in range" },
		{ HEAD("5") "columns major minor pages wb_err\n"
			    "8 0 5 4096\nend 1\n",
		  "line 5: 4096: not a number in range" },
	};

	expect_damaged(cases, COUNT_OF(cases));
}

static void bad_names(void **state __attribute__((unused)))
{
	static const char *const names[] = {
		"",	 "\\",	 "\\04",  "\\0",   "a\\",     "a\\x20b",
		"\\048", "\\08", "\\400", "\\777", "a\\000b", "\\ 40",
	};
	char text[1024], name[257];
	struct error err;

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		snprintf(text, sizeof(text),
			 HEAD("1") "columns major minor pages name\n"
				   "8 0 1 %s\nend 1\n",
			 names[i]);
		assert_int_equal(parse(text, strlen(text), &err), -EBADMSG);
	}

	memset(name, 'n', sizeof(name));
	for (int length = 255; length <= 256; length++) {
		snprintf(text, sizeof(text),
			 HEAD("1") "columns major minor pages name\n"
				   "8 0 1 %.*s\nend 1\n",
			 length, name);
		assert_int_equal(parse(text, strlen(text), &err),
				 length == 255 ? 0 : -EBADMSG);
	}
	assert_string_equal(text_of(&err), "line 5: not a name");
}

static void end_markers(void **state __attribute__((unused)))
{
	static const struct bad_text cases[] = {
		{ HEAD("1") COLUMNS "8 0 sda 1 0 0 0\nend 2\n",
		  "line 6: 2 rows announced, 1 found" },
		{ HEAD("1") COLUMNS "8 0 sda 1 0 0 0\nend 0\n",
		  "line 6: 0 rows announced, 1 found" },
		{ HEAD("0") COLUMNS "end \n",
		  "line 5:  rows announced, 0 found" },
		{ HEAD("0") COLUMNS "end -0\n",
		  "line 5: -0 rows announced, 0 found" },
		{ HEAD("0") COLUMNS "end 0 0\n",
		  "line 5: 0 0 rows announced, 0 found" },
		{ HEAD("0") COLUMNS "end 18446744073709551616\n",
		  "line 5: 18446744073709551616 rows announced, 0 found" },
		{ HEAD("1") COLUMNS "8 0 sda 1 0 0 0\n",
		  "line 6: cut short, there is no end marker" },
		{ HEAD("0") COLUMNS "end 0\n\n",
		  "line 5: something follows the end marker" },
		{ HEAD("0") COLUMNS "end 0\nend 0\n",
		  "line 5: something follows the end marker" },
		{ HEAD("1") COLUMNS "end 0\n8 0 sda 1 0 0 0\nend 1\n",
		  "line 5: something follows the end marker" },
	};

	expect_damaged(cases, COUNT_OF(cases));
}

static void counts_that_do_not_add_up(void **state __attribute__((unused)))
{
	static const struct bad_text cases[] = {
		{ HEAD("2") COLUMNS "8 0 sda 1 0 0 0\nend 1\n",
		  "line 6: the rows do not add up to 2 pages" },
		{ HEAD("0") COLUMNS "8 0 sda 1 0 0 0\nend 1\n",
		  "line 6: the rows do not add up to 0 pages" },
		{ HEAD("1") COLUMNS "end 0\n",
		  "line 5: the rows do not add up to 1 pages" },
		/* Each fits, but their sum does not. */
		{ HEAD("4503599627370494") COLUMNS
		  "8 0 sda 2251799813685247 0 0 0\n"
		  "8 1 sda1 2251799813685247 0 0 0\nend 2\n",
		  "line 7: the rows do not add up to 4503599627370494 pages" },
	};

	expect_damaged(cases, COUNT_OF(cases));
}

static void nul_bytes(void **state __attribute__((unused)))
{
	struct error err;
	char text[sizeof(good)];

	for (size_t at = 0; at < strlen(good); at++) {
		memcpy(text, good, sizeof(good));
		text[at] = '\0';
		assert_int_equal(parse(text, strlen(good), &err), -EBADMSG);
		assert_string_equal(text_of(&err),
				    "line 0: a NUL byte in the text");
	}
	/* A NUL after the end, and nothing but a NUL. */
	assert_int_equal(parse(good, sizeof(good), &err), -EBADMSG);
	assert_int_equal(parse("", 1, &err), -EBADMSG);
}

static void lines_of_ten_megabytes(void **state __attribute__((unused)))
{
	static const char *const heads[] = {
		"",
		VERSION,
		VERSION "page_size ",
		HEAD("0") "columns ",
		HEAD("0") COLUMNS,
		HEAD("0") COLUMNS "8 0 ",
		HEAD("0") COLUMNS "end ",
	};
	static const char bytes[] = { 'x', '0', ' ', '\\' };
	size_t length = 10 << 20;
	char *text = malloc(length + 256);
	struct error err;

	assert_non_null(text);
	for (size_t i = 0; i < COUNT_OF(heads) * COUNT_OF(bytes); i++) {
		size_t head = strlen(heads[i / COUNT_OF(bytes)]);

		memcpy(text, heads[i / COUNT_OF(bytes)], head);
		memset(text + head, bytes[i % COUNT_OF(bytes)], length);
		strcpy(text + head + length, "\nend 0\n");
		assert_int_equal(parse(text, strlen(text), &err), -EBADMSG);
		assert_true(strlen(text_of(&err)) < 200);
	}
	free(text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_is_good),
		cmocka_unit_test(cut_short_at_every_byte),
		cmocka_unit_test(every_byte_changed),
		cmocka_unit_test(bad_first_lines),
		cmocka_unit_test(other_majors),
		cmocka_unit_test(bad_headers),
		cmocka_unit_test(bad_page_sizes),
		cmocka_unit_test(bad_columns),
		cmocka_unit_test(too_many_columns),
		cmocka_unit_test(rows_of_another_width),
		cmocka_unit_test(figures_that_are_no_numbers),
		cmocka_unit_test(device_numbers_past_32_bits),
		cmocka_unit_test(bad_names),
		cmocka_unit_test(end_markers),
		cmocka_unit_test(counts_that_do_not_add_up),
		cmocka_unit_test(nul_bytes),
		cmocka_unit_test(lines_of_ten_megabytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

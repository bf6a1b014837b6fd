// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fields.h"
#include "lib/json_out.h"
#include "lib/text_stream.h"
#include "test.h"

enum shape { ROUND, SQUARE };

struct part {
	char *name;
	size_t parent; /* SIZE_MAX: none */
	int64_t pages; /* -1: not known */
	uint64_t counts[2];
	uint64_t known;
};

struct whole {
	unsigned int number;
	int error;
	uint64_t large;
	bool is_new;
	enum shape shape;
	char text[4];
	bool has_inner;
	struct {
		int64_t bytes;
	} inner;
	struct part *parts;
	size_t count;
	struct part two[2];
	size_t two_count;
};

static const char *const shapes[] = { [ROUND] = "round", [SQUARE] = "square" };
static const char *const counts[] = { "a", "b" };

static const struct field part_list[] = {
	{ FIELD_STRING(struct part, name, "name", SAYS_WORD) },
	{ FIELD(struct part, parent, "parent", 10), .known = KNOWN_NOT_MAX },
	{ FIELD(struct part, pages, "pages", 100), .known = KNOWN_NOT_NEGATIVE,
	  .may_lack = true },
	{ FIELD_COUNTS(struct part, counts, known, counts) },
};
static const struct fields part_fields = FIELDS(struct part, part_list);

static const struct field inner_list[] = {
	{ .key = "bytes",
	  .kind = FIELD_KIND_SIGNED,
	  .size = sizeof(int64_t),
	  .most = INT64_MAX },
};
static const struct fields inner_fields = { inner_list, 1, sizeof(int64_t) };

static const struct field whole_list[] = {
	{ FIELD(struct whole, number, "number", UINT_MAX) },
	{ FIELD(struct whole, error, "error", 4095) },
	{ FIELD(struct whole, large, "large", UINT64_MAX) },
	{ FIELD(struct whole, is_new, "new", 0), .may_lack = true },
	{ FIELD_WORD(struct whole, shape, "shape", shapes) },
	{ FIELD_TEXT(struct whole, text, "text", SAYS_WORD) },
	{ FIELD_OBJECT(struct whole, inner, "inner", &inner_fields),
	  FIELD_KNOWN(struct whole, has_inner) },
	{ FIELD_LIST(struct whole, parts, count, "parts", &part_fields, 3) },
	{ FIELD_ARRAY(struct whole, two, two_count, "two", &part_fields) },
};
static const struct fields whole_fields = FIELDS(struct whole, whole_list);

#define HEAD                                                                   \
	"{\"number\":7,\"error\":4095,\"large\":18446744073709551615,"         \
	"\"new\":true,\"shape\":\"square\",\"text\":\"abc\","
#define PART(name, rest)                                                       \
	"{\"name\":\"" name "\",\"parent\":null,\"pages\":null" rest "}"
#define TWO "\"two\":[" PART("x", "") "," PART("y", "") "]}"
#define ALL                                                                    \
	HEAD "\"inner\":{\"bytes\":5},\"parts\":[" PART(                       \
		"p",                                                           \
		"") ",{\"name\":\"q\",\"parent\":0,\"pages\":100,\"b\":9}]," TWO

static void release(struct whole *whole)
{
	for (size_t i = 0; i < whole->count; i++)
		free(whole->parts[i].name);
	for (size_t i = 0; i < whole->two_count; i++)
		free(whole->two[i].name);
	free(whole->parts);
}

static int read_whole(const char *text, struct whole *whole)
{
	struct json_in *document;
	int ret;

	*whole = (struct whole){ 0 };
	assert_int_equal(json_in_open(strdup(text), &document), 0);
	ret = fields_read(json_in_root(document), &whole_fields, whole);
	json_in_close(document);
	return ret;
}

static char *write_record(const struct fields *fields, const void *record)
{
	struct json_out json;
	char *text, *from, *to;
	size_t size;
	FILE *out = text_stream_open(&text, &size);

	json_out_init(&json, out);
	json_out_object(&json, NULL);
	fields_write(&json, fields, record);
	json_out_object_end(&json);
	json_out_finish(&json);
	assert_int_equal(text_stream_close(out, &text), 0);
	for (from = to = text; *from; from++) {
		if (*from != ' ' && *from != '\n')
			*to++ = *from;
	}
	*to = '\0';
	return text;
}

static void what_is_written_is_read(void **state __attribute__((unused)))
{
	struct whole whole;
	char *text;

	assert_int_equal(read_whole(ALL, &whole), 0);
	assert_int_equal(whole.number, 7);
	assert_int_equal(whole.error, 4095);
	assert_true(whole.large == UINT64_MAX);
	assert_true(whole.is_new && whole.has_inner);
	assert_int_equal(whole.shape, SQUARE);
	assert_string_equal(whole.text, "abc");
	assert_int_equal(whole.inner.bytes, 5);
	assert_int_equal(whole.count, 2);
	assert_true(whole.parts[0].parent == SIZE_MAX);
	assert_int_equal(whole.parts[0].pages, -1);
	assert_int_equal(whole.parts[0].known, 0);
	assert_int_equal(whole.parts[1].parent, 0);
	assert_int_equal(whole.parts[1].pages, 100);
	assert_int_equal(whole.parts[1].known, 2);
	assert_int_equal(whole.parts[1].counts[1], 9);
	assert_string_equal(whole.two[1].name, "y");
	text = write_record(&whole_fields, &whole);
	assert_string_equal(text, ALL);
	free(text);
	release(&whole);
}

static void an_older_file_lacks_some(void **state __attribute__((unused)))
{
	struct whole whole;

	assert_int_equal(read_whole("{\"number\":1,\"error\":0,\"large\":0,"
				    "\"shape\":\"round\",\"text\":\"\","
				    "\"inner\":null,\"parts\":[],\"two\":["
				    "{\"name\":\"n\",\"parent\":3}]}",
				    &whole),
			 0);
	assert_false(whole.is_new || whole.has_inner);
	assert_null(whole.parts);
	assert_int_equal(whole.two[0].pages, -1);
	release(&whole);
}

/* The document with one part of it replaced. */
static void expect_refused(const char *from, const char *to)
{
	const char *at = strstr(ALL, from);
	char text[1024];
	struct whole whole;

	assert_non_null(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - ALL), ALL, to,
		 at + strlen(from));
	if (read_whole(text, &whole) != -EBADMSG)
		fail_msg("not refused: %s", text);
	release(&whole);
}

static void what_cannot_be_is_refused(void **state __attribute__((unused)))
{
	static const char *const cases[][2] = {
		{ "\"number\":7,", "" },
		{ "\"number\":7", "\"number\":null" },
		{ "\"number\":7", "\"number\":4294967296" },
		{ "\"number\":7", "\"number\":-1" },
		{ "\"number\":7", "\"number\":\"7\"" },
		{ "\"error\":4095", "\"error\":4096" },
		{ "\"new\":true", "\"new\":1" },
		{ "\"new\":true", "\"new\":null" },
		{ "square", "oval" },
		{ "\"square\"", "null" },
		{ "\"abc\"", "\"abcd\"" },
		{ "{\"bytes\":5}", "{}" },
		{ "{\"bytes\":5}", "[]" },
		{ "\"inner\":{\"bytes\":5},", "" },
		{ "\"parent\":0", "\"parent\":11" },
		{ "\"pages\":100", "\"pages\":101" },
		{ "\"pages\":100", "\"pages\":true" },
		{ "\"b\":9", "\"b\":null" },
		{ "\"name\":\"q\"", "\"name\":null" },
		{ "\"name\":\"q\"", "\"name\":3" },
		{ "\"parts\":[", "\"parts\":[1," },
		/* Four where three may be, and three in an array of two. */
		{ "\"parts\":[",
		  "\"parts\":[" PART("1", "") "," PART("2", "") "," },
		{ "\"two\":[", "\"two\":[" PART("z", "") "," },
		{ "\"two\":[", "\"two\":null,\"none\":[" },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		expect_refused(cases[i][0], cases[i][1]);
}

/* What tells of something else in the same structure. */
struct row {
	unsigned int major, minor;
	uint64_t figures[2];
	uint64_t present;
	char *refused;
	char *source;
	struct string_list places;
	uint64_t inodes;
	bool is_silent;
	bool unsettled;
	int failed;
	char release[4];
	const char *by;
};

static const struct field row_list[] = {
	{ FIELD_DEVICE(struct row, major, "number") },
	{ FIELD_COUNTS_OR_NULL(struct row, figures, present, counts, 2, 9) },
	{ FIELD_STRING(struct row, refused, "refused", SAYS_MESSAGE),
	  .known = KNOWN_NOT_ZERO },
	{ FIELD_STRING(struct row, source, "source", SAYS_SOURCE),
	  .known = KNOWN_NOT_ZERO },
	{ FIELD_STRINGS(struct row, places, "places", SAYS_WORD),
	  FIELD_WITH(struct row, source) },
	{ FIELD(struct row, inodes, "inodes", 9),
	  FIELD_WITHOUT(struct row, refused) },
	{ FIELD(struct row, is_silent, "silent", 0),
	  FIELD_WITH(struct row, refused), .may_lack = true,
	  .is_left_out = true },
	{ FIELD_NOT(struct row, unsettled, "settled") },
	{ FIELD(struct row, failed, "errno", 9), .known = KNOWN_NOT_ZERO },
	{ FIELD_TEXT(struct row, release, "release", SAYS_WORD),
	  .known = KNOWN_NOT_ZERO },
	{ FIELD_STATIC(struct row, by, "by", shapes, 1) },
};
static const struct fields row_fields = FIELDS(struct row, row_list);

#define END                                                                    \
	"\"settled\":false,\"errno\":3,\"release\":\"6.1\",\"by\":\"round\"}"
#define MEASURED                                                               \
	"{\"number\":\"8:1\",\"a\":null,\"b\":9,\"refused\":null,"             \
	"\"source\":\"x\",\"places\":[\"/\"],\"inodes\":5," END
#define REFUSED                                                                \
	"{\"number\":\"0:4294967295\",\"a\":null,\"b\":null,"                  \
	"\"refused\":\"no\",\"source\":null,\"places\":null,"                  \
	"\"inodes\":null,\"silent\":true," END

static int read_row(const char *text, struct row *row)
{
	struct json_in *document;
	int ret;

	*row = (struct row){ 0 };
	assert_int_equal(json_in_open(strdup(text), &document), 0);
	ret = fields_read(json_in_root(document), &row_fields, row);
	json_in_close(document);
	return ret;
}

static void release_row(struct row *row)
{
	free(row->refused);
	free(row->source);
	string_list_deinit(&row->places);
}

static void expect_row(const char *text)
{
	struct row row;
	char *again;

	assert_int_equal(read_row(text, &row), 0);
	assert_true(row.unsettled);
	assert_int_equal(row.failed, 3);
	assert_string_equal(row.release, "6.1");
	assert_ptr_equal(row.by, shapes[0]);
	assert_int_equal(row.present, row.refused ? 0 : 2);
	assert_int_equal(row.places.count, !row.refused);
	assert_int_equal(row.inodes, row.refused ? 0 : 5);
	assert_int_equal(row.is_silent, row.refused != NULL);
	assert_int_equal(row.minor, row.refused ? UINT_MAX : 1);
	again = write_record(&row_fields, &row);
	assert_string_equal(again, text);
	free(again);
	release_row(&row);
}

static void expect_row_refused(const char *all, const char *from,
			       const char *to)
{
	const char *at = strstr(all, from);
	char text[1024];
	struct row row;

	assert_non_null(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - all), all, to,
		 at + strlen(from));
	if (read_row(text, &row) != -EBADMSG)
		fail_msg("not refused: %s", text);
	release_row(&row);
}

static void one_tells_of_another(void **state __attribute__((unused)))
{
	static const char *const cases[][2] = {
		{ "\"8:1\"", "\"8\"" },
		{ "\"8:1\"", "null" },
		{ "\"a\":null,", "" },
		{ "\"b\":9", "\"b\":10" },
		{ "\"refused\":null,", "" },
		{ "\"refused\":null", "\"refused\":\"no\"" },
		{ "\"source\":\"x\"", "\"source\":null" },
		{ "[\"/\"]", "null" },
		{ "[\"/\"]", "[1]" },
		{ "\"inodes\":5", "\"inodes\":null" },
		{ "\"settled\":false", "\"settled\":null" },
		{ "\"errno\":3", "\"errno\":0" },
		{ "\"6.1\"", "\"\"" },
		/* Only the first of the words. */
		{ "round", "square" },
	};
	struct row row;

	expect_row(MEASURED);
	expect_row(REFUSED);
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		expect_row_refused(MEASURED, cases[i][0], cases[i][1]);
	expect_row_refused(REFUSED, "\"inodes\":null", "\"inodes\":1");
	expect_row_refused(REFUSED, "\"places\":null", "\"places\":[]");
	expect_row_refused(REFUSED, "\"silent\":true", "\"silent\":null");

	/* An older file does not say. */
	assert_int_equal(read_row("{\"number\":\"0:1\",\"a\":null,\"b\":null,"
				  "\"refused\":\"no\",\"source\":null,"
				  "\"places\":null,\"inodes\":null," END,
				  &row),
			 0);
	assert_false(row.is_silent);
	release_row(&row);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(an_older_file_lacks_some),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(one_tells_of_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

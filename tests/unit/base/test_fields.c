// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fields/fields.h"
#include "lib/error.h"
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
static const struct fields inner_fields = {
	.list = inner_list,
	.count = 1,
	.size = sizeof(int64_t),
};

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

/* No string has spaces. */
static char *without_spaces(char *text)
{
	char *from, *to;

	for (from = to = text; *from; from++) {
		if (*from != ' ' && *from != '\n')
			*to++ = *from;
	}
	*to = '\0';
	return text;
}

static char *write_record(const struct fields *fields, const void *record)
{
	struct json_out json;
	char *text;
	size_t size;
	FILE *out = text_stream_open(&text, &size);

	json_out_init(&json, out);
	json_out_object(&json, NULL);
	fields_write(&json, fields, record);
	json_out_object_end(&json);
	json_out_finish(&json);
	assert_int_equal(text_stream_close(out, &text), 0);
	return without_spaces(text);
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

/* What is only written. */
struct point {
	int64_t x;
	int64_t y; /* 0: absent */
};

struct tree {
	char text[8];
	struct tree *below;
	size_t count;
};

struct shown {
	double share;
	int64_t real_ms;
	const char *why;
	struct table_rows rows;
	const struct column_choice *choice;
	bool has_rows;
	struct point point;
	const struct point *other; /* or NULL */
	size_t made; /* how many points */
	int64_t signed_count;
	struct tree tree;
};

static struct column_value get_y(const void *data)
{
	const struct point *point = data;

	return column_number(point->y, point->y);
}

static const char *const moods[] = { "good", "bad", NULL };

static struct column_value get_mood(const void *data, size_t which)
{
	const struct shown *shown = data;

	return column_text(shown->share > 50 ? moods[which] : NULL);
}

static const struct column point_columns[] = {
	{ "X", "x", "right", COLUMN_COUNT, COLUMN_USUAL, .always = true,
	  .is_signed = true, COLUMN_AT(column_number_at, struct point, x) },
	{ "Y", "y_bytes", "up", COLUMN_BYTES, COLUMN_USUAL, .value = get_y },
};

static const struct column_set point_set = COLUMN_SET("test", point_columns);

static const struct field point_list[] = {
	{ FIELD_COLUMNS(&point_set) },
};
static const struct fields point_fields = FIELDS(struct point, point_list);

static const struct field x_list[] = {
	{ FIELD(struct point, x, "x", 9) },
};
static const struct fields x_fields = FIELDS(struct point, x_list);

static const struct field y_list[] = {
	{ FIELD(struct point, y, "y", 9), .known = KNOWN_NOT_ZERO },
};
static const struct fields y_fields = FIELDS(struct point, y_list);

struct sum {
	uint64_t sum;
};

static bool make_sum(const void *record, size_t which, void *made)
{
	const struct shown *shown = record;
	struct sum *sum = made;

	assert_int_equal(which, 0);
	sum->sum = (uint64_t)(shown->point.x + shown->point.y);
	return true;
}

static const struct field sum_list[] = {
	{ FIELD(struct sum, sum, "sum", 9) },
};
static const struct fields sum_fields = FIELDS(struct sum, sum_list);

/* The point at (which, which + 1). */
static bool make_point(const void *record, size_t which, void *made)
{
	const struct shown *shown = record;

	*(struct point *)made =
		(struct point){ (int64_t)which, (int64_t)which + 1 };
	return which < shown->made;
}

static const struct fields tree_fields;

static const struct field tree_list[] = {
	{ FIELD_TEXT(struct tree, text, "text", SAYS_WORD) },
	{ FIELD_LIST(struct tree, below, count, "below", &tree_fields, 9) },
};
static const struct fields tree_fields = {
	.list = tree_list,
	.count = COUNT_OF(tree_list),
	.size = sizeof(struct tree),
	.name = "tree",
};

static const struct field count_list[] = {
	{ FIELD(struct shown, signed_count, "count", 9), .is_count = true },
};
static const struct fields count_fields = FIELDS(struct shown, count_list);

static const struct field shown_list[] = {
	{ FIELD_DECIMAL(struct shown, share, "share"), .about = "percent" },
	{ FIELD_MOMENT(struct shown, real_ms, "when") },
	{ FIELD_SENTENCE(struct shown, why, "why"), .about = "reason",
	  .null = "none" },
	{ FIELD_VALUE("mood", COLUMN_TEXT), .value_of = get_mood, .which = 1,
	  .words = moods, .null = "unknown" },
	{ FIELD_ROWS(struct shown, rows, choice, "rows", &point_set),
	  FIELD_KNOWN(struct shown, has_rows) },
	{ FIELD_PART(struct shown, point, &x_fields) },
	{ FIELD_POINTED(struct shown, other, &y_fields) },
	{ FIELD_MADE_OBJECT("object", &point_fields, make_point),
	  .null = "none" },
	{ FIELD_MADE_OBJECT("left_out", &x_fields, make_point),
	  .is_left_out = true },
	{ FIELD_MADE_LIST("list", &x_fields, make_point) },
	{ FIELD_MADE_LIST("list_or_null", &x_fields, make_point),
	  .null = "none" },
	{ FIELD_MADE_LIST("list_left_out", &x_fields, make_point),
	  .is_left_out = true },
	{ FIELD_MADE_PART(&sum_fields, make_sum) },
	{ FIELD_SAME(&count_fields) },
	{ FIELD_OBJECT(struct shown, tree, "tree", &tree_fields) },
};
static const struct fields shown_fields = FIELDS(struct shown, shown_list);

/* @wanted has ' for ", which is easier to read. */
static void expect_text(char *text, const char *wanted)
{
	for (char *at = text; (at = strchr(at, '"'));)
		*at = '\'';
	assert_string_equal(text, wanted);
	free(text);
}

static void expect_written(const struct shown *shown, const char *wanted)
{
	expect_text(write_record(&shown_fields, shown), wanted);
}

static void each_kind_is_written(void **state __attribute__((unused)))
{
	struct column_choice choice;
	struct point points[] = { { -1, 0 }, { 2, 3 } };
	struct tree leaves[] = { { .text = "a" }, { .text = "b" } };
	struct shown shown = {
		.share = 50.5,
		.real_ms = 86400999,
		.why = "so",
		.rows = TABLE_ROWS(points, 2),
		.choice = &choice,
		.has_rows = true,
		.point = { 4, 5 },
		.other = &points[1],
		.made = 2,
		.signed_count = 7,
		.tree = { "root", leaves, COUNT_OF(leaves) },
	};

	column_choice_all(&choice, &point_set);
	expect_written(&shown,
		       "{'share':50.500,'when':'1970-01-02T00:00:00Z',"
		       "'why':'so','mood':'bad','rows':["
		       "{'x':-1,'y_bytes':null},{'x':2,'y_bytes':3}],"
		       "'x':4,'y':3,'object':{'x':0,'y_bytes':1},"
		       "'left_out':{'x':0},'list':[{'x':0},{'x':1}],"
		       "'list_or_null':[{'x':0},{'x':1}],"
		       "'list_left_out':[{'x':0},{'x':1}],'sum':9,'count':7,"
		       "'tree':{'text':'root','below':["
		       "{'text':'a','below':[]},"
		       "{'text':'b','below':[]}]}}");
	/* A choice has only some of the columns. */
	column_choice_parse(&choice, &point_set, "Y", NULL);
	shown = (struct shown){ .rows = shown.rows,
				.choice = &choice,
				.has_rows = true,
				.other = &points[0] };
	expect_written(&shown, "{'share':0.000,'when':'1970-01-01T00:00:00Z',"
			       "'why':null,'mood':null,"
			       "'rows':[{'y_bytes':null},{'y_bytes':3}],"
			       "'x':0,'y':null,'object':null,'list':[],"
			       "'list_or_null':null,'sum':0,'count':0,"
			       "'tree':{'text':'','below':[]}}");
	shown.has_rows = false;
	expect_written(&shown, "{'share':0.000,'when':'1970-01-01T00:00:00Z',"
			       "'why':null,'mood':null,'rows':null,"
			       "'x':0,'y':null,'object':null,'list':[],"
			       "'list_or_null':null,'sum':0,'count':0,"
			       "'tree':{'text':'','below':[]}}");
}

static void expect_schema(const struct fields *fields, const char *required,
			  const char *properties, const char *definitions)
{
	char *wanted, *text;
	size_t size;
	FILE *out = text_stream_open(&text, &size);

	fields_print_schema(out, "T", fields);
	assert_int_equal(text_stream_close(out, &text), 0);
	assert_true(asprintf(&wanted,
			     "{'$schema':"
			     "'http://json-schema.org/draft-07/schema#',"
			     "'title':'T','type':'object',"
			     "'required':[%s],'properties':{%s}%s}",
			     required, properties, definitions) > 0);
	expect_text(without_spaces(text), wanted);
	free(wanted);
}

#define NUMBER "{'type':'integer','minimum':0}"
#define NUMBER_OR_NULL "{'type':['integer','null'],'minimum':0}"
#define STRING_OR_NULL "{'type':['string','null']}"
#define PARTS_SCHEMA                                                           \
	"{'type':'array','items':{'type':'object',"                            \
	"'required':['name','parent'],'properties':{"                          \
	"'name':{'type':'string'},'parent':" NUMBER_OR_NULL ","                \
	"'pages':{'type':['integer','null']},"                                 \
	"'a':" NUMBER ",'b':" NUMBER "}}}"
#define POINT_SCHEMA                                                           \
	"{'x':{'type':'integer','description':'right'},"                       \
	"'y_bytes':{'type':['integer','null'],'minimum':0,"                    \
	"'description':'up'}}"
#define X_SCHEMA                                                               \
	"{'type':'object','required':['x'],"                                   \
	"'properties':{'x':{'type':'integer'}}}"

static void each_kind_has_its_schema(void **state __attribute__((unused)))
{
	expect_schema(&whole_fields,
		      "'number','error','large','shape','text','inner',"
		      "'parts','two'",
		      "'number':" NUMBER ","
		      "'error':{'type':'integer'},"
		      "'large':" NUMBER ","
		      "'new':{'type':'boolean'},"
		      "'shape':{'enum':['round','square']},"
		      "'text':{'type':'string'},"
		      "'inner':{'type':['object','null'],"
		      "'required':['bytes'],"
		      "'properties':{'bytes':{'type':'integer'}}},"
		      "'parts':" PARTS_SCHEMA ","
		      "'two':" PARTS_SCHEMA,
		      "");
	expect_schema(&row_fields,
		      "'number','a','b','refused','source','places','inodes',"
		      "'settled','errno','release','by'",
		      "'number':{'type':'string',"
		      "'pattern':'^[0-9]+:[0-9]+$'},"
		      "'a':" NUMBER_OR_NULL ","
		      "'b':" NUMBER_OR_NULL ","
		      "'refused':" STRING_OR_NULL ","
		      "'source':" STRING_OR_NULL ","
		      "'places':{'type':['array','null'],"
		      "'items':{'type':'string'}},"
		      "'inodes':" NUMBER_OR_NULL ","
		      "'silent':{'type':'boolean'},"
		      "'settled':{'type':'boolean'},"
		      "'errno':{'type':['integer','null']},"
		      "'release':" STRING_OR_NULL ","
		      "'by':{'enum':['round']}",
		      "");
	expect_schema(&shown_fields,
		      "'share','when','why','mood','rows','x','y','object',"
		      "'list','list_or_null','sum','count','tree'",
		      "'share':{'type':'number','description':'percent'},"
		      "'when':{'type':'string'},"
		      "'why':{'type':['string','null'],"
		      "'description':'reason;null:none'},"
		      "'mood':{'enum':['good','bad',null],"
		      "'description':'null:unknown'},"
		      "'rows':{'type':['array','null'],"
		      "'items':{'type':'object','properties':" POINT_SCHEMA
		      "}},"
		      "'x':{'type':'integer'},"
		      "'y':{'type':['integer','null']},"
		      "'object':{'type':['object','null'],"
		      "'description':'null:none',"
		      "'required':['x','y_bytes'],"
		      "'properties':" POINT_SCHEMA "},"
		      "'left_out':" X_SCHEMA ","
		      "'list':{'type':'array','items':" X_SCHEMA "},"
		      "'list_or_null':{'type':['array','null'],"
		      "'description':'null:none','items':" X_SCHEMA "},"
		      "'list_left_out':{'type':'array','items':" X_SCHEMA "},"
		      "'sum':" NUMBER ","
		      "'count':" NUMBER ","
		      "'tree':{'$ref':'#/definitions/tree'}",
		      ",'definitions':{'tree':{'type':'object',"
		      "'required':['text','below'],'properties':{"
		      "'text':{'type':'string'},"
		      "'below':{'type':'array',"
		      "'items':{'$ref':'#/definitions/tree'}}}}}");
}

struct written {
	struct error error;
	int number;
	bool knows_list;
	const int64_t *numbers;
	size_t count;
	uint64_t signs[2];
	uint64_t known;
};

static bool is_odd(const void *element)
{
	const int64_t *number = element;

	return *number % 2;
}

static bool make_nothing(const void *record __attribute__((unused)),
			 size_t which __attribute__((unused)),
			 void *made __attribute__((unused)))
{
	return false;
}

static const struct field written_list[] = {
	{ FIELD_ERROR(struct written, error, "error") },
	{ FIELD_ERRNO(struct written, number, "errno") },
	{ FIELD_LIST(struct written, numbers, count, "odd", &inner_fields, 9),
	  .has = is_odd },
	{ FIELD_MADE_LIST("made", &inner_fields, make_nothing),
	  FIELD_KNOWN(struct written, knows_list), .is_left_out = true },
	{ FIELD_COUNTS_OR_NULL(struct written, signs, known, counts, 2,
			       UINT64_MAX),
	  .is_signed = true },
};
static const struct fields written_fields =
	FIELDS(struct written, written_list);

static void some_of_a_list_is_written(void **state __attribute__((unused)))
{
	static const int64_t numbers[] = { 1, 2, 3 };
	struct written written = {
		.knows_list = true,
		.numbers = numbers,
		.count = COUNT_OF(numbers),
		.signs = { UINT64_MAX },
		.known = 1,
	};

	expect_text(write_record(&written_fields, &written),
		    "{'error':null,'errno':'none',"
		    "'odd':[{'bytes':1},{'bytes':3}],"
		    "'made':[],'a':-1,'b':null}");
	error_set(&written.error, ENOENT, "why");
	written.number = EIO;
	written.knows_list = false;
	written.count = 0;
	expect_text(write_record(&written_fields, &written),
		    "{'error':'why','errno':'EIO',"
		    "'odd':[],'a':-1,'b':null}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(an_older_file_lacks_some),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(one_tells_of_another),
		cmocka_unit_test(each_kind_is_written),
		cmocka_unit_test(each_kind_has_its_schema),
		cmocka_unit_test(some_of_a_list_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Valid and invalid JSON, and finding values in it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json_in.h"
#include "lib/string_list.h"
#include "test.h"

static int parse(const char *text)
{
	struct json_in *document;
	int ret = json_in_open(strdup(text), &document);

	assert_int_equal(!document, ret < 0);
	json_in_close(document);
	return ret;
}

static void what_is_json(void **state __attribute__((unused)))
{
	static const char *const texts[] = {
		"{}",
		"[]",
		" [ ] \r\n\t",
		"null",
		"true",
		"-0.5e+10",
		"0",
		"[1,2,[],{},\"\"]",
		"{\"a\":{\"b\":[{}]},\"a\":null}",
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"",
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		assert_int_equal(parse(texts[i]), 0);
}

static void what_is_not(void **state __attribute__((unused)))
{
	static const char *const texts[] = {
		"",
		" ",
		"{",
		"[",
		"]",
		"[1",
		"[1,",
		"[1,]",
		"[,1]",
		"[1 2]",
		"[1}",
		"{1:2}",
		"{\"a\"}",
		"{\"a\":}",
		"{\"a\":1,}",
		"{\"a\":1",
		"nul",
		"nulll",
		"True",
		"01",
		"-",
		"1.",
		".5",
		"+1",
		"1e",
		"0x10",
		"\"",
		"\"a",
		"\"\\",
		"\"\\x\"",
		"\"\\u12\"",
		"\"\\u12",
		"\"\\u000g",
		"\"\\u0000\"",
		"\"\n\"",
		"\"\x01\"",
		"{} {}",
		"[]x",
		"'a'",
		"// no\n1",
		"\"\\ud83d\"",
		"\"\\udc7f\"",
		"\"\\ud83d\\u0041\"",
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		assert_int_equal(parse(texts[i]), -EBADMSG);
}

static void not_too_deep(void **state __attribute__((unused)))
{
	char text[101] = "";

	memset(text, '[', 100);
	assert_int_equal(parse(text), -EBADMSG);
	memset(text + 16, ']', 16);
	text[32] = '\0';
	assert_int_equal(parse(text), 0);
}

static void members_are_found(void **state __attribute__((unused)))
{
	static const char text[] =
		"{\"list\": [{\"list\": 1}, \"b\", []], \"word\": \"a\\u00e9"
		"\\ud83d\\ude00\", \"none\": null, \"yes\": true, \"no\": false,"
		"\"most\": 18446744073709551615, \"over\": 18446744073709551616,"
		"\"less\": -1, \"half\": 0.5, \"power\": 1e3,"
		"\"words\": [\"x\", \"y z\"]}";
	struct json_value root, value;
	struct string_list list = { 0 };
	struct json_in *document;
	const char *string = NULL;
	uint64_t number = 7;
	size_t count = 0;
	bool flag = false;
	char *copy = NULL;

	assert_int_equal(json_in_open(strdup(text), &document), 0);
	root = json_in_root(document);
	assert_int_equal(json_in_string(root, "word", &string), 1);
	assert_string_equal(string, "a\xc3\xa9\xf0\x9f\x98\x80");
	assert_int_equal(json_in_copy(root, "word", &copy), 1);
	assert_string_equal(copy, string);
	free(copy);
	assert_int_equal(json_in_bool(root, "yes", &flag), 1);
	assert_true(flag);
	assert_int_equal(json_in_bool(root, "no", &flag), 1);
	assert_false(flag);
	assert_int_equal(json_in_bool(root, "word", &flag), -EBADMSG);

	assert_int_equal(json_in_number(root, "none", 9, &number), 0);
	assert_int_equal(json_in_number(root, "missing", 9, &number), -EBADMSG);
	assert_int_equal(json_in_number(root, "list", 9, &number), -EBADMSG);
	assert_int_equal(json_in_number(root, "most", 9, &number), -EBADMSG);
	assert_int_equal(json_in_number(root, "over", UINT64_MAX, &number),
			 -EBADMSG);
	assert_int_equal(json_in_number(root, "less", 9, &number), -EBADMSG);
	assert_int_equal(json_in_number(root, "half", 9, &number), -EBADMSG);
	assert_int_equal(json_in_number(root, "power", 9, &number), -EBADMSG);
	assert_int_equal(number, 7);
	assert_int_equal(json_in_number(root, "most", UINT64_MAX, &number), 1);
	assert_true(number == UINT64_MAX);

	assert_int_equal(json_in_array(root, "list", &value, &count), 1);
	assert_int_equal(count, 3);
	assert_int_equal(json_in_number(value, "list", 9, &number), 1);
	assert_int_equal(number, 1);
	value = json_in_next(value);
	assert_int_equal(json_in_number(value, "list", 9, &number), -EBADMSG);
	assert_int_equal(json_in_object(root, "list", &value), -EBADMSG);
	assert_int_equal(json_in_strings(root, "list", &list), -EBADMSG);
	assert_int_equal(json_in_strings(root, "words", &list), 1);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.strings[1], "y z");
	string_list_deinit(&list);
	json_in_close(document);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_json),
		cmocka_unit_test(what_is_not),
		cmocka_unit_test(not_too_deep),
		cmocka_unit_test(members_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

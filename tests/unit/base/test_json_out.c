// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/json_out.h"
#include "lib/string_list.h"
#include "test.h"

struct document {
	struct json_out json;
	FILE *out;
	char *text;
	size_t size;
};

static void document_init(struct document *document)
{
	document->out = open_memstream(&document->text, &document->size);
	assert_non_null(document->out);
	json_out_init(&document->json, document->out);
}

static void expect_document(struct document *document, const char *expected)
{
	json_out_finish(&document->json);
	assert_int_equal(fclose(document->out), 0);
	assert_string_equal(document->text, expected);
	free(document->text);
}

static void expect_text(const char *value, const char *expected)
{
	struct document document;

	document_init(&document);
	json_out_string(&document.json, NULL, value);
	expect_document(&document, expected);
}

static void nests(void **state __attribute__((unused)))
{
	struct document document;
	struct json_out *json = &document.json;

	document_init(&document);
	json_out_object(json, NULL);
	json_out_array(json, "list");
	json_out_unsigned(json, NULL, 1);
	json_out_object(json, NULL);
	json_out_object_end(json);
	json_out_array(json, NULL);
	json_out_array_end(json);
	json_out_null(json, NULL);
	json_out_array_end(json);
	json_out_bool(json, "yes", true);
	json_out_bool(json, "no", false);
	json_out_null(json, "nothing");
	json_out_object_end(json);
	expect_document(&document, "{\n"
				   "   \"list\": [\n"
				   "      1,\n"
				   "      {},\n"
				   "      [],\n"
				   "      null\n"
				   "   ],\n"
				   "   \"yes\": true,\n"
				   "   \"no\": false,\n"
				   "   \"nothing\": null\n"
				   "}\n");
}

static void writes_lists(void **state __attribute__((unused)))
{
	struct string_list list = { 0 };
	struct document document;

	document_init(&document);
	json_out_object(&document.json, NULL);
	json_out_strings(&document.json, "none", &list);
	assert_int_equal(string_list_add(&list, "/"), 0);
	assert_int_equal(string_list_add(&list, "/a\"b"), 0);
	json_out_strings(&document.json, "two", &list);
	json_out_object_end(&document.json);
	expect_document(&document, "{\n"
				   "   \"none\": [],\n"
				   "   \"two\": [\n"
				   "      \"/\",\n"
				   "      \"/a\\\"b\"\n"
				   "   ]\n"
				   "}\n");
	string_list_deinit(&list);
}

static void nests_to_the_limit(void **state __attribute__((unused)))
{
	struct document document;

	document_init(&document);
	for (int i = 0; i < JSON_OUT_DEPTH; i++)
		json_out_array(&document.json, NULL);
	json_out_signed(&document.json, NULL, 7);
	for (int i = 0; i < JSON_OUT_DEPTH; i++)
		json_out_array_end(&document.json);
	json_out_finish(&document.json);
	fclose(document.out);
	free(document.text);
}

static void writes_numbers(void **state __attribute__((unused)))
{
	struct document document;
	struct json_out *json = &document.json;

	document_init(&document);
	json_out_array(json, NULL);
	json_out_signed(json, NULL, INT64_MIN);
	json_out_signed(json, NULL, INT64_MAX);
	json_out_unsigned(json, NULL, UINT64_MAX);
	json_out_decimal(json, NULL, 0);
	json_out_decimal(json, NULL, 99.3266);
	json_out_decimal(json, NULL, -0.0625);
	json_out_decimal(json, NULL, -2.4);
	json_out_decimal(json, NULL, NAN);
	json_out_decimal(json, NULL, INFINITY);
	json_out_decimal(json, NULL, -1e300);
	json_out_array_end(json);
	expect_document(&document, "[\n"
				   "   -9223372036854775808,\n"
				   "   9223372036854775807,\n"
				   "   18446744073709551615,\n"
				   "   0.000,\n"
				   "   99.327,\n"
				   "   -0.063,\n"
				   "   -2.400,\n"
				   "   null,\n"
				   "   null,\n"
				   "   null\n"
				   "]\n");
}

static void escapes(void **state __attribute__((unused)))
{
	expect_text("", "\"\"\n");
	expect_text(NULL, "null\n");
	expect_text("a \"b\" \\ /", "\"a \\\"b\\\" \\\\ /\"\n");
	expect_text("\n\t\r\x1b[31m\x01\x7f",
		    "\"\\n\\t\\u000d\\u001b[31m\\u0001\\u007f\"\n");
	expect_text("日本語 é 😀", "\"日本語 é 😀\"\n");
}

#define BAD "\xef\xbf\xbd"

static void writes_what_an_error_says(void **state __attribute__((unused)))
{
	struct error err = { 0 };
	struct document document;

	document_init(&document);
	json_out_array(&document.json, NULL);
	json_out_error(&document.json, NULL, &err);
	error_errno(&err, EIO, "reading", "/a\nb");
	error_remedy(&err, 0, "mend it");
	json_out_error(&document.json, NULL, &err);
	json_out_array_end(&document.json);
	expect_document(&document,
			"[\n"
			"   null,\n"
			"   \"reading: /a\\nb: Input/output error (mend it)\"\n"
			"]\n");
}

static void replaces_what_is_not_utf8(void **state __attribute__((unused)))
{
	expect_text("a\xff"
		    "b",
		    "\"a" BAD "b\"\n");
	expect_text("cut \xe6\x97", "\"cut " BAD BAD "\"\n");
	expect_text("\x80", "\"" BAD "\"\n");
	expect_text("\xc0\xaf", "\"" BAD BAD "\"\n"); /* overlong */
	expect_text("\xe0\x80\xaf", "\"" BAD BAD BAD "\"\n");
	expect_text("\xf0\x80\x80\xaf", "\"" BAD BAD BAD BAD "\"\n");
	expect_text("\xed\xa0\x80", "\"" BAD BAD BAD "\"\n"); /* surrogate */
	expect_text("\xf4\x90\x80\x80", "\"" BAD BAD BAD BAD "\"\n");
	expect_text("\xf5\x80\x80\x80", "\"" BAD BAD BAD BAD "\"\n");
	expect_text("\xe6\"", "\"" BAD "\\\"\"\n");
}

static void escapes_keys(void **state __attribute__((unused)))
{
	struct document document;

	document_init(&document);
	json_out_object(&document.json, NULL);
	json_out_null(&document.json, "a\"b");
	json_out_object_end(&document.json);
	expect_document(&document, "{\n   \"a\\\"b\": null\n}\n");
}

static void key_in_array(struct json_out *json)
{
	json_out_array(json, NULL);
	json_out_null(json, "key");
}

static void no_key_in_object(struct json_out *json)
{
	json_out_object(json, NULL);
	json_out_null(json, NULL);
}

static void key_at_the_top(struct json_out *json)
{
	json_out_object(json, "key");
}

static void two_documents(struct json_out *json)
{
	json_out_null(json, NULL);
	json_out_null(json, NULL);
}

static void wrong_end(struct json_out *json)
{
	json_out_array(json, NULL);
	json_out_object_end(json);
}

static void end_too_many(struct json_out *json)
{
	json_out_object_end(json);
}

static void unfinished(struct json_out *json)
{
	json_out_object(json, NULL);
	json_out_finish(json);
}

static void empty(struct json_out *json)
{
	json_out_finish(json);
}

static void too_deep(struct json_out *json)
{
	for (int i = 0; i <= JSON_OUT_DEPTH; i++)
		json_out_array(json, NULL);
}

/* Expects the program to abort at the mistake. */
static void expect_abort(void (*mistake)(struct json_out *json))
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		struct json_out json;

		signal(SIGABRT, SIG_DFL);
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		json_out_init(&json, stderr);
		mistake(&json);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void asserts_nesting(void **state __attribute__((unused)))
{
	void (*const mistakes[])(struct json_out *) = {
		key_in_array, no_key_in_object, key_at_the_top, two_documents,
		wrong_end,    end_too_many,	unfinished,	empty,
		too_deep,
	};

	for (size_t i = 0; i < COUNT_OF(mistakes); i++)
		expect_abort(mistakes[i]);
}

static void compact_is_one_line(void **state __attribute__((unused)))
{
	struct json_out json;
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	json_out_init(&json, out);
	json.compact = true;
	json_out_object(&json, NULL);
	json_out_string(&json, "a", "b c");
	json_out_array(&json, "list");
	json_out_signed(&json, NULL, 1);
	json_out_object(&json, NULL);
	json_out_object_end(&json);
	json_out_array_end(&json);
	json_out_object_end(&json);
	json_out_finish(&json);
	fclose(out);
	assert_string_equal(text, "{\"a\":\"b c\",\"list\":[1,{}]}\n");
	free(text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nests),
		cmocka_unit_test(writes_lists),
		cmocka_unit_test(nests_to_the_limit),
		cmocka_unit_test(writes_numbers),
		cmocka_unit_test(escapes),
		cmocka_unit_test(writes_what_an_error_says),
		cmocka_unit_test(replaces_what_is_not_utf8),
		cmocka_unit_test(escapes_keys),
		cmocka_unit_test(asserts_nesting),
		cmocka_unit_test(compact_is_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

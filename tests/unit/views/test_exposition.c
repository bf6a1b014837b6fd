// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "export/exposition.h"
#include "test.h"

static const struct metric_family size = {
	.name = "x_bytes",
	.unit = "bytes",
	.help = "A size.",
};

static const struct metric_family info = {
	.name = "x",
	.help = "A name.",
	.type = METRIC_INFO,
};

struct text {
	char *text;
	size_t size;
	struct exposition out;
};

static void begin(struct text *text, enum exposition_format format)
{
	FILE *out = open_memstream(&text->text, &text->size);

	assert_non_null(out);
	exposition_init(&text->out, out, format, false);
}

static void expect(struct text *text, const char *wanted)
{
	exposition_finish(&text->out);
	fclose(text->out.out);
	assert_string_equal(text->text, wanted);
	free(text->text);
}

static void openmetrics(void **state __attribute__((unused)))
{
	struct text text;

	begin(&text, EXPOSITION_OPENMETRICS);
	exposition_family(&text.out, &size);
	exposition_sample(&text.out);
	exposition_value(&text.out, -4096);
	exposition_sample(&text.out);
	exposition_label(&text.out, "device", "sda");
	exposition_label(&text.out, "major", "8");
	exposition_value(&text.out, INT64_MAX);
	exposition_family(&text.out, &info);
	exposition_sample(&text.out);
	exposition_value(&text.out, 1);
	expect(&text, "# HELP x_bytes A size.\n"
		      "# TYPE x_bytes gauge\n"
		      "# UNIT x_bytes bytes\n"
		      "x_bytes -4096\n"
		      "x_bytes{device=\"sda\",major=\"8\"} "
		      "9223372036854775807\n"
		      "# HELP x A name.\n"
		      "# TYPE x info\n"
		      "x_info 1\n"
		      "# EOF\n");
}

static void what_node_exporter_reads(void **state __attribute__((unused)))
{
	struct text text;

	begin(&text, EXPOSITION_PROMETHEUS);
	exposition_family(&text.out, &size);
	exposition_sample(&text.out);
	exposition_value(&text.out, 0);
	exposition_family(&text.out, &info);
	exposition_sample(&text.out);
	exposition_value(&text.out, 1);
	expect(&text, "# HELP x_bytes A size.\n"
		      "# TYPE x_bytes gauge\n"
		      "x_bytes 0\n"
		      "# HELP x_info A name.\n"
		      "# TYPE x_info gauge\n"
		      "x_info 1\n");
}

static void family_without_samples(void **state __attribute__((unused)))
{
	struct text text;

	begin(&text, EXPOSITION_OPENMETRICS);
	exposition_family(&text.out, &size);
	exposition_family(&text.out, &info);
	expect(&text, "# EOF\n");
}

static void label_values(void **state __attribute__((unused)))
{
	static const struct {
		const char *value;
		const char *text;
	} cases[] = {
		{ "a\"b", "{v=\"a\\\"b\"}" },
		{ "a\\b", "{v=\"a\\\\b\"}" },
		{ "a\nb", "{v=\"a\\nb\"}" },
		{ "a\tb", "{v=\"a\tb\"}" },
		{ "}# 1 {=,", "{v=\"}# 1 {=,\"}" },
		{ "日本", "{v=\"日本\"}" },
		{ "\xff\xc3", "{v=\"\xef\xbf\xbd\xef\xbf\xbd\"}" },
		{ "", "" },
		{ NULL, "" },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct text text;
		char wanted[128];

		begin(&text, EXPOSITION_PROMETHEUS);
		exposition_family(&text.out, &size);
		exposition_sample(&text.out);
		exposition_label(&text.out, "v", cases[i].value);
		exposition_value(&text.out, 1);
		snprintf(wanted, sizeof(wanted),
			 "# HELP x_bytes A size.\n# TYPE x_bytes gauge\n"
			 "x_bytes%s 1\n",
			 cases[i].text);
		expect(&text, wanted);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(openmetrics),
		cmocka_unit_test(what_node_exporter_reads),
		cmocka_unit_test(family_without_samples),
		cmocka_unit_test(label_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

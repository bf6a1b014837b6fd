// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/command_line.h"
#include "cli/table_options.h"
#include "commands/command.h"
#include "commands/command_past.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sentence.h"
#include "lib/sysroot.h"
#include "measure/provenance.h"
#include "record/answer.h"
#include "recorded/growth_json.h"
#include "recorded/growth_rows.h"
#include "store/excerpt.h"
#include "table/table.h"

/* Clocks in seconds and in milliseconds differ by less. */
#define LATER_MS 60000

struct options {
	struct common_options common;
	struct table_options table;
	struct moment from;
	struct moment to;
	bool all;
};

static const struct option_row option_rows[] = {
	ROW_CALL('\0', "from", struct options, from, "TIME", moment_take,
		 "from then on; the default is a day ago"),
	ROW_CALL('\0', "to", struct options, to, "TIME", moment_take,
		 "until then; the default is now"),
	ROW_FLAG('a', "all", struct options, all, "also what stood still"),
	ROW_GROUP(struct options, table.style.unit, size_options),
	ROW_GROUP(struct options, table, table_options),
	ROW_CALL('\0', "top", struct options, table.top, "N", table_take_rows,
		 "only the N that rose most, and the gaps"),
	ROW_GROUP(struct options, common, json_option),
	ROW_GROUP(struct options, common, json_lines_option),
	ROW_GROUP(struct options, common, recording_option),
	ROW_GROUP(struct options, common, tree_options),
	ROW_GROUP(struct options, common, timeout_option),
	ROW_GROUP(struct options, common, help_options),
	{ 0 },
};

/* What is printed. */
struct history_answer {
	struct growth_span span;
	const struct growth *growth;
	struct growth_filled filled;
};

static struct column_value get_resident(const void *data)
{
	const struct growth_cost *cost = data;

	return column_number(true, (int64_t)cost->resident_kib * 1024);
}

static const struct field cost_list[] = {
	{ FIELD(struct growth_cost, cpu_us, "cpu_us", UINT64_MAX),
	  .about = "processor time, with all its processes" },
	{ FIELD(struct growth_cost, over_ms, "over_ms", UINT64_MAX),
	  .about = "in so much time" },
	{ FIELD_VALUE("resident_bytes", COLUMN_BYTES), .value = get_resident,
	  .about = "the most that was resident of it" },
};

static const struct fields cost_fields = FIELDS(struct growth_cost, cost_list);

static bool make_cost(const void *record, size_t which __attribute__((unused)),
		      void *made)
{
	const struct growth *growth = record;

	*(struct growth_cost *)made = growth->cost;
	return growth->cost.over_ms;
}

static const struct field growth_list[] = {
	{ FIELD(struct growth, readings, "readings", UINT64_MAX),
	  .about = "of the devices in that time" },
	{ FIELD_MADE_OBJECT("recorder", &cost_fields, make_cost),
	  .about = "what the recorder says that it has cost",
	  .null = "it says nothing for that time" },
};

static const struct fields growth_fields = FIELDS(struct growth, growth_list);

static const struct field head_list[] = {
	{ FIELD_MOMENT(struct history_answer, span.from_ms, "from"),
	  .about = "UTC" },
	{ FIELD_MOMENT(struct history_answer, span.to_ms, "to"),
	  .about = "UTC" },
	{ FIELD_POINTED(struct history_answer, growth, &growth_fields) },
};

static const struct fields head_fields =
	FIELDS(struct history_answer, head_list);

static const struct field gaps_list[] = {
	{ FIELD_LIST(struct growth, gaps.gaps, gaps.count, "gaps", &gap_fields,
		     UINT64_MAX),
	  .about = "times without readings" },
};

static const struct fields gaps_fields = FIELDS(struct growth, gaps_list);

static const struct field rest_list[] = {
	{ FIELD_PART(struct history_answer, filled, &growth_filled_fields) },
	{ FIELD_POINTED(struct history_answer, growth, &gaps_fields) },
};

static const struct fields rest_fields =
	FIELDS(struct history_answer, rest_list);

static const struct field document_list[] = {
	{ FIELD_SAME(&document_version_fields) },
	{ DOCUMENT_ANSWER(&head_fields) },
	{ DOCUMENT_ROWS("history", &growth_columns),
	  .about = "what grew most comes first" },
	{ DOCUMENT_ANSWER(&rest_fields) },
};

static const struct fields history_document =
	FIELDS(struct document, document_list);

static void print_heading(const struct growth *growth)
{
	const struct growth_cost *cost = &growth->cost;
	char first[MOMENT_TEXT_SIZE], last[MOMENT_TEXT_SIZE];

	printf("%zu readings from %s to %s", growth->readings,
	       moment_text(growth->first_ms, first),
	       moment_text(growth->last_ms, last));
	if (cost->over_ms)
		printf("; the recorder took %.2f %% of a processor",
		       (double)cost->cpu_us / 10 / (double)cost->over_ms);
	putchar('\n');
}

static int print(const struct growth_rows *rows, const struct growth *growth,
		 const struct growth_span *span, const struct options *options)
{
	_cleanup_(recorded_who_deinit) struct recorded_who who = { 0 };
	struct selection all = { 0 };
	const struct table_style style = table_options_style(&options->table);
	struct history_answer answer = { *span, .growth = growth };
	const struct document document = {
		.answer = &answer,
		.rows = TABLE_ROWS(rows->rows, rows->count),
	};
	struct column_choice columns;

	if (options->common.json) {
		int ret = recorded_who_init(&who, growth, span->from_ms,
					    span->to_ms, &all);

		if (ret == -ENOMEM)
			return ret;
		column_choice_parse(&columns, &who_columns, who_json_columns,
				    NULL);
		answer.filled = growth_filled(growth, &who, &columns);
	} else if (table_format_is_plain(style.format) && !style.no_headings) {
		print_heading(growth);
	}
	return command_print_rows(&command_history, options, &document);
}

/* A device that was there, and who filled it, is shown, and why no figures. */
static int check_measured(const struct growth_rows *rows, struct error *err)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct growth_series *series = rows->rows[i].series;

		if (series && series->refused && !series->count)
			return error_doing(err, ENODATA, "choosing",
					   series->label ?: series->name,
					   "not measured in that time: %s",
					   series->refused);
	}
	return 0;
}

/* The JSON has a list of the gaps. */
static void arrange(struct growth_rows *rows, const struct options *options)
{
	const struct table_options *table = &options->table;
	size_t kept = 0, shown = 0, most = table->top ?: SIZE_MAX;

	column_sort(rows->rows, rows->count, sizeof(*rows->rows),
		    &table->order);
	for (size_t i = 0; i < rows->count; i++) {
		if (rows->rows[i].gap ? !options->common.json : shown++ < most)
			rows->rows[kept++] = rows->rows[i];
	}
	rows->count = kept;
}

static int show(const struct growth *growth, const struct growth_span *span,
		const struct options *options, struct selection *selection,
		struct error *err)
{
	_cleanup_(growth_rows_deinit) struct growth_rows rows;
	bool all = options->all || options->common.operand_count;
	int ret = growth_rows_init(&rows, growth, span, all);

	if (ret < 0)
		return error_errno(err, -ret, "printing", "the history");
	growth_rows_select(&rows, selection);
	selection->lacks_devices = !growth->measured;
	selection->lacks_files = !fills_traced_all(&growth->fills);
	command_print_vain(selection);
	if (selection_is_vain(selection))
		return 0;
	arrange(&rows, options);
	ret = print(&rows, growth, span, options);
	if (!ret && options->common.operand_count)
		return check_measured(&rows, err);
	return table_error(err, ret, "the history");
}

/* Where the text of @moment begins in @word; NULL: it is of another word. */
static const char *moment_in(const struct moment *moment, const char *word)
{
	for (; moment->count; word++) {
		if (word == moment->text)
			return word;
		if (!*word)
			break;
	}
	return NULL;
}

/*
 * A word of the user, for the recorder, which may have another time zone: a
 * moment in seconds since 1970.
 */
static void put_word(struct sentence *out, const struct options *options,
		     const char *word)
{
	const char *from = moment_in(&options->from, word);
	const char *to = moment_in(&options->to, word);

	say(out, " ");
	for (; *word && word != from && word != to; word++) {
		if (isspace((unsigned char)*word) || *word == '\\')
			say(out, "\\%03o", (unsigned char)*word);
		else
			say(out, "%c", *word);
	}
	if (from)
		say(out, "@%" PRId64, options->from.ms[0] / 1000);
	else if (to)
		say(out, "@%" PRId64,
		    options->to.ms[options->to.count - 1] / 1000);
}

/*
 * The recorder still has the newest readings in memory. @err says what the
 * disk does; its answer comes after that.
 */
static int ask_recorder(const struct options *options, const struct error *err)
{
	const struct common_options *common = &options->common;
	_cleanup_(freep) char *line = NULL;
	struct sentence out;

	sentence_begin(&out);
	say(&out, "history");
	/* The recorder adds options at the end. */
	for (size_t i = 0; i < common->word_count; i++) {
		if (strcmp(common->words[i], "--") != 0)
			put_word(&out, options, common->words[i]);
	}
	say(&out, "\n");
	if (sentence_end(&out, &line) < 0)
		return -ENOMEM;
	if (strlen(line) >= ANSWER_LINE)
		return -E2BIG;
	error_print(err);
	fflush(stdout);
	return answer_get(line, STDOUT_FILENO, ANSWER_SECONDS);
}

/* Without --to all is asked for, but a clock that was set back hides some. */
static void tell_later(const struct growth *growth,
		       const struct growth_span *span)
{
	char text[128], when[MOMENT_TEXT_SIZE];

	if (!growth->later || growth->latest_ms - span->to_ms < LATER_MS)
		return;
	snprintf(text, sizeof(text),
		 "not shown: %zu readings of later than now, until %s: the "
		 "clock was set back",
		 growth->later, moment_text(growth->latest_ms, when));
	error_tell(text);
}

static int run_selected(void *data, struct selection *selection,
			const struct sysroot *root)
{
	_cleanup_(growth_deinit) struct growth growth = { 0 };
	const struct options *options = data;
	_cleanup_(recording_place_deinit) struct recording_place place;
	struct growth_span span;
	struct error err;
	int ret = recording_place_init(&place, root, options->common.recording,
				       &err);

	if (!ret)
		ret = growth_span_choose(&span, root, &options->from,
					 &options->to, &err);
	if (!ret)
		ret = growth_read(&growth, place.where, &span, root->patience,
				  &err);
	if (!ret && !options->to.count)
		tell_later(&growth, &span);
	if (!ret)
		ret = show(&growth, &span, options, selection, &err);
	else if (ret == -EBUSY && !options->common.recording &&
		 sysroot_is_live(root) && ask_recorder(options, &err) == 0)
		return EXIT_OK;
	if (ret < 0)
		return exit_printing(&err);
	return EXIT_OK;
}

static int run(void *data, const struct sysroot *root)
{
	return command_run_selected(SELECTS_RECORDED, root, data, run_selected,
				    data);
}

const struct command_line command_history = {
	.name = "history",
	.brief = "what grew, and when, while bufstat record ran",
	.rows = option_rows,
	.operands = "[DEVICE|MOUNT...]",
	.words = WORDS_DEVICES_AND_FILES,
	.about =
		"What a recording says: how much of each device and filesystem "
		"was cached,\n"
		"the largest rise of each, and when that was. Where nothing "
		"was recorded, a row\n"
		"says why.\n",
	.columns = &growth_columns,
	.table_at = offsetof(struct options, table),
	.document = &history_document,
	.exit_status = "Exit status: 0 answered, 1 failure or not recorded.\n",
	.options_size = sizeof(struct options),
	.run = run,
};

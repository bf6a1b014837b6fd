// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "cli/exit_code.h"
#include "cli/table_options.h"
#include "commands/cmd_who.h"
#include "commands/command.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/provenance.h"
#include "recorded/growth_json.h"
#include "recorded/who_report.h"
#include "store/excerpt.h"
#include "store/past.h"
#include "table/table.h"
#include "who/tracing.h"

/* What is printed. */
struct who_past_answer {
	int64_t from_ms; /* CLOCK_REALTIME */
	int64_t to_ms;
	double seconds;
	struct growth_filled filled;
	const struct traced *traced; /* empty: that is not recorded */
};

static const struct field answer_list[] = {
	{ FIELD_MOMENT(struct who_past_answer, from_ms, "from"),
	  .about = "of the first report; UTC" },
	{ FIELD_MOMENT(struct who_past_answer, to_ms, "to"),
	  .about = "of the last report; UTC" },
	{ FIELD_DECIMAL(struct who_past_answer, seconds, "seconds"),
	  .about = "from the first to the last of these" },
	{ FIELD_PART(struct who_past_answer, filled, &growth_filled_fields) },
	{ FIELD_POINTED(struct who_past_answer, traced, &traced_out_fields) },
};

static const struct fields answer_fields =
	FIELDS(struct who_past_answer, answer_list);

static const struct field document_list[] = {
	{ DOCUMENT_HEAD },
	{ DOCUMENT_ANSWER(&answer_fields) },
};

const struct fields who_past_document = FIELDS(struct document, document_list);

static int print(const struct who_report *report,
		 const struct who_options *options)
{
	const struct recorded_who *who = &report->who;
	const struct fills *fills = &report->growth.fills;
	const struct traced traced = { 0 };
	const struct who_past_answer answer = {
		.from_ms = who->from_ms,
		.to_ms = who->to_ms,
		.seconds = (double)(who->to_ms - who->from_ms) / 1000,
		.filled = growth_filled(&report->growth, who,
					&options->asked.table.columns),
		.traced = &traced,
	};
	const struct document document = {
		.head.is_whole = !fills->lost_events && !who->is_estimated &&
				 fills_traced_all(fills),
		.answer = &answer,
		.rows = answer.filled.rows,
		.fields = &who_past_document,
	};
	char from[MOMENT_TEXT_SIZE], to[MOMENT_TEXT_SIZE], text[128];

	if (!options->asked.common.json) {
		snprintf(text, sizeof(text), "as recorded from %s to %s",
			 moment_text(who->from_ms, from),
			 moment_text(who->to_ms, to));
		error_tell(text);
	}
	return command_print_rows(&command_who, options, &document);
}

static void print_note(void *code, const struct error *err)
{
	*(int *)code = exit_printing(err);
}

static int run_report(const struct who_options *options,
		      const struct growth_span *span, const char *path,
		      const struct sysroot *root)
{
	_cleanup_(who_report_deinit) struct who_report report = { 0 };
	_cleanup_(selection_deinit) struct selection selection;
	const struct common_options *common = &options->asked.common;
	int code = EXIT_OK;
	struct error err;
	int ret = selection_init(&selection, SELECTS_RECORDED, root,
				 common->operands, common->operand_count, &err);

	if (!ret)
		ret = who_report_read(&report, path, span, &selection,
				      root->patience, &err);
	if (ret < 0)
		return exit_printing(&err);
	command_print_vain(&selection);
	if (selection_is_vain(&selection))
		return selection.code;
	ret = rows_arrange(&report.who.rows.head.rows, &who_row_kind,
			   &options->asked.table.order,
			   options->asked.table.top, false) ?:
		      print(&report, options);
	if (ret < 0) {
		table_error(&err, ret, "the table");
		return exit_printing(&err);
	}
	fflush(stdout);
	who_report_missing(&report, print_note, &code);
	return selection_code(&selection, code);
}

int who_past_run(const struct who_options *options, const struct sysroot *root)
{
	_cleanup_(recording_place_deinit) struct recording_place place;
	struct growth_span span;
	struct error err;
	struct moment at;
	int code = EXIT_OK;

	moment_rebase(&at, &options->asked.common.at, past_now(root));
	if (recording_place_init(&place, root, options->dir, &err) < 0)
		return exit_printing(&err);
	for (size_t i = 0; i < at.count; i++) {
		span = (struct growth_span){ .from_ms = at.ms[i],
					     .to_ms = at.ms[i] + 1 };
		code = run_report(options, &span, place.where, root);
	}
	if (at.count)
		return code;
	if (growth_span_choose(&span, root, &options->from, &options->to,
			       &err) < 0)
		return exit_printing(&err);
	return run_report(options, &span, place.where, root);
}

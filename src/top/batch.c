// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "ask/patience.h"
#include "frame/exit_code.h"
#include "frame/interval.h"
#include "frame/table_options.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "lib/utf8.h"
#include "table/table.h"
#include "top/batch.h"

/* The data of print_sample(). */
struct batch {
	const struct batch_options *options;
	struct told told;
};

static void tell_notes(const struct tab_rows *rows, size_t first,
		       struct told *told)
{
	struct error err;

	for (size_t i = first; i < rows->notes.count; i++) {
		error_set(&err, ERROR_PARTIAL, "%s", rows->notes.strings[i]);
		told_print(told, &err);
	}
}

static void print_rows(const struct tab *tab, const struct tab_rows *rows,
		       struct told *told)
{
	static const struct table_style style = { 0 };
	struct column_choice columns;
	int ret;

	column_choice_default(&columns, tab->columns);
	ret = table_print(stdout, &rows->table, &columns, &style);
	if (ret < 0) {
		struct error err;

		error_errno(&err, -ret, "printing", "the table");
		told_print(told, &err);
	}
}

/* Measures a tab and prints it. Returns 0 or a negative errno. */
static int print_tab(struct batch *batch, enum tab_id id)
{
	const struct batch_options *options = batch->options;
	const struct tab *tab = tab_at(id);
	const struct tab_question question = {
		.root = options->root,
		.source = options->source,
		.tree = tab->is_tree,
	};
	struct tab_rows rows = { 0 };
	struct error err;
	int ret = tab->take(&question, &rows, &err);

	/* The first note of cgroups is the line about the next limit. */
	if (!ret && id == TAB_CGROUPS) {
		safe_text_put(stdout, rows.notes.strings[0]);
		putchar('\n');
	}
	if (!ret && (id == TAB_MEMORY || id == options->tab))
		print_rows(tab, &rows, &batch->told);
	if (!ret)
		tell_notes(&rows, id == TAB_CGROUPS, &batch->told);
	else if (id == TAB_MEMORY || id == options->tab)
		told_print(&batch->told, &err);
	tab->release(&rows);
	string_list_deinit(&rows.notes);
	return ret;
}

static int print_sample(void *data)
{
	struct batch *batch = data;
	const enum tab_id tab = batch->options->tab;
	char clock[CLOCK_TEXT_SIZE];

	patience_begin(batch->options->root->patience);
	told_next(&batch->told);
	printf("bufstat top - %s\n", clock_text(clock));
	if (print_tab(batch, TAB_MEMORY) < 0)
		return EXIT_FAILED;
	putchar('\n');
	/* Let the user read memory while the rest waits. */
	fflush(stdout);
	if (tab != TAB_CGROUPS && print_tab(batch, TAB_CGROUPS) == 0)
		putchar('\n');
	if (tab != TAB_MEMORY)
		print_tab(batch, tab);
	return EXIT_OK;
}

int batch_run(const struct batch_options *options)
{
	struct batch batch = { .options = options };
	struct interval interval = *options->interval;
	int code;

	interval.repeats = interval.count != 1;
	code = interval_run(&interval, true, print_sample, &batch);
	told_deinit(&batch.told);
	return code;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "calls/each.h"
#include "calls/function_roles.h"
#include "calls/path_names.h"
#include "calls/path_report.h"
#include "calls/path_tree.h"
#include "calls/path_words.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/terminal.h"
#include "lib/wrap.h"
#include "table/column.h"
#include "table/table.h"

#define MOST_ENTRIES 6
#define MOST_SUMS 3

static struct table_style style_of(FILE *out)
{
	return (struct table_style){
		.format = TABLE_TREE,
		.terminal_width = terminal_width(out),
	};
}

/* Calls that did not return while it was recorded have no time. */
static struct column_value time_at(const void *row, size_t place)
{
	int64_t ns = column_number_at(row, place).number;

	return column_number(ns, ns);
}

/* ---- entry points -------------------------------------------------------- */

struct entry_row {
	struct path_entry entry;
	const char *name;
	char target[PATH_NAME];
};

static struct column_value entry_way(const void *row)
{
	static const char *const ways[PATH_REASONS] = {
		[PATH_CACHED] = "page cache",
		[PATH_PAST] = "O_DIRECT",
		[PATH_FELL_BACK] = "O_DIRECT, then page cache",
		[PATH_MIXED] = "O_DIRECT and page cache",
	};
	const struct path_entry *entry =
		&((const struct entry_row *)row)->entry;

	return column_text(entry->roles & ROLE_SOCKET && !path_way(entry) ?
				   "socket" :
				   ways[path_way(entry)]);
}

static const struct column entry_columns[] = {
	{ "ENTRY", "entry", "", COLUMN_TEXT, COLUMN_USUAL,
	  COLUMN_AT(column_text_at, struct entry_row, name) },
	{ "OF", "of", "", COLUMN_PATH, COLUMN_USUAL,
	  COLUMN_AT(column_chars_at, struct entry_row, target) },
	{ "WAY", "way", "", COLUMN_TEXT, COLUMN_USUAL, .value = entry_way },
	{ "CALLS", "calls", "", COLUMN_COUNT, COLUMN_USUAL,
	  COLUMN_AT(column_number_at, struct entry_row, entry.calls) },
	{ "BYTES", "bytes", "", COLUMN_BYTES, COLUMN_USUAL, .leave = 1,
	  COLUMN_AT(column_number_at, struct entry_row, entry.bytes) },
	{ "ADDED", "added", "", COLUMN_COUNT, COLUMN_USUAL,
	  COLUMN_AT(column_number_at, struct entry_row,
		    entry.work.pages_added) },
	{ "BIOS", "bios", "", COLUMN_COUNT, COLUMN_USUAL,
	  COLUMN_AT(column_number_at, struct entry_row, entry.work.bios) },
	{ "TOTAL", "total", "", COLUMN_DURATION, COLUMN_USUAL,
	  COLUMN_AT(time_at, struct entry_row, entry.total_ns) },
	{ "WAITED", "waited", "", COLUMN_DURATION, COLUMN_USUAL, .leave = 2,
	  COLUMN_AT(column_number_at, struct entry_row, entry.waited_ns) },
};

static const struct column_set entry_set = COLUMN_SET(NULL, entry_columns);

static int print_entries(FILE *out, const struct path_report *report)
{
	const struct path_tree *tree = report->tree;
	const struct table_style style = style_of(out);
	struct entry_row *rows;
	struct column_choice choice;
	struct table_rows table = { .size = sizeof(*rows) };
	uint64_t others = 0;
	int ret;

	rows = calloc(tree->entry_count + 1, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < tree->entry_count; i++) {
		const struct path_entry *entry = &tree->entries[i];
		struct entry_row *row = &rows[table.count];

		if (!report->full && table.count &&
		    (table.count == MOST_ENTRIES ||
		     (!path_entry_moves(entry) && !entry->work.adds &&
		      !entry->work.bios))) {
			others += entry->calls;
			continue;
		}
		row->entry = *entry;
		row->name = path_entry_name(tree, entry);
		path_names_find(report->names, &entry->target, row->target);
		table.count++;
	}
	table.rows = rows;
	column_choice_default(&choice, &entry_set);
	ret = table.count ? table_print(out, &table, &choice, &style) : 0;
	free(rows);
	if (others)
		fprintf(out, "%llu other calls (--full shows them)\n",
			(unsigned long long)others);
	return ret;
}

/* ---- the tree ------------------------------------------------------------ */

struct call_row {
	struct path_node node;
	const char *name;
};

static const struct column call_columns[] = {
	{ "PATH", "path", "", COLUMN_TEXT, COLUMN_USUAL,
	  COLUMN_AT(column_text_at, struct call_row, name) },
	{ "CALLS", "calls", "", COLUMN_COUNT, COLUMN_USUAL,
	  COLUMN_AT(column_number_at, struct call_row, node.calls) },
	{ "TOTAL", "total", "", COLUMN_DURATION, COLUMN_USUAL,
	  COLUMN_AT(time_at, struct call_row, node.total_ns) },
	{ "SELF", "self", "", COLUMN_DURATION, COLUMN_USUAL,
	  COLUMN_AT(time_at, struct call_row, node.self_ns) },
	{ "ADDED", "added", "", COLUMN_COUNT, COLUMN_USUAL,
	  COLUMN_AT(column_number_at, struct call_row, node.work.pages_added) },
	{ "BIOS", "bios", "", COLUMN_COUNT, COLUMN_USUAL,
	  COLUMN_AT(column_number_at, struct call_row, node.work.bios) },
};

static const struct column_set call_set = COLUMN_SET(NULL, call_columns);

struct call_rows {
	struct call_row *rows;
	size_t *parents;
	size_t count, capacity, parent_capacity;
	uint64_t least_ns; /* shorter calls are left out */
	uint64_t left_out;
};

static bool is_short(const struct call_rows *rows, const struct path_node *node)
{
	return node->total_ns < rows->least_ns && !node->work.adds &&
	       !node->work.bios;
}

/* Adds a node and all below it. Depth is limited by the stack of the kernel. */
static int add_calls(struct call_rows *rows, const struct path_tree *tree,
		     uint32_t index, size_t parent)
{
	const struct path_node *node = &tree->nodes[index];
	const size_t self = rows->count;
	int ret;

	if (is_short(rows, node)) {
		rows->left_out += node->calls;
		return 0;
	}
	ret = array_make_room(&rows->rows, rows->count, &rows->capacity);
	if (!ret)
		ret = array_make_room(&rows->parents, rows->count,
				      &rows->parent_capacity);
	if (ret < 0)
		return ret;
	rows->rows[self] =
		(struct call_row){ *node,
				   path_function_name(tree, node->function) };
	rows->parents[self] = parent;
	rows->count++;
	for (uint32_t child = node->first_child; !ret && child;
	     child = tree->nodes[child].next)
		ret = add_calls(rows, tree, child, self);
	return ret;
}

/* Whether the calls that begin with a function are worth a tree. */
static bool is_shown(const struct path_report *report, long function)
{
	const struct path_tree *tree = report->tree;
	bool some_move = false;

	if (report->full || tree->has_starts)
		return true;
	for (size_t i = 0; i < tree->entry_count; i++) {
		const struct path_entry *entry = &tree->entries[i];
		const bool deserves = path_deserves_sentence(tree, entry);

		some_move |= deserves;
		if (deserves && entry->function == function)
			return true;
	}
	return !some_move;
}

static int print_tree(FILE *out, const struct path_report *report)
{
	const struct path_tree *tree = report->tree;
	const struct table_style style = style_of(out);
	struct call_rows rows = { 0 };
	struct column_choice choice;
	int ret = 0;

	for (uint32_t root = tree->nodes[0].first_child; !ret && root;
	     root = tree->nodes[root].next) {
		if (!is_shown(report, tree->nodes[root].function))
			continue;
		rows.least_ns = report->full ? 0 :
					       tree->nodes[root].total_ns / 100;
		ret = add_calls(&rows, tree, root, TABLE_NO_PARENT);
	}
	if (!ret && rows.count) {
		const struct table_rows table = {
			.rows = rows.rows,
			.count = rows.count,
			.size = sizeof(*rows.rows),
			.parents = rows.parents,
		};

		column_choice_default(&choice, &call_set);
		putc('\n', out);
		ret = table_print(out, &table, &choice, &style);
	}
	if (!ret && rows.left_out)
		fprintf(out,
			"Calls that took less than 1 %% of the time are not "
			"shown (--full shows them).\n");
	free(rows.rows);
	free(rows.parents);
	return ret;
}

/* ---- sums ---------------------------------------------------------------- */

static void print_amount(FILE *out, enum path_sum_kind kind,
			 const struct path_sum *sum)
{
	switch (kind) {
	case PATH_ADDED:
		fprintf(out, "%s pages", COUNT(sum->amount));
		break;
	case PATH_SUBMITTED:
		fprintf(out, "%s bios", COUNT(sum->calls));
		if (sum->amount)
			fprintf(out, " of %s in all",
				SIZE((int64_t)sum->amount));
		break;
	case PATH_WAITED:
		fputs(DURATION((int64_t)sum->amount), out);
		break;
	}
}

static int print_sums(FILE *out, const struct path_report *report,
		      enum path_sum_kind kind, const char *what)
{
	_cleanup_(freep) struct path_sum *sums = NULL;
	size_t count;
	int ret = path_sums(report->tree, kind, &sums, &count);

	if (ret < 0)
		return ret;
	fputs(count ? what : path_reason_text(path_none(report->tree, kind)),
	      out);
	for (size_t i = 0; i < count && i < MOST_SUMS; i++) {
		fprintf(out, "%s%s (", i ? ", " : "", sums[i].name);
		print_amount(out, kind, &sums[i]);
		putc(')', out);
	}
	fputs(count > MOST_SUMS ? " and others\n" : "\n", out);
	return 0;
}

static void print_cost(FILE *out, const struct path_report *report)
{
	fprintf(out, "Recorded: %s calls in %s", COUNT(report->tree->calls),
		DURATION(report->took_ns));
	if (report->record_ns > 0)
		fprintf(out, "; recording took about %s of it",
			DURATION((int64_t)(report->record_ns *
					   (double)report->records)));
	fputs(".\n", out);
}

static int print_sentences(FILE *out, const struct path_report *report)
{
	_cleanup_(string_list_deinit) struct string_list sentences = { 0 };
	const struct path_tree *tree = report->tree;
	int ret = path_sentences(tree, report->names, &sentences);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < sentences.count; i++)
		fprintf(out, "%s.\n", sentences.strings[i]);
	if (!sentences.count)
		fprintf(out, "%s\n", path_reason_text(path_silence(tree)));
	if (tree->handed_over && !tree->has_all_threads)
		fprintf(out,
			"%llu requests were handed to io_uring's own threads, "
			"whose work is not in here (--all-processes "
			"records it).\n",
			(unsigned long long)tree->handed_over);
	putc('\n', out);
	return 0;
}

int path_report_print(FILE *out, const struct path_report *report)
{
	static const char *const sums[] = {
		[PATH_ADDED] = "Pages were added in ",
		[PATH_SUBMITTED] = "I/O was submitted in ",
		[PATH_WAITED] = "It waited in ",
	};
	int ret = print_sentences(out, report)	     ?:
			  print_entries(out, report) ?:
						       print_tree(out, report);

	if (!ret && report->tree->each)
		each_print(out, report->tree, report->began_ns);
	putc('\n', out);
	for (size_t i = 0; !ret && i < sizeof(sums) / sizeof(*sums); i++)
		ret = print_sums(out, report, i, sums[i]);
	if (!ret)
		print_cost(out, report);
	return ret;
}

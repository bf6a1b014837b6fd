// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "calls/each.h"
#include "calls/function_roles.h"
#include "calls/path_names.h"
#include "calls/path_report.h"
#include "calls/path_tree.h"
#include "calls/path_words.h"
#include "lib/string_list.h"
#include "measure/provenance.h"

/* What is shown of a part of the report: the part itself, and what it means. */
struct shown_node {
	struct path_node node;
	const struct path_tree *tree;
	const char *function;
};

struct shown_line {
	struct each_line line;
	const char *function;
};

struct shown_call {
	struct each_call call;
	const struct path_tree *tree;
	int64_t after_ns;
	const char *context;
};

struct shown_entry {
	struct path_entry entry;
	const char *name, *function, *kind;
	char of[PATH_NAME];
};

struct path_document {
	struct document_head head;
	struct path_report report;
	struct shown_node root;
	double seconds;
	bool has_overhead, has_each;
	uint64_t overhead_ns;
	struct string_list sentences;
	struct {
		struct path_sum *list;
		size_t count;
	} sums[PATH_WAITED + 1];
};

#define NUMBER(type, member, key) FIELD(type, member, key, UINT64_MAX)

static const struct field work_list[] = {
	{ NUMBER(struct path_work, pages_added, "pages_added"),
	  .about = "that came into the page cache, of any file or device" },
	{ NUMBER(struct path_work, adds, "page_adds"),
	  .about = "calls that brought them in; one may bring several pages" },
	{ NUMBER(struct path_work, bios, "bios"),
	  .about = "block I/O that was submitted; a device on top of others "
		   "submits again" },
	{ NUMBER(struct path_work, read_bytes, "read_bytes"),
	  .about = "by these" },
	{ NUMBER(struct path_work, written_bytes, "written_bytes"),
	  .about = "by these" },
};

static const struct fields work_fields = FIELDS(struct path_work, work_list);

static const char *const kinds[] = { "device", "file", "socket" };

static const char *kind_of(const struct path_entry *entry)
{
	return entry->roles & ROLE_SOCKET ? kinds[2] :
	       entry->roles & ROLE_DEVICE ? kinds[0] :
	       entry->roles & ROLE_FILE	  ? kinds[1] :
	       entry->target.is_bdev	  ? kinds[0] :
	       entry->target.device	  ? kinds[1] :
					    NULL;
}

static bool make_entry(const void *record, size_t which, void *made)
{
	const struct path_document *document = record;
	const struct path_tree *tree = document->report.tree;
	struct shown_entry *shown = made;

	if (which == tree->entry_count)
		return false;
	shown->entry = tree->entries[which];
	shown->name = path_entry_name(tree, &shown->entry);
	shown->function = path_function_name(tree, shown->entry.function);
	shown->kind = kind_of(&shown->entry);
	path_names_find(document->report.names, &shown->entry.target,
			shown->of);
	return true;
}

static struct column_value get_role(const void *record, size_t role)
{
	const struct shown_entry *shown = record;

	return column_number(true, (shown->entry.roles & role) != 0);
}

#define ROLE(role, key)                                                        \
	FIELD_VALUE(key, COLUMN_FLAG), .value_of = get_role, .which = (role)

static const struct field entry_list[] = {
	{ FIELD_SENTENCE(struct shown_entry, name, "entry"),
	  .about = "the system call, or the function where the recording "
		   "began" },
	{ FIELD_SENTENCE(struct shown_entry, function, "function") },
	{ FIELD_STATIC(struct shown_entry, kind, "kind", kinds, 3),
	  .null = "the trace does not tell" },
	{ FIELD_TEXT(struct shown_entry, of, "of", SAYS_PLACE),
	  .known = KNOWN_NOT_ZERO,
	  .about = "the device, or where the filesystem is mounted",
	  .null = "the trace does not tell" },
	{ ROLE(ROLE_CACHE, "page_cache"),
	  .about = "data went through the page cache" },
	{ ROLE(ROLE_DIRECT, "direct"),
	  .about = "data went past the page cache, or was to" },
	{ ROLE(ROLE_SYNC, "sync"),
	  .about = "the calls waited until the device had the data" },
	{ NUMBER(struct shown_entry, entry.calls, "calls") },
	{ NUMBER(struct shown_entry, entry.failed.count, "failed"),
	  .about = "calls, and requests of Linux AIO and io_uring" },
	{ FIELD_ERRNO(struct shown_entry, entry.failed.error, "error"),
	  .known = KNOWN_NOT_ZERO, .about = "of the last that failed" },
	{ NUMBER(struct shown_entry, entry.bytes, "bytes"),
	  .about = "that the calls returned, if they return bytes" },
	{ NUMBER(struct shown_entry, entry.total_ns, "total_ns") },
	{ NUMBER(struct shown_entry, entry.waited_ns, "waited_ns") },
	{ FIELD_PART(struct shown_entry, entry.work, &work_fields) },
};

static const struct fields entry_fields =
	FIELDS(struct shown_entry, entry_list);

static const struct field sum_list[] = {
	{ FIELD_SENTENCE(struct path_sum, name, "function") },
	{ NUMBER(struct path_sum, calls, "calls") },
};

static const struct fields sum_fields = FIELDS(struct path_sum, sum_list);

static const struct field added_list[] = {
	{ FIELD_SAME(&sum_fields) },
	{ NUMBER(struct path_sum, amount, "pages") },
};

static const struct fields added_fields = FIELDS(struct path_sum, added_list);

static const struct field submitted_list[] = {
	{ FIELD_SAME(&sum_fields) },
	{ NUMBER(struct path_sum, amount, "bytes") },
};

static const struct fields submitted_fields =
	FIELDS(struct path_sum, submitted_list);

static const struct field waited_list[] = {
	{ FIELD_SAME(&sum_fields) },
	{ NUMBER(struct path_sum, amount, "ns") },
};

static const struct fields waited_fields = FIELDS(struct path_sum, waited_list);

static bool make_line(const void *record, size_t which, void *made)
{
	const struct shown_call *of = record;
	struct shown_line *shown = made;

	if (which == of->call.count)
		return false;
	shown->line = of->call.lines[which];
	shown->function = path_function_name(of->tree, shown->line.function);
	return true;
}

static const struct field line_list[] = {
	{ FIELD_SENTENCE(struct shown_line, function, "function") },
	{ NUMBER(struct shown_line, line.level, "level"),
	  .about = "0: the call itself" },
	{ NUMBER(struct shown_line, line.took_ns, "took_ns"),
	  FIELD_KNOWN(struct shown_line, line.returned),
	  .about = "the next five are of the function itself",
	  .null = "it was not seen to return" },
	{ FIELD_PART(struct shown_line, line.work, &work_fields) },
};

static const struct fields line_fields = FIELDS(struct shown_line, line_list);

static const char *const contexts[] = { "interrupt", "softirq" };

static bool make_call(const void *record, size_t which, void *made)
{
	const struct path_document *document = record;
	const struct each *each = document->report.tree->each;
	struct shown_call *shown = made;

	if (which == each->count)
		return false;
	shown->call = each->calls[which];
	shown->tree = document->report.tree;
	shown->after_ns =
		(int64_t)(shown->call.began_ns - document->report.began_ns);
	shown->context = each_context(&shown->call);
	return true;
}

static const struct field call_list[] = {
	{ FIELD(struct shown_call, after_ns, "after_ns", INT64_MAX),
	  .about = "since recording began; CLOCK_MONOTONIC" },
	{ NUMBER(struct shown_call, call.which, "which"),
	  .about = "of the calls of its function, from 1 on" },
	{ FIELD_TEXT(struct shown_call, call.task, "task", SAYS_PROCESS),
	  .known = KNOWN_NOT_ZERO, .null = "it had ended" },
	{ NUMBER(struct shown_call, call.thread, "thread") },
	{ NUMBER(struct shown_call, call.processor, "processor") },
	{ FIELD_STATIC(struct shown_call, context, "context", contexts, 2),
	  .null = "the task itself called" },
	{ FIELD(struct shown_call, call.result, "result", INT64_MAX),
	  FIELD_KNOWN(struct shown_call, call.has_result),
	  .about = "of a system call" },
	{ NUMBER(struct shown_call, call.cut, "cut"),
	  .about = "lines that are not kept: there are too many" },
	{ FIELD_MADE_LIST("lines", &line_fields, make_line) },
};

static const struct fields call_fields = FIELDS(struct shown_call, call_list);

static bool make_child(const void *record, size_t which, void *made)
{
	const struct shown_node *of = record;
	const struct path_tree *tree = of->tree;
	struct shown_node *shown = made;
	uint32_t child = of->node.first_child;

	for (; child && which; which--)
		child = tree->nodes[child].next;
	if (!child)
		return false;
	shown->node = tree->nodes[child];
	shown->tree = tree;
	shown->function = path_function_name(tree, shown->node.function);
	return true;
}

static const struct fields node_fields;

/* The kernel's limit of calls within calls is far below JSON_OUT_DEPTH. */
static const struct field node_list[] = {
	{ FIELD_SENTENCE(struct shown_node, function, "function") },
	{ NUMBER(struct shown_node, node.calls, "calls") },
	{ NUMBER(struct shown_node, node.unfinished, "unfinished"),
	  .about = "calls that were not seen to return; their time is not "
		   "known" },
	{ NUMBER(struct shown_node, node.total_ns, "total_ns") },
	{ NUMBER(struct shown_node, node.self_ns, "self_ns"),
	  .about = "total_ns less that of the children; the next five are of "
		   "both" },
	{ FIELD_PART(struct shown_node, node.work, &work_fields) },
	{ FIELD_MADE_LIST("children", &node_fields, make_child) },
};

static const struct fields node_fields = {
	.list = node_list,
	.count = sizeof(node_list) / sizeof(*node_list),
	.size = sizeof(struct shown_node),
	.name = "node",
};

static const struct field root_list[] = {
	{ FIELD_MADE_LIST("tree", &node_fields, make_child) },
};

static const struct fields root_fields = FIELDS(struct shown_node, root_list);

static const struct field tree_list[] = {
	{ NUMBER(struct path_tree, calls, "function_calls"),
	  .about = "that were recorded" },
	{ NUMBER(struct path_tree, handed_over, "handed_over"),
	  .about = "requests that a thread of the kernel goes on with, which "
		   "is not in here" },
};

static const struct fields tree_fields = FIELDS(struct path_tree, tree_list);

#define SUMS(kind, key, fields)                                                \
	FIELD_LIST(struct path_document, sums[kind].list, sums[kind].count,    \
		   key, fields, UINT64_MAX)

static const struct field document_list[] = {
	{ FIELD_PART(struct path_document, head, &document_head_fields) },
	{ FIELD_PART(struct path_document, root.node.work, &work_fields) },
	{ FIELD_DECIMAL(struct path_document, seconds, "seconds") },
	{ FIELD(struct path_document, report.has_instance, "own_instance", 0),
	  .about = "ftrace recorded in an instance made for it; false: at the "
		   "top" },
	{ FIELD_POINTED(struct path_document, report.tree, &tree_fields) },
	{ NUMBER(struct path_document, report.lost_records, "lost_records"),
	  .about = "if it is not 0, all figures are a lower bound" },
	{ NUMBER(struct path_document, overhead_ns, "overhead_ns"),
	  FIELD_KNOWN(struct path_document, has_overhead),
	  .about = "about how long recording took, by what a record cost on "
		   "this host just before",
	  .null = "that is not known" },
	{ FIELD_STRINGS(struct path_document, sentences, "sentences",
			SAYS_MESSAGE) },
	{ FIELD_MADE_LIST("entries", &entry_fields, make_entry) },
	{ SUMS(PATH_ADDED, "added_in", &added_fields),
	  .about = "the functions in which pages came in, those with most "
		   "first" },
	{ SUMS(PATH_SUBMITTED, "submitted_in", &submitted_fields),
	  .about = "the functions in which I/O was submitted" },
	{ SUMS(PATH_WAITED, "waited_in", &waited_fields),
	  .about = "the functions that gave the processor away" },
	{ FIELD_MADE_LIST("each", &call_fields, make_call),
	  FIELD_KNOWN(struct path_document, has_each), .is_left_out = true,
	  .about = "with --each: calls in the order of their beginnings, not "
		   "folded" },
	{ FIELD_PART(struct path_document, root, &root_fields) },
};

const struct fields path_document = FIELDS(struct path_document, document_list);

int path_report_write(const struct path_report *report,
		      const struct sysroot *root)
{
	const struct path_tree *tree = report->tree;
	struct path_document document = {
		.head = { .provenance = provenance_of(root, NULL),
			  .is_whole = !report->lost_records &&
				      !report->is_disturbed },
		.report = *report,
		.root = { .node = tree->nodes[0], .tree = tree },
		.seconds = (double)report->took_ns / 1e9,
		.has_overhead = report->record_ns > 0,
		.overhead_ns = report->record_ns > 0 ?
				       (uint64_t)(report->record_ns *
						  (double)report->records) :
				       0,
		.has_each = tree->each,
	};
	int ret = path_sentences(tree, report->names, &document.sentences);

	for (unsigned int i = 0; !ret && i <= PATH_WAITED; i++)
		ret = path_sums(tree, i, &document.sums[i].list,
				&document.sums[i].count);
	if (!ret)
		document_print(stdout, false, &path_document, &document);
	for (unsigned int i = 0; i <= PATH_WAITED; i++)
		free(document.sums[i].list);
	string_list_deinit(&document.sentences);
	return ret;
}

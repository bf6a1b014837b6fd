// SPDX-License-Identifier: GPL-2.0-or-later

#include "calls/each.h"
#include "calls/function_roles.h"
#include "calls/path_names.h"
#include "calls/path_report.h"
#include "calls/path_tree.h"
#include "calls/path_words.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/json_out.h"
#include "lib/string_list.h"
#include "measure/provenance.h"

static void write_work(struct json_out *json, const struct path_work *work)
{
	json_out_unsigned(json, "pages_added", work->pages_added);
	json_out_unsigned(json, "page_adds", work->adds);
	json_out_unsigned(json, "bios", work->bios);
	json_out_unsigned(json, "read_bytes", work->read_bytes);
	json_out_unsigned(json, "written_bytes", work->written_bytes);
}

static const char *kind_of(const struct path_entry *entry)
{
	return entry->roles & ROLE_SOCKET ? "socket" :
	       entry->roles & ROLE_DEVICE ? "device" :
	       entry->roles & ROLE_FILE	  ? "file" :
	       entry->target.is_bdev	  ? "device" :
	       entry->target.device	  ? "file" :
					    NULL;
}

static void write_entry(struct json_out *json, const struct path_report *report,
			const struct path_entry *entry)
{
	const struct path_tree *tree = report->tree;
	char name[PATH_NAME];
	char error[ERRNO_NAME_SIZE];

	json_out_object(json, NULL);
	json_out_string(json, "entry", path_entry_name(tree, entry));
	json_out_string(json, "function",
			path_function_name(tree, entry->function));
	json_out_string(json, "kind", kind_of(entry));
	json_out_string(json, "of",
			path_names_find(report->names, &entry->target, name));
	json_out_bool(json, "page_cache", entry->roles & ROLE_CACHE);
	json_out_bool(json, "direct", entry->roles & ROLE_DIRECT);
	json_out_bool(json, "sync", entry->roles & ROLE_SYNC);
	json_out_unsigned(json, "calls", entry->calls);
	json_out_unsigned(json, "failed", entry->failed.count);
	if (entry->failed.count)
		errno_name((unsigned int)entry->failed.error, error);
	json_out_string(json, "error", entry->failed.count ? error : NULL);
	json_out_unsigned(json, "bytes", entry->bytes);
	json_out_unsigned(json, "total_ns", entry->total_ns);
	json_out_unsigned(json, "waited_ns", entry->waited_ns);
	write_work(json, &entry->work);
	json_out_object_end(json);
}

/* The kernel's limit of calls within calls is far below JSON_OUT_DEPTH. */
static void write_node(struct json_out *json, const struct path_tree *tree,
		       uint32_t index)
{
	const struct path_node *node = &tree->nodes[index];

	json_out_object(json, NULL);
	json_out_string(json, "function",
			path_function_name(tree, node->function));
	json_out_unsigned(json, "calls", node->calls);
	json_out_unsigned(json, "unfinished", node->unfinished);
	json_out_unsigned(json, "total_ns", node->total_ns);
	json_out_unsigned(json, "self_ns", node->self_ns);
	write_work(json, &node->work);
	json_out_array(json, "children");
	for (uint32_t child = node->first_child; child;
	     child = tree->nodes[child].next)
		write_node(json, tree, child);
	json_out_array_end(json);
	json_out_object_end(json);
}

static int write_sums(struct json_out *json, const struct path_tree *tree,
		      enum path_sum_kind kind, const char *key,
		      const char *amount)
{
	_cleanup_(freep) struct path_sum *sums = NULL;
	size_t count;
	int ret = path_sums(tree, kind, &sums, &count);

	if (ret < 0)
		return ret;
	json_out_array(json, key);
	for (size_t i = 0; i < count; i++) {
		json_out_object(json, NULL);
		json_out_string(json, "function",
				path_function_name(tree, sums[i].function));
		json_out_unsigned(json, "calls", sums[i].calls);
		json_out_unsigned(json, amount, sums[i].amount);
		json_out_object_end(json);
	}
	json_out_array_end(json);
	return 0;
}

static int write_sentences(struct json_out *json,
			   const struct path_report *report)
{
	_cleanup_(string_list_deinit) struct string_list sentences = { 0 };
	int ret = path_sentences(report->tree, report->names, &sentences);

	json_out_array(json, "sentences");
	for (size_t i = 0; !ret && i < sentences.count; i++)
		json_out_string(json, NULL, sentences.strings[i]);
	json_out_array_end(json);
	return ret;
}

static void write_each(struct json_out *json, const struct path_report *report)
{
	const struct path_tree *tree = report->tree;
	const struct each *each = tree->each;

	json_out_array(json, "each");
	for (size_t i = 0; i < each->count; i++) {
		const struct each_call *call = &each->calls[i];

		json_out_object(json, NULL);
		json_out_signed(json, "after_ns",
				(int64_t)(call->began_ns - report->began_ns));
		json_out_unsigned(json, "which", call->which);
		json_out_string(json, "task", *call->task ? call->task : NULL);
		json_out_unsigned(json, "thread", call->thread);
		json_out_unsigned(json, "processor", call->processor);
		json_out_string(json, "context", each_context(call));
		json_out_signed_if(json, "result", call->has_result,
				   call->result);
		json_out_unsigned(json, "cut", call->cut);
		json_out_array(json, "lines");
		for (size_t j = 0; j < call->count; j++) {
			const struct each_line *line = &call->lines[j];

			json_out_object(json, NULL);
			json_out_string(json, "function",
					path_function_name(tree,
							   line->function));
			json_out_unsigned(json, "level", line->level);
			json_out_unsigned_if(json, "took_ns", line->returned,
					     line->took_ns);
			write_work(json, &line->work);
			json_out_object_end(json);
		}
		json_out_array_end(json);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

static int write_parts(struct json_out *json, const struct path_report *report)
{
	const struct path_tree *tree = report->tree;
	int ret = write_sentences(json, report);

	json_out_array(json, "entries");
	for (size_t i = 0; i < tree->entry_count; i++)
		write_entry(json, report, &tree->entries[i]);
	json_out_array_end(json);
	if (!ret)
		ret = write_sums(json, tree, PATH_ADDED, "added_in", "pages");
	if (!ret)
		ret = write_sums(json, tree, PATH_SUBMITTED, "submitted_in",
				 "bytes");
	if (!ret)
		ret = write_sums(json, tree, PATH_WAITED, "waited_in", "ns");
	if (tree->each)
		write_each(json, report);
	json_out_array(json, "tree");
	for (uint32_t root = tree->nodes[0].first_child; root;
	     root = tree->nodes[root].next)
		write_node(json, tree, root);
	json_out_array_end(json);
	return ret;
}

int path_report_write(const struct path_report *report,
		      const struct sysroot *root)
{
	const struct path_tree *tree = report->tree;
	const struct provenance provenance = provenance_of(root, NULL);
	struct json_out json;
	int ret;

	document_begin(&json, stdout, false, &provenance, NULL,
		       !report->lost_records && !report->is_disturbed);
	write_work(&json, &tree->nodes[0].work);
	json_out_decimal(&json, "seconds", (double)report->took_ns / 1e9);
	json_out_bool(&json, "own_instance", report->has_instance);
	json_out_unsigned(&json, "function_calls", tree->calls);
	json_out_unsigned(&json, "handed_over", tree->handed_over);
	json_out_unsigned(&json, "lost_records", report->lost_records);
	if (report->record_ns > 0)
		json_out_unsigned(&json, "overhead_ns",
				  (uint64_t)(report->record_ns *
					     (double)report->records));
	else
		json_out_null(&json, "overhead_ns");
	ret = write_parts(&json, report);
	document_end(&json);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "calls/each.h"
#include "lib/number.h"
#include "lib/utf8.h"

/* The marks of function_graph, and from how long on (kernel/trace/trace.c). */
static char mark_of(uint64_t took_ns)
{
	static const struct {
		uint64_t least_ns;
		char mark;
	} marks[] = {
		{ 1000000000, '$' }, { 100000000, '@' }, { 10000000, '*' },
		{ 1000000, '#' },    { 100000, '!' },	 { 10000, '+' },
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		if (took_ns > marks[i].least_ns)
			return marks[i].mark;
	}
	return ' ';
}

/* Eight characters at most, as function_graph has them; NULL: not known. */
static void print_time(FILE *out, const struct each_call *call,
		       const struct each_line *line)
{
	char micros[24] = "", nanos[8] = "";
	int width = 0;

	fprintf(out, "%2" PRIu32 ") ", call->processor);
	if (!line || !line->returned) {
		fprintf(out, "%14s|  ", "");
		return;
	}
	width = snprintf(micros, sizeof(micros), "%" PRIu64,
			 line->took_ns / 1000);
	snprintf(nanos, sizeof(nanos), ".%03u",
		 (unsigned int)(line->took_ns % 1000));
	nanos[width < 4 ? 4 : width < 7 ? 8 - width : 0] = '\0';
	fprintf(out, "%c %s%s us %*s|  ", mark_of(line->took_ns), micros, nanos,
		width + (int)strlen(nanos) < 8 ?
			8 - width - (int)strlen(nanos) :
			0,
		"");
}

/* What function_graph does not know, as a comment, which its readers skip. */
static void print_work(FILE *out, const struct path_work *work)
{
	int64_t bytes = (int64_t)(work->read_bytes + work->written_bytes);

	if (work->pages_added)
		fprintf(out, " /* %" PRIu64 " pages added */",
			work->pages_added);
	if (work->bios)
		fprintf(out, " /* %" PRIu64 " bios, %s */", work->bios,
			SIZE(bytes));
}

static void print_name(FILE *out, const struct path_tree *tree,
		       const struct each_line *line)
{
	fprintf(out, "%*s%s()", (int)line->level * 2, "",
		path_function_name(tree, line->function));
}

static void print_end(FILE *out, const struct each_call *call,
		      const struct each_line *line)
{
	print_time(out, call, line);
	fprintf(out, "%*s}\n", (int)line->level * 2, "");
}

static void print_lines(FILE *out, const struct path_tree *tree,
			const struct each_call *call)
{
	size_t open[256], depth = 0;

	for (size_t i = 0; i < call->count; i++) {
		const struct each_line *line = &call->lines[i];

		while (depth && call->lines[open[depth - 1]].after <= i)
			print_end(out, call, &call->lines[open[--depth]]);
		if (line->after <= i + 1 ||
		    depth == sizeof(open) / sizeof(*open)) {
			print_time(out, call, line);
			print_name(out, tree, line);
			fputc(';', out);
		} else {
			print_time(out, call, NULL);
			print_name(out, tree, line);
			fputs(" {", out);
			open[depth++] = i;
		}
		print_work(out, &line->work);
		fputc('\n', out);
	}
	while (depth)
		print_end(out, call, &call->lines[open[--depth]]);
	if (call->cut)
		fprintf(out, "  (%" PRIu64 " calls more are not kept)\n",
			call->cut);
}

const char *each_context(const struct each_call *call)
{
	return call->in_interrupt ? "interrupt" :
	       call->in_softirq	  ? "softirq" :
				    NULL;
}

static void print_call(FILE *out, const struct path_tree *tree,
		       const struct each_call *call, uint64_t began_ns)
{
	const char *context = each_context(call);
	uint64_t since = call->began_ns > began_ns ? call->began_ns - began_ns :
						     0;

	fprintf(out,
		"\n%s, call %" PRIu64 ", after %" PRIu64 ".%06" PRIu64 " s in ",
		path_function_name(tree, call->lines[0].function), call->which,
		since / 1000000000, since % 1000000000 / 1000);
	safe_text_put(out, *call->task ? call->task : "a task that has ended");
	fprintf(out, " (%" PRIu32 ") on processor %" PRIu32, call->thread,
		call->processor);
	if (context)
		fprintf(out, ", in %s %s", call->in_interrupt ? "an" : "a",
			context);
	if (call->has_result)
		fprintf(out, "; it returned %" PRId64, call->result);
	fputs(":\n", out);
	print_lines(out, tree, call);
}

void each_print(FILE *out, const struct path_tree *tree, uint64_t began_ns)
{
	const struct each *each = tree->each;

	for (size_t i = 0; i < each->count; i++) {
		if (each->calls[i].count)
			print_call(out, tree, &each->calls[i], began_ns);
	}
	for (size_t i = 0; i < each->functions; i++) {
		uint64_t more = each_left_out(each, (long)i);

		if (more)
			fprintf(out,
				"\nOf %s %" PRIu64 " more are not shown "
				"(--each N shows more).\n",
				path_function_name(tree, (long)i), more);
	}
	fputs("\nThe order is that of CLOCK_MONOTONIC, which all processors "
	      "share.\n",
	      out);
}

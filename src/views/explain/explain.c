// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "explain/explain_advice.h"
#include "explain/explain_rows.h"
#include "explain/explain_text.h"
#include "explain/explain_verdict.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/terminal.h"
#include "lib/wrap.h"
#include "memory/give_back.h"
#include "table/table.h"

#define INDENT 2
#define WIDEST 80 /* lines longer than this are hard to read */
#define ITEM "- "

static void write_head(const struct explain_writer *writer)
{
	const struct explain_facts *facts = writer->facts;
	struct sentence *out = writer->out;

	say(out, "Linux %s%s",
	    *facts->provenance.kernel ?
		    safe_name(out, facts->provenance.kernel) :
		    "of unknown release",
	    facts->is_dump ? ", in a dump" : "");
	if (*facts->provenance.taken_at)
		say(out, ", %s", facts->provenance.taken_at);
	if (explain_is_measured(facts))
		say(out, "; devices measured by %s%s", facts->buffers.source,
		    facts->buffers.unsettled ? " (unsettled)" : "");
	else
		say(out, "; devices could not be measured");
	say(out, "; K, M and G are powers of 1024.\n");
}

/* Neither the kernel's estimate nor free's cache has what ZFS gives back. */
static void write_zfs(const struct explain_writer *writer, const char *what)
{
	const struct memory_reading *memory = &writer->facts->memory;
	int64_t pages = give_back_of_zfs(memory);

	if (pages)
		say(writer->out,
		    "%s ZFS's cache, of which up to %s can be given back.\n",
		    what, SIZE(pages * (int64_t)memory->page_size));
}

static void write_used(const struct explain_writer *writer)
{
	const int64_t *bytes = writer->columns.bytes;
	struct sentence *out = writer->out;

	if (writer->columns.used_without_available) {
		say(out,
		    "total - free (%s - %s): there is no usable MemAvailable, "
		    "so every cache counts as used.\n",
		    SIZE(bytes[FREE_COLUMN_TOTAL]),
		    SIZE(bytes[FREE_COLUMN_FREE]));
		return;
	}
	say(out,
	    "total - available (%s - %s), as free computes it since procps-ng "
	    "4.0.1. Memory that the kernel expects to reclaim from caches "
	    "counts as available, not as used. That estimate is cautious, so "
	    "used can fall when caches are dropped. Older versions of free "
	    "show total - free - buffers - cache",
	    SIZE(bytes[FREE_COLUMN_TOTAL]), SIZE(bytes[FREE_COLUMN_AVAILABLE]));
	if (writer->columns.known[FREE_COLUMN_USED_BEFORE])
		say(out, ", here %s", SIZE(bytes[FREE_COLUMN_USED_BEFORE]));
	say(out, ": remember that when you compare two hosts.\n");
	write_zfs(writer, "It counts");
}

static void write_shared(const struct explain_writer *writer)
{
	const struct free_columns *columns = &writer->columns;
	int64_t swap_free = columns->bytes[FREE_COLUMN_SWAP_FREE];
	struct sentence *out = writer->out;

	if (!columns->known[FREE_COLUMN_SWAP_FREE])
		say(out, "it can only be swapped out or deleted.\n");
	else if (swap_free)
		say(out, "it can only be swapped out (%s free) or deleted.\n",
		    SIZE(swap_free));
	else
		say(out, "there is no free swap, so it stays until it is "
			 "deleted.\n");
}

/* Says how free computes the column cache. */
static void write_cache_column(const struct explain_writer *writer)
{
	const struct meminfo *meminfo = &writer->facts->buffers.meminfo;
	const struct free_columns *columns = &writer->columns;
	int64_t cached, slab;
	struct sentence *out = writer->out;

	if (!meminfo_bytes(meminfo, MEMINFO_CACHED, &cached)) {
		say(out, "This kernel does not report Cached.\n");
		return;
	}
	if (!meminfo_bytes(meminfo, MEMINFO_SRECLAIMABLE, &slab)) {
		say(out,
		    "This kernel does not report SReclaimable, so free prints "
		    "Cached alone, %s.\n",
		    SIZE(cached));
		return;
	}
	say(out,
	    "Cached (%s) + SReclaimable (%s), kernel slab whose unused objects "
	    "the kernel can reclaim.",
	    SIZE(cached), SIZE(slab));
	if (columns->known[FREE_COLUMN_BUFF_CACHE])
		say(out,
		    " Together with buffers this is free's buff/cache: %s.",
		    SIZE(columns->bytes[FREE_COLUMN_BUFF_CACHE]));
	say(out, "\n");
}

static void write_field(const struct explain_writer *writer,
			enum meminfo_field field, const char *name,
			const char *meaning)
{
	int64_t bytes;

	if (meminfo_bytes(&writer->facts->buffers.meminfo, field, &bytes))
		say(writer->out, ITEM "%s %s: %s\n", name, SIZE(bytes),
		    meaning);
	else
		say(writer->out, ITEM "%s: this kernel does not report it\n",
		    name);
}

static void write_cache(const struct explain_writer *writer)
{
	write_cache_column(writer);
	say(writer->out, "Cached is the page cache of files: all file pages "
			 "without the swap cache and Buffers. The kernel can "
			 "reclaim its clean pages, except locked ones and "
			 "Shmem:\n");
	write_field(writer, MEMINFO_SHMEM, "Shmem",
		    "free's shared, which only swap or deletion releases");
	write_field(writer, MEMINFO_MAPPED, "Mapped",
		    "mapped by processes, including shared memory");
	write_field(writer, MEMINFO_DIRTY, "Dirty",
		    "must be written first (whole host, including buffers)");
	explain_write_cached(writer);
}

static void write_available(const struct explain_writer *writer)
{
	const struct free_columns *columns = &writer->columns;
	const int64_t *bytes = columns->bytes;
	bool is_known = columns->known[FREE_COLUMN_AVAILABLE];
	struct sentence *out = writer->out;

	if (is_known && !columns->used_without_available) {
		say(out,
		    "MemAvailable: the kernel's estimate of what programs can "
		    "have without swapping. It adds most of the file pages and "
		    "slab that it can reclaim to free, and subtracts the "
		    "reserves that it keeps. This is the column to watch.%s\n",
		    columns->known[FREE_COLUMN_FREE] &&
				    bytes[FREE_COLUMN_AVAILABLE] <
					    bytes[FREE_COLUMN_FREE] ?
			    " It is below free here: the reserves are larger "
			    "than the part of the caches that it counts." :
			    "");
		explain_write_reserve(writer);
		write_zfs(writer, "It leaves out");
		return;
	}
	say(out, "%s",
	    is_known ? "MemAvailable is zero or larger than total. free does "
		       "not believe that and prints MemFree" :
		       "This kernel does not report MemAvailable, so free "
		       "prints MemFree");
	if (columns->known[FREE_COLUMN_FREE])
		say(out, " (%s)", SIZE(bytes[FREE_COLUMN_FREE]));
	say(out, " instead.%s\n",
	    is_known ? "" :
		       " What the kernel can reclaim from caches comes on "
		       "top.");
}

static void write_swap(const struct explain_writer *writer)
{
	const struct free_columns *columns = &writer->columns;
	const int64_t *bytes = columns->bytes;
	struct sentence *out = writer->out;

	if (!bytes[FREE_COLUMN_SWAP_TOTAL]) {
		say(out, "This host has no swap: anonymous and shared memory "
			 "stay in memory.\n");
		return;
	}
	if (columns->known[FREE_COLUMN_SWAP_USED])
		say(out, "%s used, %s free.\n",
		    SIZE(bytes[FREE_COLUMN_SWAP_USED]),
		    SIZE(bytes[FREE_COLUMN_SWAP_FREE]));
	else if (columns->known[FREE_COLUMN_SWAP_FREE])
		say(out,
		    "SwapFree (%s) is larger than SwapTotal, so the used part "
		    "is not known.\n",
		    SIZE(bytes[FREE_COLUMN_SWAP_FREE]));
	else
		say(out, "This kernel does not report SwapFree.\n");
}

struct topic {
	const char *heading; /* "": a paragraph without one */
	const char *text; /* what it begins with */
	void (*write)(const struct explain_writer *writer); /* or NULL */
	enum free_column column; /* FREE_COLUMNS: not about a column */
	const char *missing; /* text if the column is unknown, or NULL */
};

static const struct topic head_topic = { "", "", write_head, FREE_COLUMNS,
					 NULL };
static const struct topic verdict_topic = { "", "", explain_write_verdict,
					    FREE_COLUMNS, NULL };
static const struct topic advice_topic = { "What frees memory", "",
					   explain_write_advice, FREE_COLUMNS,
					   NULL };

static const struct topic column_topics[] = {
	{ "total",
	  "MemTotal: the memory that this kernel manages. It is less than is "
	  "installed, because firmware and the kernel itself take their part "
	  "first.\n",
	  NULL, FREE_COLUMN_TOTAL, "This kernel does not report MemTotal." },
	{ "used", "", write_used, FREE_COLUMN_USED,
	  "It cannot be computed: this kernel does not report MemTotal, "
	  "reports neither MemAvailable nor MemFree, or reports values that "
	  "contradict each other." },
	{ "free",
	  "MemFree: memory that nobody uses. A small value alone is no cause "
	  "for alarm, because caches use the memory that programs do not need. "
	  "Look at available.\n",
	  NULL, FREE_COLUMN_FREE, "This kernel does not report MemFree." },
	{ "shared",
	  "Shmem: tmpfs files, memfds and other shared memory, but not memory "
	  "from a pool of huge pages. It counts as cache, but cannot be "
	  "dropped: ",
	  write_shared, FREE_COLUMN_SHARED,
	  "This kernel does not report Shmem." },
	{ "buffers", "", explain_write_buffers, FREE_COLUMN_BUFFERS, NULL },
	{ "cache", "", write_cache, FREE_COLUMN_CACHE, NULL },
	{ "available", "", write_available, FREE_COLUMN_AVAILABLE, NULL },
	{ "swap", "", write_swap, FREE_COLUMN_SWAP_TOTAL,
	  "This kernel does not report SwapTotal." },
};

#define COLUMN_TOPICS (sizeof(column_topics) / sizeof(*column_topics))
#define COLUMN_BIT(column) (1U << (column))
#define BUFFERS_AND_CACHE                                                      \
	(COLUMN_BIT(FREE_COLUMN_BUFFERS) | COLUMN_BIT(FREE_COLUMN_CACHE))

/* Words that stand for more than one column. */
static const struct {
	const char *word;
	unsigned int columns;
} groups[] = {
	{ "buff/cache", BUFFERS_AND_CACHE },
	{ "all", COLUMN_BIT(FREE_COLUMNS) - 1 },
};

const char *explain_column_word(size_t which)
{
	if (which < COLUMN_TOPICS)
		return column_topics[which].heading;
	which -= COLUMN_TOPICS;
	return which < sizeof(groups) / sizeof(*groups) ? groups[which].word :
							  NULL;
}

int explain_column_add(unsigned int *columns, const char *word,
		       struct error *err)
{
	const char *known;

	for (size_t i = 0; (known = explain_column_word(i)); i++) {
		if (strcmp(known, word) != 0)
			continue;
		*columns |= i < COLUMN_TOPICS ?
				    COLUMN_BIT(column_topics[i].column) :
				    groups[i - COLUMN_TOPICS].columns;
		return 0;
	}
	return error_advise(err, EINVAL, "choosing columns", word,
			    "total, used, free, shared, buffers, cache, "
			    "buff/cache, available, swap, or all",
			    "free has no such column");
}

static char *make_heading(const struct topic *topic,
			  const struct free_columns *columns)
{
	char *heading;
	int ret;

	if (topic->column == FREE_COLUMNS)
		return strdup(topic->heading);
	ret = asprintf(&heading, "%s %s", topic->heading,
		       columns->known[topic->column] ?
			       SIZE(columns->bytes[topic->column]) :
			       "not known");
	return ret < 0 ? NULL : heading;
}

static int add_topic(struct explanation *explanation,
		     const struct explain_writer *to, const struct topic *topic)
{
	struct paragraph *paragraph =
		&explanation->paragraphs[explanation->count++];
	struct explain_writer writer = *to;
	struct sentence out;

	paragraph->heading = make_heading(topic, &writer.columns);
	sentence_begin(&out);
	out.is_filled = true;
	writer.out = &out;
	if (topic->missing && !writer.columns.known[topic->column]) {
		say(&out, "%s\n", topic->missing);
	} else {
		say(&out, "%s", topic->text);
		if (topic->write)
			topic->write(&writer);
	}
	if (sentence_end(&out, &paragraph->text) < 0 || !paragraph->heading)
		return -ENOMEM;
	return 0;
}

static int add_columns(struct explanation *explanation,
		       const struct explain_writer *writer,
		       unsigned int columns)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < COLUMN_TOPICS; i++) {
		if (columns & COLUMN_BIT(column_topics[i].column))
			ret = add_topic(explanation, writer, &column_topics[i]);
	}
	return ret;
}

static int add_advice(struct explanation *explanation,
		      const struct explain_writer *to)
{
	struct explain_advices advices;
	struct explain_writer writer = *to;
	int ret = explain_advices_init(&advices, writer.facts);

	writer.advices = &advices;
	if (!ret)
		ret = add_topic(explanation, &writer, &advice_topic);
	explain_advices_deinit(&advices);
	return ret;
}

/*
 * Advice is for a host that runs. Where there is no table, the columns say what
 * is in the caches.
 */
static int add_parts(struct explanation *explanation,
		     const struct explain_writer *writer)
{
	const struct explain_facts *facts = writer->facts;
	int ret = add_topic(explanation, writer, &verdict_topic);

	if (!ret && !facts->is_dump)
		ret = add_advice(explanation, writer);
	explanation->before_table = explanation->count;
	if (ret < 0)
		return ret;
	ret = facts->has_memory ?
		      explain_rows_init(&explanation->rows, facts) :
		      add_columns(explanation, writer, BUFFERS_AND_CACHE);
	return ret ?: add_topic(explanation, writer, &head_topic);
}

int explanation_init(struct explanation *explanation,
		     const struct explain_facts *facts, unsigned int columns)
{
	struct explain_holder holder;
	struct explain_writer writer = { .facts = facts, .holder = &holder };

	/* The head and every column, or the head and three parts. */
	_Static_assert(COLUMN_TOPICS + 1 <=
			       sizeof(explanation->paragraphs) /
				       sizeof(*explanation->paragraphs),
		       "a paragraph for every topic");
	*explanation = (struct explanation){ 0 };
	free_columns_init(&writer.columns, &facts->buffers.meminfo);
	if (!columns) {
		explain_holder_init(&holder, facts);
		return add_parts(explanation, &writer);
	}
	return add_topic(explanation, &writer, &head_topic) ?:
		       add_columns(explanation, &writer, columns);
}

void explanation_deinit(struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->count; i++) {
		free(explanation->paragraphs[i].heading);
		free(explanation->paragraphs[i].text);
	}
	memory_rows_deinit(&explanation->rows);
	*explanation = (struct explanation){ 0 };
}

static void print_lines(FILE *out, const char *text, struct wrap wrap)
{
	while (*text) {
		bool item = strncmp(text, ITEM, strlen(ITEM)) == 0;
		size_t size = strcspn(text, "\n");

		wrap.hanging = wrap.indent + (item ? strlen(ITEM) : 0);
		wrap_print(out, text, size, &wrap);
		text += size + (text[size] == '\n');
	}
}

static int print_table(FILE *out, const struct memory_rows *rows,
		       struct size_unit unit)
{
	const struct table_rows table = memory_rows_of_table(rows);
	const struct table_style style = {
		.unit = unit,
		.terminal_width = terminal_width(out),
		.emphasis = terminal_has_emphasis(out),
	};
	struct column_choice columns;

	column_choice_parse(&columns, &memory_columns,
			    "WHAT,SIZE,SHARE,RECLAIMABLE,NOTE", NULL);
	putc('\n', out);
	return table_print(out, &table, &columns, &style);
}

int explanation_print(FILE *out, const struct explanation *explanation,
		      unsigned int width, struct size_unit unit)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < explanation->count; i++) {
		const struct paragraph *paragraph = &explanation->paragraphs[i];
		struct wrap wrap = { .width = width };

		if (i)
			putc('\n', out);
		if (*paragraph->heading) {
			fprintf(out, "%s\n", paragraph->heading);
			wrap.indent = INDENT;
		}
		print_lines(out, paragraph->text, wrap);
		if (i + 1 == explanation->before_table &&
		    explanation->rows.count)
			ret = print_table(out, &explanation->rows, unit);
	}
	return ret;
}

unsigned int explain_width(FILE *out)
{
	size_t width = terminal_width(out);

	return width && width < WIDEST ? (unsigned int)width : WIDEST;
}

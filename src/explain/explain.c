// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "explain/explain_text.h"
#include "lib/cleanup.h"
#include "lib/text_stream.h"
#include "lib/wrap.h"

#define INDENT 2
#define ITEM "- "

static void write_head(const struct explain_writer *writer)
{
	const struct explain_facts *facts = writer->facts;
	FILE *out = writer->out;

	if (facts->provenance.kernel) {
		fputs("Linux ", out);
		wrap_put_name(out, facts->provenance.kernel);
	} else {
		fputs("Linux of unknown release", out);
	}
	if (facts->is_dump)
		fputs(", in a dump", out);
	if (*facts->provenance.taken_at)
		fprintf(out, ", %s", facts->provenance.taken_at);
	if (explain_is_measured(facts))
		fprintf(out, "; devices measured by %s%s", facts->report.source,
			facts->report.unsettled ? " (unsettled)" : "");
	else
		fputs("; devices could not be measured", out);
	fputs("; K, M and G are powers of 1024.\n", out);
}

static void write_total(const struct explain_writer *writer)
{
	fputs("MemTotal: the memory that this kernel manages. It is less than "
	      "is installed, because firmware and the kernel itself take their "
	      "part first.\n",
	      writer->out);
}

static void write_used(const struct explain_writer *writer)
{
	const int64_t *bytes = writer->columns.bytes;
	FILE *out = writer->out;

	if (writer->columns.used_without_available) {
		fprintf(out,
			"total - free (%s - %s): there is no usable "
			"MemAvailable, so every cache counts as used.\n",
			SIZE(bytes[FREE_COLUMN_TOTAL]),
			SIZE(bytes[FREE_COLUMN_FREE]));
		return;
	}
	fprintf(out,
		"total - available (%s - %s), as free computes it since "
		"procps-ng 4.0.1. Memory that the kernel expects to reclaim "
		"from caches counts as available, not as used. That estimate "
		"is cautious, so used can fall when caches are dropped. Older "
		"versions of free show total - free - buffers - cache",
		SIZE(bytes[FREE_COLUMN_TOTAL]),
		SIZE(bytes[FREE_COLUMN_AVAILABLE]));
	if (writer->columns.known[FREE_COLUMN_USED_BEFORE])
		fprintf(out, ", here %s", SIZE(bytes[FREE_COLUMN_USED_BEFORE]));
	fputs(": remember that when you compare two hosts.\n", out);
}

static void write_free(const struct explain_writer *writer)
{
	fputs("MemFree: memory that nobody uses. A small value alone is no "
	      "cause for alarm, because caches use the memory that programs do "
	      "not need. Look at available.\n",
	      writer->out);
}

static void write_shared(const struct explain_writer *writer)
{
	const struct free_columns *columns = &writer->columns;
	int64_t swap_free = columns->bytes[FREE_COLUMN_SWAP_FREE];
	FILE *out = writer->out;

	fputs("Shmem: tmpfs files, memfds and other shared memory, but not "
	      "memory from a pool of huge pages. It counts as cache, but "
	      "cannot be dropped: ",
	      out);
	if (!columns->known[FREE_COLUMN_SWAP_FREE])
		fputs("it can only be swapped out or deleted.\n", out);
	else if (swap_free)
		fprintf(out,
			"it can only be swapped out (%s free) or deleted.\n",
			SIZE(swap_free));
	else
		fputs("there is no free swap, so it stays until it is "
		      "deleted.\n",
		      out);
}

/* Says how free computes the column cache. */
static void write_cache_column(const struct explain_writer *writer)
{
	const struct meminfo *meminfo = &writer->facts->measurement.meminfo;
	const struct free_columns *columns = &writer->columns;
	int64_t cached, slab;
	FILE *out = writer->out;

	if (!meminfo_bytes(meminfo, MEMINFO_CACHED, &cached)) {
		fputs("This kernel does not report Cached.\n", out);
		return;
	}
	if (!meminfo_bytes(meminfo, MEMINFO_SRECLAIMABLE, &slab)) {
		fprintf(out,
			"This kernel does not report SReclaimable, so free "
			"prints Cached alone, %s.\n",
			SIZE(cached));
		return;
	}
	fprintf(out,
		"Cached (%s) + SReclaimable (%s), kernel slab whose unused "
		"objects the kernel can reclaim.",
		SIZE(cached), SIZE(slab));
	if (columns->known[FREE_COLUMN_BUFF_CACHE])
		fprintf(out,
			" Together with buffers this is free's "
			"buff/cache: %s.",
			SIZE(columns->bytes[FREE_COLUMN_BUFF_CACHE]));
	putc('\n', out);
}

static void write_field(const struct explain_writer *writer,
			enum meminfo_field field, const char *name,
			const char *meaning)
{
	int64_t bytes;

	if (meminfo_bytes(&writer->facts->measurement.meminfo, field, &bytes))
		fprintf(writer->out, ITEM "%s %s: %s\n", name, SIZE(bytes),
			meaning);
	else
		fprintf(writer->out,
			ITEM "%s: this kernel does not report it\n", name);
}

static void write_cache(const struct explain_writer *writer)
{
	write_cache_column(writer);
	fputs("Cached is the page cache of files: all file pages without the "
	      "swap cache and Buffers. The kernel can reclaim its clean pages, "
	      "except locked ones and Shmem:\n",
	      writer->out);
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
	FILE *out = writer->out;

	if (columns->known[FREE_COLUMN_AVAILABLE] &&
	    !columns->used_without_available) {
		fputs("MemAvailable: the kernel's estimate of what programs "
		      "can have without swapping. It adds most of the file "
		      "pages and slab that it can reclaim to free, and "
		      "subtracts the reserves that it keeps. This is the "
		      "column to watch.",
		      out);
		if (columns->known[FREE_COLUMN_FREE] &&
		    columns->bytes[FREE_COLUMN_AVAILABLE] <
			    columns->bytes[FREE_COLUMN_FREE])
			fputs(" It is below free here: the reserves are larger "
			      "than the part of the caches that it counts.",
			      out);
		putc('\n', out);
		return;
	}
	fputs(columns->known[FREE_COLUMN_AVAILABLE] ?
		      "MemAvailable is zero or larger than total. free does "
		      "not believe that and prints MemFree" :
		      "This kernel does not report MemAvailable, so free "
		      "prints MemFree",
	      out);
	if (columns->known[FREE_COLUMN_FREE])
		fprintf(out, " (%s)", SIZE(columns->bytes[FREE_COLUMN_FREE]));
	fputs(" instead.", out);
	if (!columns->known[FREE_COLUMN_AVAILABLE])
		fputs(" What the kernel can reclaim from caches comes on "
		      "top.",
		      out);
	putc('\n', out);
}

static void write_swap(const struct explain_writer *writer)
{
	const struct free_columns *columns = &writer->columns;
	const int64_t *bytes = columns->bytes;
	FILE *out = writer->out;

	if (!bytes[FREE_COLUMN_SWAP_TOTAL]) {
		fputs("This host has no swap: anonymous and shared memory stay "
		      "in memory.\n",
		      out);
		return;
	}
	if (columns->known[FREE_COLUMN_SWAP_USED])
		fprintf(out, "%s used, %s free.\n",
			SIZE(bytes[FREE_COLUMN_SWAP_USED]),
			SIZE(bytes[FREE_COLUMN_SWAP_FREE]));
	else if (columns->known[FREE_COLUMN_SWAP_FREE])
		fprintf(out,
			"SwapFree (%s) is larger than SwapTotal, so the used "
			"part is not known.\n",
			SIZE(bytes[FREE_COLUMN_SWAP_FREE]));
	else
		fputs("This kernel does not report SwapFree.\n", out);
}

static const struct topic {
	const char *heading; /* NULL: a paragraph without one */
	void (*write)(const struct explain_writer *writer);
	enum free_column column; /* FREE_COLUMNS: not about a column */
	const char *missing; /* text if the column is unknown, or NULL */
} topics[] = {
	{ NULL, write_head, FREE_COLUMNS, NULL },
	{ "In short", explain_write_short, FREE_COLUMNS, NULL },
	{ "total", write_total, FREE_COLUMN_TOTAL,
	  "This kernel does not report MemTotal." },
	{ "used", write_used, FREE_COLUMN_USED,
	  "It cannot be computed: this kernel does not report MemTotal, "
	  "reports neither MemAvailable nor MemFree, or reports values that "
	  "contradict each other." },
	{ "free", write_free, FREE_COLUMN_FREE,
	  "This kernel does not report MemFree." },
	{ "shared", write_shared, FREE_COLUMN_SHARED,
	  "This kernel does not report Shmem." },
	{ "buffers", explain_write_buffers, FREE_COLUMN_BUFFERS, NULL },
	{ "cache", write_cache, FREE_COLUMN_CACHE, NULL },
	{ "available", write_available, FREE_COLUMN_AVAILABLE, NULL },
	{ "swap", write_swap, FREE_COLUMN_SWAP_TOTAL,
	  "This kernel does not report SwapTotal." },
	{ "What would release memory", explain_write_release, FREE_COLUMNS,
	  NULL },
};

static char *make_heading(const struct topic *topic,
			  const struct free_columns *columns)
{
	char *heading;
	int ret;

	if (topic->column == FREE_COLUMNS)
		ret = asprintf(&heading, "%s",
			       topic->heading ? topic->heading : "");
	else if (columns->known[topic->column])
		ret = asprintf(&heading, "%s %s", topic->heading,
			       SIZE(columns->bytes[topic->column]));
	else
		ret = asprintf(&heading, "%s not known", topic->heading);
	return ret < 0 ? NULL : heading;
}

static int write_topic(const struct topic *topic, struct explain_writer *writer,
		       struct paragraph *paragraph)
{
	size_t size;

	paragraph->heading = make_heading(topic, &writer->columns);
	writer->out = text_stream_open(&paragraph->text, &size);
	if (!writer->out)
		return -ENOMEM;
	if (topic->missing && !writer->columns.known[topic->column])
		fprintf(writer->out, "%s\n", topic->missing);
	else
		topic->write(writer);
	if (text_stream_close(writer->out, &paragraph->text) < 0 ||
	    !paragraph->heading)
		return -ENOMEM;
	return 0;
}

int explanation_init(struct explanation *explanation,
		     const struct explain_facts *facts)
{
	struct explain_writer writer = { .facts = facts };
	int ret = 0;

	_Static_assert(sizeof(topics) / sizeof(*topics) <=
			       sizeof(explanation->paragraphs) /
				       sizeof(*explanation->paragraphs),
		       "a paragraph for every topic");
	*explanation = (struct explanation){ 0 };
	free_columns_init(&writer.columns, &facts->measurement.meminfo);
	for (size_t i = 0; !ret && i < sizeof(topics) / sizeof(*topics); i++) {
		/* Advice is for a host that runs. */
		if (topics[i].write == explain_write_release && facts->is_dump)
			continue;
		ret = write_topic(
			&topics[i], &writer,
			&explanation->paragraphs[explanation->count++]);
	}
	return ret;
}

void explanation_deinit(struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->count; i++) {
		free(explanation->paragraphs[i].heading);
		free(explanation->paragraphs[i].text);
	}
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

void explanation_print(FILE *out, const struct explanation *explanation,
		       unsigned int width)
{
	for (size_t i = 0; i < explanation->count; i++) {
		const struct paragraph *paragraph = &explanation->paragraphs[i];
		struct wrap wrap = { .width = width };

		if (i)
			putc('\n', out);
		if (*paragraph->heading) {
			fprintf(out, "%s\n", paragraph->heading);
			wrap.indent = INDENT;
		}
		print_lines(out, paragraph->text, wrap);
	}
}

static void write_short_available(const struct explain_writer *writer)
{
	const struct free_columns *columns = &writer->columns;
	const int64_t *bytes = columns->bytes;
	FILE *out = writer->out;

	if (columns->known[FREE_COLUMN_AVAILABLE] &&
	    columns->known[FREE_COLUMN_TOTAL] &&
	    !columns->used_without_available)
		fprintf(out,
			"Programs can still have %s of %s without swapping, by "
			"the kernel's estimate.",
			SIZE(bytes[FREE_COLUMN_AVAILABLE]),
			SIZE(bytes[FREE_COLUMN_TOTAL]));
	else if (columns->known[FREE_COLUMN_FREE])
		fprintf(out,
			"%s is free; how much more programs can have is not "
			"known.",
			SIZE(bytes[FREE_COLUMN_FREE]));
	else
		fputs("How much programs can still have is not known.", out);
}

static void write_caches(const struct explain_writer *writer)
{
	static const char reclaimed[] =
		"the kernel reclaims the unused part when programs need it";
	const struct free_columns *columns = &writer->columns;
	int64_t all = columns->bytes[FREE_COLUMN_BUFF_CACHE];
	int64_t shared = columns->bytes[FREE_COLUMN_SHARED];
	FILE *out = writer->out;

	if (!columns->known[FREE_COLUMN_BUFF_CACHE])
		return;
	fprintf(out, " Buffers and cache hold %s", SIZE(all));
	if (!columns->known[FREE_COLUMN_SHARED])
		fprintf(out, ", and %s.", reclaimed);
	else if (shared < all)
		fprintf(out,
			", of which %s is shared memory that cannot be "
			"dropped; of the other %s %s.",
			SIZE(shared), SIZE(all - shared), reclaimed);
	else
		fprintf(out, "; shared memory, which cannot be dropped, is %s.",
			SIZE(shared));
}

/* Names the device with most pages, unless more pages are on no device. */
static void write_largest(const struct explain_writer *writer)
{
	const struct explain_facts *facts = writer->facts;
	const struct explain_device *device = facts->devices;
	FILE *out = writer->out;
	double percent, rest;

	if (!explain_is_measured(facts)) {
		fputs(" The devices could not be measured, so the owners of "
		      "buffers are not known.",
		      out);
		return;
	}
	if (facts->report.unsettled) {
		fputs(" The figures of the devices did not settle.", out);
		return;
	}
	if (!report_share(&facts->report, NULL, &rest))
		return;
	if (!facts->report.with_pages ||
	    !report_share(&facts->report, device->sample, &percent))
		percent = 0;
	if (rest > percent) {
		fprintf(out,
			" %.1f%% of buffers belongs to no device that was "
			"measured.",
			rest);
	} else if (percent > 0) {
		fprintf(out, " %.1f%% of buffers belongs to ", percent);
		explain_put_device(out, device);
		fputs(".", out);
		if (facts->report.unattributed_pages < 0)
			fputs(" Buffers shrank while it was measured.", out);
	}
}

void explain_write_short(const struct explain_writer *writer)
{
	write_short_available(writer);
	write_caches(writer);
	write_largest(writer);
	putc('\n', writer->out);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/sysmacros.h>

#include "explain/explain.h"
#include "explain/explain_text.h"
#include "filesystems/measured_filesystems.h"
#include "lib/utf8.h"
#include "lib/wrap.h"

/* How many filesystems are named; the others share one item. */
#define NAMED 3

static void write_filesystem(FILE *out, const struct filesystem *filesystem,
			     uint64_t page_size)
{
	int64_t pages = (int64_t)filesystem->sample.figures[FIGURE_PAGES];

	fputs("- ", out);
	if (filesystem->source)
		wrap_put_name(out, filesystem_place(filesystem));
	else
		fputs("shared memory (" FILESYSTEM_SHMEM_NOTE ")", out);
	fprintf(out, " (%s): %s\n", filesystem->type ?: "tmpfs",
		SIZE(pages * (int64_t)page_size));
}

/* A running host has said on stderr what the filesystems need. */
static void write_why_not(const struct explain_writer *writer)
{
	char text[ERROR_TEXT_SIZE];

	if (!writer->facts->is_dump)
		return;
	fputs("The filesystems could not be measured: ", writer->out);
	safe_text_put(writer->out,
		      error_text(&writer->facts->why_no_filesystems, text));
	fputs(".\n", writer->out);
}

static void write_refused(const struct explain_writer *writer)
{
	const struct filesystems *all = &writer->facts->filesystems;
	FILE *out = writer->out;

	for (size_t i = 0; i < all->count; i++) {
		const char *why = all->filesystems[i].sample.refused;

		if (!why)
			continue;
		fprintf(out, "- %zu not measured (", all->refused);
		safe_text_put(out, why);
		fputs(")\n", out);
		return;
	}
}

static void write_rest(FILE *out, const struct filesystems *all)
{
	const char *note = filesystems_rest_note(all);
	int64_t pages;

	if (filesystems_rest(all, &pages))
		fprintf(out, "- unattributed: %s%s%s%s%s%s\n",
			SIZE(pages * (int64_t)all->page_size),
			all->unsettled ? " (unsettled)" : "",
			all->silent && pages > 0 ? " (some did not answer)" :
						   "",
			note ? " (" : "", note ? note : "", note ? ")" : "");
}

void explain_write_cached(const struct explain_writer *writer)
{
	const struct filesystems *all = &writer->facts->filesystems;
	uint64_t others = 0;
	FILE *out = writer->out;

	if (!writer->facts->has_filesystems) {
		write_why_not(writer);
		return;
	}
	fputs("Cached by filesystem (bufstat filesystems lists all, bufstat "
	      "files the largest files):\n",
	      out);
	for (size_t i = 0; i < all->count; i++) {
		uint64_t pages =
			all->filesystems[i].sample.figures[FIGURE_PAGES];

		if (i < NAMED && pages)
			write_filesystem(out, &all->filesystems[i],
					 all->page_size);
		else
			others += pages;
	}
	if (others)
		fprintf(out, "- the others: %s\n",
			SIZE((int64_t)(others * all->page_size)));
	if (all->refused)
		write_refused(writer);
	write_rest(out, all);
}

void explain_print_filesystem(FILE *out, const struct explain_facts *facts,
			      dev_t number, bool is_own)
{
	const struct filesystems *all = &facts->filesystems;

	if (!number)
		write_rest(out, all);
	for (size_t i = 0; i < all->count; i++) {
		const struct filesystem *filesystem = &all->filesystems[i];
		const struct sample *sample = &filesystem->sample;

		if (makedev(sample->major, sample->minor) == number &&
		    !filesystem->source == is_own &&
		    sample_has(sample, FIGURE_PAGES))
			write_filesystem(out, filesystem, all->page_size);
	}
}

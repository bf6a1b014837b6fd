// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/sysmacros.h>

#include "explain/explain.h"
#include "explain/explain_text.h"
#include "filesystems/measured_filesystems.h"

/* How many filesystems are named; the others share one item. */
#define NAMED 3

static void write_filesystem(struct sentence *out,
			     const struct filesystem *filesystem,
			     uint64_t page_size)
{
	int64_t pages = (int64_t)filesystem->sample.figures[FIGURE_PAGES];

	say(out, "- %s (%s): %s\n",
	    filesystem->source ? safe_name(out, filesystem_place(filesystem)) :
				 "shared memory (" FILESYSTEM_SHMEM_NOTE ")",
	    filesystem->type ?: "tmpfs", SIZE(pages * (int64_t)page_size));
}

static void write_rest(struct sentence *out, const struct filesystems *all)
{
	const char *note = filesystems_rest_note(all);
	int64_t pages;

	if (filesystems_rest(all, &pages))
		say(out, "- unattributed: %s%s%s%s%s%s\n",
		    SIZE(pages * (int64_t)all->page_size),
		    all->unsettled ? " (unsettled)" : "",
		    all->silent && pages > 0 ? " (some did not answer)" : "",
		    note ? " (" : "", note ? note : "", note ? ")" : "");
}

void explain_write_cached(const struct explain_writer *writer)
{
	const struct filesystems *all = &writer->facts->filesystems;
	struct sentence *out = writer->out;
	const char *refused = NULL;
	char text[ERROR_TEXT_SIZE];
	uint64_t others = 0;

	if (!writer->facts->has_filesystems) {
		/* A running host has said on stderr what they need. */
		error_text(&writer->facts->why_no_filesystems, text);
		if (writer->facts->is_dump)
			say(out, "The filesystems could not be measured: %s.\n",
			    safe_text(out, text));
		return;
	}
	say(out, "Cached by filesystem (bufstat filesystems lists all, bufstat "
		 "files the largest files):\n");
	for (size_t i = 0; i < all->count; i++) {
		const struct filesystem *filesystem = &all->filesystems[i];
		uint64_t pages = filesystem->sample.figures[FIGURE_PAGES];

		refused = refused ?: filesystem->sample.refused;
		if (i < NAMED && pages)
			write_filesystem(out, filesystem, all->page_size);
		else
			others += pages;
	}
	if (others)
		say(out, "- the others: %s\n",
		    SIZE((int64_t)(others * all->page_size)));
	if (all->refused && refused)
		say(out, "- %zu not measured (%s)\n", all->refused,
		    safe_text(out, refused));
	write_rest(out, all);
}

void explain_print_filesystem(FILE *out, const struct explain_facts *facts,
			      dev_t number, bool is_own)
{
	const struct filesystems *all = &facts->filesystems;
	struct sentence line;

	sentence_begin_on(&line, out);
	if (!number)
		write_rest(&line, all);
	for (size_t i = 0; i < all->count; i++) {
		const struct filesystem *filesystem = &all->filesystems[i];
		const struct sample *sample = &filesystem->sample;

		if (makedev(sample->major, sample->minor) == number &&
		    !filesystem->source == is_own &&
		    sample_has(sample, FIGURE_PAGES))
			write_filesystem(&line, filesystem, all->page_size);
	}
	sentence_end(&line, NULL);
}

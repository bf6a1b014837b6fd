// SPDX-License-Identifier: GPL-2.0-or-later
#include "explain_text.h"
#include "measured_filesystems.h"
#include "wrap.h"

/* Filesystems that are named; what is left has an item of its own. */
#define NAMED 3

static void write_filesystem(FILE *out, const struct filesystem *filesystem,
			     uint64_t page_size)
{
	const struct mounted *mounted = filesystem->mounted;
	int64_t pages = (int64_t)filesystem->sample->figures[FIGURE_PAGES];

	fputs("- ", out);
	if (mounted && mounted->mountpoints.count)
		wrap_put_name(out, mounted->mountpoints.strings[0]);
	else
		fputs("shared memory (memfd, System V, anonymous)", out);
	fprintf(out, " (%s): %s\n", mounted ? mounted->type : "tmpfs",
		SIZE(pages * (int64_t)page_size));
}

void explain_write_cached(const struct explain_writer *writer)
{
	const struct filesystems *all = &writer->facts->filesystems;
	int64_t size = (int64_t)all->snapshot.page_size, rest;
	const char *note = filesystems_rest_note(all);
	uint64_t others = 0;
	FILE *out = writer->out;

	if (!writer->facts->has_filesystems)
		return;
	fputs("Most of Cached is of these filesystems (bufstat filesystems has "
	      "them all, bufstat files the files):\n",
	      out);
	for (size_t i = 0; i < all->count; i++) {
		uint64_t pages =
			all->filesystems[i].sample->figures[FIGURE_PAGES];

		if (i < NAMED && pages)
			write_filesystem(out, &all->filesystems[i],
					 all->snapshot.page_size);
		else
			others += pages;
	}
	if (others)
		fprintf(out, "- the others: %s\n",
			SIZE((int64_t)others * size));
	if (filesystems_rest(all, &rest))
		fprintf(out, "- on none of them: %s%s%s%s%s\n",
			SIZE(rest * size),
			all->silent ? " (some did not answer)" : "",
			note ? " (" : "", note ? note : "", note ? ")" : "");
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "filesystems/fs_line.h"
#include "filesystems/measured_filesystems.h"
#include "lib/number.h"
#include "lib/utf8.h"

/* The number of filesystems to name; the others are added up. */
#define NAMED 3

struct line {
	FILE *out;
	uint64_t page_size;
	struct size_unit unit;
};

#define SIZE_OF(line, pages)                                                   \
	SIZE_IN((int64_t)(pages) * (int64_t)(line)->page_size, (line)->unit)

static void put_filesystem(const struct line *line,
			   const struct filesystem *filesystem)
{
	if (filesystem->source) {
		safe_name_put(line->out, filesystem_place(filesystem));
		fputs(" (", line->out);
		safe_text_put(line->out, filesystem->type);
		fputs(") ", line->out);
	} else {
		fputs("[shared memory] ", line->out);
	}
	fprintf(line->out, "%s, ",
		SIZE_OF(line, filesystem->sample.figures[FIGURE_PAGES]));
}

static void put_rest(const struct line *line, const struct filesystems *all)
{
	const char *note = filesystems_rest_note(all);
	int64_t rest;

	if (!filesystems_rest(all, &rest)) {
		fputs("unattributed unknown: /proc/meminfo has no Cached",
		      line->out);
		return;
	}
	fprintf(line->out, "unattributed %s of %s", SIZE_OF(line, rest),
		SIZE_OF(line, rest + (int64_t)all->attributed_pages));
	if (all->unsettled)
		fputs(" (unsettled: Cached changed while it was measured)",
		      line->out);
	if (note)
		fprintf(line->out, " (%s)", note);
}

void fs_line_print(FILE *out, const struct filesystems *filesystems,
		   struct size_unit unit)
{
	const struct line line = {
		.out = out,
		.page_size = filesystems->page_size,
		.unit = unit,
	};
	size_t unmeasured = filesystems->silent + filesystems->refused;
	uint64_t others = 0;

	fputs("cached by filesystem: ", out);
	for (size_t i = 0; i < filesystems->count; i++) {
		const struct filesystem *filesystem =
			&filesystems->filesystems[i];
		uint64_t pages = filesystem->sample.figures[FIGURE_PAGES];

		if (i < NAMED && pages)
			put_filesystem(&line, filesystem);
		else
			others += pages;
	}
	if (others)
		fprintf(out, "others %s, ", SIZE_OF(&line, others));
	put_rest(&line, filesystems);
	if (unmeasured)
		fprintf(out, " (%zu filesystem%s could not be measured)",
			unmeasured, unmeasured == 1 ? "" : "s");
	putc('\n', out);
}

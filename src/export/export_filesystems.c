// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "export_filesystems.h"
#include "exposition.h"
#include "measured_filesystems.h"

static int64_t size_of(const struct filesystems *all, int64_t pages)
{
	return pages * (int64_t)all->snapshot.page_size;
}

/* The labels that tell a filesystem from every other. */
static void label(struct exposition *out, const struct filesystem *filesystem)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", filesystem->sample->major);
	exposition_label(out, "major", number);
	snprintf(number, sizeof(number), "%u", filesystem->sample->minor);
	exposition_label(out, "minor", number);
}

void export_cached(struct exposition *out, const struct filesystems *all)
{
	int64_t cached;

	if (!meminfo_bytes(&all->meminfo, MEMINFO_CACHED, &cached))
		return;
	exposition_sample(out);
	exposition_value(out, cached);
}

void export_cached_rest(struct exposition *out, const struct filesystems *all)
{
	int64_t rest;

	if (!filesystems_rest(all, &rest))
		return;
	exposition_sample(out);
	exposition_value(out, size_of(all, rest));
}

void export_filesystem_errors(struct exposition *out,
			      const struct filesystems *all)
{
	exposition_sample(out);
	exposition_value(out, (int64_t)(all->silent + all->refused));
}

/* What is not known of one of the others is not known of their sum. */
static void export_others(struct exposition *out, const struct filesystems *all,
			  enum figure figure, size_t limit)
{
	uint64_t sum = 0;
	size_t others = 0;

	for (size_t i = limit; i < all->count; i++) {
		const struct device_sample *sample = all->filesystems[i].sample;

		if (sample->refused || !sample->figures[FIGURE_PAGES])
			continue;
		if (!sample_has(sample, figure))
			return;
		sum += sample->figures[figure];
		others++;
	}
	if (!others)
		return;
	exposition_sample(out);
	exposition_label(out, "major", "other");
	exposition_value(out, size_of(all, (int64_t)sum));
}

void export_filesystem_figure(struct exposition *out,
			      const struct filesystems *all, enum figure figure,
			      size_t limit)
{
	for (size_t i = 0; i < all->count && i < limit; i++) {
		const struct filesystem *filesystem = &all->filesystems[i];
		const struct device_sample *sample = filesystem->sample;

		if (!sample_has(sample, figure) ||
		    !sample->figures[FIGURE_PAGES])
			continue;
		exposition_sample(out);
		label(out, filesystem);
		exposition_value(
			out, size_of(all, (int64_t)sample->figures[figure]));
	}
	export_others(out, all, figure, limit);
}

void export_filesystem_names(struct exposition *out,
			     const struct filesystems *all, size_t limit)
{
	for (size_t i = 0; i < all->count && i < limit; i++) {
		const struct filesystem *filesystem = &all->filesystems[i];
		const struct mounted *mounted = filesystem->mounted;

		if (!filesystem->sample->figures[FIGURE_PAGES])
			continue;
		exposition_sample(out);
		label(out, filesystem);
		exposition_label(out, "source",
				 mounted ? mounted->source : "[shared memory]");
		exposition_label(out, "fstype",
				 mounted ? mounted->type : "tmpfs");
		/* One: containers may mount it a thousand times. */
		exposition_label(out, "mountpoint",
				 mounted ? mounted->mountpoints.strings[0] :
					   NULL);
		exposition_value(out, 1);
	}
}

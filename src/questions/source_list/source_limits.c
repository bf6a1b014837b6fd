// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "devices/devices.h"
#include "filesystems/measured_files.h"
#include "filesystems/measured_filesystems.h"
#include "lib/cleanup.h"
#include "lib/string_list.h"
#include "source_list/source_limits.h"

static const char *const figure_names[FIGURES] = {
	[FIGURE_DIRTY] = "dirty pages",
	[FIGURE_WRITEBACK] = "pages under writeback",
	[FIGURE_OPENERS] = "openers",
	[FIGURE_WRITE_ERROR] = "failed writes",
};

__attribute__((format(printf, 2, 3))) static int add(struct string_list *limits,
						     const char *format, ...)
{
	_cleanup_(freep) char *text = NULL;
	va_list arguments;
	int ret;

	va_start(arguments, format);
	ret = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (ret < 0) {
		text = NULL;
		return -ENOMEM;
	}
	return string_list_add(limits, text);
}

static int join(struct string_list *limits, int ret, char **text)
{
	*text = NULL;
	if (!ret && limits->count) {
		*text = string_list_join(limits, ", ");
		ret = *text ? 0 : -ENOMEM;
	}
	string_list_deinit(limits);
	return ret;
}

/* Adds @name if it is absent from some or all of the measured @things. */
static int add_name(struct string_list *limits, const char *name, size_t absent,
		    size_t measured, const char *things)
{
	if (!absent)
		return 0;
	if (absent == measured)
		return add(limits, "%s", name);
	return add(limits, "%s (%zu of %zu %s)", name, absent, measured,
		   things);
}

/*
 * Adds the figures up to @last that some of the measured @things lack. There
 * are @count, each of @size bytes, and each begins with its sample.
 */
static int add_absent(struct string_list *limits, const void *first,
		      size_t count, size_t size, enum figure last,
		      const char *things)
{
	int ret = 0;

	for (unsigned int i = FIGURE_DIRTY; !ret && i <= last; i++) {
		size_t measured = 0, absent = 0;

		for (size_t j = 0; j < count; j++) {
			const struct sample *sample =
				(const void *)((const char *)first + j * size);

			measured += sample_has(sample, FIGURE_PAGES);
			absent += sample_has(sample, FIGURE_PAGES) &&
				  !sample_has(sample, i);
		}
		ret = add_name(limits, figure_names[i], absent, measured,
			       things);
	}
	return ret;
}

/* cachestat(2) counts pages only, whatever device it is asked about. */
int device_limits(const struct devices *devices, char **text)
{
	bool is_cachestat = strcmp(devices->source, "cachestat") == 0;
	struct string_list limits = { 0 };
	int ret =
		add_absent(&limits, devices->devices, devices->count,
			   sizeof(*devices->devices),
			   is_cachestat ? FIGURE_WRITEBACK : FIGURE_WRITE_ERROR,
			   "devices");

	if (!ret && is_cachestat)
		ret = add(&limits,
			  "openers, failed writes, filesystems, files");
	return join(&limits, ret, text);
}

static int add_mlocked(struct string_list *limits,
		       const struct filesystems *filesystems)
{
	size_t measured = 0, absent = 0;

	for (size_t i = 0; i < filesystems->count; i++) {
		const struct filesystem *filesystem =
			&filesystems->filesystems[i];

		if (filesystem->sample.refused)
			continue;
		measured++;
		absent += !filesystem->has_unevictable &&
			  !filesystem->keeps_pages;
	}
	return add_name(limits, "mlocked pages", absent, measured,
			"filesystems");
}

int filesystem_limits(const struct filesystems *filesystems, char **text)
{
	struct string_list limits = { 0 };
	int ret = add_absent(&limits, filesystems->filesystems,
			     filesystems->count,
			     sizeof(*filesystems->filesystems),
			     FIGURE_WRITEBACK, "filesystems");

	if (!ret)
		ret = add_mlocked(&limits, filesystems);
	/* No superblock leads to their inodes; the module asks descriptors. */
	if (!ret && strcmp(filesystems->source, "kcore") == 0)
		ret = add(&limits, "who uses an unmounted filesystem, secret "
				   "memory, memory of virtual machines");
	return join(&limits, ret, text);
}

int file_limits(const struct cached_files *files, char **text)
{
	struct string_list limits = { 0 };
	int ret = 0;

	if (strcmp(files->source, "module") == 0)
		ret = add(&limits, "files of unmounted filesystems");
	else if (strcmp(files->source, "kcore") == 0)
		ret = add(&limits, "who uses files of unmounted filesystems");
	if (!ret && files->captured)
		ret = add(&limits, "more than the %zu largest files",
			  files->captured);
	if (!ret && files->lacks_paths)
		ret = add(&limits, "paths");
	return join(&limits, ret, text);
}

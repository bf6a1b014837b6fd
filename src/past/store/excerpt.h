/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of a recording as a recording of its own, and where one is found. */
#ifndef BUFSTAT_EXCERPT_H
#define BUFSTAT_EXCERPT_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct patience;
struct sysroot;

/* The path of a recording in a captured tree. */
#define EXCERPT_PATH "/bufstat/recording"

/*
 * May replace a document: *@text, *@size bytes and a NUL, was allocated.
 * Returns 0; -EBADMSG: then the document is lost; or another negative errno,
 * which ends it all.
 */
typedef int excerpt_filter_fn(void *data, char **text, size_t *size);

/*
 * Makes a recording of what the one at @path has from @from_ms to @to_ms
 * (CLOCK_REALTIME), with names and filesystems from up to 15 minutes before.
 * What is missing in the one is missing in the other. @filter sees each
 * document. The caller frees *@bytes. Returns 0, -ENODATA if nothing was
 * recorded then, or another negative errno.
 */
int excerpt_make(const char *path, int64_t from_ms, int64_t to_ms,
		 excerpt_filter_fn *filter, void *data, char **bytes,
		 size_t *size, struct patience *patience, struct error *err);

/* Where the recording is that a command reads. */
struct recording_place {
	int fd; /* of a copy in memory, or -1 */
	char path[64]; /* of this copy */
	const char *where; /* the path to open */
};

/*
 * On the running host, that is @dir, or the usual directory if it is NULL; else
 * the recording in the captured tree. Returns 0, or a negative errno: -ENOENT
 * if the tree has none, -EBUSY if the directory does not answer. The caller
 * deinits in either case. @dir must outlive
 * @place.
 */
int recording_place_init(struct recording_place *place,
			 const struct sysroot *root, const char *dir,
			 struct error *err);
void recording_place_deinit(struct recording_place *place);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one format in which a reading is saved: the member "reading" of a JSON
 * document, tests/schema/reading.list. --save and a capture write it,
 * --since and --capture read it. The document also says when and on which
 * kernel it was taken (provenance.h), and may have members for other readers.
 */
#ifndef BUFSTAT_SAVED_H
#define BUFSTAT_SAVED_H

#include "fields/fields.h"
#include "lib/json_in.h"
#include "measure/snapshot.h"

/* The path of a reading in a captured tree. */
#define SAVED_PATH "/bufstat/reading.json"
/* The same, of what a recording has of these from another moment. */
#define SAVED_FILESYSTEMS "/bufstat/filesystems.json"
#define SAVED_MEMORY "/bufstat/memory.json"

struct error;
struct fields;
struct json_out;
struct sysroot;

/*
 * A document that is being read. The sysroot or path that it was opened with
 * must outlive it.
 */
struct saved {
	struct json_in *document;
	struct json_value reading;
	const struct saved_in *in; /* the words for messages */
	const char *path; /* owned by the caller */
};

/*
 * Opens the reading of a captured tree. Returns 1, 0 if @root is the running
 * host or a tree without a reading, or a negative errno: -EPROTO if another
 * version of bufstat captured it, -EBADMSG if it is damaged. The caller closes
 * @saved only after 1.
 */
int saved_open(struct saved *saved, const struct sysroot *root,
	       struct error *err);

/* The same for the reading at @path, if there is one, or else SAVED_PATH. */
int saved_open_part(struct saved *saved, const struct sysroot *root,
		    const char *path, struct error *err);

/*
 * The same for the file @path. Returns 0 (the caller closes @saved then) or a
 * negative errno, -ETIMEDOUT if its disk or server does not answer.
 */
int saved_open_file(struct saved *saved, const char *path, struct error *err);

/*
 * The same for the text of a document from the recording at @path, @size bytes
 * and a NUL. Takes over @text, even after an error.
 */
int saved_open_recorded(struct saved *saved, char *text, size_t size,
			const char *path, struct error *err);
void saved_close(struct saved *saved);

/* Fills @err with why @saved cannot be used; returns @ret, a negative errno. */
int saved_failed(const struct saved *saved, int ret, struct error *err);

/* The same if @ret is negative. Closes @saved; returns @ret. */
int saved_end(struct saved *saved, int ret, struct error *err);

/* Says that another source, @source, has answered in the capture. */
int saved_other_source(const struct sysroot *root, const char *source,
		       struct error *err);

/* Reads "page_size_bytes", which must be there. Returns 1 or -EBADMSG. */
int saved_read_page_size(struct json_value object, uint64_t *page_size);

/* The keys of figures, in pages, but for the last two. */
extern const char *const saved_figures[FIGURES];

/* What is saved of the sample of a device. */
#define SAVED_SAMPLE_FIELDS 4
extern const struct field saved_sample_fields[SAVED_SAMPLE_FIELDS];

/*
 * Whether a sample that was read can be true: a device has figures, no more
 * pages than fit in an int64_t as bytes, or the reason why it has none.
 */
bool saved_sample_is_sound(const struct sample *sample, uint64_t page_size);

/* Opens the member "reading", which must be the last; the caller closes it. */
void saved_begin(struct json_out *json);

#endif

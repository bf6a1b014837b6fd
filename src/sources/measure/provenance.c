// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bufstat/version.h>

#include "lib/cleanup.h"
#include "fields/fields.h"
#include "lib/json_out.h"
#include "lib/sysroot.h"
#include "measure/provenance.h"
#include "measure/saved.h"
#include "worker/new_file.h"

#define OSRELEASE "/proc/sys/kernel/osrelease"
#define BOOT_ID "/proc/sys/kernel/random/boot_id"

/* For a captured tree, only its reading knows the time (read_saved()). */
static void take_time(struct provenance *provenance, const struct sysroot *root)
{
	if (sysroot_is_live(root))
		utc_text(time(NULL), provenance->taken_at);
}

/* Sets @text to the line in the file, if there is one. */
static void take_line(char *text, size_t size, const struct sysroot *root,
		      const char *path)
{
	_cleanup_(freep) char *line = NULL;

	if (sysroot_read(root, path, size, &line, NULL) < 0)
		return;
	line[strcspn(line, "\n")] = '\0';
	snprintf(text, size, "%s", line);
}

static const struct field provenance_list[] = {
	{ FIELD_TEXT(struct provenance, kernel, "kernel", SAYS_WORD),
	  .known = KNOWN_NOT_ZERO, .about = "its release" },
	{ FIELD_TEXT(struct provenance, boot_id, "boot_id", SAYS_WORD),
	  .known = KNOWN_NOT_ZERO,
	  .about = "the kernel's: another on every host, and at every boot" },
	{ FIELD_TEXT(struct provenance, taken_at, "taken_at", SAYS_WORD),
	  .known = KNOWN_NOT_ZERO, .about = "UTC",
	  .null = "a tree that does not say it" },
};

const struct fields provenance_fields =
	FIELDS(struct provenance, provenance_list);

int provenance_read(struct provenance *provenance, const struct saved *saved)
{
	return fields_read(json_in_root(saved->document), &provenance_fields,
			   provenance);
}

/* Reads them from a capture's reading. Returns as saved_open(). */
static int read_saved(struct provenance *provenance, const struct sysroot *root)
{
	struct saved saved;
	int ret = saved_open(&saved, root, NULL);

	if (ret <= 0)
		return ret;
	ret = provenance_read(provenance, &saved);
	saved_close(&saved);
	return ret ?: 1;
}

struct provenance provenance_of(const struct sysroot *root, const char *kernel)
{
	struct provenance provenance = { 0 };

	if (read_saved(&provenance, root) == 0) {
		take_time(&provenance, root);
		take_line(provenance.boot_id, sizeof(provenance.boot_id), root,
			  BOOT_ID);
		take_line(provenance.kernel, sizeof(provenance.kernel), root,
			  OSRELEASE);
	}
	if (kernel)
		snprintf(provenance.kernel, sizeof(provenance.kernel), "%s",
			 kernel);
	return provenance;
}

static struct column_value get_version(const void *head __attribute__((unused)))
{
	return column_text(BUFSTAT_VERSION);
}

static struct column_value get_schema(const void *head __attribute__((unused)))
{
	return column_number(true, JSON_SCHEMA);
}

static const struct field version_list[] = {
	{ FIELD_VALUE("bufstat", COLUMN_TEXT), .value = get_version,
	  .about = "the version of the program" },
	{ FIELD_VALUE("schema", COLUMN_COUNT), .value = get_schema,
	  .about = "of all documents; it grows when a key goes or means "
		   "something else" },
};

const struct fields document_version_fields =
	FIELDS(struct document_head, version_list);

static const struct field head_list[] = {
	{ FIELD_SAME(&document_version_fields) },
	{ FIELD_PART(struct document_head, provenance, &provenance_fields) },
	{ FIELD_SENTENCE(struct document_head, source, "source"),
	  .about = "what measured", .null = "nothing, or not one alone" },
	{ FIELD(struct document_head, is_whole, "complete", 0),
	  .about = "nothing is missing" },
};

const struct fields document_head_fields =
	FIELDS(struct document_head, head_list);

void provenance_write(struct json_out *json,
		      const struct provenance *provenance, const char *source,
		      bool complete)
{
	const struct document_head head = {
		.provenance = *provenance,
		.source = source,
		.is_whole = complete,
	};

	fields_write(json, &document_head_fields, &head);
}

bool document_make_head(const void *record,
			size_t which __attribute__((unused)), void *made)
{
	const struct document *document = record;
	struct document_head *head = made;

	*head = document->head;
	if (document->root)
		head->provenance =
			provenance_of(document->root, document->kernel);
	return true;
}

void document_print(FILE *out, bool compact, const struct fields *fields,
		    const void *document)
{
	struct json_out json;

	json_out_init(&json, out);
	json.compact = compact;
	json_out_object(&json, NULL);
	fields_write(&json, fields, document);
	json_out_object_end(&json);
	json_out_finish(&json);
}

int document_save(const char *path, const struct fields *fields,
		  const struct document *document, document_write_fn *write,
		  const void *reading, struct error *err)
{
	struct json_out json;
	struct new_file file;
	int ret = new_file_create(&file, "saving", path, err);

	if (ret < 0)
		return ret;
	json_out_init(&json, file.out);
	json_out_object(&json, NULL);
	fields_write(&json, fields, document);
	write(&json, reading);
	json_out_object_end(&json);
	json_out_finish(&json);
	return new_file_commit(&file, err);
}

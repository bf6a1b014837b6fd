// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bufstat/version.h>

#include "lib/cleanup.h"
#include "lib/fields.h"
#include "lib/json_out.h"
#include "lib/sysroot.h"
#include "measure/provenance.h"
#include "measure/saved.h"

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
	  .known = KNOWN_NOT_ZERO },
	{ FIELD_TEXT(struct provenance, boot_id, "boot_id", SAYS_WORD),
	  .known = KNOWN_NOT_ZERO },
	{ FIELD_TEXT(struct provenance, taken_at, "taken_at", SAYS_WORD),
	  .known = KNOWN_NOT_ZERO },
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

void provenance_write(struct json_out *json,
		      const struct provenance *provenance, const char *source,
		      bool complete)
{
	json_out_string(json, "bufstat", BUFSTAT_VERSION);
	json_out_unsigned(json, "schema", JSON_SCHEMA);
	fields_write(json, &provenance_fields, provenance);
	json_out_string(json, "source", source);
	json_out_bool(json, "complete", complete);
}

void document_begin(struct json_out *json, FILE *out, bool compact,
		    const struct provenance *provenance, const char *source,
		    bool complete)
{
	json_out_init(json, out);
	json->compact = compact;
	json_out_object(json, NULL);
	provenance_write(json, provenance, source, complete);
}

void document_end(struct json_out *json)
{
	json_out_object_end(json);
	json_out_finish(json);
}

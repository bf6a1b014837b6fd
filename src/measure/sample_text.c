// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <bufstat/devices.h>

#include "cleanup.h"
#include "devices_text.h"
#include "error.h"
#include "number.h"
#include "sample_text.h"
#include "snapshot.h"
#include "sysroot.h"

#define MAX_FILE (64U << 20)
#define ALL_PAGES "lists_all_pages"

static void put_name(FILE *out, const char *name)
{
	if (!name || !*name) {
		fputs(BUFSTAT_ABSENT, out);
		return;
	}
	/* A name that would read as none is escaped too. */
	if (strcmp(name, BUFSTAT_ABSENT) == 0) {
		fputs("\\055", out);
		return;
	}
	for (; *name; name++) {
		if (strchr(" \t\n\\#", *name))
			fprintf(out, "\\%03o", (unsigned char)*name);
		else
			putc(*name, out);
	}
}

static void put_row(FILE *out, const struct device_sample *sample)
{
	fprintf(out, "%u %u ", sample->major, sample->minor);
	put_name(out, sample->kname);
	for (int i = 0; i < FIGURES; i++) {
		if (sample_has(sample, (enum figure)i))
			fprintf(out, " %" PRIu64, sample->figures[i]);
		else
			fputs(" " BUFSTAT_ABSENT, out);
	}
	putc('\n', out);
}

void sample_text_write_figures(FILE *out, const struct snapshot *snapshot)
{
	uint64_t pages = 0;
	size_t rows = 0;

	snapshot_sum(snapshot, &pages);
	fprintf(out,
		BUFSTAT_DEVICES_FORMAT
		" %d.%d\n" BUFSTAT_KEY_PAGE_SIZE " %" PRIu64
		"\n" BUFSTAT_KEY_PAGES " %" PRIu64 "\n" BUFSTAT_KEY_COLUMNS
		" " BUFSTAT_COL_MAJOR " " BUFSTAT_COL_MINOR " " BUFSTAT_COL_NAME
		" " BUFSTAT_COL_PAGES " " BUFSTAT_COL_DIRTY
		" " BUFSTAT_COL_WRITEBACK " " BUFSTAT_COL_OPENERS
		" " BUFSTAT_COL_WB_ERR "\n",
		BUFSTAT_DEVICES_MAJOR, BUFSTAT_DEVICES_MINOR,
		snapshot->page_size, pages);
	for (size_t i = 0; i < snapshot->count; i++) {
		if (!sample_has(&snapshot->devices[i], FIGURE_PAGES))
			continue;
		put_row(out, &snapshot->devices[i]);
		rows++;
	}
	fprintf(out, BUFSTAT_KEY_END " %zu\n", rows);
}

void sample_text_write_state(FILE *out, const struct snapshot *snapshot)
{
	fprintf(out, ALL_PAGES " %d\n", snapshot->lists_all_pages);
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct device_sample *sample = &snapshot->devices[i];

		if (sample->refused && !strchr(sample->refused, '\n')) {
			fprintf(out, "%u %u ", sample->major, sample->minor);
			put_name(out, sample->kname);
			fprintf(out, " %s\n", sample->refused);
		}
	}
}

/* "major minor name reason", the name as the writer above leaves it. */
static int read_refused(const char *line, struct snapshot *snapshot)
{
	const char *rest = line;
	struct device_sample *sample;
	uint64_t major, minor;
	const char *reason;

	if (!number_scan(&rest, UINT32_MAX, &major) || *rest++ != ' ' ||
	    !number_scan(&rest, UINT32_MAX, &minor) || *rest++ != ' ')
		return -EBADMSG;
	reason = strchr(rest, ' ');
	if (!reason)
		return -EBADMSG;
	sample = snapshot_add(snapshot, (unsigned int)major,
			      (unsigned int)minor);
	if (!sample)
		return -ENOMEM;
	sample->refused = strdup(reason + 1);
	if (!sample->refused)
		return -ENOMEM;
	if (strncmp(rest, BUFSTAT_ABSENT " ", 2) == 0)
		return 0;
	sample->kname = strndup(rest, (size_t)(reason - rest));
	return sample->kname ? 0 : -ENOMEM;
}

static int read_state(char *text, struct snapshot *snapshot)
{
	char *line = strsep(&text, "\n");
	int ret = 0;

	if (strcmp(line, ALL_PAGES " 0") != 0 &&
	    strcmp(line, ALL_PAGES " 1") != 0)
		return -EBADMSG;
	snapshot->lists_all_pages = line[strlen(ALL_PAGES) + 1] == '1';
	while (!ret && (line = strsep(&text, "\n"))) {
		if (*line)
			ret = read_refused(line, snapshot);
	}
	return ret;
}

int sample_text_read(const struct sysroot *root, const char *name,
		     struct snapshot *snapshot, struct error *err)
{
	_cleanup_(freep) char *figures = NULL, *state = NULL;
	char path[64];
	size_t size;
	int ret;

	snprintf(path, sizeof(path), SAMPLE_FIGURES, name);
	if (sysroot_read(root, path, MAX_FILE, &figures, &size) < 0)
		return error_set(err, EOPNOTSUPP, "%s%s: not in this tree",
				 root->prefix, path);
	ret = devices_text_parse(figures, size, snapshot, err);
	if (ret < 0)
		return ret;
	snprintf(path, sizeof(path), SAMPLE_STATE, name);
	ret = sysroot_read(root, path, MAX_FILE, &state, NULL);
	if (!ret)
		ret = read_state(state, snapshot);
	return ret < 0 ? error_errno(err, -ret, "reading", path) : 0;
}

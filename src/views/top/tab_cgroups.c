// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "cgroups/cgroup_rows.h"
#include "filesystems/selection.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sentence.h"
#include "top/sheet.h"
#include "top/tab.h"

struct taken {
	struct cgroup_sample sample;
	struct cgroup_rows rows;
};

/* The first note is the sentence about the next limit; "" if none is known. */
static int note_limit(struct tab_rows *rows, const struct cgroup_sample *sample)
{
	const struct limits_style style = { 0 };
	_cleanup_(freep) char *text = NULL;
	struct sentence out;

	sentence_begin(&out);
	out.failed = !out.out ||
		     limits_print_next(out.out, &sample->limits,
				       &sample->cgroups, sample->page_size,
				       &style) < 0;
	if (sentence_end(&out, &text) < 0)
		return -ENOMEM;
	for (char *at = text; (at = strchr(at, '\n'));)
		*at = at[1] ? ' ' : '\0';
	return string_list_add(&rows->notes, text);
}

static int note(struct tab_rows *rows, const struct cgroup_sample *sample)
{
	const struct cgroups *cgroups = &sample->cgroups;
	struct error err;
	int ret = note_limit(rows, sample);

	if (!ret && cgroups->unread) {
		error_doing(&err, ERROR_PARTIAL, "reading cgroups",
			    cgroups->hierarchy.mount, "%zu could not be read",
			    cgroups->unread);
		ret = tab_note_error(rows, &err);
	}
	if (!ret && error_is_set(&sample->no_host))
		ret = tab_note_error(rows, &sample->no_host);
	return ret;
}

static int take(const struct tab_question *question, struct tab_rows *rows,
		struct error *err)
{
	struct selection all = { 0 };
	const struct cgroup_choice choice = { .selection = &all,
					      .is_list = !question->tree };
	struct taken *taken = rows->data;
	int ret;

	ret = cgroup_sample_take(&taken->sample, question->root, err);
	if (!ret)
		ret = cgroup_rows_init(&taken->rows, &taken->sample, NULL,
				       &choice, err);
	if (!ret && note(rows, &taken->sample) < 0)
		ret = error_errno(err, ENOMEM, "reading", "cgroups");
	rows->table = cgroup_rows_of_table(&taken->rows);
	return ret;
}

static void release(void *data)
{
	struct taken *taken = data;

	cgroup_rows_deinit(&taken->rows);
	cgroup_sample_deinit(&taken->sample);
}

static const char *key(const struct tab_rows *rows, size_t index,
		       char text[TAB_KEY_SIZE] __attribute__((unused)))
{
	const struct cgroup_row *row = table_row(&rows->table, index);

	return row->sample->cgroups.cgroups[row->index].path;
}

static int drop(const struct sheet_row *row, struct string_list *words)
{
	return string_list_add(words, "--cgroup") ?:
		       string_list_add(words, row->key);
}

const struct tab tab_cgroups = {
	.name = "cgroups",
	.columns = &cgroup_columns,
	.figure = "current_bytes",
	.can_be_tree = true,
	.is_tree = true,
	.size = sizeof(struct taken),
	.take = take,
	.release = release,
	.key = key,
	.drop = drop,
};

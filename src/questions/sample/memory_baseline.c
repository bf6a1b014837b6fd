// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fields/fields.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/provenance.h"
#include "measure/saved.h"
#include "memory/memory_heads.h"
#include "memory/memory_reading.h"
#include "memory/memory_saved.h"
#include "sample/baseline_file.h"
#include "sample/heads_question.h"
#include "sample/memory_baseline.h"
#include "sample/reading.h"

#define DIRECTORY "/run/bufstat"

/* Returns 0, or a negative errno if the baseline cannot be used. */
static int take(struct memory_baseline *baseline, const struct saved *saved,
		const struct sysroot *root)
{
	struct memory_reading before = { 0 };
	struct provenance provenance = { 0 };
	struct memory_heads heads;
	int ret = baseline_check_boot(saved, MEMORY_BASELINE, root, NULL);

	if (!ret)
		ret = provenance_read(&provenance, saved);
	if (!ret)
		ret = memory_saved_read(saved, &before);
	if (ret > 0) {
		memory_heads_init(&heads, &before);
		baseline->known = heads.has_rest;
		baseline->rest_bytes = heads.rest * (int64_t)before.page_size;
		snprintf(baseline->taken_at, sizeof(baseline->taken_at), "%s",
			 provenance.taken_at);
	}
	memory_reading_deinit(&before);
	return ret < 0 ? ret : 0;
}

int memory_baseline_read(struct memory_reading *reading,
			 const struct sysroot *root)
{
	struct saved saved;
	int ret;

	if (!sysroot_is_live(root) || !sysroot_exists(root, MEMORY_BASELINE))
		return 0;
	ret = saved_open_file(&saved, MEMORY_BASELINE, NULL);
	if (!ret) {
		ret = take(&reading->baseline, &saved, root);
		saved_close(&saved);
	}
	return only_enomem(ret);
}

/* Everybody may read it, and not what only root reads: owners. */
static const struct field head_list[] = {
	{ DOCUMENT_HEAD },
};

static const struct fields head_fields = FIELDS(struct document, head_list);

void memory_baseline_write(const struct heads_answer *answer,
			   const struct sysroot *root)
{
	const struct document document = {
		.root = root,
		.head.is_whole = true,
	};

	if (answer->reading.baseline.known || !sysroot_is_live(root) ||
	    geteuid() != 0 || !answer->head.is_whole || !answer->heads.has_rest)
		return;
	if (mkdir(DIRECTORY, 0755) < 0 && errno != EEXIST)
		return;
	document_save(MEMORY_BASELINE, &head_fields, &document,
		      reading_write_answer, answer, NULL);
}

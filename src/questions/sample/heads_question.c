// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/error.h"
#include "lib/json_out.h"
#include "lib/sysroot.h"
#include "measure/provenance.h"
#include "memory/kernel_memory.h"
#include "memory/memory_missing.h"
#include "memory/memory_rows.h"
#include "memory/memory_saved.h"
#include "memory/owners_saved.h"
#include "owners/owners.h"
#include "sample/heads_question.h"
#include "sample/memory_baseline.h"

/* Owners in a list, if nobody says. */
#define USUAL_TOP 5

/* What is asked for where nothing else is. */
static const struct memory_asked counts;

static int find_owners(struct heads_answer *answer, const struct asking *asking,
		       struct error *err)
{
	const struct memory_asked *asked = asking->memory;

	if (asked->pss && !sysroot_is_live(asking->root))
		return error_doing(err, ERROR_UNUSABLE, "finding owners",
				   "--pss",
				   "only the running host can be asked");
	memory_owners_ask(&answer->owners, asked->owners,
			  asked->most_owners ?: USUAL_TOP,
			  answer->reading.page_size);
	return owners_find(&answer->owners, asking->root, asked->pss, err);
}

/* A capture has the rest without them. */
static int keep_owners(struct heads_answer *answer, const struct asking *asking,
		       struct error *err)
{
	struct error why = { 0 };
	int ret = find_owners(answer, asking, &why);

	answer->saves_owners = !ret;
	if (!ret)
		return 0;
	memory_owners_deinit(&answer->owners);
	answer->owners = (struct memory_owners){ 0 };
	if (ret == -ENOMEM)
		*err = why;
	else if (why.class != ERROR_UNUSABLE)
		answer->no_owners = why;
	return only_enomem(ret);
}

static int read_counts(struct heads_answer *answer, const struct asking *asking,
		       struct error *err)
{
	const struct memory_asked *asked = asking->memory ?: &counts;
	struct memory_reading *reading = &answer->reading;
	const struct sysroot *root = asking->root;
	int ret = asking->vmcore ?
			  memory_read_dump(reading, root, asking->vmcore,
					   &answer->release, err) :
			  memory_read(reading, root, err);

	if (!ret && asked->slab && memory_read_slab(reading, root) < 0)
		ret = error_errno(err, ENOMEM, "reading", "/proc/slabinfo");
	answer->has_census = asked->census;
	if (!ret && asked->census)
		ret = census_take(&answer->census, root, err);
	if (ret < 0 || !asking->memory)
		return ret;
	if (memory_baseline_read(reading, root) < 0)
		return error_errno(err, ENOMEM, "reading", MEMORY_BASELINE);
	if (owners_name_rest(reading, root) < 0)
		return error_errno(err, ENOMEM, "reading", "cgroups");
	return 0;
}

static bool has_history(const struct heads_answer *answer)
{
	return answer->history.last.page_size ||
	       answer->history.first.page_size;
}

/* The first answer may be a saved one, which has nothing but its history. */
static void take_history(struct heads_answer *answer,
			 const struct heads_answer *last)
{
	if (!last)
		return;
	answer->history.last = last->heads;
	answer->history.first = last->history.first.page_size ?
					last->history.first :
					last->heads;
}

static int make_rows(struct heads_answer *answer, const struct asking *asking,
		     struct error *err)
{
	const struct memory_asked *asked = asking->memory ?: &counts;
	struct memory_rows *rows = &answer->shown.rows;
	int ret;

	take_history(answer, asking->last);
	answer->of = (struct memory_rows_of){
		.reading = &answer->reading,
		.heads = &answer->heads,
		.history = has_history(answer) ? &answer->history : NULL,
		.census = &answer->census,
		.owners = asked->owners ? &answer->owners : NULL,
		.all = asking->all,
		.order = asking->order,
	};
	answer->shown.of = &answer->of;
	answer->shown.view = asked->view;
	ret = memory_rows_init(rows, &answer->of, asked->view);
	answer->head.rows = (struct rows){
		.rows = rows->rows,
		.count = rows->count,
		.size = sizeof(*rows->rows),
	};
	return ret < 0 ? error_errno(err, -ret, "reading", "/proc/meminfo") : 0;
}

static int heads_answer_take(void *data, const struct asking *asking,
			     struct error *err)
{
	const struct memory_asked *asked = asking->memory ?: &counts;
	struct heads_answer *answer = data;
	int ret = read_counts(answer, asking, err);

	if (ret < 0)
		return ret;
	answer->is_live = sysroot_is_live(asking->root);
	answer->vmcore = asking->vmcore;
	answer->head.source = answer->reading.is_dump ? "vmcore" : NULL;
	answer->head.kernel = answer->release;
	memory_heads_init(&answer->heads, &answer->reading);
	/* Looking for them makes slab, so the counts come first. */
	if (asked->owners)
		ret = asking->purpose == ASKED_TO_SHOW ?
			      find_owners(answer, asking, err) :
			      keep_owners(answer, asking, err);
	if (ret < 0)
		return ret;
	if (!answer->is_live)
		memory_owners_check(&answer->owners, &answer->heads);
	answer->head.is_whole =
		memory_is_whole(&answer->reading, &answer->heads) &&
		memory_owners_are_whole(&answer->owners) &&
		!error_is_set(&answer->no_owners) &&
		(!asked->census || answer->census.complete);
	return asking->purpose == ASKED_TO_SHOW ?
		       make_rows(answer, asking, err) :
		       0;
}

static void heads_answer_release(void *data)
{
	struct heads_answer *answer = data;

	memory_owners_deinit(&answer->owners);
	memory_reading_deinit(&answer->reading);
	free(answer->release);
}

static void heads_answer_missing(const void *data, error_tell_fn *tell,
				 void *told)
{
	const struct heads_answer *answer = data;
	struct error err;

	memory_missing(&answer->reading, &answer->heads, answer->vmcore,
		       answer->is_live, tell, told);
	if (answer->has_census && !answer->census.complete) {
		error_doing(&err, ERROR_PARTIAL, "counting page frames",
			    "/proc/kpageflags", "the time limit ended it");
		tell(told, &err);
	}
	memory_owners_missing(&answer->owners, tell, told);
	if (error_is_set(&answer->no_owners))
		tell(told, &answer->no_owners);
}

static void heads_answer_save(struct json_out *json, const void *data)
{
	const struct heads_answer *answer = data;

	if (!answer)
		return;
	memory_saved_write(json, &answer->reading);
	if (answer->saves_owners)
		owners_saved_write(json, &answer->owners);
}

/* Parts of several heads have the same key, so that of the head comes first. */
static const char *heads_key(const struct table_rows *rows, size_t i,
			     char *text, size_t size)
{
	const struct memory_row *row = table_row(rows, i);
	const struct memory_row *head = row;

	while (head->indent && i)
		head = table_row(rows, --i);
	if (head == row)
		return row->key;
	snprintf(text, size, "%s/%s", head->key, row->key);
	return text;
}

static bool heads_row_is_rest(const void *data)
{
	const struct memory_row *row = data;

	return row->kind == MEMORY_ROW_REST || row->kind == MEMORY_ROW_TOTAL;
}

static void heads_set_columns(struct column_choice *columns, const void *data)
{
	const struct heads_answer *answer = data;

	memory_columns_of_view(columns, answer->shown.view,
			       has_history(answer));
}

/* No more than counts can be compared. */
static int heads_read_saved(void *data, const struct saved *saved)
{
	struct heads_answer *answer = data;
	int ret = memory_saved_read(saved, &answer->reading);

	if (ret > 0)
		memory_heads_init(&answer->history.first, &answer->reading);
	return ret;
}

static const struct field answer_list[] = {
	{ FIELD_PART(struct heads_answer, shown, &memory_answer_fields) },
};

static const struct fields answer_fields =
	FIELDS(struct heads_answer, answer_list);

static const struct field document_list[] = {
	{ DOCUMENT_HEAD },
	{ DOCUMENT_ANSWER(&answer_fields) },
};

const struct fields memory_document = FIELDS(struct document, document_list);

static const struct row_kind heads_row_kind = { .is_rest = heads_row_is_rest };

const struct question heads_question = {
	.name = "memory",
	.command = &command_memory,
	.things = "memory",
	.columns = &memory_columns,
	.recorded = RECORDED_MEMORY,
	.size = sizeof(struct heads_answer),
	.row = &heads_row_kind,
	.take = heads_answer_take,
	.release = heads_answer_release,
	.missing = heads_answer_missing,
	.set_columns = heads_set_columns,
	.compares_last = true,
	.read_saved = heads_read_saved,
	.save = heads_answer_save,
	.may_be_absent = true,
	.figure = "bytes",
	.is_fixed = true,
	.key = heads_key,
};

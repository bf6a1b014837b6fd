// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/error.h"
#include "memory/memory_heads.h"
#include "memory/memory_owners.h"
#include "memory/memory_rows.h"
#include "question/question_command.h"
#include "sample/heads_question.h"
#include "sample/memory_baseline.h"

struct memory_options {
	struct question_options asked;
	struct memory_asked memory;
	struct memory_owners_asked owners;
};

static int take_view(void *place, const struct option_given *given,
		     struct error *err)
{
	enum memory_view *view = place;

	if (*view != MEMORY_VIEW_HEADS &&
	    *view != (enum memory_view)given->row->code)
		return error_option(err, NULL,
				    "use one of --available, --give-back and "
				    "--prove");
	*view = (enum memory_view)given->row->code;
	return 0;
}

static int take_owners(void *place, const struct option_given *given,
		       struct error *err)
{
	struct memory_owners_asked *asked = place;

	return memory_owners_parse(asked, given->value, err);
}

#define ROW_VIEW(n, c, h)                                                      \
	ROW_CALL('\0', n, struct memory_options, memory.view, NULL, take_view, \
		 h, .code = (c))

static const struct option_row option_rows[] = {
	ROW_FLAG('a', "all", struct memory_options, asked.all,
		 "also show heads without pages"),
	ROW_CALL('\0', "owners", struct memory_options, owners, "LIST",
		 take_owners,
		 "the largest owners of these heads, of slab, or of all",
		 .word = memory_owners_word),
	ROW_MOVED('w', "wide", "owners", "owners"),
	ROW_CALL('\0', "top", struct memory_options, asked.table.top, "N",
		 table_take_rows, "so many owners in each list (5)"),
	ROW_FLAG('\0', "pss", struct memory_options, memory.pss,
		 "rank programs by their part of shared pages (Pss)"),
	ROW_VIEW("available", MEMORY_VIEW_AVAILABLE,
		 "how available comes about, and used"),
	ROW_VIEW("give-back", MEMORY_VIEW_GIVE_BACK,
		 "what each action would free, and its cost"),
	ROW_VIEW("prove", MEMORY_VIEW_CENSUS,
		 "count every page frame, by what it is; needs root"),
	ROW_GROUP(struct memory_options, asked.table.style.unit, size_options),
	ROW_GROUP(struct memory_options, asked.table, table_options),
	ROW_GROUP(struct memory_options, asked.repeat, repeat_options),
	ROW_TEXT('\0', "vmcore", struct memory_options, asked.common.vmcore,
		 "FILE", WORDS_FILES, "the memory of the kernel in a dump"),
	ROW_GROUP(struct memory_options, asked.common, json_option),
	ROW_GROUP(struct memory_options, asked.common, past_options),
	ROW_GROUP(struct memory_options, asked.common, json_lines_option),
	ROW_REFUSED('\0', "source", "NAME",
		    "all of memory is counted by the kernel itself"),
	ROW_GROUP(struct memory_options, asked.common, tree_options),
	ROW_GROUP(struct memory_options, asked.common, timeout_option),
	ROW_GROUP(struct memory_options, asked.common, help_options),
	{ 0 },
};

static int check_source(const struct memory_options *options, struct error *err)
{
	static const char *const views[] = {
		[MEMORY_VIEW_GIVE_BACK] = "--give-back",
		[MEMORY_VIEW_CENSUS] = "--prove",
	};

	if (!options->asked.common.vmcore)
		return repeat_check(&options->asked.repeat,
				    &options->asked.common, err);
	if (options->memory.view == MEMORY_VIEW_GIVE_BACK ||
	    options->memory.view == MEMORY_VIEW_CENSUS)
		return error_option(err, views[options->memory.view],
				    "only for a kernel that is running");
	if (options->asked.repeat.since || options->asked.repeat.save)
		return error_option(err, "--vmcore",
				    "not with --since or --save");
	return repeat_check(&options->asked.repeat, &options->asked.common,
			    err);
}

static int check_owners(const struct memory_options *options, struct error *err)
{
	const struct memory_asked *memory = &options->memory;

	if (memory->owners && memory->view != MEMORY_VIEW_HEADS)
		return error_option(err, "--owners",
				    "only the heads have owners: not with "
				    "--available, --give-back or --prove");
	if (memory->owners && options->asked.common.vmcore)
		return error_option(err, "--owners",
				    "only for a kernel that is running");
	if (!memory->owners && (options->asked.table.top || memory->pss))
		return error_option(
			err, memory->pss ? "--pss" : "--top",
			"it is about owners (use it with --owners)");
	if (memory->pss && !memory->owners->heads[MEMORY_HEAD_PROGRAMS])
		return error_option(
			err, "--pss",
			"it is about programs (use it with --owners "
			"programs)");
	return 0;
}

static int check(void *data, struct error *err)
{
	struct memory_options *options = data;
	struct memory_asked *memory = &options->memory;

	for (size_t i = 0; i <= MEMORY_HEADS; i++) {
		if (options->owners.heads[i])
			memory->owners = &options->owners;
	}
	memory->slab = memory->view == MEMORY_VIEW_GIVE_BACK;
	memory->census = memory->view == MEMORY_VIEW_CENSUS;
	memory->most_owners = options->asked.table.top;
	options->asked.memory = memory;
	return check_owners(options, err) ?: check_source(options, err);
}

/* It tells nothing: what is later unaccounted is compared with this. */
static void keep_baseline(const void *answer,
			  const struct question_options *options
			  __attribute__((unused)),
			  const struct sysroot *root,
			  error_tell_fn *tell __attribute__((unused)),
			  void *data __attribute__((unused)))
{
	memory_baseline_write(answer, root);
}

static const struct question_command asks = {
	.question = &heads_question,
	.finish = keep_baseline,
};

const struct command_line command_memory = {
	.name = "memory",
	.brief = "all of memory: every page of MemTotal has an owner",
	.rows = option_rows,
	.about =
		"All of memory in heads that have no page in common. With what "
		"is unaccounted\n"
		"they add up to MemTotal. Indented rows are some of a head's "
		"pages and are not\n"
		"added up.\n",
	.columns = &memory_columns,
	.table_at = offsetof(struct memory_options, asked.table),
	.asks = &asks,
	.document = &memory_document,
	.exit_status =
		"Exit status: 0 all measured, 1 failure, 2 /proc cannot be "
		"used, 3 measured in\n"
		"part or unsettled.\n",
	.reads_recording = RECORDED_MEMORY,
	.options_size = sizeof(struct memory_options),
	.check = check,
};

// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "cgroups/cgroups.h"
#include "explain/explain_advice.h"
#include "explain/explain_text.h"
#include "lib/cleanup.h"
#include "lib/lesser.h"
#include "lib/wrap.h"
#include "memory/memory_owners.h"

/* So many are printed; JSON has all. */
#define SHOWN 3

static void write_item(const struct explain_writer *writer,
		       const struct explain_advice *advice)
{
	struct sentence *out = writer->out;

	say(out, "- %s", safe_command(out, advice->command));
	if (advice->high_bytes < 0)
		say(out, ": at least %s", SIZE(advice->low_bytes));
	else if (!advice->low_bytes)
		say(out, ": at most %s", SIZE(advice->high_bytes));
	else if (advice->low_bytes == advice->high_bytes)
		say(out, ": %s", SIZE(advice->high_bytes));
	else
		say(out, ": %s to %s", SIZE(advice->low_bytes),
		    SIZE(advice->high_bytes));
	if (advice->is_of_next_limit)
		say(out, " of what the next limit holds");
	say(out, ". Cost: %s.%s%s%s\n", advice->cost,
	    *advice->stays ? " What stays: " : "", advice->stays,
	    *advice->stays ? "." : "");
}

static bool is_at_limit(const struct explain_holder *holder)
{
	return holder->limited && holder->state == EXPLAIN_NEAR;
}

/* What else helps a cgroup at its limit: no command knows how much is enough. */
static void write_limit(const struct explain_writer *writer)
{
	const struct explain_holder *holder = &writer->advices->holder;
	const struct cgroup_sample *sample = &writer->facts->cgroups;
	const struct limit next = { LIMIT_CGROUP, holder->limited_index };
	struct sentence *out = writer->out;

	if (!is_at_limit(holder))
		return;
	say(out, "- a %s above %s, or less memory for %s.\n",
	    limit_name(&sample->limits, &sample->cgroups, next),
	    SIZE((int64_t)sample->limits.cgroups[holder->limited_index]
			 .limit_bytes),
	    holder->owner ?
		    explain_process(out, writer->facts, holder->owner->pid) :
		    "its processes");
}

static void write_items(const struct explain_writer *writer,
			const struct explain_advices *advices)
{
	const size_t shown = advices->count < SHOWN ? advices->count : SHOWN;
	size_t i = 0;

	say(writer->out,
	    "The kernel reclaims clean pages by itself when programs need "
	    "memory. These commands, run by root, do it sooner. Their sizes "
	    "overlap, so do not add them up.%s\n",
	    memory_is_whole_host(&writer->facts->memory) ? "" :
							   " They are about "
							   "the whole host and "
							   "have to be run "
							   "there.");
	while (i < shown && advices->items[i].is_of_holder)
		write_item(writer, &advices->items[i++]);
	write_limit(writer);
	while (i < shown)
		write_item(writer, &advices->items[i++]);
	if (advices->count > SHOWN)
		say(writer->out, "bufstat memory --give-back has more.\n");
}

/* The largest head may have a remedy that is no command. */
static void write_nothing(const struct explain_writer *writer)
{
	const struct explain_holder *holder = &writer->advices->holder;
	const struct memory_head_info *info =
		holder->has_head && !holder->has_swap &&
				holder->head != MEMORY_HEADS ?
			memory_head_info(holder->head) :
			NULL;
	const char *note = info ? info->remedy ?: info->note : NULL;
	const struct memory_head *shared =
		&writer->facts->heads.heads[MEMORY_HEAD_SHARED];
	const int64_t page_size = (int64_t)writer->facts->memory.page_size;

	if (is_at_limit(holder)) {
		write_limit(writer);
		return;
	}
	/* Nobody is told to end programs because they are there. */
	if (!note && shared->pages * page_size >=
			     greater(1, writer->advices->least_bytes)) {
		info = memory_head_info(MEMORY_HEAD_SHARED);
		note = info->remedy;
	}
	if (note)
		say(writer->out, "- %s: %s.\n", info->label, note);
	else
		say(writer->out,
		    "- nothing: no command here frees as much as %s (1%% of "
		    "memory).\n",
		    SIZE(writer->advices->least_bytes));
}

/* The command that says more of what the first sentence is about, if any. */
static void write_next(const struct explain_writer *writer)
{
	const struct explain_holder *holder = &writer->advices->holder;
	const enum explain_hidden hidden =
		explain_holder_hidden(holder, writer->facts);
	_cleanup_(freep) char *command = NULL;

	if (holder->limited)
		explain_command(&command, "bufstat cgroups ",
				holder->limited->path);
	else if (holder->is_reserve)
		command = strdup("bufstat memory --available");
	else if (!holder->has_head)
		return;
	else if (hidden)
		command = strdup(hidden == EXPLAIN_HIDDEN_TO_USER ?
					 "sudo bufstat explain" :
					 "bufstat explain");
	else if (holder->head == MEMORY_HEAD_BLOCK_CACHE)
		command = strdup("bufstat devices");
	else if (holder->head == MEMORY_HEAD_FILE_CACHE)
		command = strdup("bufstat files");
	else if (memory_owners_exist(holder->head))
		explain_command(&command, "bufstat memory --owners=",
				memory_owners_head_key(holder->head));
	else
		command = strdup("bufstat memory");
	if (command)
		say(writer->out, "Next%s: %s\n",
		    hidden == EXPLAIN_HIDDEN_OUTSIDE ? ", on the host" : "",
		    safe_command(writer->out, command));
}

void explain_write_advice(const struct explain_writer *writer)
{
	const struct explain_advices *advices = writer->advices;

	if (advices->count)
		write_items(writer, advices);
	else if (advices->knows_host)
		write_nothing(writer);
	if (!advices->knows_host)
		say(writer->out, "What drop_caches=1 would free is not known: "
				 "no count of the lists of file pages could be "
				 "read.\n");
	write_next(writer);
	say(writer->out, "bufstat explain COLUMN says what a column of free "
			 "means here.\n");
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain_advice.h"
#include "explain/explain_facts.h"
#include "explain/explain_holder.h"
#include "explain/explain_text.h"
#include "lib/lesser.h"
#include "lib/sentence.h"

#define DROP "bufstat drop "

/* What frees less than this part of MemTotal is not worth its cost. */
#define LEAST_PART 100

/* Whether a shell takes the word as it is. */
static bool is_plain(const char *word)
{
	return !word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqr"
				  "stuvw"
				  "xyz0123456789_./:@%+=,-")];
}

int explain_command(char **command, const char *before, const char *word)
{
	struct sentence out;
	bool can_be_typed;
	int ret;

	sentence_begin(&out);
	/* A name that does not print as it is cannot be typed either. */
	can_be_typed = strcmp(safe_text(&out, word), word) == 0;
	say(&out, "%s%s", before, is_plain(word) ? word : "'");
	if (!is_plain(word)) {
		for (; *word; word++)
			say(&out, *word == '\'' ? "'\\''" : "%c", *word);
		say(&out, "'");
	}
	ret = sentence_end(&out, command);
	if (!ret && !can_be_typed) {
		free(*command);
		*command = NULL;
	}
	return ret;
}

static int add_drop(struct explain_advices *advices, const char *key,
		    const char *before, const char *word,
		    struct explain_advice advice)
{
	int ret;

	if (advice.high_bytes < advices->least_bytes &&
	    !advice.is_of_next_limit && !advice.is_of_holder)
		return 0;
	ret = explain_command(&advice.command, before, word);
	if (ret < 0 || !advice.command)
		return ret;
	advice.key = key;
	advices->items[advices->count++] = advice;
	return 0;
}

/* Whether drop_caches=2 takes what the first sentence is about. */
static bool frees_holder(const struct explain_holder *holder)
{
	enum memory_owner_kind kind;

	if (holder->has_names || !holder->owner)
		return holder->has_names;
	kind = memory_owner_info(holder->list)->kind;
	return kind == MEMORY_OWNER_XFS || kind == MEMORY_OWNER_GRAPHICS_POOL;
}

static int add_action(struct explain_advices *advices,
		      const struct give_back *action, int64_t page_size)
{
	struct explain_advice advice = {
		.key = give_back_key(action->id),
		.drops_all = action->id <= GIVE_BACK_DROP_2,
		.low_bytes = action->low * page_size,
		.high_bytes = action->high < 0 ? -1 : action->high * page_size,
		.is_of_holder = (action->id == GIVE_BACK_SHRINK_POOL &&
				 advices->holder.has_idle_pages) ||
				(action->id == GIVE_BACK_LOWER_RESERVE &&
				 advices->holder.is_reserve) ||
				(action->id == GIVE_BACK_DROP_2 &&
				 frees_holder(&advices->holder)),
	};

	if (!*action->command || !action->high ||
	    (action->high > 0 && advice.high_bytes < advices->least_bytes))
		return 0;
	advice.command = strdup(action->command);
	if (!advice.command)
		return -ENOMEM;
	snprintf(advice.cost, sizeof(advice.cost), "%s", action->cost);
	snprintf(advice.stays, sizeof(advice.stays), "%s", action->holds);
	advices->items[advices->count++] = advice;
	return 0;
}

static const struct give_back *find(const struct give_backs *table,
				    enum give_back_id id)
{
	for (size_t i = 0; i < table->count; i++) {
		if (table->actions[i].id == id)
			return &table->actions[i];
	}
	return NULL;
}

/* Where little is dirty, sync(1) before dropping changes little. */
static bool sync_helps(const struct give_back *drop,
		       const struct give_back *sync, int64_t least_pages)
{
	return sync->low - drop->low > least_pages ||
	       sync->high - drop->high > least_pages;
}

static int add_actions(struct explain_advices *advices,
		       const struct explain_facts *facts)
{
	const int64_t page_size = (int64_t)facts->memory.page_size;
	const struct give_back *drop, *sync;
	struct give_backs table;
	int ret = 0;

	if (!facts->has_memory)
		return 0;
	give_backs_init(&table, &facts->memory, &facts->heads);
	drop = find(&table, GIVE_BACK_DROP_1);
	sync = find(&table, GIVE_BACK_SYNC_DROP_1);
	advices->knows_host = drop != NULL;
	advices->unmapped_bytes = sync && memory_is_whole_host(&facts->memory) ?
					  sync->high * page_size :
					  INT64_MAX;
	for (size_t i = 0; !ret && i < table.count; i++) {
		if (&table.actions[i] != sync ||
		    sync_helps(drop, sync, advices->least_bytes / page_size))
			ret = add_action(advices, &table.actions[i], page_size);
	}
	return ret;
}

/*
 * bufstat drop refuses a ramdisk, and a device that a write failed on or may
 * have failed on.
 */
static bool can_drop(const struct explain_device *device)
{
	const struct sample *sample = &device->of.sample;

	return device->of.names.name && !device->is_ramdisk &&
	       sample_has(sample, FIGURE_PAGES) &&
	       sample_has(sample, FIGURE_WRITE_ERROR) &&
	       !sample->figures[FIGURE_WRITE_ERROR];
}

/* The device with most pages. */
static int add_device(struct explain_advices *advices,
		      const struct explain_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++) {
		const struct explain_device *device = &facts->devices[i];
		uint64_t pages = device->of.sample.figures[FIGURE_PAGES];

		if (!can_drop(device))
			continue;
		return add_drop(
			advices, "drop_device", DROP, device->of.names.name,
			(struct explain_advice){
				.high_bytes =
					(int64_t)(pages *
						  facts->buffers.page_size),
				.cost = "writes what is dirty; what went is "
					"read again when used",
				.stays = "a few pages that a mounted "
					 "filesystem keeps",
				.is_of_holder = advices->holder.device ==
						device,
			});
	}
	return 0;
}

static bool can_drop_files(const struct filesystem *filesystem)
{
	return filesystem->mountpoints.count && !filesystem->keeps_pages &&
	       !filesystem->is_unmounted && !filesystem->hides_write_errors &&
	       sample_has(&filesystem->sample, FIGURE_PAGES) &&
	       strcmp(filesystem->type, "overlay") != 0;
}

/* Of the file that the first sentence is about: dropping does not find it. */
static int64_t deleted_pages(const struct explain_facts *facts,
			     const struct filesystem *filesystem)
{
	int64_t pages = 0;

	for (size_t i = 0; i < facts->files.count; i++) {
		const struct cached_file *file = &facts->files.files[i];

		if (file->is_deleted &&
		    file->major == filesystem->sample.major &&
		    file->minor == filesystem->sample.minor)
			pages += (int64_t)file->pages;
	}
	return pages;
}

/* The filesystem with most pages. */
static int add_filesystem(struct explain_advices *advices,
			  const struct explain_facts *facts)
{
	const struct filesystems *all = &facts->filesystems;

	for (size_t i = 0; facts->has_filesystems && i < all->count; i++) {
		const struct filesystem *filesystem = &all->filesystems[i];
		int64_t pages;

		if (!can_drop_files(filesystem))
			continue;
		pages = (int64_t)(filesystem->sample.figures[FIGURE_PAGES] -
				  filesystem->unevictable) -
			deleted_pages(facts, filesystem);
		return add_drop(advices, "drop_mount", DROP,
				filesystem->mountpoints.strings[0],
				(struct explain_advice){
					.high_bytes = lesser(
						pages * (int64_t)all->page_size,
						advices->unmapped_bytes),
					.cost = "writes what is dirty; what "
						"went is "
						"read again when used",
					.stays = "pages that processes map, "
						 "and those "
						 "of deleted files",
				});
	}
	return 0;
}

/*
 * At least so much goes, unless programs may be swapped out in its place, or a
 * cgroup below asks to be spared (memory.low; memory.min is in the figure).
 */
static uint64_t least_of(const struct explain_facts *facts, size_t index,
			 bool may_swap)
{
	const struct cgroups *cgroups = &facts->cgroups.cgroups;
	bool is_sure = !may_swap;

	for (size_t i = index + 1; i < cgroups->count; i++) {
		const struct cgroup_figures *figures =
			&cgroups->cgroups[i].figures;

		if (cgroups_is_below(cgroups, i, index) &&
		    cgroup_has(figures, CGROUP_LOW) &&
		    figures->values[CGROUP_LOW])
			is_sure = false;
	}
	/* That is about cached pages alone. */
	return is_sure ? less(facts->cgroups.limits.cgroups[index]
				      .reclaimable_bytes,
			      cgroup_or_0(&cgroups->cgroups[index].figures,
					  CGROUP_SLAB_RECLAIMABLE)) :
			 0;
}

/*
 * Who has it loses it: that is the only way for what has no name. The bound is
 * of what the first sentence is about.
 */
static int end_holder(struct explain_advice *advice,
		      const struct explain_facts *facts, unsigned int pid)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", pid);
	snprintf(advice->cost, sizeof(advice->cost),
		 "it ends %s (%u), and what else that has goes too",
		 facts->process ?: "the process", pid);
	snprintf(advice->stays, sizeof(advice->stays),
		 "what another process has, too");
	advice->key = facts->service ? "restart_service" : "end_process";
	return facts->service ?
		       explain_command(&advice->command, "systemctl restart ",
				       facts->service) :
		       explain_command(&advice->command,
				       facts->outlives_sigterm ? "kill -KILL " :
								 "kill ",
				       number);
}

/* What of it is swapped out frees no memory. */
static bool has_swapped(const struct explain_facts *facts)
{
	int64_t bytes, unused;

	return !meminfo_bytes(&facts->buffers.meminfo, MEMINFO_SWAP_TOTAL,
			      &bytes) ||
	       !meminfo_bytes(&facts->buffers.meminfo, MEMINFO_SWAP_FREE,
			      &unused) ||
	       bytes != unused;
}

/* What no command of the table frees: processes, and files in memory. */
static int add_holder(struct explain_advices *advices,
		      const struct explain_facts *facts)
{
	struct explain_advice advice = { .is_of_holder = true };
	const struct explain_holder *holder = &advices->holder;
	const unsigned int pid = explain_holder_pid(holder, facts);
	int ret = 0;

	advice.high_bytes = holder->bytes;
	if (holder->device || (!holder->owner && !holder->file) ||
	    holder->has_swap || facts->is_captured)
		return 0;
	if (holder->owner &&
	    memory_owner_info(holder->list)->kind == MEMORY_OWNER_FILE) {
		/* A file that somebody uses is not to be deleted. */
		if (pid || !facts->has_users)
			return 0;
		advice.key = "delete_file";
		snprintf(advice.cost, sizeof(advice.cost), "the file is gone");
		advice.low_bytes = has_swapped(facts) ? 0 : holder->bytes;
		ret = explain_command(&advice.command, "rm ",
				      holder->owner->name);
	} else if (pid > 1) {
		ret = end_holder(&advice, facts, pid);
		/* What is unread takes more than that. */
		if (holder->owner && memory_owner_info(holder->list)->kind ==
					     MEMORY_OWNER_UNIX_SOCKET)
			advice.high_bytes = holder->head_bytes;
		if (holder->head == MEMORY_HEAD_PER_CPU && !holder->limited)
			advice.high_bytes += explain_bytes(
				facts, explain_per_cpu_lists(&facts->memory));
		if (holder->head == MEMORY_HEAD_COMPRESSED)
			advice.high_bytes =
				lesser(holder->bytes, holder->head_bytes);
	}
	if (advice.command)
		advices->items[advices->count++] = advice;
	return ret;
}

/* The cgroup whose limit is next, because nothing else helps there. */
static int add_cgroup(struct explain_advices *advices,
		      const struct explain_facts *facts)
{
	const struct explain_holder *holder = &advices->holder;
	const size_t index = holder->limited ?
				     holder->limited_index :
				     facts->cgroups.limits.next.cgroup;
	const struct cgroup_limit *limit;
	const struct cgroup *cgroup;
	bool may_swap;
	const struct limit next = facts->cgroups.limits.next;
	struct explain_advice advice = {
		.is_of_next_limit = next.kind == LIMIT_CGROUP &&
				    next.cgroup == index,
		.is_of_holder = holder->limited != NULL,
		.stays = "dirty pages, and mapped ones that were used lately",
	};

	if (!facts->cgroups.cgroups.can_reclaim ||
	    (!holder->limited &&
	     facts->cgroups.limits.next.kind != LIMIT_CGROUP))
		return 0;
	cgroup = &facts->cgroups.cgroups.cgroups[index];
	limit = &facts->cgroups.limits.cgroups[index];
	may_swap = !memory_has(&facts->memory.fields, MEMORY_SWAP_FREE) ||
		   memory_get(&facts->memory.fields, MEMORY_SWAP_FREE);
	advice.high_bytes = (int64_t)cgroup_clean(&cgroup->figures);
	advice.low_bytes = (int64_t)least_of(facts, index, may_swap);
	/* Of a near limit, so little is no advice. */
	if (!advice.high_bytes ||
	    (holder->state == EXPLAIN_NEAR &&
	     advice.high_bytes < (int64_t)limit->limit_bytes / LEAST_PART))
		return 0;
	snprintf(advice.cost, sizeof(advice.cost),
		 "what went is read again when used%s",
		 may_swap ? "; before Linux 6.9, programs may be swapped out "
			    "in its place" :
			    "");
	return add_drop(advices, "drop_cgroup", DROP "--cgroup ", cgroup->path,
			advice);
}

static int rank_of(const struct explain_advice *advice)
{
	if (advice->is_of_holder)
		return 0;
	if (advice->is_of_next_limit)
		return 1;
	return advice->drops_all ? 3 : 2;
}

static int best_first(const void *left, const void *right)
{
	const struct explain_advice *a = left, *b = right;

	if (rank_of(a) != rank_of(b))
		return rank_of(a) - rank_of(b);
	if (a->high_bytes != b->high_bytes)
		return a->high_bytes > b->high_bytes ? -1 : 1;
	return (a->low_bytes < b->low_bytes) - (a->low_bytes > b->low_bytes);
}

int explain_advices_init(struct explain_advices *advices,
			 const struct explain_facts *facts)
{
	static int (*const add[])(struct explain_advices * advices,
				  const struct explain_facts *facts) = {
		add_actions, add_holder, add_device, add_filesystem, add_cgroup,
	};
	int ret = 0;

	*advices = (struct explain_advices){
		.least_bytes = facts->heads.total *
			       (int64_t)facts->memory.page_size / LEAST_PART,
	};
	explain_holder_init(&advices->holder, facts);
	for (size_t i = 0; !ret && i < sizeof(add) / sizeof(*add); i++)
		ret = add[i](advices, facts);
	qsort(advices->items, advices->count, sizeof(*advices->items),
	      best_first);
	return ret;
}

void explain_advices_deinit(struct explain_advices *advices)
{
	for (size_t i = 0; i < advices->count; i++)
		free(advices->items[i].command);
	*advices = (struct explain_advices){ 0 };
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "calls/function_roles.h"
#include "calls/path_call.h"
#include "calls/path_tree.h"
#include "lib/array.h"

/* ERESTARTSYS: what the kernel says to itself, not to the program. */
#define FIRST_RESTART 512

unsigned int path_roles(const struct path_tree *tree, long function)
{
	return function < 0 ? 0 : tree->functions->list[function].roles;
}

void path_work_add(struct path_work *to, const struct path_work *work)
{
	to->pages_added += work->pages_added;
	to->adds += work->adds;
	to->bios += work->bios;
	to->read_bytes += work->read_bytes;
	to->written_bytes += work->written_bytes;
}

static bool is_bdev(const struct path_tree *tree,
		    const struct seen_target *target)
{
	return tree->is_bdev &&
	       tree->is_bdev(tree->is_bdev_data, target->device, target->inode);
}

/*
 * Which of the caches that a call touched it was about: a read of a file may
 * also read metadata, through the cache of the device.
 */
static struct path_target choose_target(const struct path_tree *tree,
					const struct call *call,
					uint64_t *inode)
{
	const struct seen_target *best = NULL;
	struct path_target target = { 0 };

	for (unsigned int i = 0; i < call->target_count; i++) {
		const struct seen_target *seen = &call->targets[i];

		if (call->roles & ROLE_FILE && is_bdev(tree, seen))
			continue;
		if (!best || seen->pages > best->pages)
			best = seen;
	}
	*inode = best ? best->inode : 0;
	if (best && !is_bdev(tree, best)) {
		target.device = best->device;
	} else if (best && best->inode) {
		target.device = (uint32_t)best->inode;
		target.is_bdev = true;
	} else if (call->bio_device) {
		/* 5.10 does not tell which device a page is of. */
		target = (struct path_target){ call->bio_device, true, true };
	}
	return target;
}

/* Calls that differ in nothing else take the same kind of way. */
#define WAY                                                                    \
	(ROLE_DEVICE | ROLE_FILE | ROLE_SOCKET | ROLE_CACHE | ROLE_DIRECT |    \
	 ROLE_SYNC | ROLE_SPARSE | ROLE_FALL_BACK)

static bool is_same(const struct path_entry *entry, const struct call *call,
		    const struct path_target *target)
{
	return entry->function == call->function &&
	       entry->roles == (call->roles & WAY) &&
	       entry->target.device == target->device &&
	       entry->target.is_bdev == target->is_bdev &&
	       entry->target.by_io == target->by_io;
}

/*
 * The target of a call that touched no cache and no device: that of an earlier
 * call with the same descriptor, which nobody has closed or replaced since.
 */
static void remember_target(struct path_thread *thread, const struct call *call,
			    struct path_target *target, uint64_t *inode)
{
	struct known_file *file = NULL;

	for (unsigned int i = 0; !file && i < MOST_FILES; i++) {
		if (thread->files[i].is_known &&
		    thread->files[i].fd == thread->fd)
			file = &thread->files[i];
	}
	if (!thread->in_syscall ||
	    !(call->roles & (ROLE_DEVICE | ROLE_FILE | ROLE_CACHE)))
		return;
	if (!target->device && file) {
		*target = file->target;
		*inode = file->inode;
	} else if (target->device) {
		if (!file)
			file = &thread->files[thread->next_file++ % MOST_FILES];
		/* What was known exactly is not replaced by a guess. */
		if (!file->is_known || file->fd != thread->fd ||
		    !target->by_io || file->target.by_io)
			*file = (struct known_file){ true, thread->fd, *target,
						     *inode };
		*target = file->target;
	}
}

static struct path_entry *find_entry(struct path_tree *tree,
				     struct path_thread *thread)
{
	const struct call *call = &thread->call;
	uint64_t inode;
	struct path_target target = choose_target(tree, call, &inode);
	struct path_entry *entry;

	if (path_roles(tree, call->function) & ROLE_FD)
		remember_target(thread, call, &target, &inode);
	for (size_t i = 0; i < tree->entry_count; i++) {
		entry = &tree->entries[i];
		if (!is_same(entry, call, &target))
			continue;
		entry->has_many |= entry->inode != inode;
		return entry;
	}
	if (array_make_room(&tree->entries, tree->entry_count,
			    &tree->entry_capacity) < 0)
		return NULL;
	entry = &tree->entries[tree->entry_count++];
	*entry = (struct path_entry){ .function = call->function,
				      .roles = call->roles & WAY,
				      .target = target,
				      .inode = inode };
	return entry;
}

static bool is_failure(int64_t result)
{
	return result < 0 && result > -FIRST_RESTART;
}

static void count_failed(struct path_failed *failed, uint64_t count, int error)
{
	if (!count)
		return;
	failed->has_others |= failed->count && failed->error != error;
	failed->count += count;
	failed->error = error;
}

int path_call_count(struct path_tree *tree, struct path_thread *thread,
		    int64_t result)
{
	struct call *call = &thread->call;
	const unsigned int roles = path_roles(tree, call->function);
	struct path_entry *entry;

	/* That a function was called for it is not what came of it. */
	if (!call->synced || call->failed.count || result < 0)
		call->roles &= ~(unsigned int)ROLE_SYNC;
	entry = find_entry(tree, thread);
	if (!entry)
		return -ENOMEM;
	if (roles & ROLE_QUEUE)
		thread->queue = (size_t)(entry - tree->entries) + 1;
	entry->calls++;
	entry->total_ns += call->total_ns;
	entry->waited_ns += call->waited_ns;
	path_work_add(&entry->work, &call->work);
	count_failed(&entry->failed, call->failed.count, call->failed.error);
	entry->failed.has_others |= call->failed.has_others;
	count_failed(&entry->failed, is_failure(result), (int)-result);
	if (result > 0 && roles & ROLE_BYTES)
		entry->bytes += (uint64_t)result;
	/* A read at the end of a file finds nothing. */
	entry->moved |=
		call->moved || entry->bytes ||
		(roles & (ROLE_FAULT | ROLE_EXEC) && !is_failure(result));
	return 0;
}

void path_request_count(struct path_tree *tree, struct path_thread *thread,
			int64_t result)
{
	/* A timeout of io_uring ends so if all is well. */
	const bool failed = is_failure(result) && result != -ETIME;
	struct call *call = &thread->call;
	struct path_entry *entry;

	if (thread->count > thread->shown || thread->has_ended) {
		count_failed(&call->failed, failed, (int)-result);
		call->moved |= result > 0;
	} else if (thread->queue) {
		entry = &tree->entries[thread->queue - 1];
		count_failed(&entry->failed, failed, (int)-result);
		entry->moved |= result > 0;
	}
}

void path_call_note(struct call *call, const struct step *step)
{
	const uint64_t pages = step->kind == STEP_ADD ? step->cache.pages : 0;

	for (unsigned int i = 0; i < call->target_count; i++) {
		struct seen_target *seen = &call->targets[i];

		if (seen->device == step->cache.device &&
		    seen->inode == step->cache.inode) {
			seen->pages += pages;
			return;
		}
	}
	if (call->target_count == MOST_TARGETS)
		return;
	call->targets[call->target_count++] =
		(struct seen_target){ step->cache.device, step->cache.inode,
				      pages };
}

void path_files_forget(struct path_tree *tree, uint64_t fd, bool all)
{
	for (size_t i = 0; i < tree->thread_count; i++) {
		struct path_thread *thread = &tree->threads[i];

		for (unsigned int k = 0; k < MOST_FILES; k++) {
			if (all || thread->files[k].fd == fd)
				thread->files[k].is_known = false;
		}
	}
}

bool path_entry_moves(const struct path_entry *entry)
{
	return entry->roles &
	       (ROLE_CACHE | ROLE_DIRECT | ROLE_SOCKET | ROLE_SYNC);
}

enum path_rank path_entry_rank(const struct path_tree *tree,
			       const struct path_entry *entry)
{
	if (!path_entry_moves(entry))
		return PATH_MOVES_NOTHING;
	if (path_roles(tree, entry->function) & (ROLE_FAULT | ROLE_EXEC))
		return PATH_LOADS;
	/* What is asked for with a flag, not what every program does. */
	return entry->roles & ROLE_DIRECT ? PATH_IS_DIRECT : PATH_MOVES;
}

uint64_t path_entry_bytes(const struct path_entry *entry)
{
	const uint64_t cached =
		entry->work.pages_added * (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t on_disk =
		entry->work.read_bytes + entry->work.written_bytes;
	uint64_t most = entry->bytes;

	/* A page fault and io_submit() do not return how much it was. */
	if (cached > most)
		most = cached;
	return on_disk > most ? on_disk : most;
}

static int compare_entries(const void *left, const void *right, void *tree)
{
	const struct path_entry *a = left, *b = right;
	const enum path_rank a_rank = path_entry_rank(tree, a);
	const enum path_rank b_rank = path_entry_rank(tree, b);
	const uint64_t a_bytes = path_entry_bytes(a);
	const uint64_t b_bytes = path_entry_bytes(b);

	if (a_rank != b_rank)
		return a_rank < b_rank ? -1 : 1;
	if (a_bytes != b_bytes)
		return a_bytes > b_bytes ? -1 : 1;
	return (b->calls > a->calls) - (b->calls < a->calls);
}

void path_entries_sort(struct path_tree *tree)
{
	if (tree->entry_count)
		qsort_r(tree->entries, tree->entry_count,
			sizeof(*tree->entries), compare_entries, tree);
}

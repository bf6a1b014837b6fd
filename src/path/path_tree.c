// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/array.h"
#include "path/function_roles.h"
#include "path/path_tree.h"

/* The kernel's own limit is 50, and less than 4096 bytes since Linux 6.11. */
#define MOST_FRAMES 128
#define MOST_TARGETS 4
#define MOST_FILES 8

/* ERESTARTSYS: what the kernel says to itself, not to the program. */
#define FIRST_RESTART 512

struct frame {
	long function;
	uint64_t address;
	int32_t depth; /* as the kernel counts it */
	uint32_t node; /* 0: not shown */
};

/* A call of an entry point that goes on. */
struct call {
	long function; /* -1: not known */
	unsigned int roles;
	uint64_t total_ns;
	uint64_t waited_ns;
	struct path_work work;
	uint32_t bio_device;
	struct seen_target {
		uint32_t device;
		uint64_t inode;
		uint64_t pages;
	} targets[MOST_TARGETS];
	unsigned int target_count;
};

/* What a descriptor stood for when it was last used. */
struct known_file {
	bool is_known;
	uint64_t fd;
	struct path_target target;
	uint64_t inode;
};

struct path_thread {
	uint32_t id;
	uint64_t fd; /* the first argument of the system call */
	struct known_file files[MOST_FILES];
	unsigned int next_file; /* to be replaced */
	struct frame frames[MOST_FRAMES];
	unsigned int count;
	unsigned int shown; /* frames from here on have nodes; count: none */
	bool in_syscall;
	bool has_ended; /* the call has returned, the system call has not */
	struct call call;
};

int path_tree_init(struct path_tree *tree, const struct functions *functions)
{
	*tree = (struct path_tree){ .functions = functions };
	if (array_make_room(&tree->nodes, 0, &tree->node_capacity,
			    sizeof(*tree->nodes)) < 0)
		return -ENOMEM;
	tree->nodes[0] = (struct path_node){ .function = -1 };
	tree->node_count = 1;
	return 0;
}

void path_tree_deinit(struct path_tree *tree)
{
	free(tree->nodes);
	free(tree->entries);
	free(tree->threads);
	*tree = (struct path_tree){ 0 };
}

static unsigned int roles_of(const struct path_tree *tree, long function)
{
	return function < 0 ? 0 : tree->functions->list[function].roles;
}

const char *path_function_name(const struct path_tree *tree, long function)
{
	return function < 0 ? "[not known]" :
			      tree->functions->list[function].name;
}

/* ---- entries ------------------------------------------------------------- */

static void add_work(struct path_work *to, const struct path_work *work)
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
	 ROLE_SYNC)

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

	if (roles_of(tree, call->function) & ROLE_FD)
		remember_target(thread, call, &target, &inode);
	for (size_t i = 0; i < tree->entry_count; i++) {
		entry = &tree->entries[i];
		if (!is_same(entry, call, &target))
			continue;
		entry->has_many |= entry->inode != inode;
		return entry;
	}
	if (array_make_room(&tree->entries, tree->entry_count,
			    &tree->entry_capacity, sizeof(*tree->entries)) < 0)
		return NULL;
	entry = &tree->entries[tree->entry_count++];
	*entry = (struct path_entry){ .function = call->function,
				      .roles = call->roles & WAY,
				      .target = target,
				      .inode = inode };
	return entry;
}

/* @result is what the system call returned, or 0. */
static int count_call(struct path_tree *tree, struct path_thread *thread,
		      int64_t result)
{
	const struct call *call = &thread->call;
	struct path_entry *entry = find_entry(tree, thread);

	if (!entry)
		return -ENOMEM;
	entry->calls++;
	entry->total_ns += call->total_ns;
	entry->waited_ns += call->waited_ns;
	add_work(&entry->work, &call->work);
	if (result < 0 && result > -FIRST_RESTART) {
		entry->failed++;
		entry->error = (int)-result;
	} else if (result > 0 && roles_of(tree, call->function) & ROLE_BYTES) {
		entry->bytes += (uint64_t)result;
	}
	return 0;
}

static void note_target(struct call *call, const struct step *step)
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

/* ---- threads and their calls --------------------------------------------- */

static struct path_thread *find_thread(struct path_tree *tree, uint32_t id)
{
	size_t first = 0, after = tree->thread_count;

	while (first < after) {
		size_t middle = first + (after - first) / 2;

		if (tree->threads[middle].id == id)
			return &tree->threads[middle];
		if (tree->threads[middle].id < id)
			first = middle + 1;
		else
			after = middle;
	}
	if (array_make_room(&tree->threads, tree->thread_count,
			    &tree->thread_capacity, sizeof(*tree->threads)) < 0)
		return NULL;
	memmove(tree->threads + first + 1, tree->threads + first,
		(tree->thread_count - first) * sizeof(*tree->threads));
	tree->thread_count++;
	tree->threads[first] = (struct path_thread){ .id = id };
	return &tree->threads[first];
}

/* Returns the node, or 0 when out of memory. */
static uint32_t find_child(struct path_tree *tree, uint32_t parent,
			   long function)
{
	uint32_t *link = &tree->nodes[parent].first_child;

	while (*link && tree->nodes[*link].function != function)
		link = &tree->nodes[*link].next;
	if (*link)
		return *link;
	if (tree->node_count == UINT32_MAX ||
	    array_make_room(&tree->nodes, tree->node_count,
			    &tree->node_capacity, sizeof(*tree->nodes)) < 0)
		return 0;
	/* The array may have moved. */
	link = &tree->nodes[parent].first_child;
	while (*link)
		link = &tree->nodes[*link].next;
	*link = (uint32_t)tree->node_count;
	tree->nodes[tree->node_count] = (struct path_node){
		.function = function,
		.parent = parent,
		.level = tree->nodes[parent].level + 1,
	};
	return (uint32_t)tree->node_count++;
}

/* The node that the innermost shown frame has, or 0. */
static uint32_t innermost(const struct path_thread *thread)
{
	for (unsigned int i = thread->count; i-- > thread->shown;) {
		if (thread->frames[i].node)
			return thread->frames[i].node;
	}
	return 0;
}

/*
 * Whether a system call is touching the program's memory: what happens in that
 * does not say where its data went.
 */
static bool is_in_fault(const struct path_tree *tree,
			const struct path_thread *thread)
{
	for (unsigned int i = thread->shown + 1; i < thread->count; i++) {
		if (roles_of(tree, thread->frames[i].function) & ROLE_FAULT)
			return true;
	}
	return false;
}

/* Adds the innermost frame, for which there is room. */
static int push(struct path_tree *tree, struct path_thread *thread,
		const struct step *step)
{
	const long function =
		functions_find(tree->functions, step->call.address);
	const bool is_outside = thread->shown == thread->count;
	struct frame *frame = &thread->frames[thread->count];
	uint32_t parent;

	*frame = (struct frame){ .function = function,
				 .address = step->call.address,
				 .depth = step->call.depth };
	if (is_outside && tree->start &&
	    strcmp(path_function_name(tree, function), tree->start) != 0) {
		thread->count++;
		thread->shown = thread->count;
		return 0;
	}
	if (is_outside)
		thread->call = (struct call){ .function = function };
	if (is_outside || !is_in_fault(tree, thread))
		thread->call.roles |= roles_of(tree, function);
	tree->handed_over += !!(roles_of(tree, function) & ROLE_HANDOVER);
	parent = is_outside ? 0 : innermost(thread);
	if (!tree->most_levels ||
	    thread->count - thread->shown < tree->most_levels) {
		frame->node = find_child(tree, parent, function);
		if (!frame->node)
			return -ENOMEM;
		tree->nodes[frame->node].calls++;
	}
	thread->count++;
	return 0;
}

/* Ends the innermost frame; @returned if it is known when. */
static void leave(struct path_tree *tree, struct path_thread *thread,
		  bool returned, uint64_t took_ns)
{
	const struct frame *frame = &thread->frames[--thread->count];
	const bool is_outside = thread->count < thread->shown;
	const bool waits = roles_of(tree, frame->function) & ROLE_WAIT;
	const struct frame *caller = frame - 1;

	if (is_outside) {
		thread->shown = thread->count;
		return;
	}
	if (frame->node && returned)
		tree->nodes[frame->node].total_ns += took_ns;
	else if (frame->node)
		tree->nodes[frame->node].unfinished++;
	/* schedule_timeout() calls schedule(): the time counts once. */
	if (waits && thread->count > thread->shown &&
	    !(roles_of(tree, caller->function) & ROLE_WAIT))
		thread->call.waited_ns += took_ns;
	if (thread->count == thread->shown && returned)
		thread->call.total_ns = took_ns;
}

/* The outermost call has ended. */
static int finish(struct path_tree *tree, struct path_thread *thread)
{
	if (thread->in_syscall &&
	    roles_of(tree, thread->call.function) & ROLE_SYSCALL) {
		thread->has_ended = true;
		return 0;
	}
	return count_call(tree, thread, 0);
}

/* Ends the frames from @at on, whose returns were lost. */
static int drop_frames(struct path_tree *tree, struct path_thread *thread,
		       unsigned int at)
{
	const bool was_inside = thread->count > thread->shown;

	while (thread->count > at)
		leave(tree, thread, false, 0);
	return was_inside && thread->count <= thread->shown ?
		       count_call(tree, thread, 0) :
		       0;
}

static int enter(struct path_tree *tree, struct path_thread *thread,
		 const struct step *step)
{
	unsigned int at = thread->count;
	int ret = 0;

	tree->calls++;
	while (at && thread->frames[at - 1].depth >= step->call.depth)
		at--;
	if (at < thread->count)
		ret = drop_frames(tree, thread, at);
	if (ret || at == MOST_FRAMES)
		return ret;
	return push(tree, thread, step);
}

static int go_back(struct path_tree *tree, struct path_thread *thread,
		   const struct step *step)
{
	unsigned int at = thread->count;

	while (at > 0 &&
	       (thread->frames[at - 1].address != step->call.address ||
		thread->frames[at - 1].depth != step->call.depth))
		at--;
	if (!at)
		return 0;
	while (thread->count > at)
		leave(tree, thread, false, 0);
	at = thread->shown;
	leave(tree, thread, true, step->call.took_ns);
	if (thread->count == thread->shown && thread->count == at)
		return finish(tree, thread);
	return 0;
}

/*
 * Ends all calls of a thread that is seen to be elsewhere, because what it
 * returned from was lost, or because it became another program.
 */
static int end_all(struct path_tree *tree, struct path_thread *thread)
{
	int ret = drop_frames(tree, thread, 0);

	if (!ret && thread->has_ended)
		ret = count_call(tree, thread, 0);
	thread->has_ended = false;
	thread->in_syscall = false;
	return ret;
}

static void count_work(struct path_tree *tree, struct path_thread *thread,
		       const struct step *step)
{
	const uint32_t node = innermost(thread);
	struct path_work work = { 0 };

	if (step->kind == STEP_ADD) {
		work.adds = 1;
		work.pages_added = step->cache.pages;
	} else if (step->kind == STEP_BIO) {
		work.bios = 1;
		if (step->bio.writes)
			work.written_bytes = step->bio.bytes;
		else
			work.read_bytes = step->bio.bytes;
	}
	/* Outside of all calls it counts in the sum alone. */
	add_work(&tree->nodes[node].own, &work);
	if (thread->count == thread->shown)
		return;
	add_work(&thread->call.work, &work);
	/* A device that is made of others submits to them after that. */
	if (step->kind == STEP_BIO && !thread->call.bio_device)
		thread->call.bio_device = step->bio.device;
	else if (step->kind != STEP_BIO)
		note_target(&thread->call, step);
}

/* Forgets what @fd stands for, in all threads: they may share it. */
static void forget_files(struct path_tree *tree, uint64_t fd, bool all)
{
	for (size_t i = 0; i < tree->thread_count; i++) {
		struct path_thread *thread = &tree->threads[i];

		for (unsigned int k = 0; k < MOST_FILES; k++) {
			if (all || thread->files[k].fd == fd)
				thread->files[k].is_known = false;
		}
	}
}

static int begin_syscall(struct path_tree *tree, struct path_thread *thread,
			 const struct step *step)
{
	int ret = end_all(tree, thread);

	thread->in_syscall = true;
	thread->fd = step->call_out.first;
	switch (step->call_out.number) {
	case SYS_close:
		forget_files(tree, step->call_out.first, false);
		break;
#ifdef SYS_dup2
	case SYS_dup2:
#endif
	case SYS_dup3:
	case SYS_close_range:
	case SYS_execve:
	case SYS_execveat:
		forget_files(tree, 0, true);
		break;
	default:
		break;
	}
	return ret;
}

static int end_syscall(struct path_tree *tree, struct path_thread *thread,
		       const struct step *step)
{
	int ret = 0;

	if (thread->has_ended)
		ret = count_call(tree, thread, step->call_out.result);
	thread->has_ended = false;
	thread->in_syscall = false;
	return ret;
}

int path_tree_take(struct path_tree *tree, const struct step *step)
{
	struct path_thread *thread;

	if (step->thread == tree->skipped_thread || step->in_interrupt ||
	    (step->in_softirq && !tree->shows_softirqs))
		return 0;
	thread = find_thread(tree, step->thread);
	if (!thread)
		return -ENOMEM;
	switch ((enum step_kind)step->kind) {
	case STEP_ENTRY:
		return enter(tree, thread, step);
	case STEP_RETURN:
		return go_back(tree, thread, step);
	case STEP_ADD:
	case STEP_LOOK:
	case STEP_BIO:
		count_work(tree, thread, step);
		return 0;
	case STEP_SYSCALL:
		return begin_syscall(tree, thread, step);
	case STEP_SYSCALL_END:
		return end_syscall(tree, thread, step);
	case STEP_KINDS:
		break;
	}
	return 0;
}

/* ---- the end ------------------------------------------------------------- */

bool path_entry_moves(const struct path_entry *entry)
{
	return entry->roles & (ROLE_CACHE | ROLE_DIRECT | ROLE_SOCKET);
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

static int compare_entries(const void *left, const void *right)
{
	const struct path_entry *a = left, *b = right;
	const uint64_t a_bytes = path_entry_bytes(a);
	const uint64_t b_bytes = path_entry_bytes(b);

	if (path_entry_moves(a) != path_entry_moves(b))
		return path_entry_moves(a) ? -1 : 1;
	if (a_bytes != b_bytes)
		return a_bytes > b_bytes ? -1 : 1;
	return (b->calls > a->calls) - (b->calls < a->calls);
}

int path_tree_end(struct path_tree *tree)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < tree->thread_count; i++)
		ret = end_all(tree, &tree->threads[i]);
	/* A node comes after its parent. */
	for (size_t i = tree->node_count; i-- > 1;) {
		struct path_node *node = &tree->nodes[i];
		struct path_node *parent = &tree->nodes[node->parent];

		/* So far self_ns is what its callees took. */
		parent->self_ns += node->total_ns;
		node->self_ns = node->total_ns > node->self_ns ?
					node->total_ns - node->self_ns :
					0;
		add_work(&node->work, &node->own);
		add_work(&parent->work, &node->work);
		if (!node->parent)
			parent->calls += node->calls;
	}
	add_work(&tree->nodes[0].work, &tree->nodes[0].own);
	if (tree->entry_count)
		qsort(tree->entries, tree->entry_count, sizeof(*tree->entries),
		      compare_entries);
	return ret;
}

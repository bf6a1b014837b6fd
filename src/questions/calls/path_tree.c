// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "calls/each.h"
#include "calls/function_roles.h"
#include "calls/path_call.h"
#include "calls/path_tree.h"
#include "lib/array.h"

int path_tree_init(struct path_tree *tree, const struct functions *functions)
{
	*tree = (struct path_tree){ .functions = functions };
	if (array_make_room(&tree->nodes, 0, &tree->node_capacity) < 0)
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

const char *path_function_name(const struct path_tree *tree, long function)
{
	return function < 0 ? "[not known]" :
			      tree->functions->list[function].name;
}

/* ---- threads and their calls --------------------------------------------- */

static struct path_thread *find_thread(struct path_tree *tree, uint64_t id)
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
			    &tree->thread_capacity) < 0)
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
	uint32_t child = tree->nodes[parent].first_child, last = 0;

	while (child && tree->nodes[child].function != function) {
		last = child;
		child = tree->nodes[child].next;
	}
	if (child)
		return child;
	if (tree->node_count == UINT32_MAX ||
	    array_make_room(&tree->nodes, tree->node_count,
			    &tree->node_capacity) < 0)
		return 0;
	child = (uint32_t)tree->node_count++;
	if (last)
		tree->nodes[last].next = child;
	else
		tree->nodes[parent].first_child = child;
	tree->nodes[child] = (struct path_node){
		.function = function,
		.parent = parent,
		.level = tree->nodes[parent].level + 1,
	};
	return child;
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

static long innermost_line(const struct path_thread *thread)
{
	unsigned int i = thread->count;

	while (i > thread->shown && !thread->frames[i - 1].line)
		i--;
	return i > thread->shown ? thread->frames[i - 1].line : 0;
}

/*
 * Whether a system call is touching the program's memory: what happens in that
 * does not say where its data went.
 */
static bool is_in_fault(const struct path_tree *tree,
			const struct path_thread *thread)
{
	for (unsigned int i = thread->shown + 1; i < thread->count; i++) {
		if (path_roles(tree, thread->frames[i].function) & ROLE_FAULT)
			return true;
	}
	return false;
}

/*
 * Takes what a function that is called says of the call. Both ways in one call
 * are no fall-back: sendfile() has two files, and io_uring many requests.
 */
static void take_roles(const struct path_tree *tree, struct path_thread *thread,
		       unsigned int roles)
{
	for (unsigned int i = thread->shown; i < thread->count; i++) {
		struct frame *caller = &thread->frames[i];

		if (!(path_roles(tree, caller->function) &
		      (ROLE_DEVICE | ROLE_FILE | ROLE_DIRECT | ROLE_REQUEST)))
			continue;
		if (caller->goes_past && roles & ROLE_CACHE)
			roles |= ROLE_FALL_BACK;
		caller->goes_past |= !!(roles & ROLE_DIRECT);
	}
	thread->call.roles |= roles;
}

static bool is_start(const struct path_tree *tree, long function)
{
	return function >= 0 && tree->functions->list[function].is_start;
}

/* Notes the call, and the function in it, if they are wanted one by one. */
static int note_each(struct path_tree *tree, struct path_thread *thread,
		     struct frame *frame, const struct step *step)
{
	const unsigned int level = thread->count - thread->shown;

	if (!tree->each)
		return 0;
	if (!level)
		thread->each = each_begin(tree->each, frame->function, step);
	if (thread->each < 0)
		return -ENOMEM;
	if (!tree->most_levels || level < tree->most_levels)
		frame->line = each_enter(tree->each, thread->each,
					 frame->function, level);
	return frame->line < 0 ? -ENOMEM : 0;
}

/* Counts a call whose system call goes on, or whose result was lost. */
static int count_ended(struct path_tree *tree, struct path_thread *thread)
{
	const bool has_ended = thread->has_ended;

	thread->has_ended = false;
	return has_ended ? path_call_count(tree, thread, 0) : 0;
}

/* Adds the innermost frame, for which there is room. */
static int push(struct path_tree *tree, struct path_thread *thread,
		const struct step *step)
{
	const long function =
		functions_find(tree->functions, step->call.address);
	const unsigned int roles = path_roles(tree, function);
	const bool is_outside = thread->shown == thread->count;
	struct frame *frame = &thread->frames[thread->count];
	uint32_t parent;
	int ret;

	*frame = (struct frame){ .function = function,
				 .address = step->call.address,
				 .depth = step->call.depth,
				 .goes_past = roles & ROLE_DIRECT };
	if (is_outside && tree->has_starts && !is_start(tree, function)) {
		thread->count++;
		thread->shown = thread->count;
		return 0;
	}
	ret = is_outside ? count_ended(tree, thread) : 0;
	if (ret < 0)
		return ret;
	if (is_outside)
		thread->call = (struct call){ .function = function };
	if (is_outside || !is_in_fault(tree, thread))
		take_roles(tree, thread, roles);
	tree->handed_over += !!(roles & ROLE_HANDOVER);
	parent = is_outside ? 0 : innermost(thread);
	if (!tree->most_levels ||
	    thread->count - thread->shown < tree->most_levels) {
		frame->node = find_child(tree, parent, function);
		if (!frame->node)
			return -ENOMEM;
		tree->nodes[frame->node].calls++;
	}
	ret = note_each(tree, thread, frame, step);
	thread->count++;
	return ret;
}

/*
 * Notes what says that data is on the device: that the kernel had written some,
 * or waited for a journal's thread, when a function returned that sees to it.
 */
static void note_sync(const struct path_tree *tree, struct path_thread *thread,
		      unsigned int roles)
{
	struct call *call = &thread->call;

	for (unsigned int i = thread->shown;
	     roles & ROLE_WAIT && i < thread->count; i++)
		call->committed |=
			!!(path_roles(tree, thread->frames[i].function) &
			   ROLE_COMMIT);
	call->synced |= roles & ROLE_SYNC && (call->wrote || call->committed);
}

/* Ends the innermost frame; @returned if it is known when. */
static void leave(struct path_tree *tree, struct path_thread *thread,
		  bool returned, uint64_t took_ns)
{
	const struct frame *frame = &thread->frames[--thread->count];
	const bool is_outside = thread->count < thread->shown;
	const bool waits = path_roles(tree, frame->function) & ROLE_WAIT;
	const struct frame *caller = frame - 1;

	if (is_outside) {
		thread->shown = thread->count;
		return;
	}
	if (tree->each)
		each_leave(tree->each, thread->each, frame->line, returned,
			   took_ns);
	if (frame->node && returned)
		tree->nodes[frame->node].total_ns += took_ns;
	else if (frame->node)
		tree->nodes[frame->node].unfinished++;
	/* schedule_timeout() calls schedule(): the time counts once. */
	if (waits && thread->count > thread->shown &&
	    !(path_roles(tree, caller->function) & ROLE_WAIT))
		thread->call.waited_ns += took_ns;
	if (thread->count == thread->shown && returned)
		thread->call.total_ns = took_ns;
	if (returned)
		note_sync(tree, thread, path_roles(tree, frame->function));
}

/* The outermost call has ended. */
static int finish(struct path_tree *tree, struct path_thread *thread)
{
	if (thread->in_syscall &&
	    path_roles(tree, thread->call.function) & ROLE_SYSCALL) {
		thread->has_ended = true;
		return 0;
	}
	return path_call_count(tree, thread, 0);
}

/* Ends the frames from @at on, whose returns were lost. */
static int drop_frames(struct path_tree *tree, struct path_thread *thread,
		       unsigned int at)
{
	const bool was_inside = thread->count > thread->shown;

	while (thread->count > at)
		leave(tree, thread, false, 0);
	return was_inside && thread->count <= thread->shown ?
		       path_call_count(tree, thread, 0) :
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
	int ret;

	while (at > 0 &&
	       (thread->frames[at - 1].address != step->call.address ||
		thread->frames[at - 1].depth != step->call.depth))
		at--;
	if (!at)
		return 0;
	ret = drop_frames(tree, thread, at);
	if (ret < 0)
		return ret;
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

	thread->in_syscall = false;
	return ret ?: count_ended(tree, thread);
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
	path_work_add(&tree->nodes[node].own, &work);
	if (thread->count == thread->shown)
		return;
	path_work_add(&thread->call.work, &work);
	if (tree->each)
		each_work(tree->each, thread->each, innermost_line(thread),
			  &work);
	/* A flush writes no bytes. */
	thread->call.wrote |= step->kind == STEP_BIO && step->bio.writes;
	/* A device that is made of others submits to them after that. */
	if (step->kind == STEP_BIO && !thread->call.bio_device)
		thread->call.bio_device = step->bio.device;
	else if (step->kind != STEP_BIO)
		path_call_note(&thread->call, step);
}

static int begin_syscall(struct path_tree *tree, struct path_thread *thread,
			 const struct step *step)
{
	int ret = end_all(tree, thread);

	thread->in_syscall = true;
	thread->fd = step->call_out.first;
	switch (step->call_out.number) {
	case SYS_close:
		path_files_forget(tree, step->call_out.first, false);
		break;
#ifdef SYS_dup2
	case SYS_dup2:
#endif
	case SYS_dup3:
	case SYS_close_range:
	case SYS_execve:
	case SYS_execveat:
		path_files_forget(tree, 0, true);
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
		ret = path_call_count(tree, thread, step->call_out.result);
	if (thread->has_ended && tree->each)
		each_result(tree->each, thread->each, step->call_out.result);
	thread->has_ended = false;
	thread->in_syscall = false;
	return ret;
}

/*
 * A function to begin at that runs in an interrupt or a softirq is no part of
 * the call that it interrupts.
 */
static uint64_t context_of(const struct path_tree *tree,
			   const struct step *step)
{
	const uint64_t context = step->in_interrupt ? 2 : step->in_softirq;

	return step->thread | (tree->has_starts ? context << 32 : 0);
}

int path_tree_take(struct path_tree *tree, const struct step *step)
{
	struct path_thread *thread;

	if (step->thread == tree->skipped_thread ||
	    (step->in_interrupt && !tree->has_starts) ||
	    (step->in_softirq && !tree->shows_softirqs))
		return 0;
	thread = find_thread(tree, context_of(tree, step));
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
	case STEP_AIO_END:
	case STEP_URING_END:
		path_request_count(tree, thread, step->call_out.result);
		return 0;
	case STEP_KINDS:
		break;
	}
	return 0;
}

/* ---- the end ------------------------------------------------------------- */

/* Adds the calls of a node, and of all below it, to those of another. */
static int merge(struct path_tree *tree, uint32_t to, uint32_t from)
{
	const struct path_node node = tree->nodes[from];
	struct path_node *merged = &tree->nodes[to];
	int ret = 0;

	merged->calls += node.calls;
	merged->unfinished += node.unfinished;
	merged->total_ns += node.total_ns;
	merged->self_ns += node.self_ns;
	path_work_add(&merged->own, &node.own);
	path_work_add(&merged->work, &node.work);
	for (uint32_t child = node.first_child; !ret && child;
	     child = tree->nodes[child].next) {
		uint32_t place =
			find_child(tree, to, tree->nodes[child].function);

		ret = place ? merge(tree, place, child) : -ENOMEM;
	}
	return ret;
}

static bool is_below_itself(const struct path_tree *tree, uint32_t node)
{
	const long function = tree->nodes[node].function;

	while ((node = tree->nodes[node].parent)) {
		if (tree->nodes[node].function == function)
			return true;
	}
	return false;
}

/*
 * Returns the tree for all calls of a function, or 0 when out of memory. It
 * takes the place of that for calls by nobody, whose nodes stay for the sums.
 */
static uint32_t whole_tree(struct path_tree *tree, long function)
{
	uint32_t child = tree->nodes[0].first_child, last = 0, whole;

	while (child && tree->nodes[child].function != function) {
		last = child;
		child = tree->nodes[child].next;
	}
	if (child >= tree->counted)
		return child;
	if (child && last)
		tree->nodes[last].next = tree->nodes[child].next;
	else if (child)
		tree->nodes[0].first_child = tree->nodes[child].next;
	whole = find_child(tree, 0, function);
	return whole && child && merge(tree, whole, child) < 0 ? 0 : whole;
}

/*
 * A function to begin at that another one called is in the other's tree, and
 * in its own, which has all of its calls.
 */
static int add_inner_starts(struct path_tree *tree)
{
	int ret = 0;

	for (uint32_t i = 1; !ret && tree->has_starts && i < tree->counted;
	     i++) {
		const struct path_node *node = &tree->nodes[i];
		uint32_t whole;

		if (!node->parent || !is_start(tree, node->function) ||
		    is_below_itself(tree, i))
			continue;
		whole = whole_tree(tree, node->function);
		ret = whole ? merge(tree, whole, i) : -ENOMEM;
	}
	return ret;
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
		path_work_add(&node->work, &node->own);
		path_work_add(&parent->work, &node->work);
		if (!node->parent)
			parent->calls += node->calls;
	}
	path_work_add(&tree->nodes[0].work, &tree->nodes[0].own);
	path_entries_sort(tree);
	tree->counted = tree->node_count;
	return ret ?: add_inner_starts(tree);
}

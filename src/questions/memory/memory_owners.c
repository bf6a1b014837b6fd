// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/branches.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/sentence.h"
#include "memory/memory_owners.h"

#define SHARED_NOTE "a page that several have is in each of them"
#define TREE_NOTE "each with those below it"

static const struct memory_owner_kind_info kinds[MEMORY_OWNER_KINDS] = {
	[MEMORY_OWNER_PROCESS] = { "process", SAYS_PROCESS, true, NULL },
	[MEMORY_OWNER_CGROUP] = { "cgroup", SAYS_FILE, false, NULL },
	[MEMORY_OWNER_TMPFS] = { "tmpfs", SAYS_FILE, false, NULL },
	[MEMORY_OWNER_MEMFD] = { "memfd", SAYS_PROCESS, true, NULL },
	[MEMORY_OWNER_FILE] = { "tmpfs_file", SAYS_FILE, false, NULL },
	[MEMORY_OWNER_DELETED] = { "deleted_file", SAYS_FILE, true, NULL },
	[MEMORY_OWNER_SYSV] = { "sysv", SAYS_WORD, false, NULL },
	[MEMORY_OWNER_HUGETLBFS] = { "hugetlbfs", SAYS_FILE, false, NULL },
	[MEMORY_OWNER_SLAB] = { "slab", SAYS_WORD, false, NULL },
	[MEMORY_OWNER_CALLER] = { "caller", SAYS_WORD, false, NULL },
	[MEMORY_OWNER_BPF] = { "bpf_map", SAYS_PROCESS, true, NULL },
	[MEMORY_OWNER_TCP] = { "tcp_socket", SAYS_PROCESS, true,
			       "in the queues of its TCP sockets" },
	[MEMORY_OWNER_UDP] = { "udp_socket", SAYS_PROCESS, true,
			       "in the queues of its UDP sockets" },
	[MEMORY_OWNER_PIPE] = { "pipe", SAYS_PROCESS, true, "unread in pipes" },
	[MEMORY_OWNER_UNIX_SOCKET] = { "unix_socket", SAYS_PROCESS, true,
				       "unread in Unix sockets" },
	[MEMORY_OWNER_ZRAM] = { "zram", SAYS_WORD, false, NULL },
	[MEMORY_OWNER_SITE] = { "site", SAYS_WORD, false, NULL },
	[MEMORY_OWNER_PERF] = { "perf_buffer", SAYS_PROCESS, true,
				"of perf buffers" },
	[MEMORY_OWNER_IO_URING] = { "io_uring", SAYS_PROCESS, true,
				    "of io_uring rings" },
	[MEMORY_OWNER_PACKET] = { "packet_ring", SAYS_PROCESS, true,
				  "of packet rings" },
	[MEMORY_OWNER_GRAPHICS] = { "graphics", SAYS_PROCESS, true,
				    "of graphics objects" },
	[MEMORY_OWNER_PAGE_POOL] = { "page_pool", SAYS_VOLUME, false, NULL },
	[MEMORY_OWNER_PIN] = { "pinned_bpf_map", SAYS_FILE, false, NULL },
	[MEMORY_OWNER_GRAPHICS_POOL] = { "graphics_pool", SAYS_WORD, false,
					 NULL },
	[MEMORY_OWNER_XFS] = { "xfs_buffers", SAYS_FILE, false, NULL },
	[MEMORY_OWNER_OTHER_BPF] = { "other_bpf_map", SAYS_PROCESS, false,
				     NULL },
};

#define OF(kind) MEMORY_OWNER_##kind, &kinds[MEMORY_OWNER_##kind]

static const struct memory_owner_info infos[MEMORY_OWNER_LISTS] = {
	{ MEMORY_HEAD_PROGRAMS, OF(PROCESS), "processes", SHARED_NOTE, false },
	{ MEMORY_HEAD_PROGRAMS, OF(CGROUP), "cgroups", TREE_NOTE, false },
	{ MEMORY_HEAD_SHARED, OF(TMPFS), "mounted tmpfs",
	  "with what of it is swapped out", true },
	{ MEMORY_HEAD_SHARED, OF(MEMFD), "memfds",
	  "of those that a process has open; with what is swapped out", true },
	{ MEMORY_HEAD_SHARED, OF(SYSV), "System V segments",
	  "of this IPC namespace", true },
	{ MEMORY_HEAD_SHARED, OF(PROCESS), "processes that map it", SHARED_NOTE,
	  false },
	{ MEMORY_HEAD_SHARED, OF(CGROUP), "cgroups", TREE_NOTE, false },
	{ MEMORY_HEAD_SHARED, OF(FILE), "files on tmpfs",
	  "one with two names is there twice; with what is swapped out",
	  false },
	{ MEMORY_HEAD_SHARED, OF(DELETED), "deleted files on tmpfs",
	  "of those that a process has open; with what is swapped out", true },
	{ MEMORY_HEAD_FILE_CACHE, OF(CGROUP), "cgroups",
	  "with block device cache; each with those below it", false },
	{ MEMORY_HEAD_SLAB_RECLAIMABLE, OF(SLAB), "slab caches", NULL, true },
	{ MEMORY_HEAD_SLAB_UNRECLAIMABLE, OF(SLAB), "slab caches", NULL, true },
	{ MEMORY_HEAD_PAGE_TABLES, OF(PROCESS), "processes", NULL, true },
	{ MEMORY_HEAD_PAGE_TABLES, OF(CGROUP), "cgroups", TREE_NOTE, false },
	{ MEMORY_HEAD_VMALLOC, OF(CALLER), "callers of vmalloc()", NULL, true },
	{ MEMORY_HEAD_VMALLOC, OF(CGROUP), "cgroups", TREE_NOTE, false },
	{ MEMORY_HEAD_PER_CPU, OF(CGROUP), "cgroups", TREE_NOTE, false },
	{ MEMORY_HEAD_HUGE_PAGES, OF(PROCESS), "processes that map them",
	  SHARED_NOTE, false },
	{ MEMORY_HEAD_HUGE_PAGES, OF(HUGETLBFS), "files in hugetlbfs",
	  "whether a process has them or not", true },
	{ MEMORY_HEAD_COMPRESSED, OF(ZRAM), "zram devices", NULL, true },
	{ MEMORY_HEAD_COMPRESSED, OF(PROCESS), "processes, swapped out",
	  "not compressed yet, to any swap", false },
	{ MEMORY_HEADS, OF(CGROUP), "cgroups",
	  "what they are charged for and no count has; each with those below it",
	  false },
	{ MEMORY_HEADS, OF(SITE), "lines of the kernel",
	  "what each has allocated, of any head (allocinfo)", true },
	{ MEMORY_HEAD_VMALLOC, OF(BPF), "BPF maps",
	  "of those that a process has open", true },
	{ MEMORY_HEADS, OF(TCP), "processes, by TCP sockets",
	  "what waits in their queues; small packets are in slab", true },
	{ MEMORY_HEADS, OF(PIPE), "processes, by pipes",
	  "what is unread; what was spliced from a file is in file cache",
	  true },
	{ MEMORY_HEADS, OF(UNIX_SOCKET), "processes, by Unix sockets",
	  "what is unread, which takes more; of datagrams only the first",
	  true },
	{ MEMORY_HEAD_PER_CPU, OF(BPF), "BPF maps",
	  "of those that a process has open: values of each processor", true },
	{ MEMORY_HEADS, OF(PERF), "processes, by perf buffers",
	  "what they map of them", true },
	{ MEMORY_HEADS, OF(IO_URING), "processes, by io_uring rings",
	  "about; a ring that several map is in each", false },
	{ MEMORY_HEADS, OF(PACKET), "processes, by packet rings",
	  "a ring that several map is in each", false },
	{ MEMORY_HEAD_SHARED, OF(GRAPHICS), "processes, by graphics objects",
	  "what the driver says, or what they map; of several, in each",
	  false },
	{ MEMORY_HEADS, OF(GRAPHICS), "processes, by graphics objects",
	  "what the driver says; what several have is in each", false },
	{ MEMORY_HEADS, OF(PAGE_POOL), "network devices, by page pools",
	  "of this network namespace; some may wait in sockets", true },
	{ MEMORY_HEADS, OF(UDP), "processes, by UDP sockets",
	  "what waits in their queues; small packets are in slab", true },
	{ MEMORY_HEAD_VMALLOC, OF(PIN), "pinned BPF maps",
	  "in a bpffs; of those that no process has open", true },
	{ MEMORY_HEAD_PER_CPU, OF(PIN), "pinned BPF maps",
	  "in a bpffs; of those that no process has open", true },
	{ MEMORY_HEADS, OF(XFS), "filesystems, by XFS metadata",
	  "about; XFS has none of it in Buffers", true },
	{ MEMORY_HEAD_VMALLOC, OF(OTHER_BPF), "other BPF maps",
	  "about; of those that no process and no bpffs has", true },
	{ MEMORY_HEAD_PER_CPU, OF(OTHER_BPF), "other BPF maps",
	  "about; of those that no process and no bpffs has", true },
	{ MEMORY_HEADS, OF(GRAPHICS_POOL), "graphics drivers, by the pool",
	  "pages of freed objects, kept for the next ones", true },
};

const struct memory_owner_info *memory_owner_info(size_t list)
{
	return &infos[list];
}

void memory_owners_name(size_t list, char *text, size_t size)
{
	const struct memory_owner_info *info = &infos[list];

	snprintf(text, size, "%s: %s",
		 info->head == MEMORY_HEADS ?
			 "unaccounted" :
			 memory_head_info(info->head)->label,
		 info->label);
}

const char *memory_owners_note(const struct memory_owners *owners, size_t list)
{
	if (owners->lists[list].is_of_namespace)
		return "those outside this PID namespace are not seen";
	if (owners->by_pss && infos[list].head == MEMORY_HEAD_PROGRAMS &&
	    infos[list].kind == MEMORY_OWNER_PROCESS)
		return "Pss: a page that several have is in each in part";
	if (owners->lists[list].is_of_both)
		return "some may be of the other head: what the kernel reclaims "
		       "is not known";
	return infos[list].note ?: "";
}

void memory_owner_list_deinit(struct memory_owner_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->owners[i].name);
	free(list->owners);
	*list = (struct memory_owner_list){ 0 };
}

void memory_owners_deinit(struct memory_owners *owners)
{
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++)
		memory_owner_list_deinit(&owners->lists[i]);
}

const char *memory_owners_head_key(enum memory_head_id head)
{
	return head == MEMORY_HEADS ? "unaccounted" :
				      memory_head_info(head)->key;
}

bool memory_owners_exist(enum memory_head_id head)
{
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		if (infos[i].head == head)
			return true;
	}
	return false;
}

bool memory_owners_are_processes(enum memory_head_id head)
{
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		if (infos[i].head == head && infos[i].of->is_process)
			return true;
	}
	return false;
}

/* Whether the @length bytes of @word name the head; "slab" names both. */
static bool names(const char *word, size_t length, enum memory_head_id head)
{
	const char *key = memory_owners_head_key(head);

	if (length == strlen("slab") && strncmp(word, "slab", length) == 0)
		return head == MEMORY_HEAD_SLAB_RECLAIMABLE ||
		       head == MEMORY_HEAD_SLAB_UNRECLAIMABLE;
	if (length == strlen("all") && strncmp(word, "all", length) == 0)
		return true;
	return length == strlen(key) && strncmp(word, key, length) == 0;
}

const char *memory_owners_word(size_t which)
{
	static const char *const groups[] = { "all", "slab" };
	const size_t count = sizeof(groups) / sizeof(*groups);

	if (which < count)
		return groups[which];
	which -= count;
	for (enum memory_head_id head = 0; head <= MEMORY_HEADS; head++) {
		if (memory_owners_exist(head) && !which--)
			return memory_owners_head_key(head);
	}
	return NULL;
}

static int refuse(const char *word, size_t length, struct error *err)
{
	char known[512] = "";
	const char *next;

	for (size_t i = 0; (next = memory_owners_word(i)); i++)
		ADD_TEXT(known, "%s%s", i ? ", " : "", next);
	return error_remedy(err,
			    error_option(err, "--owners",
					 "%.*s: no head whose owners are known",
					 (int)length, word),
			    "use one of: %s", known);
}

int memory_owners_parse(struct memory_owners_asked *asked, const char *words,
			struct error *err)
{
	for (;;) {
		size_t length = strcspn(words, ",");
		bool found = false;

		for (enum memory_head_id head = 0; head <= MEMORY_HEADS;
		     head++) {
			if (!names(words, length, head) ||
			    !memory_owners_exist(head))
				continue;
			asked->heads[head] = true;
			found = true;
		}
		if (!found)
			return refuse(words, length, err);
		words += length;
		if (!*words++)
			return 0;
	}
}

void memory_owners_ask(struct memory_owners *owners,
		       const struct memory_owners_asked *asked, size_t top,
		       uint64_t page_size)
{
	*owners = (struct memory_owners){
		.top = top,
		.page_size = (int64_t)page_size,
	};
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++)
		owners->lists[i].asked = asked->heads[infos[i].head];
}

/* Cgroups are sums of the others, and come after them. -1: it names nobody. */
static int64_t largest(const struct memory_owners *owners, size_t which)
{
	const struct memory_owner_list *list = &owners->lists[which];

	if (infos[which].kind == MEMORY_OWNER_CGROUP)
		return 0;
	return list->count ? list->owners->bytes : -1;
}

size_t memory_owners_of(const struct memory_owners *owners,
			enum memory_head_id head,
			size_t order[MEMORY_OWNER_LISTS])
{
	size_t count = 0;

	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		size_t at = count;

		if (infos[i].head != head || !owners->lists[i].asked)
			continue;
		for (;
		     at && largest(owners, i) > largest(owners, order[at - 1]);
		     at--)
			order[at] = order[at - 1];
		order[at] = i;
		count++;
	}
	return count;
}

/* Whether the caches of both heads of slab are in one list. */
static bool has_slab_of_both(const struct memory_owners *owners)
{
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		if (owners->lists[i].is_of_both)
			return true;
	}
	return false;
}

int64_t memory_owners_listed(const struct memory_owners *owners,
			     const struct memory_heads *heads, size_t which,
			     int64_t *all_bytes)
{
	const struct memory_owner_list *list = &owners->lists[which];
	bool is_slab = infos[which].kind == MEMORY_OWNER_SLAB;
	int64_t listed = 0;

	*all_bytes = 0;
	/* They are in the other list. */
	if (is_slab && has_slab_of_both(owners) && !list->is_of_both)
		return 0;
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		const struct memory_owner_list *other = &owners->lists[i];

		if (i != which &&
		    !(list->is_of_both && infos[i].kind == MEMORY_OWNER_SLAB))
			continue;
		*all_bytes +=
			heads->heads[infos[i].head].pages * owners->page_size;
		listed += other->others_bytes;
		for (size_t j = 0; j < other->count; j++)
			listed += other->owners[j].bytes;
	}
	return listed;
}

void memory_owners_check(struct memory_owners *owners,
			 const struct memory_heads *heads)
{
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		struct memory_owner_list *list = &owners->lists[i];
		/* Of the other head of slab, large pieces are in no cache. */
		enum memory_head_id head =
			list->is_of_both ? MEMORY_HEAD_SLAB_RECLAIMABLE :
					   infos[i].head;
		int64_t all, listed;

		if (!list->asked || (head != MEMORY_HEAD_SLAB_RECLAIMABLE &&
				     infos[i].kind != MEMORY_OWNER_CALLER))
			continue;
		listed = memory_owners_listed(owners, heads, i, &all);
		if (all &&
		    listed / owners->page_size < heads->heads[head].pages / 2)
			memory_owner_list_fail(
				list,
				"%s: %s listed, less than half of %s, so lines "
				"are missing",
				infos[i].label, SIZE(listed),
				memory_head_info(head)->label);
	}
}

bool memory_owners_are_whole(const struct memory_owners *owners)
{
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		const struct memory_owner_list *list = &owners->lists[i];

		if (list->asked &&
		    (list->unread || *list->why || list->is_of_namespace))
			return false;
	}
	return !owners->is_cut_short;
}

int memory_owner_add(struct memory_owner_list *list, char *name, int64_t bytes,
		     unsigned int pid)
{
	if (!name ||
	    array_make_room(&list->owners, list->count, &list->capacity) < 0) {
		free(name);
		return -ENOMEM;
	}
	list->owners[list->count++] = (struct memory_owner){
		.name = name,
		.bytes = bytes,
		.pid = pid,
	};
	return 0;
}

static int by_size(const void *left, const void *right)
{
	const struct memory_owner *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int descending(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;

	return (*a < *b) - (*a > *b);
}

int memory_owner_list_least(const struct memory_owner_list *list, size_t count,
			    size_t top, int64_t *least)
{
	_cleanup_(freep) int64_t *sizes = calloc(count + 1, sizeof(*sizes));

	if (!sizes)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		sizes[i] = list->owners[i].bytes;
	qsort(sizes, count, sizeof(*sizes), descending);
	*least = count < top ? -1 : sizes[top - 1];
	return 0;
}

static int sort(struct memory_owner_list *list)
{
	const struct memory_owner *owners = list->owners;
	const size_t count = list->count;
	_cleanup_(freep) size_t *above = calloc(count + 1, sizeof(*above));
	_cleanup_(freep) size_t *order = calloc(count + 1, sizeof(*order));

	if (!above || !order)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		above[i] = i;
		while (above[i] &&
		       owners[above[i] - 1].depth >= owners[i].depth)
			above[i] = above[above[i] - 1];
	}
	return branches_sort(list->owners, count, sizeof(*owners), above,
			     by_size, order);
}

int memory_owner_list_cut(struct memory_owner_list *list, size_t top)
{
	size_t room = top, kept = 0;
	int64_t least;
	int ret = sort(list);

	if (ret < 0 || list->count <= top)
		return ret;
	if (memory_owner_list_least(list, list->count, top, &least) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++)
		room -= list->owners[i].bytes > least;
	for (size_t i = 0; i < list->count; i++) {
		struct memory_owner *owner = &list->owners[i];
		bool is_tie = owner->bytes == least && room;

		room -= is_tie;
		if (is_tie || owner->bytes > least) {
			list->owners[kept++] = *owner;
			continue;
		}
		list->others++;
		if (__builtin_add_overflow(list->others_bytes, owner->bytes,
					   &list->others_bytes))
			list->others_bytes = INT64_MAX;
		free(owner->name);
	}
	list->count = kept;
	return 0;
}

void memory_owner_list_fail(struct memory_owner_list *list, const char *format,
			    ...)
{
	va_list arguments;

	if (*list->why)
		return;
	va_start(arguments, format);
	vsnprintf(list->why, sizeof(list->why), format, arguments);
	va_end(arguments);
}

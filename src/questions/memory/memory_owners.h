/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The largest owners of what is in a head of memory, as plain data. Owners are
 * never added up to a head: a shared page may be in several of them.
 */
#ifndef BUFSTAT_MEMORY_OWNERS_H
#define BUFSTAT_MEMORY_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fields/fields.h"
#include "memory/memory_heads.h"

struct error;

enum memory_owner_kind {
	MEMORY_OWNER_PROCESS,
	MEMORY_OWNER_CGROUP,
	MEMORY_OWNER_TMPFS, /* a mounted one */
	MEMORY_OWNER_MEMFD,
	MEMORY_OWNER_FILE, /* on a tmpfs */
	MEMORY_OWNER_DELETED, /* such a file, deleted, that a process has open */
	MEMORY_OWNER_SYSV, /* a segment of System V shared memory */
	MEMORY_OWNER_HUGETLBFS, /* a file in huge pages, open or not */
	MEMORY_OWNER_SLAB, /* a slab cache */
	MEMORY_OWNER_CALLER, /* the function that called vmalloc() */
	MEMORY_OWNER_BPF, /* a map that a process has open */
	MEMORY_OWNER_TCP, /* a process, by what waits in its TCP sockets */
	MEMORY_OWNER_UDP,
	MEMORY_OWNER_PIPE, /* by what is unread in pipes that it can read */
	MEMORY_OWNER_UNIX_SOCKET, /* by what is unread in them */
	MEMORY_OWNER_ZRAM, /* a device */
	MEMORY_OWNER_SITE, /* a line of the kernel, of /proc/allocinfo */
	MEMORY_OWNER_PERF, /* a process, by the buffers of perf that it maps */
	MEMORY_OWNER_IO_URING, /* by the rings of io_uring that it maps */
	MEMORY_OWNER_PACKET, /* by the rings of packet sockets that it maps */
	MEMORY_OWNER_GRAPHICS, /* by objects of graphics drivers */
	MEMORY_OWNER_PAGE_POOL, /* a network device */
	MEMORY_OWNER_PIN, /* the path of a map that only a bpffs has */
	MEMORY_OWNER_GRAPHICS_POOL, /* TTM: pages kept for reuse */
	MEMORY_OWNER_XFS, /* a filesystem, by the buffers of its metadata */
	MEMORY_OWNER_OTHER_BPF, /* a map that a program or another map has */
	MEMORY_OWNER_KINDS
};

struct memory_owner_kind_info {
	const char *key; /* for JSON */
	enum field_says says; /* what the name of one says */
	bool is_process; /* or something that one has open */
	/* What a process has, as "unread in pipes"; NULL: what is in the head */
	const char *has;
};

/* One kind of owner of one head. */
struct memory_owner_info {
	enum memory_head_id head; /* MEMORY_HEADS: what is unaccounted */
	enum memory_owner_kind kind;
	const struct memory_owner_kind_info *of;
	const char *label;
	const char *note; /* how to read the figures; or NULL */
	/* No page is in two owners, so those left out can be added up. */
	bool is_disjoint;
};

enum { MEMORY_OWNER_LISTS = 41 };

const struct memory_owner_info *memory_owner_info(size_t list);

struct memory_owners;

/* The name of a head for JSON; of MEMORY_HEADS "unaccounted". */
const char *memory_owners_head_key(enum memory_head_id head);

/* Whether some list can say who has the head, on some host. */
bool memory_owners_exist(enum memory_head_id head);

/* Whether a list of the head is of processes. */
bool memory_owners_are_processes(enum memory_head_id head);

/* Writes what a list is of, as "programs (anonymous): processes". */
void memory_owners_name(size_t list, char *text, size_t size);

/* How to read the figures of a list; "" if they are what they seem. */
const char *memory_owners_note(const struct memory_owners *owners, size_t list);

/* Heads, and what is unaccounted. */
struct memory_owners_asked {
	bool heads[MEMORY_HEADS + 1];
};

struct memory_owner {
	char *name; /* owned */
	int64_t bytes;
	unsigned int pid; /* 0: not a process */
	/* How much of the name is its own, before that of the process that has
	 * it; 0: all of it. */
	size_t own_length;
	unsigned int depth; /* in a tree: how many owners it is below */
};

struct memory_owner_list {
	bool asked;
	/* The largest first; a tree has each before those below it. */
	struct memory_owner *owners;
	size_t count;
	size_t capacity;
	size_t others; /* too small to be kept */
	int64_t others_bytes; /* together; only if the kind is disjoint */
	size_t unread; /* owners that could not be asked */
	bool uncounted; /* this kernel does not tell who has it */
	/* Of both heads of slab: of some caches it is not known. */
	bool is_of_both;
	bool is_of_namespace; /* processes outside this one are not seen */
	char why[160]; /* why none could be asked; "" */
};

/* All zero: nothing was asked for. */
struct memory_owners {
	struct memory_owner_list lists[MEMORY_OWNER_LISTS];
	int64_t page_size; /* bytes */
	size_t top; /* most owners in a list */
	bool by_pss; /* programs are ranked by Pss */
	bool is_cut_short; /* the user's time was over: some may be missing */
};

void memory_owners_deinit(struct memory_owners *owners);

/*
 * Adds the heads of @words to @asked, names of heads for JSON with commas
 * between them, or "all". Returns 0, or -EINVAL with @err set.
 */
int memory_owners_parse(struct memory_owners_asked *asked, const char *words,
			struct error *err);

/* The words that it takes, one by one; NULL after the last. */
const char *memory_owners_word(size_t which);

/*
 * Empties @owners and asks for every list of the heads, and for the @top
 * largest owners in each. @page_size is in bytes.
 */
void memory_owners_ask(struct memory_owners *owners,
		       const struct memory_owners_asked *asked, size_t top,
		       uint64_t page_size);

/*
 * Sets @order to the lists of @head that were asked for, that with the largest
 * owner first, those of cgroups after them; returns how many there are.
 */
size_t memory_owners_of(const struct memory_owners *owners,
			enum memory_head_id head,
			size_t order[MEMORY_OWNER_LISTS]);

/*
 * Says of lists of a captured host that they are short if they do not add up to
 * half of what they have to.
 */
void memory_owners_check(struct memory_owners *owners,
			 const struct memory_heads *heads);

/* Whether no owner is missing, but for those that are too small. */
bool memory_owners_are_whole(const struct memory_owners *owners);

/*
 * Adds an owner to a list; takes over @name, which is NULL when out of memory.
 * Returns 0 or -ENOMEM.
 */
int memory_owner_add(struct memory_owner_list *list, char *name, int64_t bytes,
		     unsigned int pid);

void memory_owner_list_deinit(struct memory_owner_list *list);

/*
 * Sorts by size, in a tree what is below the same, and keeps the @top largest
 * owners, at least one: what is above has as much as what is below, so a tree
 * stays one. Counts the others. Returns 0 or -ENOMEM.
 */
int memory_owner_list_cut(struct memory_owner_list *list, size_t top);

/*
 * Sets *@least to the smallest of the @top largest figures of the first @count
 * owners; -1 if there are fewer. Returns 0 or -ENOMEM.
 */
int memory_owner_list_least(const struct memory_owner_list *list, size_t count,
			    size_t top, int64_t *least);

/*
 * What the owners of a disjoint list have, with the others. Sets *@all_bytes to
 * what they have at most: their head; both heads of slab where it is not known
 * which of its caches are of which; 0 if these are all in the other list.
 */
int64_t memory_owners_listed(const struct memory_owners *owners,
			     const struct memory_heads *heads, size_t which,
			     int64_t *all_bytes);

/* Says why a list is empty, unless something was said already. */
void memory_owner_list_fail(struct memory_owner_list *list, const char *format,
			    ...) __attribute__((format(printf, 2, 3)));

#endif

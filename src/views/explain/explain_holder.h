/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the first sentence is about, and who has it. Reads nothing. */
#ifndef BUFSTAT_EXPLAIN_HOLDER_H
#define BUFSTAT_EXPLAIN_HOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/memory_heads.h"
#include "memory/memory_reading.h"

struct cached_file;
struct cgroup;
struct explain_device;
struct explain_facts;
struct explain_writer;
struct memory_owner;

/* From EXPLAIN_LARGE on somebody has to do something, perhaps. */
enum explain_state {
	/* Nobody says what is available, or the counts cannot all be right. */
	EXPLAIN_UNKNOWN,
	EXPLAIN_FINE,
	/*
	 * A head that the kernel cannot take back has a tenth of memory, and
	 * more than is usual, if that is recorded.
	 */
	EXPLAIN_LARGE,
	/* Less than a tenth of a limit is left after what can be reclaimed. */
	EXPLAIN_NEAR,
};

/* The slab cache of inodes on tmpfs (mm/shmem.c). */
#define TMPFS_INODES "shmem_inode_cache"

struct explain_holder {
	enum explain_state state;
	bool has_available;
	int64_t available_bytes, total_bytes;
	/* What of memory it is about; without, nothing is worth a word. */
	bool has_head;
	enum memory_head_id head; /* MEMORY_HEADS: what is unaccounted */
	int64_t head_bytes;
	/* The cgroup whose limit is near, or full of what can be reclaimed. */
	const struct cgroup *limited;
	size_t limited_index; /* of it */
	/* Who has most of the head; at most one of these is set. */
	const struct memory_owner *owner;
	size_t list; /* that it is in */
	const struct cgroup *cgroup;
	const struct explain_device *device;
	const struct cached_file *file; /* deleted, on a disk */
	bool has_idle_pages; /* huge ones, which no program can have */
	bool has_names; /* the most are of names that do not exist */
	/* Swap is full: head_bytes are there, and are no head of memory. */
	bool has_swap;
	bool is_reserve; /* a setting keeps most of it from programs: no head */
	int64_t bytes; /* that it has */
	/* Which other heads are large: a bit of each, MEMORY_HEADS too. */
	uint32_t also;
};

_Static_assert(MEMORY_HEADS < 32, "also has a bit of each");

/* Sets all but who has it: that decides which owners to look for. */
void explain_holder_choose(struct explain_holder *holder,
			   const struct explain_facts *facts);

/* Sets all of it. */
void explain_holder_init(struct explain_holder *holder,
			 const struct explain_facts *facts);

/*
 * Whether it would not be named if it were usual: memory is not short, and the
 * recorder keeps its figure.
 */
bool explain_may_be_usual(const struct explain_holder *holder,
			  const struct explain_facts *facts);

/* Bytes of a head, or of what is unaccounted. */
int64_t explain_head_bytes(const struct explain_facts *facts,
			   enum memory_head_id head);

/* What facts->medians has the median of: bytes of a head, or of a device. */
int64_t explain_usual_bytes(const struct explain_facts *facts,
			    enum memory_head_id head);

/* Whether it is at most twice its median. False if that is not known. */
bool explain_is_usual(const struct explain_facts *facts,
		      enum memory_head_id head);

/* Whether it is the root, and no file of it: that is the system's own. */
bool explain_holder_is_root(const struct explain_holder *holder);

/*
 * "swap", the key of the head of memory that the first sentence is about, or
 * NULL if it is about nothing. Static.
 */
const char *explain_holder_about(const struct explain_holder *holder);

/* Why nobody may be known to have it. */
enum explain_hidden {
	EXPLAIN_HIDDEN_NOT,
	EXPLAIN_HIDDEN_TO_USER, /* who is not root */
	/* From root in a namespace of PIDs, or of users. */
	EXPLAIN_HIDDEN_OUTSIDE,
};

enum explain_hidden explain_holder_hidden(const struct explain_holder *holder,
					  const struct explain_facts *facts);

/* Whether zram takes nearly as much memory as what is swapped out to it. */
bool explain_zram_saves_little(const struct memory_reading *memory);

/*
 * Pages of vmalloc that are lists of per-CPU memory, and go with it; 0 if that
 * is not known.
 */
int64_t explain_per_cpu_lists(const struct memory_reading *memory);

/* The process to end or to ask for what it holds; 0: none is known. */
unsigned int explain_holder_pid(const struct explain_holder *holder,
				const struct explain_facts *facts);

/*
 * Writes the first of them alone if something is large or near: what plain
 * bufstat says. Nothing otherwise.
 */
void explain_write_brief(const struct explain_writer *writer);

/* Writes it as one or two sentences on a line; of a dump, nothing. */
void explain_write_holder(const struct explain_writer *writer);

#endif

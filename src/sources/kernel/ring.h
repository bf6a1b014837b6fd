/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks a doubly linked list (list_head) in a kernel's memory, without the
 * list's lock. All lists of kernel objects are walked with this. The caller
 * says what an object is and what must be true of it.
 *
 * A successful walk visits every object that is on the list from beginning to
 * end of the walk exactly once. It may or may not visit objects that are added
 * or removed meanwhile.
 */
#ifndef BUFSTAT_RING_H
#define BUFSTAT_RING_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct kmem;

/* The most objects on a ring. A walk that finds more goes round in circles. */
#define RING_MOST (1U << 25)

struct ring {
	const char *what; /* the objects' name for messages: "devices" */
	uint64_t head; /* address of the one list_head that is in no object */
	uint32_t links; /* bytes from an object's start to its list_head */
	uint32_t size; /* bytes to read of each object, list_head included */
	size_t most; /* objects, up to RING_MOST */
	/*
	 * How often the walk may go back to a node that is still on the list
	 * if the next node proves wrong. With 0, a wrong node ends the walk.
	 */
	unsigned int resyncs;
	/*
	 * If not NULL and a dump lacks an object, the walk goes on backwards
	 * from the last object to the first. Sets *@lost to the objects between
	 * the two ends: 1, or 2 for two or more. Only with resyncs.
	 */
	size_t *lost;
	/*
	 * Returns what is wrong with the object read from @address, as a
	 * static string, or NULL if it is sound.
	 */
	const char *(*check)(void *data, const unsigned char *object,
			     uint64_t address);
	/*
	 * Called once for each sound object, in the order of the list, unless
	 * some are lost. Returns 0, or a negative errno with the error filled
	 * in, which ends the walk.
	 */
	int (*visit)(void *data, const unsigned char *object, uint64_t address,
		     struct error *err);
	void *data;
};

/*
 * Returns 0, -EAGAIN with the check that failed (the list changed, or is not a
 * list), -ENOMEM, the errno of reading, or what visit() returned. After an
 * error, some objects may have been visited.
 */
int ring_walk(const struct ring *ring, const struct kmem *kmem,
	      struct error *err);

#endif

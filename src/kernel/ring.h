/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one walker: it follows a doubly linked list of the kernel (list_head) in
 * memory that it reads without the list's lock. Everything that lists objects
 * of the kernel is a reader on it and says what an object is and what has to be
 * true of it.
 *
 * The walk sees every object that is on the list from its beginning to its end
 * exactly once. What is added or removed meanwhile it may see or not.
 */
#ifndef BUFSTAT_RING_H
#define BUFSTAT_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct kmem;

/* Objects that a ring may have; one with more never ends. */
#define RING_MOST (1U << 25)

struct ring {
	const char *what; /* it lists, for messages: "devices" */
	uint64_t head; /* address of the list_head that is in no object */
	uint32_t links; /* bytes from an object's start to its list_head */
	uint32_t size; /* bytes that are read of each object, the links too */
	size_t most; /* objects, up to RING_MOST */
	/*
	 * How often the walk may go back to a node that is still on the list,
	 * where the next one turns out to be none. With 0, any doubt ends it.
	 */
	unsigned int resyncs;
	bool backwards; /* from the last object to the first */
	/*
	 * Says what is wrong with an object that was read from @address, in a
	 * string that stays, or returns NULL.
	 */
	const char *(*check)(void *data, const unsigned char *object,
			     uint64_t address);
	/*
	 * Called once for each sound object, in the order of the list. Returns
	 * 0, or a negative errno with the error filled in, which ends the walk.
	 */
	int (*visit)(void *data, const unsigned char *object, uint64_t address,
		     struct error *err);
	void *data;
};

/*
 * Returns 0, -EAGAIN with which check failed (the list changed, or never was
 * one), -ENOMEM, the errno of reading, or what visit() returned. After an error
 * some of the objects were visited.
 */
int ring_walk(const struct ring *ring, const struct kmem *kmem,
	      struct error *err);

#endif

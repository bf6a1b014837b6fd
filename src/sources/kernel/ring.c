// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kmem.h"
#include "kernel/ring.h"
#include "lib/cleanup.h"
#include "lib/error.h"

/* Revisits allowed, in addition to one for each node visited. */
#define AGAIN 1024
/* Resyncs in a row without a new node. More mean that the damage stays. */
#define STALLS 512

/* struct list_head. */
struct links {
	uint64_t next;
	uint64_t previous;
};

struct walk {
	const struct ring *ring;
	const struct kmem *kmem;
	struct error *err;
	unsigned char *object; /* copy of the object read last */
	uint64_t *nodes; /* the nodes visited, in order */
	size_t count;
	size_t capacity;
	/* Hash table of indexes into @nodes, plus 1; only with resyncs. */
	uint32_t *index;
	size_t index_size; /* a power of two, or 0 */
	uint64_t previous; /* the node that led to the next one */
	bool backwards; /* from the last object to the first */
	unsigned int resyncs; /* left */
	unsigned int stalls; /* resyncs since the last new node */
	size_t again; /* revisits left */
};

static int changed(const struct walk *walk, const char *how)
{
	return error_set(
		walk->err, EAGAIN,
		"the list of %s is damaged, or changed while it was read (%s)",
		walk->ring->what, how);
}

static int unreadable(const struct walk *walk, int ret)
{
	return error_doing(walk->err, -ret, "reading kernel memory", NULL, "%s",
			   kmem_strerror(ret));
}

/* Nodes are aligned, so the low bits carry no information. */
static size_t hash(const struct walk *walk, uint64_t node)
{
	return (size_t)((node >> 3) * 0x9e3779b97f4a7c15ULL >> 20) &
	       (walk->index_size - 1);
}

/* Returns the node's place in the index, or the free one where it belongs. */
static size_t slot_of(const struct walk *walk, uint64_t node)
{
	size_t i = hash(walk, node);

	while (walk->index[i] && walk->nodes[walk->index[i] - 1] != node)
		i = (i + 1) & (walk->index_size - 1);
	return i;
}

static bool is_visited(const struct walk *walk, uint64_t node)
{
	return walk->index_size && walk->index[slot_of(walk, node)];
}

/* The index has at least twice as many slots as nodes: searches are short. */
static int make_room(struct walk *walk)
{
	size_t capacity = walk->capacity * 2 + 64;
	void *moved = reallocarray(walk->nodes, capacity, sizeof(*walk->nodes));

	if (!moved)
		return -ENOMEM;
	walk->nodes = moved;
	walk->capacity = capacity;
	if (!walk->ring->resyncs)
		return 0;
	free(walk->index);
	walk->index_size = 128;
	while (walk->index_size < capacity * 2)
		walk->index_size *= 2;
	walk->index = calloc(walk->index_size, sizeof(*walk->index));
	if (!walk->index)
		return -ENOMEM;
	for (size_t i = 0; i < walk->count; i++)
		walk->index[slot_of(walk, walk->nodes[i])] = (uint32_t)i + 1;
	return 0;
}

/* Swaps the links if the walk goes backwards, so that next is ahead. */
static struct links turned(const struct walk *walk, struct links links)
{
	if (!walk->backwards)
		return links;
	return (struct links){ links.previous, links.next };
}

static struct links links_of(const struct walk *walk)
{
	struct links links;

	memcpy(&links, walk->object + walk->ring->links, sizeof(links));
	return turned(walk, links);
}

static int read_head(const struct walk *walk, struct links *links)
{
	int ret =
		kmem_read(walk->kmem, walk->ring->head, links, sizeof(*links));

	*links = turned(walk, *links);
	return ret < 0 ? unreadable(walk, ret) : 0;
}

/*
 * Reads the object of a node and sets *@wrong to what is wrong with it, or to
 * NULL. Returns 0 or the errno of reading.
 */
static int read_object(struct walk *walk, uint64_t node, const char **wrong)
{
	const struct ring *ring = walk->ring;
	uint64_t address = node - ring->links;
	int ret;

	*wrong = "an address that is none";
	if (node % sizeof(uint64_t))
		return 0;
	ret = kmem_read(walk->kmem, address, walk->object, ring->size);
	*wrong = "an address outside memory";
	if (ret < 0)
		return ret == -EFAULT ? 0 : ret;
	*wrong = "a node that leads to itself";
	if (links_of(walk).next != node)
		*wrong = ring->check(ring->data, walk->object, address);
	return 0;
}

/*
 * Whether a node's previous link leads to the node that led here, or to another
 * visited one. In the second case the node that led here was removed meanwhile,
 * and the walk can go on.
 */
static bool follows(const struct walk *walk, uint64_t previous)
{
	return previous == walk->previous || is_visited(walk, previous);
}

/* Whether the node that was just read is on the list. */
static bool is_linked(const struct walk *walk, uint64_t node)
{
	struct links previous;

	return kmem_read(walk->kmem, links_of(walk).previous, &previous,
			 sizeof(previous)) == 0 &&
	       turned(walk, previous).next == node;
}

/*
 * Goes back to a visited node that is still on the list, or to the head, and
 * sets *@node to the one after it. Tries the last node first, then goes further
 * back each time. The walk then skips the nodes that it has visited. The kernel
 * adds objects only at one end of the list, never between two old ones.
 */
static int resync(struct walk *walk, uint64_t *node, const char *why)
{
	struct links head;
	int ret;

	if (!walk->resyncs || walk->stalls == STALLS)
		return changed(walk, why);
	walk->resyncs--;
	walk->stalls++;
	for (size_t back = 1; back <= walk->count; back *= 2) {
		uint64_t last = walk->nodes[walk->count - back];
		const char *wrong;

		ret = read_object(walk, last, &wrong);
		if (ret < 0)
			return unreadable(walk, ret);
		if (wrong)
			continue;
		*node = links_of(walk).next;
		if (!is_linked(walk, last))
			continue;
		walk->previous = last;
		return 0;
	}
	walk->previous = walk->ring->head;
	ret = read_head(walk, &head);
	*node = head.next;
	return ret;
}

/* Visits a sound object, unless it was visited before. */
static int take(struct walk *walk, uint64_t node)
{
	const struct ring *ring = walk->ring;
	uint32_t *indexed = NULL;
	int ret;

	if (walk->count == walk->capacity && make_room(walk) < 0)
		return error_errno(walk->err, ENOMEM, NULL, NULL);
	if (ring->resyncs)
		indexed = &walk->index[slot_of(walk, node)];
	if (indexed && *indexed)
		return walk->again-- ? 0 :
				       changed(walk, "a ring within the ring");
	if (walk->count == ring->most)
		return changed(walk, "more of them than there can be");
	ret = ring->visit(ring->data, walk->object, node - ring->links,
			  walk->err);
	if (ret < 0)
		return ret;
	walk->nodes[walk->count++] = node;
	if (indexed)
		*indexed = (uint32_t)walk->count;
	walk->again++;
	walk->stalls = 0;
	return 0;
}

/* Visits the object of *@node and sets *@node to the next one to read. */
static int step(struct walk *walk, uint64_t *node)
{
	struct links links;
	const char *wrong;
	int ret = read_object(walk, *node, &wrong);

	if (ret < 0)
		return unreadable(walk, ret);
	links = links_of(walk);
	if (!wrong && !follows(walk, links.previous))
		wrong = "a node with another one before it";
	if (wrong)
		return resync(walk, node, wrong);
	ret = take(walk, *node);
	if (ret < 0)
		return ret;
	walk->previous = *node;
	*node = links.next;
	return 0;
}

/* Sets *@node to the head at the end, else to the node that failed. */
static int walk_one_way(struct walk *walk, uint64_t *node)
{
	uint64_t head = walk->ring->head;
	struct links links;
	int ret = read_head(walk, &links);

	*node = head;
	if (ret < 0)
		return ret;
	walk->previous = head;
	*node = links.next;
	do {
		while (!ret && *node != head)
			ret = step(walk, node);
		if (!ret)
			ret = read_head(walk, &links);
		if (ret < 0 || follows(walk, links.previous))
			return ret;
		ret = resync(walk, node, "another one at its end");
	} while (!ret);
	return ret;
}

/* Walks what is before and what is after the objects that a dump lacks. */
static int walk_ring(struct walk *walk)
{
	size_t *lost = walk->ring->lost;
	uint64_t first, last;
	int ret = walk_one_way(walk, &first);

	if (ret != -ENODATA || !lost || first == walk->ring->head)
		return ret;
	walk->backwards = true;
	ret = walk_one_way(walk, &last);
	if (!ret)
		return changed(walk, "whole in one direction only");
	if (ret != -ENODATA)
		return ret;
	*lost = first == last ? 1 : 2;
	return 0;
}

int ring_walk(const struct ring *ring, const struct kmem *kmem,
	      struct error *err)
{
	_cleanup_(freep) unsigned char *object = malloc(ring->size);
	struct walk walk = {
		.ring = ring,
		.kmem = kmem,
		.err = err,
		.object = object,
		.resyncs = ring->resyncs,
		.again = AGAIN,
	};
	int ret;

	if (!object)
		return error_errno(err, ENOMEM, NULL, NULL);
	ret = walk_ring(&walk);
	free(walk.nodes);
	free(walk.index);
	return ret;
}

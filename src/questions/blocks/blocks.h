/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classifies the cached blocks of a device by what is cached: the layout of
 * its filesystem tells most, cached inodes tell whose their blocks are, and
 * cached bitmaps tell what is in use. It does no more than that, so it never
 * reads the device.
 */
#ifndef BUFSTAT_BLOCKS_H
#define BUFSTAT_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "blocks/block_cache.h"
#include "blocks/ext.h"

/* Bytes. */
#define BLOCKS_WHY 512

struct blocks {
	const char *fstype; /* static: "ext4", "xfs"; NULL: none was found */
	/* Why its blocks could not be told apart, or "". */
	char why[BLOCKS_WHY];
	uint64_t bytes[BLOCK_KINDS]; /* of each kind */
	/* What blocks of unknown owners look like, of those looked into. */
	uint64_t looks[BLOCK_KINDS][LOOKS]; /* bytes */
	uint64_t unowned_units; /* blocks of unknown owners */
	uint64_t looked_units; /* how many of them were looked into */
	bool has_inodes; /* the next one is known */
	uint64_t inodes; /* in use, in the whole filesystem */
	struct ext_owners owners; /* the inodes with most cached blocks */
};

/*
 * Classifies what is in @cache, whose units it sets, within @budget_ns from
 * @began_ns (CLOCK_MONOTONIC) on; 0: however long it takes. @device_bytes is
 * the size of the device, 0 if it is not known. Returns 0, also if little could
 * be told; @blocks->why then says why not more. Or a negative errno. The
 * caller deinits @blocks in either case.
 */
int blocks_init(struct blocks *blocks, struct block_cache *cache,
		uint64_t device_bytes, int64_t began_ns, int64_t budget_ns);
void blocks_deinit(struct blocks *blocks);

/* Whether there was time for all of it. */
bool blocks_are_whole(const struct blocks *blocks);

/* A part of the device, as a heat strip shows it. */
struct blocks_part {
	uint64_t bytes; /* cached in it */
	enum block_kind kind; /* of most of them */
};

/* Fills in @count parts of the same size, of a device of @device_bytes. */
void blocks_strip(const struct block_cache *cache, uint64_t device_bytes,
		  struct blocks_part *parts, size_t count);

/* A run of cached bytes of one kind. */
struct blocks_run {
	uint64_t offset; /* in the device, bytes */
	uint64_t bytes;
	enum block_kind kind;
};

/*
 * Finds the run that begins with the unit *@which, and moves *@which after it.
 * Returns false after the last one.
 */
bool blocks_next_run(const struct block_cache *cache, size_t *which,
		     struct blocks_run *run);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "record/cgroup_paths.h"
#include "record/filled.h"
#include "store/documents.h"

#define PLACES (2 * FILLED_ROOM)
/* The last rows are for what is not told apart any more. */
#define ROOM_OF_COMMANDS (FILLED_ROOM - FILLED_ROOM / 8)

_Static_assert((PLACES & (PLACES - 1)) == 0, "a hash is masked");

void filled_clear(struct filled *filled)
{
	filled->count = 0;
	filled->events = 0;
	filled->lost_events = 0;
	filled->windows = 0;
	filled->sampled_ms = filled->squares = 0;
	memset(filled->places, 0, sizeof(filled->places));
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
}

static size_t hash(const struct trace_fill *fill)
{
	uint64_t words[TRACE_COMMAND / sizeof(uint64_t)], sum;

	memcpy(words, fill->command, sizeof(words));
	sum = mix((uint64_t)fill->major << 32 | fill->minor, fill->is_bdev);
	sum = mix(mix(sum, words[0]), words[1]);
	sum = mix(mix(sum, fill->cgroup), fill->on_behalf_of);
	return (size_t)(sum >> 32) & (PLACES - 1);
}

static bool is_same(const struct filled_row *row, const struct filled_row *key)
{
	const struct trace_fill *a = &row->fill, *b = &key->fill;

	return a->major == b->major && a->minor == b->minor &&
	       a->is_bdev == b->is_bdev && row->is_others == key->is_others &&
	       a->cgroup == b->cgroup && a->on_behalf_of == b->on_behalf_of &&
	       memcmp(a->command, b->command, TRACE_COMMAND) == 0;
}

/* Returns NULL if it is not there and there is no room for it. */
static struct filled_row *find_or_add(struct filled *filled,
				      const struct filled_row *key, size_t room)
{
	size_t at = hash(&key->fill);
	struct filled_row *row;

	for (; filled->places[at]; at = (at + 1) & (PLACES - 1)) {
		row = &filled->rows[filled->places[at] - 1];
		if (is_same(row, key))
			return row;
	}
	if (filled->count >= room)
		return NULL;
	row = &filled->rows[filled->count++];
	*row = *key;
	filled->places[at] = (uint16_t)filled->count;
	return row;
}

static void make_key(struct filled_row *key, const struct trace_fill *fill,
		     bool is_others)
{
	*key = (struct filled_row){
		.fill = {
			.major = fill->major,
			.minor = fill->minor,
			.is_bdev = fill->is_bdev,
			.process = is_others ? 0 : fill->process,
			.cgroup = is_others ? 0 : fill->cgroup,
			.on_behalf_of = is_others ? 0 : fill->on_behalf_of,
		},
		.is_others = is_others,
	};
	/* What is after the end of the name is not part of it. */
	if (!is_others)
		snprintf(key->fill.command, sizeof(key->fill.command), "%s",
			 fill->command);
}

void filled_add(struct filled *filled, const struct trace_fill *since)
{
	struct filled_row key, *row;

	filled->events += since->events;
	if (!trace_fill_in(since) && !since->out)
		return;
	make_key(&key, since, false);
	row = find_or_add(filled, &key, ROOM_OF_COMMANDS);
	if (!row) {
		make_key(&key, since, true);
		row = find_or_add(filled, &key, FILLED_ROOM);
	}
	if (row)
		trace_fill_add(&row->fill, since);
	else
		filled->lost_events += since->events ? since->events : 1;
}

/* ---- samples ------------------------------------------------------------- */

static void end_window(struct filled_spread *spread, uint64_t pages, double ms)
{
	uint64_t now = pages - spread->before;

	spread->before = pages;
	spread->squares += (double)now * (double)now;
	spread->crossed += (double)now * ms;
	if (now > spread->most)
		spread->most = now;
}

void filled_end_window(struct filled *filled, double ms)
{
	filled->windows++;
	filled->sampled_ms += ms;
	filled->squares += ms * ms;
	for (size_t i = 0; i < filled->count; i++) {
		struct filled_row *row = &filled->rows[i];

		end_window(&row->in, trace_fill_in(&row->fill), ms);
		end_window(&row->out, row->fill.out, ms);
	}
}

/* Student's t for a probability of 95 %, from 4 degrees on within 2 %. */
static double student(double degrees)
{
	return 1.96 + (2.372 + 2.823 / degrees) / degrees;
}

/* Newton's way, since sqrt() is not in the C library. */
static double root(double square)
{
	double guess = square > 1 ? square : 1;

	/* Rounding may have left less than nothing. */
	for (int i = 0; square > 0 && i < 100; i++)
		guess = (guess + square / guess) / 2;
	return square > 0 ? guess : 0;
}

/*
 * The windows have different lengths, so what counts is how far each is from
 * what its length lets expect. If few windows have all that came, the spread
 * says too little: as much as was in the fullest window is added for that.
 */
static uint64_t error_of(const struct filled *filled,
			 const struct filled_spread *spread, uint64_t pages,
			 double over_ms)
{
	double scale = over_ms / filled->sampled_ms;
	double windows = filled->windows, rate, sum;
	double error = (double)spread->most;

	if (windows > 1) {
		rate = (double)pages / filled->sampled_ms;
		sum = spread->squares - 2 * rate * spread->crossed +
		      rate * rate * filled->squares;
		error += student(windows - 1) *
			 root(sum * windows / (windows - 1));
	}
	return (uint64_t)(error * scale + 0.5);
}

static void estimate(uint64_t *pages, double scale)
{
	*pages = (uint64_t)((double)*pages * scale + 0.5);
}

void filled_estimate(struct filled *filled, double over_ms)
{
	double scale = over_ms / filled->sampled_ms;

	for (size_t i = 0; i < filled->count; i++) {
		struct filled_row *row = &filled->rows[i];
		struct trace_fill *fill = &row->fill;

		fill->in_error = error_of(filled, &row->in, trace_fill_in(fill),
					  over_ms);
		fill->out_error =
			error_of(filled, &row->out, fill->out, over_ms);
		for (unsigned int how = 0; how < FILL_HOWS; how++)
			estimate(&fill->in[how], scale);
		estimate(&fill->out, scale);
		estimate(&fill->dropped, scale);
	}
}

/* ---- a report ------------------------------------------------------------ */

static uint64_t activity(const struct filled_row *row)
{
	return trace_fill_in(&row->fill) + row->fill.out;
}

/* The row that did most of those that were not reported yet, or NULL. */
static struct filled_row *next_row(struct filled *filled)
{
	struct filled_row *best = NULL;

	for (size_t i = 0; i < filled->count; i++) {
		struct filled_row *row = &filled->rows[i];

		if (!row->is_reported &&
		    (!best || activity(row) > activity(best)))
			best = row;
	}
	return best;
}

/* Its paths are those of @paths. */
static void make_fill(struct store_fill *fill, const struct filled_row *row,
		      bool has_cache, const struct cgroup_paths *paths)
{
	const struct trace_fill *from = &row->fill;

	*fill = (struct store_fill){
		.has_cache = has_cache,
		.is_others = row->is_others,
		.fill = *from,
		.has_error = from->in_error || from->out_error,
		.cgroup = (char *)cgroup_paths_get(&paths->own, from->cgroup),
		.on_behalf_of = (char *)cgroup_paths_get(&paths->memory,
							 from->on_behalf_of),
	};
}

/* Adds all that was not reported, of the cache of @first or of all. */
static void gather(struct filled *filled, const struct filled_row *first,
		   struct filled_row *sum)
{
	make_key(sum, &filled->rows[0].fill, true);
	if (first)
		make_key(sum, &first->fill, true);
	for (size_t i = 0; i < filled->count; i++) {
		struct filled_row *row = &filled->rows[i];

		if (row->is_reported ||
		    (first && (row->fill.major != sum->fill.major ||
			       row->fill.minor != sum->fill.minor ||
			       row->fill.is_bdev != sum->fill.is_bdev)))
			continue;
		trace_fill_add(&sum->fill, &row->fill);
		row->is_reported = true;
	}
	sum->fill.process = 0;
}

size_t filled_report(struct filled *filled, const struct cgroup_paths *paths,
		     struct store_fill *fills)
{
	struct filled_row sum, *row;
	size_t count = 0;

	for (int i = 0; i < FILLED_REPORTED && (row = next_row(filled)); i++) {
		make_fill(&fills[count++], row, true, paths);
		row->is_reported = true;
	}
	for (int i = 0; i < FILLED_REPORTED && (row = next_row(filled)); i++) {
		gather(filled, row, &sum);
		make_fill(&fills[count++], &sum, true, paths);
	}
	if (next_row(filled)) {
		gather(filled, NULL, &sum);
		make_fill(&fills[count++], &sum, false, paths);
	}
	return count;
}

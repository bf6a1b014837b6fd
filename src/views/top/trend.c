// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "top/trend.h"

static size_t hash(const char *key)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (; *key; key++)
		sum = (sum ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
	return (size_t)sum;
}

/* The place of @key in the index, or the free one where it belongs. */
static size_t *find(const struct trends *trends, const char *key)
{
	size_t mask = trends->index_size - 1, at = hash(key) & mask;

	while (trends->index[at] &&
	       strcmp(trends->trends[trends->index[at] - 1]->key, key) != 0)
		at = (at + 1) & mask;
	return &trends->index[at];
}

/* Makes the index anew, at most half full with @more rows. */
static int make_index(struct trends *trends, size_t more)
{
	size_t size = 64;
	size_t *index;

	while (size < 2 * (trends->count + more))
		size *= 2;
	index = calloc(size, sizeof(*index));
	if (!index)
		return -ENOMEM;
	free(trends->index);
	trends->index = index;
	trends->index_size = size;
	for (size_t i = 0; i < trends->count; i++)
		*find(trends, trends->trends[i]->key) = i + 1;
	return 0;
}

static void trend_destroy(struct trend *trend)
{
	free(trend->key);
	free(trend->name);
	free(trend);
}

int trends_begin(struct trends *trends, int64_t taken_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < trends->count; i++) {
		struct trend *trend = trends->trends[i];

		if (trends->samples - trend->last > TREND_GONE_SHOWN)
			trend_destroy(trend);
		else
			trends->trends[kept++] = trend;
	}
	if (kept != trends->count || !trends->index) {
		trends->count = kept;
		if (make_index(trends, 1) < 0)
			return -ENOMEM;
	}
	trends->samples++;
	trends->before_ns = trends->taken_ns;
	trends->taken_ns = taken_ns;
	return 0;
}

static int add(struct trends *trends, const char *key, size_t *place)
{
	struct trend *trend;

	if (array_make_room(&trends->trends, trends->count, &trends->capacity) <
	    0)
		return -ENOMEM;
	trend = calloc(1, sizeof(*trend));
	if (!trend)
		return -ENOMEM;
	trend->key = strdup(key);
	trend->name = strdup("");
	if (!trend->key || !trend->name) {
		trend_destroy(trend);
		return -ENOMEM;
	}
	trend->first = trends->samples;
	trends->trends[trends->count++] = trend;
	*place = trends->count;
	return 2 * trends->count > trends->index_size ? make_index(trends, 0) :
							0;
}

int trends_add(struct trends *trends, const char *key, const char *name,
	       int64_t figure)
{
	size_t *place = find(trends, key);
	size_t at;
	struct trend *trend;
	char *copy;

	if (!*place && add(trends, key, place) < 0)
		return -ENOMEM;
	at = *find(trends, key);
	trend = trends->trends[at - 1];
	/* It was away: what it had before says nothing about it now. */
	if (trend->last && trend->last + 1 < trends->samples)
		trend->first = trends->samples;
	if (strcmp(trend->name, name) != 0) {
		copy = strdup(name);
		if (!copy)
			return -ENOMEM;
		free(trend->name);
		trend->name = copy;
	}
	trend->figures[trends->samples % TREND_LENGTH] = figure;
	trend->last = trends->samples;
	return 0;
}

const struct trend *trends_find(const struct trends *trends, const char *key)
{
	size_t place = trends->index ? *find(trends, key) : 0;

	return place ? trends->trends[place - 1] : NULL;
}

void trends_deinit(struct trends *trends)
{
	for (size_t i = 0; i < trends->count; i++)
		trend_destroy(trends->trends[i]);
	free(trends->trends);
	free(trends->index);
	*trends = (struct trends){ 0 };
}

bool trend_is_new(const struct trends *trends, const struct trend *trend)
{
	return trends->samples > 1 && trend->first == trends->samples;
}

bool trend_is_gone(const struct trends *trends, const struct trend *trend)
{
	return trend->last < trends->samples;
}

struct column_value trend_rate(const struct trends *trends,
			       const struct trend *trend)
{
	struct column_value rate = { 0 };
	double seconds = (double)(trends->taken_ns - trends->before_ns) / 1e9;
	int64_t now, before;

	if (trend_is_gone(trends, trend) || trend->first == trend->last ||
	    seconds <= 0)
		return rate;
	now = trend->figures[trends->samples % TREND_LENGTH];
	before = trend->figures[(trends->samples - 1) % TREND_LENGTH];
	if (now == TREND_ABSENT || before == TREND_ABSENT)
		return rate;
	rate.known = true;
	rate.number = (int64_t)((double)(now - before) / seconds);
	return rate;
}

static const char *mark(int64_t figure, int64_t least, int64_t most, bool utf8)
{
	static const char *const blocks[] = {
		"\u2581", "\u2582", "\u2583", "\u2584",
		"\u2585", "\u2586", "\u2587", "\u2588",
	};
	static const char *const letters[] = { "_", "_", ".", ".",
					       "-", "-", "'", "'" };
	size_t height = 0;

	if (most > least)
		height = (size_t)((double)(figure - least) /
					  (double)(most - least) * 7 +
				  0.5);
	return utf8 ? blocks[height] : letters[height];
}

static int64_t figure_of(const struct trend *trend, uint64_t sample)
{
	return sample < trend->first || sample > trend->last ?
		       TREND_ABSENT :
		       trend->figures[sample % TREND_LENGTH];
}

void trend_line(const struct trends *trends, const struct trend *trend,
		size_t width, bool utf8, char *text)
{
	const uint64_t end = trends->samples;
	uint64_t begin = end > width ? end - width + 1 : 1;
	int64_t least = 0, most = 0;

	if (end - begin >= TREND_LENGTH)
		begin = end - TREND_LENGTH + 1;
	for (uint64_t i = begin; i <= end; i++) {
		int64_t figure = figure_of(trend, i);

		if (figure == TREND_ABSENT)
			continue;
		least = figure < least ? figure : least;
		most = figure > most ? figure : most;
	}
	for (uint64_t i = begin; i <= end; i++) {
		int64_t figure = figure_of(trend, i);

		text = stpcpy(text, figure == TREND_ABSENT ?
					    " " :
					    mark(figure, least, most, utf8));
	}
	*text = '\0';
}

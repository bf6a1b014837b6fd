// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the rows of a trace to what a recording says of who filled caches: what
 * the tracer writes is what history and who read.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filesystems/selection.h"
#include "lib/cleanup.h"
#include "lib/json_in.h"
#include "lib/text_stream.h"
#include "record/budget.h"
#include "record/cgroup_paths.h"
#include "record/filled.h"
#include "record/filled_totals.h"
#include "record/seen_fills.h"
#include "recorded/recorded_who.h"
#include "store/documents.h"
#include "test.h"

#define S INT64_C(1000000000)
#define PAGE 4096

static struct trace_fill fill_of(unsigned int minor, const char *command,
				 uint32_t process, uint64_t in, uint64_t out)
{
	struct trace_fill fill = {
		.major = 8,
		.minor = minor,
		.is_bdev = true,
		.process = process,
		.in = { [FILL_READ] = in },
		.out = out,
		.events = in + out,
	};

	snprintf(fill.command, sizeof(fill.command), "%s", command);
	return fill;
}

/* ---- budget -------------------------------------------------------------- */

static void tracing_pauses_until_it_is_paid_for(void **state
						__attribute__((unused)))
{
	struct budget budget = { 0 };

	/* 300 ms of a minute are 0.5 %. */
	assert_int_equal(budget_use(&budget, 1 * S, 0), 0);
	assert_int_equal(budget_use(&budget, 10 * S, 299 * S / 1000), 0);
	assert_int_equal(budget_use(&budget, 11 * S, S / 1000), 0);
	assert_int_equal(budget_use(&budget, 12 * S, 300 * S / 1000),
			 1 * S + 120 * S);
	/* The next minute begins when it goes on. */
	assert_int_equal(budget_use(&budget, 121 * S, 299 * S / 1000), 0);
	assert_int_equal(budget_use(&budget, 181 * S, 299 * S / 1000), 0);
	assert_int_equal(budget_use(&budget, 182 * S, 2 * S / 1000),
			 181 * S + 301 * S / 5);
}

/* ---- samples ------------------------------------------------------------- */

/* Wherever the window begins, each moment of a second is as often in it. */
static void each_moment_has_its_turn(void **state __attribute__((unused)))
{
	const int64_t ms = S / 1000, second_ns = 7 * S + 3;
	struct sampling sampling;
	int turns[1000] = { 0 };

	for (uint32_t at = 0; at < 1000; at++) {
		int64_t now_ns = second_ns, on_ns = 0;

		sampling_begin(&sampling, second_ns,
			       at * (uint32_t)ms + 2 * (uint32_t)S);
		for (int i = 0; i < 1000; i++)
			turns[i] +=
				sampling_is_on(&sampling, second_ns + i * ms);
		while (!sampling_is_over(&sampling, now_ns)) {
			int64_t next_ns = sampling_next(&sampling, now_ns);

			assert_true(next_ns > now_ns);
			if (sampling_is_on(&sampling, now_ns))
				on_ns += next_ns - now_ns;
			now_ns = next_ns;
		}
		assert_int_equal(now_ns, second_ns + S);
		assert_int_equal(on_ns, 50 * ms);
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(turns[i], 50);
}

enum { SAMPLED_S = 25, SAMPLED_RUNS = 1000 };

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 32);
}

/* Pages in each ms: always @steady, and in bursts @more. */
static uint64_t make_load(uint32_t *load, uint32_t steady, uint32_t more,
			  uint64_t *seed)
{
	uint32_t left = next_random(seed) % 2000;
	bool is_burst = false;
	uint64_t all = 0;

	for (int i = 0; i < SAMPLED_S * 1000; i++, left--) {
		if (!left) {
			is_burst = !is_burst;
			left = is_burst ? 200 + next_random(seed) % 1300 :
					  500 + next_random(seed) % 3500;
		}
		load[i] = steady ? steady / 2 + next_random(seed) % steady : 0;
		load[i] += is_burst ? more : 0;
		all += load[i];
	}
	return all;
}

/* The windows are late by up to 5 ms. */
static void take_sample(struct filled *filled, const uint32_t *load,
			uint64_t *seed)
{
	for (int second = 0; second < SAMPLED_S; second++) {
		uint32_t at = next_random(seed) % 1000;
		uint32_t length = 50 + next_random(seed) % 5;
		uint64_t pages = 0;
		struct trace_fill fill;

		for (uint32_t i = 0; i < length; i++)
			pages += load[second * 1000 + (int)((at + i) % 1000)];
		fill = fill_of(0, "w", 7, pages, 0);
		filled_add(filled, &fill);
		filled_end_window(filled, length);
	}
	filled_estimate(filled, SAMPLED_S * 1000);
}

/* The truth is within the stated error in 95 of 100 runs, or more. */
static void the_error_is_what_it_says(void **state __attribute__((unused)))
{
	/* Of the truth, on the average. */
	static const struct {
		uint32_t steady, more;
		double widest;
	} loads[] = { { 60, 0, 0.07 }, { 0, 60, 1 }, { 20, 60, 0.5 } };
	struct filled *filled = calloc(1, sizeof(*filled));
	uint32_t *load = calloc(SAMPLED_S * 1000, sizeof(*load));
	uint64_t seed = 1;

	for (size_t l = 0; l < COUNT_OF(loads); l++) {
		double width = 0, bias = 0;
		int within = 0;

		for (int run = 0; run < SAMPLED_RUNS; run++) {
			double truth = (double)make_load(load, loads[l].steady,
							 loads[l].more, &seed);
			const struct trace_fill *fill = &filled->rows[0].fill;
			double off;

			take_sample(filled, load, &seed);
			off = (double)trace_fill_in(fill) - truth;
			within += (off < 0 ? -off : off) <=
				  (double)fill->in_error;
			width += (double)fill->in_error / truth / SAMPLED_RUNS;
			bias += off / truth / SAMPLED_RUNS;
			filled_clear(filled);
		}
		print_message("load %zu: %d within, error %.3f, bias %.4f\n", l,
			      within, width, bias);
		assert_true(within >= SAMPLED_RUNS * 95 / 100);
		assert_true(width <= loads[l].widest);
		assert_true(bias < 0.05 && bias > -0.05);
	}
	free(load);
	free(filled);
}

/* ---- what came since ----------------------------------------------------- */

static void only_what_is_new_counts(void **state __attribute__((unused)))
{
	struct seen_fills *seen = calloc(1, sizeof(*seen));
	struct trace_fill fill = fill_of(0, "dd", 7, 10, 2), since, before;
	size_t count;

	seen_fills_begin(seen);
	assert_true(seen_fills_take(seen, &fill, &since));
	assert_int_equal(since.in[FILL_READ], 10);
	seen_fills_begin(seen);
	fill.in[FILL_READ] = 15;
	fill.in[FILL_FAULT] = 1;
	assert_true(seen_fills_take(seen, &fill, &since));
	assert_int_equal(since.in[FILL_READ], 5);
	assert_int_equal(since.in[FILL_FAULT], 1);
	assert_int_equal(since.out, 0);
	/* Another process, and another cache. */
	fill.process = 8;
	assert_true(seen_fills_take(seen, &fill, &since));
	assert_int_equal(since.in[FILL_READ], 15);
	seen_fills_all(seen, &count);
	assert_int_equal(count, 2);
	/* It was forgotten, and its number came again. */
	seen_fills_begin(seen);
	before = fill;
	fill.generation = 1;
	fill.in[FILL_READ] = 20;
	assert_true(seen_fills_take(seen, &fill, &since));
	assert_int_equal(since.in[FILL_READ], 20);
	assert_false(seen_fills_idle(seen, &before));
	assert_true(seen_fills_idle(seen, &fill));
	free(seen);
}

static void there_is_room_for_all_of_the_map(void **state
					     __attribute__((unused)))
{
	struct seen_fills *seen = calloc(1, sizeof(*seen));
	struct trace_fill since;

	for (int round = 1; round <= 3; round++) {
		seen_fills_begin(seen);
		for (uint32_t i = 0; i < FILL_ROOM; i++) {
			struct trace_fill fill = fill_of(i % 3, "x", i / 3 + 1,
							 (uint64_t)round, 0);

			assert_true(seen_fills_take(seen, &fill, &since));
			assert_int_equal(since.in[FILL_READ], 1);
		}
	}
	free(seen);
}

/* ---- a report ------------------------------------------------------------ */

/* As the tracer writes it. The caller frees it. */
static char *make_text(struct filled *filled, const struct cgroup_paths *paths,
		       bool knows_how)
{
	struct store_fill fills[FILLED_REPORT];
	struct store_filled report = {
		.engine = "bpf",
		.over_ms = 10000,
		.page_size = PAGE,
		.knows_how = knows_how,
		.lost_events = filled->lost_events,
		.sampled_ms = filled->windows ? (int64_t)filled->sampled_ms : 0,
		.fills = fills,
	};
	struct document_writer writer = { 0 };
	const char *text;
	char *copy;
	size_t size;

	report.count = filled_report(filled, paths, fills);
	assert_int_equal(document_writer_init(&writer, 1 << 20), 0);
	text = document_write(&writer, &store_filled_fields, &report, &size);
	copy = strndup(text, size);
	document_writer_deinit(&writer);
	return copy;
}

static struct cgroup_paths *make_paths(void)
{
	struct cgroup_paths *paths = calloc(1, sizeof(*paths));

	paths->own.paths[0].id = 5;
	strcpy(paths->own.paths[0].path, "/system.slice/restic.service");
	return paths;
}

/* Writes what is in @filled, reads it again, and clears @filled. */
static void take_report(struct fills *fills, struct filled *filled,
			int64_t to_ms, bool by_minute)
{
	struct cgroup_paths *paths = make_paths();
	_cleanup_(freep) char *text = make_text(filled, paths, true);

	assert_int_equal(fills_take(fills, text, to_ms, by_minute), 0);
	filled_clear(filled);
	free(paths);
}

static void processes_of_a_name_are_one_row(void **state
					    __attribute__((unused)))
{
	struct filled *filled = calloc(1, sizeof(*filled));
	struct trace_fill fill = fill_of(16, "restic", 70, 100, 1);
	struct fills fills = { 0 };

	fill.cgroup = 5;
	fill.dropped = 1;
	filled_add(filled, &fill);
	fill.process = 71;
	filled_add(filled, &fill);
	fill = fill_of(16, "\xff\"dd", 72, 50, 0);
	filled_add(filled, &fill);
	fill = fill_of(16, "idle", 73, 0, 0);
	filled_add(filled, &fill);
	take_report(&fills, filled, 30000, false);
	assert_int_equal(fills.count, 2);
	assert_int_equal(fills.fills[0].from_ms, 20000);
	assert_int_equal(fills.fills[0].to_ms, 30000);
	assert_true(fills.fills[0].has_cache);
	assert_true(fills.fills[0].fill.is_bdev);
	assert_int_equal(fills.fills[0].fill.major, 8);
	assert_int_equal(fills.fills[0].fill.minor, 16);
	assert_string_equal(fills.fills[0].fill.command, "restic");
	assert_string_equal(fills.fills[0].cgroup,
			    "/system.slice/restic.service");
	assert_int_equal(fills.fills[0].fill.process, 0);
	assert_int_equal(fills.fills[0].fill.in[FILL_READ], 200);
	assert_int_equal(fills.fills[0].fill.out, 2);
	assert_int_equal(fills.fills[0].fill.dropped, 2);
	assert_string_equal(fills.fills[1].fill.command, "\xff\"dd");
	assert_null(fills.fills[1].cgroup);
	assert_int_equal(fills.fills[1].fill.process, 72);
	fills_deinit(&fills);
	free(filled);
}

/* Of however many there are, no page is lost on the way. */
static void what_has_no_row_is_in_the_others(void **state
					     __attribute__((unused)))
{
	static const unsigned int commands[] = { 40, 48, 49, 900, 3000 };
	struct filled *filled = calloc(1, sizeof(*filled));

	for (size_t c = 0; c < COUNT_OF(commands); c++) {
		struct fills fills = { 0 };
		uint64_t in = 0, seen = 0;

		for (unsigned int i = 0; i < commands[c]; i++) {
			struct trace_fill fill;
			char command[16];

			snprintf(command, sizeof(command), "c%u", i);
			fill = fill_of(i % 300, command, i + 1, i % 97 + 1, 0);
			filled_add(filled, &fill);
			in += i % 97 + 1;
		}
		take_report(&fills, filled, 10000, false);
		for (size_t i = 0; i < fills.count; i++)
			seen += trace_fill_in(&fills.fills[i].fill);
		if (commands[c] < 1200)
			assert_int_equal(fills.lost_events, 0);
		assert_int_equal(seen + fills.lost_events, in);
		assert_true(fills.count <= 2 * FILLED_REPORTED + 1);
		if (commands[c] <= FILLED_REPORTED)
			assert_int_equal(fills.count, commands[c]);
		else
			assert_true(fills.fills[FILLED_REPORTED].is_others);
		fills_deinit(&fills);
	}
	free(filled);
}

/* A command without a name is one command; the others are all that have no row.
 */
static void others_are_no_command(void **state __attribute__((unused)))
{
	struct filled *filled = calloc(1, sizeof(*filled));
	struct trace_fill fill = fill_of(16, "", 7, 100, 0);
	uint64_t nameless = 0, others = 0;

	filled_add(filled, &fill);
	for (unsigned int i = 0; i < FILLED_ROOM; i++) {
		char command[16];

		snprintf(command, sizeof(command), "c%u", i);
		fill = fill_of(16, command, i + 1, 1, 0);
		filled_add(filled, &fill);
	}
	assert_int_equal(filled->lost_events, 0);
	for (size_t i = 0; i < filled->count; i++) {
		const struct filled_row *row = &filled->rows[i];

		if (*row->fill.command)
			continue;
		*(row->is_others ? &others : &nameless) +=
			trace_fill_in(&row->fill);
	}
	assert_int_equal(nameless, 100);
	/* An eighth of the rows is kept for them. */
	assert_int_equal(others, FILLED_ROOM / 8 + 1);
	free(filled);
}

static void a_minute_becomes_one_row(void **state __attribute__((unused)))
{
	struct filled *filled = calloc(1, sizeof(*filled));
	struct fills fills = { 0 };

	for (int i = 1; i <= 12; i++) {
		struct trace_fill fill = fill_of(0, "tar", 9, 10, 0);

		filled_add(filled, &fill);
		take_report(&fills, filled, i * 10000, true);
	}
	assert_int_equal(fills.count, 2);
	assert_int_equal(fills.report_count, 12);
	assert_int_equal(fills.fills[0].fill.in[FILL_READ], 60);
	assert_int_equal(fills.fills[0].from_ms, 0);
	assert_int_equal(fills.fills[0].to_ms, 60000);
	assert_int_equal(fills.fills[0].fill.process, 9);
	fills_deinit(&fills);
	free(filled);
}

/* A report without pages says nothing about how they came in. */
static void how_is_known_of_what_came(void **state __attribute__((unused)))
{
	static const struct {
		bool has_pages, knows_how, lacks_how;
	} reports[] = {
		{ false, false, false },
		{ true, true, false },
		{ true, false, true },
		{ true, true, true },
	};
	struct filled *filled = calloc(1, sizeof(*filled));
	struct trace_fill fill = fill_of(0, "tar", 9, 10, 0);
	struct cgroup_paths *paths = make_paths();
	struct fills fills = { 0 };

	for (size_t i = 0; i < COUNT_OF(reports); i++) {
		_cleanup_(freep) char *text = NULL;

		if (reports[i].has_pages)
			filled_add(filled, &fill);
		text = make_text(filled, paths, reports[i].knows_how);
		assert_int_equal(fills_take(&fills, text, 10000, false), 0);
		assert_int_equal(fills.lacks_how, reports[i].lacks_how);
		filled_clear(filled);
	}
	fills_deinit(&fills);
	free(filled);
	free(paths);
}

static void estimates_are_marked(void **state __attribute__((unused)))
{
	struct filled *filled = calloc(1, sizeof(*filled));
	struct trace_fill fill = fill_of(0, "tar", 9, 10, 5);
	struct fills fills = { 0 };

	filled_add(filled, &fill);
	take_report(&fills, filled, 10000, true);
	for (int i = 0; i < 2; i++) {
		filled_add(filled, &fill);
		filled_end_window(filled, 50);
	}
	filled_estimate(filled, 2000);
	take_report(&fills, filled, 12000, true);
	assert_int_equal(fills.report_count, 2);
	assert_false(fills.reports[0].is_estimated);
	assert_true(fills.reports[1].is_estimated);
	assert_int_equal(fills.count, 1);
	assert_int_equal(fills.fills[0].fill.in[FILL_READ], 10 + 20 * 20);
	assert_int_equal(fills.fills[0].fill.out, 5 + 20 * 10);
	/* The windows have as much each; what was in one is added. */
	assert_int_equal(fills.fills[0].fill.in_error, 20 * 10);
	assert_int_equal(fills.fills[0].fill.out_error, 20 * 5);
	fills_deinit(&fills);
	free(filled);
}

static void damage_is_left_out(void **state __attribute__((unused)))
{
	static const char *const texts[] = {
		"",
		"{}",
		"{\"over_ms\":1}",
		"{\"engine\":\"bpf\",\"over_ms\":1,\"page_size_bytes\":4096,"
		"\"knows_how\":true,\"lost_events\":0,\"filled\":[{}]}",
		"{\"engine\":\"bpf\",\"over_ms\":1,\"page_size_bytes\":0,"
		"\"knows_how\":true,\"lost_events\":0,\"filled\":[]}",
	};
	struct fills fills = { 0 };

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		assert_int_equal(fills_take(&fills, texts[i], 5000, false), 0);
	assert_int_equal(fills.count, 0);
	assert_int_equal(fills.untraced.count, 0);
	fills_deinit(&fills);
}

/* ---- totals -------------------------------------------------------------- */

static void totals_never_get_less(void **state __attribute__((unused)))
{
	struct filled_totals *totals = calloc(1, sizeof(*totals));
	struct filled *filled = calloc(1, sizeof(*filled));
	uint64_t before[TOTALS_COMMANDS + TOTALS_CACHES] = { 0 };
	unsigned int seed = 1;
	uint64_t in = 0;

	for (int round = 0; round < 200; round++) {
		uint64_t all;

		for (int i = 0; i < 20; i++) {
			struct trace_fill fill;
			char command[16];

			seed = seed * 1103515245 + 12345;
			snprintf(command, sizeof(command), "c%u",
				 seed >> 16 & 511);
			fill = fill_of(seed >> 8 & 127, command, 1,
				       seed >> 20 & 1023, 0);
			filled_add(filled, &fill);
			in += seed >> 20 & 1023;
		}
		filled_totals_add(totals, filled);
		assert_int_equal(filled->lost_events, 0);
		filled_clear(filled);
		all = totals->elsewhere_bytes;
		assert_true(totals->commands <= TOTALS_COMMANDS);
		assert_true(totals->count <= TOTALS_COMMANDS + TOTALS_CACHES);
		for (size_t i = 0; i < totals->count; i++) {
			assert_true(totals->rows[i].bytes >= before[i]);
			before[i] = totals->rows[i].bytes;
			all += totals->rows[i].bytes;
		}
		assert_int_equal(all, in * PAGE);
	}
	assert_int_equal(totals->commands, TOTALS_COMMANDS);
	free(filled);
	free(totals);
}

/* "other" stands for the others in metrics, and no command may be called so. */
static void totals_have_no_command_of_the_others(void **state
						 __attribute__((unused)))
{
	static const char *const names[] = { "other", "", "\xff" };
	struct filled_totals *totals = calloc(1, sizeof(*totals));
	struct filled *filled = calloc(1, sizeof(*filled));

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct trace_fill fill = fill_of(16, names[i], 7, 1000, 0);

		filled_add(filled, &fill);
	}
	filled_totals_add(totals, filled);
	assert_int_equal(totals->count, 1);
	assert_int_equal(totals->commands, 0);
	assert_string_equal(totals->rows[0].command, "");
	assert_int_equal(totals->rows[0].bytes, 3000 * PAGE);
	free(filled);
	free(totals);
}

/* ---- what the recording says --------------------------------------------- */

/* 8:16 is sdb, which grew by 1000 pages from 20 s to 30 s. */
struct fixture {
	struct growth growth;
	struct growth_point points[5];
	struct growth_series series[2];
	struct filled filled;
};

static struct fixture *make_fixture(void)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct growth *growth = &fixture->growth;
	static char sdb[] = "sdb", buffers[] = "Buffers";

	for (int i = 0; i < 5; i++)
		fixture->points[i] =
			(struct growth_point){ i * 10000 + 200,
					       i > 2 ? 1000 * PAGE : 0 };
	fixture->series[0] = (struct growth_series){
		.kind = GROWTH_DEVICE,
		.major = 8,
		.minor = 16,
		.name = sdb,
		.points = fixture->points,
		.count = 5,
	};
	fixture->series[1] = (struct growth_series){
		.kind = GROWTH_MEMORY,
		.name = buffers,
		.points = fixture->points,
		.count = 5,
	};
	growth->series = fixture->series;
	growth->count = 2;
	return fixture;
}

static void add_report(struct fixture *fixture, int64_t to_ms)
{
	struct fills *fills = &fixture->growth.fills;
	size_t first = fills->count;

	take_report(fills, &fixture->filled, to_ms, false);
	for (size_t i = first; i < fills->count; i++)
		fills->fills[i].series = 0;
}

static void filled_by(struct fixture *fixture, const char *command,
		      uint32_t process, uint64_t in, uint64_t out)
{
	struct trace_fill fill = fill_of(16, command, process, in, out);

	filled_add(&fixture->filled, &fill);
}

static void destroy_fixture(struct fixture *fixture)
{
	fills_deinit(&fixture->growth.fills);
	free(fixture);
}

static void a_rise_has_who_was_behind_it(void **state __attribute__((unused)))
{
	struct fixture *fixture = make_fixture();
	const struct growth_series *series = fixture->series;
	char text[BEHIND_TEXT];

	recorded_behind(&fixture->growth, series, 20200, 30200, 1000 * PAGE,
			text);
	assert_string_equal(text, "");
	filled_by(fixture, "early", 1, 5000, 0);
	add_report(fixture, 20000);
	filled_by(fixture, "tar", 2, 900, 0);
	filled_by(fixture, "find", 3, 50, 0);
	filled_by(fixture, "ls", 3, 2, 0);
	add_report(fixture, 30000);
	filled_by(fixture, "late", 4, 7000, 0);
	add_report(fixture, 40000);
	recorded_behind(&fixture->growth, series, 20200, 30200, 1000 * PAGE,
			text);
	assert_string_equal(text, "tar 90%, find 5%, not traced 5%");
	recorded_behind(&fixture->growth, series + 1, 20200, 30200, 952 * PAGE,
			text);
	assert_string_equal(text, "tar 95%, find 5%");
	destroy_fixture(fixture);
}

static void who_adds_up_and_has_the_rest(void **state __attribute__((unused)))
{
	struct fixture *fixture = make_fixture();
	struct recorded_who who;
	char *words[] = { (char *)"/dev/sdb", (char *)"sdc" };
	struct selection all = { 0 }, selection;

	assert_int_equal(recorded_who_init(&who, &fixture->growth, 0, 50000,
					   &all),
			 -ENODATA);
	recorded_who_deinit(&who);
	filled_by(fixture, "tar", 2, 600, 100);
	add_report(fixture, 20000);
	filled_by(fixture, "tar", 2, 300, 0);
	filled_by(fixture, "find", 3, 50, 0);
	add_report(fixture, 30000);
	assert_int_equal(selection_init(&selection, SELECTS_RECORDED, NULL,
					words, 2, NULL),
			 0);
	assert_int_equal(recorded_who_init(&who, &fixture->growth, 0, 50000,
					   &selection),
			 0);
	assert_true(selection.list[0].met && !selection.list[1].met);
	selection_deinit(&selection);
	assert_int_equal(who.from_ms, 10000);
	assert_int_equal(who.to_ms, 30000);
	assert_int_equal(who.rows.head.rows.count, 3);
	assert_string_equal(who_row_at(&who.rows, 0)->fill->command, "tar");
	assert_int_equal(who_row_in(who_row_at(&who.rows, 0)), 900);
	assert_int_equal(who_row_out(who_row_at(&who.rows, 0)), 100);
	assert_int_equal(who_row_at(&who.rows, 0)->fill->process, 2);
	assert_string_equal(who_row_at(&who.rows, 0)->cache->name, "sdb");
	assert_string_equal(who_row_at(&who.rows, 1)->fill->command, "find");
	assert_null(who_row_at(&who.rows, 2)->fill);
	assert_int_equal(who_row_in(who_row_at(&who.rows, 2)), 1000 - 850);
	recorded_who_deinit(&who);
	/* One report alone: that of a moment. */
	assert_int_equal(recorded_who_init(&who, &fixture->growth, 25000, 25001,
					   &all),
			 0);
	assert_int_equal(who.from_ms, 20000);
	assert_int_equal(who_row_in(who_row_at(&who.rows, 0)), 300);
	recorded_who_deinit(&who);
	destroy_fixture(fixture);
}

static void take_state(struct fills *fills, enum store_what what,
		       const char *reason, int64_t real_ms)
{
	const struct store_state state = { .what = what,
					   .reason = (char *)reason };

	assert_int_equal(fills_take_state(fills, &state, real_ms), 0);
}

static void a_time_without_a_trace_has_its_reason(void **state
						  __attribute__((unused)))
{
	struct fills fills = { 0 };

	take_state(&fills, STORE_TRACING, NULL, 1000);
	take_state(&fills, STORE_UNTRACED, "a", 5000);
	take_state(&fills, STORE_RUNNING, NULL, 6000);
	take_state(&fills, STORE_UNTRACED, "a", 7000);
	take_state(&fills, STORE_TRACING, NULL, 9000);
	take_state(&fills, STORE_UNTRACED, "b", 12000);
	fills_end(&fills, 0, 20000);
	assert_int_equal(fills.untraced.count, 2);
	assert_int_equal(fills.untraced.gaps[0].from_ms, 5000);
	assert_int_equal(fills.untraced.gaps[0].to_ms, 9000);
	assert_string_equal(fills.untraced.gaps[0].cause, "a");
	assert_int_equal(fills.untraced.gaps[1].to_ms, 20000);
	fills_deinit(&fills);
}

static void a_time_before_the_trace_has_a_reason(void **state
						 __attribute__((unused)))
{
	struct fills fills = { 0 };

	/* Most often it takes a moment. */
	take_state(&fills, STORE_STARTED, NULL, 1000);
	take_state(&fills, STORE_TRACING, NULL, 1900);
	assert_int_equal(fills.untraced.count, 0);
	/* It never comes, and then late. */
	take_state(&fills, STORE_STARTED, NULL, 20000);
	take_state(&fills, STORE_STARTED, NULL, 30000);
	take_state(&fills, STORE_TRACING, NULL, 33000);
	assert_int_equal(fills.untraced.count, 2);
	assert_int_equal(fills.untraced.gaps[0].from_ms, 20000);
	assert_int_equal(fills.untraced.gaps[0].to_ms, 30000);
	assert_string_equal(fills.untraced.gaps[1].cause,
			    "the tracer had not started yet");
	assert_int_equal(fills.untraced.gaps[1].to_ms, 33000);
	/* It cannot: the reason that it gives is that of the whole time. */
	take_state(&fills, STORE_STARTED, NULL, 40000);
	take_state(&fills, STORE_UNTRACED, "a", 40100);
	take_state(&fills, STORE_STOPPED, NULL, 40500);
	assert_int_equal(fills.untraced.count, 3);
	assert_int_equal(fills.untraced.gaps[2].from_ms, 40000);
	assert_int_equal(fills.untraced.gaps[2].to_ms, 40500);
	assert_string_equal(fills.untraced.gaps[2].cause, "a");
	/* There is none: nothing is known. */
	take_state(&fills, STORE_STARTED, NULL, 50000);
	fills_end(&fills, 0, 120000);
	assert_int_equal(fills.untraced.count, 3);
	fills_deinit(&fills);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_time_before_the_trace_has_a_reason),
		cmocka_unit_test(tracing_pauses_until_it_is_paid_for),
		cmocka_unit_test(each_moment_has_its_turn),
		cmocka_unit_test(the_error_is_what_it_says),
		cmocka_unit_test(how_is_known_of_what_came),
		cmocka_unit_test(estimates_are_marked),
		cmocka_unit_test(only_what_is_new_counts),
		cmocka_unit_test(there_is_room_for_all_of_the_map),
		cmocka_unit_test(processes_of_a_name_are_one_row),
		cmocka_unit_test(what_has_no_row_is_in_the_others),
		cmocka_unit_test(others_are_no_command),
		cmocka_unit_test(a_minute_becomes_one_row),
		cmocka_unit_test(damage_is_left_out),
		cmocka_unit_test(totals_never_get_less),
		cmocka_unit_test(totals_have_no_command_of_the_others),
		cmocka_unit_test(a_rise_has_who_was_behind_it),
		cmocka_unit_test(who_adds_up_and_has_the_rest),
		cmocka_unit_test(a_time_without_a_trace_has_its_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recording from the readings of captured hosts to what history and --at say
 * of it. tests/fixtures/recording-v1 is what version 1 of the format looks like
 * and must always be readable: if the writer changes, make another one, with
 * RECORDING=FILE build/unit/test_recording, and keep both.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bufstat/version.h>

#include "filesystems/fs_rows.h"
#include "lib/cleanup.h"
#include "lib/sysroot.h"
#include "lib/text_stream.h"
#include "lib/whole.h"
#include "measure/saved.h"
#include "recorded/growth.h"
#include "recorded/growth_rows.h"
#include "sample/device_question.h"
#include "sample/reading.h"
#include "store/past_steps.h"
#include "store/segment_read.h"
#include "store/segment_write.h"
#include "made_devices.h"
#include "test.h"
#include "tree.h"

#define OLD FIXTURE("recording-v1")
#define OLD_VERSION "0.1.0"

enum { SEGMENT = 16 << 10, SEGMENTS = 8 };

/* 2026-09-21 14:13:20 UTC */
#define BEGIN_MS INT64_C(1790000000000)

static void read_host(struct reading *reading, struct sysroot *root,
		      const char *host)
{
	const struct asking asking = { .purpose = ASKED_TO_RECORD,
				       .root = root };
	char path[256];
	struct error err;

	snprintf(path, sizeof(path), FIXTURES "/%s", host);
	assert_int_equal(sysroot_init(root, path, &err), 0);
	assert_int_equal(reading_ask(reading, QUESTION_DEVICES, &asking), 0);
	reading_ask(reading, QUESTION_FILESYSTEMS, &asking);
	reading_ask(reading, QUESTION_MEMORY, &asking);
}

static struct devices *devices_of(const struct reading *reading)
{
	struct device_answer *answer =
		reading_answer(reading, QUESTION_DEVICES);

	return &answer->devices;
}

/* The version of a later bufstat is no change of the format. */
static void set_version(char *text)
{
	char *at = strstr(text, BUFSTAT_VERSION), *end;

	assert_non_null(at);
	end = at + strlen(BUFSTAT_VERSION);
	assert_true(strlen(OLD_VERSION) <= strlen(BUFSTAT_VERSION));
	memcpy(at, OLD_VERSION, strlen(OLD_VERSION));
	memmove(at + strlen(OLD_VERSION), end, strlen(end) + 1);
}

/* It came after the fixture. */
static void remove_schema(char *text)
{
	static const char schema[] = "\"schema\":1,";
	char *at = strstr(text, schema);

	assert_non_null(at);
	memmove(at, at + strlen(schema), strlen(at + strlen(schema)) + 1);
}

/* Likewise. */
static void remove_silence(char *text)
{
	static const char *const said[] = { ",\"is_silent\":true",
					    ",\"is_silent\":false" };

	for (size_t i = 0; i < COUNT_OF(said); i++) {
		for (char *at; (at = strstr(text, said[i]));)
			memmove(at, at + strlen(said[i]),
				strlen(at + strlen(said[i])) + 1);
	}
}

/* Without the newline at the end, as the recorder keeps it. */
static char *make_text(const struct reading *reading, enum question_id question)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = text_stream_open(&text, &size);

	reading_print_answer(out, &reading->provenance,
			     reading_answer(reading, question));
	assert_int_equal(text_stream_close(out, &text), 0);
	assert_true(size && text[size - 1] == '\n');
	text[size - 1] = '\0';
	set_version(text);
	remove_schema(text);
	remove_silence(text);
	return text;
}

static const struct store_time some_time = { .boot_ms = 1000, .real_ms = 2000 };

/* Every part of every captured host is read as it was written. */
static void expect_same(struct segment_writer *writer,
			const struct reading *reading,
			enum question_id question)
{
	static uint8_t data[256 << 10];
	const struct segment_identity identity = { .number = 1,
						   .time = some_time };
	_cleanup_(freep) char *text = make_text(reading, question);
	_cleanup_(freep) char *read = NULL;
	struct segment_reader *reader;
	struct segment_record record;
	struct saved saved;
	struct error err;
	size_t size;

	memset(data, 0, sizeof(data));
	segment_begin(writer, data, sizeof(data), &identity);
	assert_int_equal(segment_append(writer, STORE_DEVICES, &some_time, text,
					strlen(text), true),
			 0);
	assert_int_equal(segment_reader_open(&reader, data, sizeof(data)), 0);
	assert_int_equal(segment_reader_next(reader, &record), 1);
	assert_int_equal(segment_reader_text(reader, &record, &read, &size), 0);
	assert_string_equal(read, text);
	segment_reader_close(reader);
	/* It is a reading like any that was saved. */
	if (saved_open_recorded(&saved, steal_ptr(read), size, "it", &err) < 0)
		fail_msg("%s", text_of(&err));
	saved_close(&saved);
}

static void what_hosts_say_is_kept(void **state __attribute__((unused)))
{
	static const char *const hosts[] = { "article",	    "btrfs",
					     "debian-ext4", "lvm-many",
					     "no-module",   "pages-64k",
					     "rhel-xfs",    "vm-host" };
	struct segment_writer *writer = segment_writer_create();
	int filesystems = 0;

	for (size_t i = 0; i < COUNT_OF(hosts); i++) {
		struct reading reading = { 0 };
		struct sysroot root;

		read_host(&reading, &root, hosts[i]);
		expect_same(writer, &reading, QUESTION_DEVICES);
		if (reading_answer(&reading, QUESTION_FILESYSTEMS)) {
			expect_same(writer, &reading, QUESTION_FILESYSTEMS);
			filesystems++;
		}
		if (reading_answer(&reading, QUESTION_MEMORY))
			expect_same(writer, &reading, QUESTION_MEMORY);
		reading_deinit(&reading);
		sysroot_deinit(&root);
	}
	assert_true(filesystems > 0);
	segment_writer_destroy(writer);
}

/* A recorder whose clocks are given. */
struct recorder {
	uint8_t data[SEGMENT * SEGMENTS];
	struct segment_writer *writer;
	struct reading reading;
	struct sysroot root;
	size_t segment; /* 0: none yet */
	uint64_t sequence;
	struct store_time time;
	uint8_t boot;
	unsigned int count;
};

static void begin_segment(struct recorder *recorder)
{
	struct segment_identity identity = {
		.number = recorder->segment + 1,
		.seed = 0x9e3779b97f4a7c15 * (recorder->segment + 1),
		.boot_id = { recorder->boot },
		.sequence = recorder->sequence,
		.time = recorder->time,
	};

	assert_true(recorder->segment < SEGMENTS);
	segment_begin(recorder->writer,
		      recorder->data + recorder->segment * SEGMENT, SEGMENT,
		      &identity);
	recorder->segment++;
}

static void append(struct recorder *recorder, enum store_kind kind,
		   const char *text, bool key)
{
	int ret = segment_append(recorder->writer, kind, &recorder->time, text,
				 strlen(text), key);

	recorder->sequence = segment_sequence(recorder->writer);
	if (ret == -ENOSPC) {
		begin_segment(recorder);
		append(recorder, kind, text, true);
	} else {
		assert_int_equal(ret, 0);
	}
}

static void append_part(struct recorder *recorder, enum store_kind kind,
			enum question_id question, bool key)
{
	_cleanup_(freep) char *text = make_text(&recorder->reading, question);

	append(recorder, kind, text, key);
}

static void start(struct recorder *recorder)
{
	begin_segment(recorder);
	append(recorder, STORE_STATE,
	       "{\"state\":\"started\",\"interval_ms\":10000}", true);
}

/* A reading every ten seconds. A device has @pages more with each. */
static void record(struct recorder *recorder, int readings, int pages)
{
	struct devices *devices = devices_of(&recorder->reading);

	for (int i = 0; i < readings; i++) {
		bool key = recorder->count++ % 6 == 0;

		devices->devices[0].sample.figures[FIGURE_PAGES] +=
			(uint64_t)(int64_t)pages;
		append_part(recorder, STORE_DEVICES, QUESTION_DEVICES, key);
		if (key)
			append_part(recorder, STORE_FILESYSTEMS,
				    QUESTION_FILESYSTEMS, true);
		if (key)
			segment_align(recorder->writer);
		recorder->time.boot_ms += 10000;
		recorder->time.real_ms += 10000;
	}
}

static void pass(struct recorder *recorder, int64_t ms)
{
	recorder->time.boot_ms += ms;
	recorder->time.real_ms += ms;
}

static void make_recording(struct recorder *recorder)
{
	recorder->writer = segment_writer_create();
	read_host(&recorder->reading, &recorder->root, "debian-ext4");
	recorder->time = (struct store_time){ 60000, BEGIN_MS };
	recorder->boot = 1;
	start(recorder);
	record(recorder, 12, 0);
	record(recorder, 6, 1000); /* from 120 s on */
	record(recorder, 12, 0);
	append(recorder, STORE_STATE, "{\"state\":\"stopped\"}", true);
	pass(recorder, 100000);
	start(recorder); /* the recorder was stopped: 290 s to 400 s */
	record(recorder, 6, -500);
	pass(recorder, 40000);
	start(recorder); /* it died: 450 s to 500 s */
	record(recorder, 7, 0);
	pass(recorder, 300000); /* the host slept: 560 s to 870 s */
	record(recorder, 6, 0);
	pass(recorder, 70000);
	recorder->boot = 2;
	recorder->time.boot_ms = 20000;
	start(recorder); /* power cut: 920 s to 1000 s */
	record(recorder, 30, 0);
	recorder->time.real_ms -= 200000; /* to 1100 s */
	record(recorder, 30, 10);
	segment_writer_destroy(recorder->writer);
	reading_deinit(&recorder->reading);
	sysroot_deinit(&recorder->root);
}

/* The places behind the last record are left out. */
static size_t end_of(const struct recorder *recorder)
{
	size_t end = sizeof(recorder->data);

	while (!recorder->data[end - 1])
		end--;
	return end;
}

static void the_format_is_that_of_the_fixture(void **state
					      __attribute__((unused)))
{
	const char *path = getenv("RECORDING");
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	_cleanup_(closep) int fd = -1;
	uint8_t *old = calloc(1, sizeof(recorder->data));
	size_t end;

	make_recording(recorder);
	end = end_of(recorder);
	if (path) {
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
		assert_int_equal(write(fd, recorder->data, end), end);
		closep(&fd);
	}
	fd = open(OLD "/recording", O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(pread_whole(fd, old, sizeof(recorder->data), 0), end);
	assert_memory_equal(old, recorder->data, end);
	free(old);
	free(recorder);
}

static void read_old(struct growth *growth, int64_t from_s, int64_t to_s)
{
	const struct growth_span span = {
		.from_ms = BEGIN_MS + from_s * 1000,
		.to_ms = BEGIN_MS + to_s * 1000,
		.has_from = true,
	};
	struct error err;

	if (growth_read(growth, OLD, &span, NULL, &err) < 0)
		fail_msg("%s", text_of(&err));
}

static void expect_gap(const struct growth *growth, size_t which,
		       int64_t from_s, int64_t to_s, const char *cause)
{
	const struct gap *gap = &growth->gaps.gaps[which];

	assert_true(which < growth->gaps.count);
	assert_string_equal(gap->cause, cause);
	assert_int_equal((gap->from_ms - BEGIN_MS) / 1000, from_s);
	assert_int_equal((gap->to_ms - BEGIN_MS) / 1000, to_s);
}

static void gaps_have_their_causes(void **state __attribute__((unused)))
{
	struct growth growth;

	read_old(&growth, -3600, 1390);
	assert_int_equal(growth.readings, 12 + 6 + 12 + 6 + 7 + 6 + 30 + 30);
	expect_gap(&growth, 0, 290, 400, "the recorder was stopped");
	expect_gap(&growth, 1, 450, 500, "the recorder died");
	expect_gap(&growth, 2, 560, 870,
		   "no readings: the host slept or was too busy");
	expect_gap(&growth, 3, 920, 1000,
		   "power cut, crash or reset of the host");
	expect_gap(&growth, 4, 1290, 1100, "the clock was set back by 0:03:20");
	expect_gap(&growth, 5, -3600, 0, "not recorded");
	assert_int_equal(growth.gaps.count, 6);
	growth_deinit(&growth);
}

static void the_end_is_a_gap(void **state __attribute__((unused)))
{
	struct growth growth;

	read_old(&growth, 1000, 9000);
	expect_gap(&growth, growth.gaps.count - 1, 1390, 9000,
		   "nothing was recorded: the recorder died, or the host went "
		   "down");
	growth_deinit(&growth);
	read_old(&growth, 200, 390);
	expect_gap(&growth, 0, 290, 390, "the recorder was stopped");
	growth_deinit(&growth);
}

/* Reads from @from_s to @to_s of a recording, and destroys it. */
static void read_made(struct growth *growth, struct recorder *recorder,
		      int64_t from_s, int64_t to_s)
{
	const struct growth_span span = { BEGIN_MS + from_s * 1000,
					  BEGIN_MS + to_s * 1000, true, false,
					  0 };
	struct tree tree;
	struct error err;

	tree_create(&tree);
	tree_add_file(&tree, "recording", (const char *)recorder->data,
		      sizeof(recorder->data));
	if (growth_read(growth, tree.path, &span, NULL, &err) < 0)
		fail_msg("%s", text_of(&err));
	tree_destroy(&tree);
	segment_writer_destroy(recorder->writer);
	reading_deinit(&recorder->reading);
	sysroot_deinit(&recorder->root);
	free(recorder);
}

/* A minute, a clock that is set by @set_s, and another minute. */
static struct recorder *record_set_clock(int64_t set_s)
{
	static const char names[] =
		"{\"names\":[{\"maj:min\":\"254:1\",\"name\":\"named\","
		"\"fstype\":\"ext4\",\"mountpoints\":[\"/named\"]}]}";
	struct recorder *recorder = calloc(1, sizeof(*recorder));

	recorder->writer = segment_writer_create();
	read_host(&recorder->reading, &recorder->root, "debian-ext4");
	recorder->time = (struct store_time){ 60000, BEGIN_MS };
	start(recorder);
	record(recorder, 6, 0);
	append(recorder, STORE_NAMES, names, true);
	recorder->time.real_ms += set_s * 1000;
	record(recorder, 6, 0);
	return recorder;
}

/* The end of a segment that is not there was lost, whatever came in time after
 * it. */
static void a_lost_end_is_a_gap(void **state __attribute__((unused)))
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	struct growth growth;

	recorder->writer = segment_writer_create();
	read_host(&recorder->reading, &recorder->root, "debian-ext4");
	recorder->time = (struct store_time){ 60000, BEGIN_MS };
	start(recorder);
	record(recorder, 6, 0);
	recorder->sequence += 5;
	begin_segment(recorder);
	recorder->count = 0;
	record(recorder, 6, 0);
	read_made(&growth, recorder, 0, 110);
	expect_gap(&growth, 0, 50, 60,
		   "lost: the disk did not keep up, or it is damaged");
	assert_int_equal(growth.gaps.count, 1);
	growth_deinit(&growth);
}

static void expect_untraced(const struct growth *growth, size_t at,
			    int64_t from_s, int64_t to_s)
{
	const struct gap *gap = &growth->fills.untraced.gaps[at];

	assert_true(at < growth->fills.untraced.count);
	assert_int_equal(gap->from_ms, BEGIN_MS + from_s * 1000);
	assert_int_equal(gap->to_ms, BEGIN_MS + to_s * 1000);
	assert_string_equal(gap->cause, "no BTF");
}

/* A minute with a tracer, two without one, and one with it again. */
static struct recorder *record_untraced(void)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));

	recorder->writer = segment_writer_create();
	read_host(&recorder->reading, &recorder->root, "debian-ext4");
	recorder->time = (struct store_time){ 60000, BEGIN_MS };
	start(recorder);
	append(recorder, STORE_STATE, "{\"state\":\"tracing\"}", true);
	record(recorder, 6, 0);
	append(recorder, STORE_STATE,
	       "{\"state\":\"untraced\",\"reason\":\"no BTF\"}", true);
	record(recorder, 12, 0);
	append(recorder, STORE_STATE, "{\"state\":\"tracing\"}", true);
	record(recorder, 6, 0);
	return recorder;
}

/* It may have begun before the time asked for, and last longer. */
static void a_time_without_a_trace_is_told_of_each_part(void **state
							__attribute__((unused)))
{
	struct growth growth;

	read_made(&growth, record_untraced(), 0, 230);
	expect_untraced(&growth, 0, 60, 180);
	assert_int_equal(growth.fills.untraced.count, 1);
	growth_deinit(&growth);
	read_made(&growth, record_untraced(), 90, 120);
	expect_untraced(&growth, 0, 90, 120);
	assert_int_equal(growth.fills.untraced.count, 1);
	growth_deinit(&growth);
	read_made(&growth, record_untraced(), 0, 50);
	assert_int_equal(growth.fills.untraced.count, 0);
	growth_deinit(&growth);
	read_made(&growth, record_untraced(), 190, 230);
	assert_int_equal(growth.fills.untraced.count, 0);
	growth_deinit(&growth);
}

/* Also where one of the two readings beside the gap is not of the time asked
 * for. */
static void a_clock_that_was_set_is_the_cause(void **state
					      __attribute__((unused)))
{
	static const char forward[] = "the clock was set forward by 10:00:00";
	static const char back[] = "the clock was set back by 10:00:00";
	struct growth growth;

	read_made(&growth, record_set_clock(36000), 30000, 36110);
	expect_gap(&growth, 0, 30000, 36060, forward);
	assert_int_equal(growth.gaps.count, 1);
	growth_deinit(&growth);
	read_made(&growth, record_set_clock(36000), 0, 600);
	expect_gap(&growth, 0, 50, 600, forward);
	assert_int_equal(growth.gaps.count, 1);
	growth_deinit(&growth);
	read_made(&growth, record_set_clock(-36000), -36000, -35890);
	expect_gap(&growth, 0, 50, -35940, back);
	assert_int_equal(growth.gaps.count, 1);
	assert_int_equal(growth.later, 6);
	assert_int_equal(growth.latest_ms, BEGIN_MS + 50000);
	assert_string_equal(growth_cache_name(&growth, 254, 1, true), "named");
	growth_deinit(&growth);
}

static const struct growth_series *device(const struct growth *growth)
{
	const struct growth_series *most = NULL;

	for (size_t i = 0; i < growth->count; i++) {
		const struct growth_series *series = &growth->series[i];

		if (series->kind == GROWTH_DEVICE &&
		    series->points[0].bytes !=
			    series->points[series->count - 1].bytes)
			most = series;
	}
	assert_non_null(most);
	return most;
}

/* What grew most from @from_s to @to_s is a device. */
static void expect_rise(int64_t from_s, int64_t to_s, int64_t pages,
			int64_t kept_pages)
{
	const struct growth_span span = { BEGIN_MS + from_s * 1000,
					  BEGIN_MS + to_s * 1000, true, false,
					  0 };
	struct growth_rows rows;
	struct growth growth;

	read_old(&growth, from_s, to_s);
	assert_int_equal(growth_rows_init(&rows, &growth, &span, false), 0);
	assert_int_equal(rows.rows[0].series->kind, GROWTH_DEVICE);
	assert_int_equal(rows.rows[0].rise_bytes, pages * 4096);
	assert_int_equal(rows.rows[0].kept_bytes, kept_pages * 4096);
	growth_rows_deinit(&rows);
	growth_deinit(&growth);
}

/* What goes later is not what came: it is known how much was never gone. */
static void a_rise_says_what_of_it_stayed(void **state __attribute__((unused)))
{
	expect_rise(0, 280, 6000, 6000);
	expect_rise(0, 410, 6000, 5000);
	expect_rise(0, 450, 6000, 3000);
	expect_rise(0, 900, 6000, 3000);
}

static void growth_is_what_was_measured(void **state __attribute__((unused)))
{
	const struct growth_series *series;
	struct growth growth;

	read_old(&growth, 0, 290);
	series = device(&growth);
	assert_int_equal(series->count, 30);
	for (size_t i = 0; i < 30; i++) {
		int64_t steps = i < 12 ? 0 : i < 18 ? (int64_t)i - 11 : 6;

		assert_int_equal(series->points[i].real_ms,
				 BEGIN_MS + (int64_t)i * 10000);
		assert_int_equal(series->points[i].bytes -
					 series->points[0].bytes,
				 steps * 1000 * 4096);
	}
	growth_deinit(&growth);
}

static void find(struct pasts *pasts, enum store_kind kind, int64_t at_s)
{
	struct error err;
	int ret = pasts_find(pasts, OLD, kind, BEGIN_MS + at_s * 1000, NULL,
			     &err);

	if (ret < 0)
		assert_int_equal(ret, -ENODATA);
}

static void the_newest_reading_answers(void **state __attribute__((unused)))
{
	struct pasts pasts = { 0 };

	find(&pasts, STORE_DEVICES, 125);
	assert_int_equal(pasts.count, 1);
	assert_int_equal(pasts.pasts[0].real_ms, BEGIN_MS + 120000);
	/* It is a key record, with the filesystems of that moment. */
	assert_non_null(strstr(pasts.pasts[0].parts[PAST_FILESYSTEMS],
			       "\"filesystems\":{"));
	assert_int_equal(pasts.pasts[0].part_ms[PAST_FILESYSTEMS], 0);
	pasts_deinit(&pasts);
	find(&pasts, STORE_DEVICES, 139);
	assert_int_equal(pasts.pasts[0].real_ms, BEGIN_MS + 130000);
	/* The filesystems are those of before, and their time is known. */
	assert_non_null(pasts.pasts[0].parts[PAST_FILESYSTEMS]);
	assert_int_equal(pasts.pasts[0].part_ms[PAST_FILESYSTEMS],
			 BEGIN_MS + 120000);
	assert_int_equal(pasts.pasts[0].part_ms[PAST_MEMORY], 0);
	pasts_deinit(&pasts);
	find(&pasts, STORE_FILESYSTEMS, 139);
	assert_int_equal(pasts.pasts[0].real_ms, BEGIN_MS + 120000);
	pasts_deinit(&pasts);
}

static void a_time_that_was_twice_has_two(void **state __attribute__((unused)))
{
	struct pasts pasts = { 0 };

	find(&pasts, STORE_DEVICES, 1205);
	assert_int_equal(pasts.count, 2);
	assert_int_equal(pasts.pasts[0].real_ms, BEGIN_MS + 1200000);
	assert_int_equal(pasts.pasts[1].real_ms, BEGIN_MS + 1200000);
	assert_string_not_equal(pasts.pasts[0].text, pasts.pasts[1].text);
	pasts_deinit(&pasts);
}

static void a_gap_has_no_reading(void **state __attribute__((unused)))
{
	struct pasts pasts = { 0 };

	find(&pasts, STORE_DEVICES, 800);
	assert_int_equal(pasts.count, 0);
	find(&pasts, STORE_DEVICES, -5);
	assert_int_equal(pasts.count, 0);
	find(&pasts, STORE_DEVICES, 100000);
	assert_int_equal(pasts.count, 0);
}

/* A source that lists all pages says that what is new had none before. */
static void what_is_new_rises_from_nothing(void **state __attribute__((unused)))
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	const struct growth_series *series = NULL;
	struct devices *devices;
	struct sample *added;
	struct growth growth;

	recorder->writer = segment_writer_create();
	read_host(&recorder->reading, &recorder->root, "debian-ext4");
	devices = devices_of(&recorder->reading);
	assert_true(devices->lists_all_pages);
	recorder->time = (struct store_time){ 60000, BEGIN_MS };
	start(recorder);
	record(recorder, 3, 0);
	added = made_device(devices, 7, 0);
	added->kname = strdup("loop0");
	sample_set(added, FIGURE_PAGES, 6144);
	record(recorder, 2, 0);
	read_made(&growth, recorder, 0, 60);
	for (size_t i = 0; i < growth.count; i++) {
		if (strcmp(growth.series[i].name, "loop0") == 0)
			series = &growth.series[i];
	}
	assert_non_null(series);
	assert_int_equal(series->count, 3);
	assert_int_equal(series->points[0].bytes, 0);
	assert_int_equal(series->points[0].real_ms, BEGIN_MS + 20000);
	assert_int_equal(series->points[1].bytes, 6144 * 4096);
	growth_deinit(&growth);
}

/*
 * A recording in which the last device and filesystem are listed in the second
 * minute only, out of three, by sources that list all or not.
 */
static void read_listed_once(struct growth *growth, bool lists_all)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	struct filesystems *filesystems;
	struct devices *devices;
	struct filesystem last;
	struct fs_answer *fs;

	recorder->writer = segment_writer_create();
	read_host(&recorder->reading, &recorder->root, "debian-ext4");
	fs = reading_answer(&recorder->reading, QUESTION_FILESYSTEMS);
	filesystems = &fs->taken;
	devices = devices_of(&recorder->reading);
	assert_true(devices->count > 1 && filesystems->count > 2);
	devices->lists_all_pages = lists_all;
	/* The last one did not answer; where it is listed, not all are. */
	last = filesystems->filesystems[filesystems->count - 1];
	assert_non_null(last.sample.refused);
	filesystems->count -= lists_all;
	if (!lists_all) {
		struct filesystem *end =
			&filesystems->filesystems[filesystems->count - 1];

		*end = end[-1];
		end[-1] = last;
	}
	recorder->time = (struct store_time){ 60000, BEGIN_MS };
	start(recorder);
	for (int minute = 0; minute < 3; minute++) {
		size_t left_out = minute == 1 ? 0 : 1;

		devices->count -= left_out;
		filesystems->count -= left_out;
		record(recorder, 6, 0);
		devices->count += left_out;
		filesystems->count += left_out;
	}
	filesystems->count += lists_all;
	read_made(growth, recorder, 0, 180);
}

/* The series of the kind that was not in the first reading. */
static const struct growth_series *late_series(const struct growth *growth,
					       enum growth_kind kind)
{
	const struct growth_series *late = NULL;

	for (size_t i = 0; i < growth->count; i++) {
		if (growth->series[i].kind == kind)
			late = &growth->series[i];
	}
	assert_non_null(late);
	return late;
}

/* What is not listed has no pages only where all that has some is listed. */
static void what_is_not_listed_is_not_nothing(void **state
					      __attribute__((unused)))
{
	static const struct {
		enum growth_kind kind;
		size_t readings; /* in one minute */
	} kinds[] = { { GROWTH_DEVICE, 6 }, { GROWTH_FILESYSTEM, 1 } };
	struct growth all, some;

	read_listed_once(&all, true);
	read_listed_once(&some, false);
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		const struct growth_series *series =
			late_series(&all, kinds[i].kind);
		size_t readings = kinds[i].readings;

		/* Nothing, what there was, and nothing again. */
		assert_int_equal(series->count, 1 + 2 * readings);
		assert_int_equal(series->points[0].bytes, 0);
		assert_true(series->points[1].bytes > 0);
		assert_int_equal(series->points[2 * readings].bytes, 0);
		series = late_series(&some, kinds[i].kind);
		assert_int_equal(series->count, readings);
		for (size_t j = 0; j < readings; j++)
			assert_true(series->points[j].bytes > 0);
	}
	growth_deinit(&all);
	growth_deinit(&some);
}

/* A device is called what it was called, and was mounted where it was. */
static void a_past_has_its_names(void **state __attribute__((unused)))
{
	char text[] = "{\"reading\":{}}";
	char names[] = "{\"names\":[{\"maj:min\":\"253:0\",\"name\":\"vg0-a\","
		       "\"fstype\":\"ext4\",\"mountpoints\":[\"/srv/a b\","
		       "\"[SWAP]\"]},{\"maj:min\":\"8:1\",\"name\":null,"
		       "\"fstype\":null,\"mountpoints\":[]}]}";
	const struct past past = { .text = text,
				   .size = sizeof(text) - 1,
				   .names = names };
	struct sample sample = { .major = 253, .kname = (char *)"dm-0" };
	struct device_names device;
	struct sysroot root;
	struct names *lookup;
	struct error err;

	assert_int_equal(past_root(&root, &past, &err), 0);
	lookup = names_create(&root);
	assert_int_equal(names_lookup(lookup, &sample, &device), 0);
	assert_string_equal(device.name, "vg0-a");
	assert_string_equal(device.fstype, "ext4");
	assert_int_equal(device.mountpoints.count, 2);
	assert_string_equal(device.mountpoints.strings[0], "/srv/a b");
	assert_string_equal(device.mountpoints.strings[1], "[SWAP]");
	device_names_deinit(&device);
	names_destroy(lookup);
	sysroot_deinit(&root);
}

/* Each step has its own reading, also where the clock was set back. */
static void steps_go_through_all(void **state __attribute__((unused)))
{
	struct past_steps steps = { 0 };
	size_t set_back = 0;
	struct error err;

	assert_int_equal(past_steps_read(&steps, OLD, NULL, &err), 0);
	assert_int_equal(steps.count, 109);
	for (size_t i = 1; i < steps.count; i++) {
		const struct past_step *step = &steps.steps[i];
		struct past_run run = { 0 };

		set_back += step->real_ms < step[-1].real_ms;
		assert_true(step->last > step[-1].last);
		if (i % 9)
			continue;
		assert_int_equal(past_run_read(&run, OLD, STORE_DEVICES, step,
					       5, NULL, &err),
				 0);
		assert_int_equal(run.count, 5);
		for (size_t j = 0; j < run.count; j++)
			assert_int_equal(run.pasts[j].real_ms,
					 step[(int)j - 4].real_ms);
		past_run_deinit(&run);
	}
	assert_int_equal(set_back, 1);
	past_steps_deinit(&steps);
}

/* Filesystems are recorded less often: the newest ones until then count. */
static void runs_have_their_kind(void **state __attribute__((unused)))
{
	struct past_steps steps = { 0 };
	struct past_run run = { 0 };
	const struct past_step *step;
	struct error err;

	assert_int_equal(past_steps_read(&steps, OLD, NULL, &err), 0);
	assert_int_equal(past_steps_find(&steps, 0), 0);
	assert_int_equal(past_steps_find(&steps, INT64_MAX), 108);
	step = &steps.steps[past_steps_find(&steps, BEGIN_MS + 175000)];
	assert_int_equal(step->real_ms, BEGIN_MS + 170000);
	assert_int_equal(past_run_read(&run, OLD, STORE_FILESYSTEMS, step, 60,
				       NULL, &err),
			 0);
	assert_true(run.count > 1 && run.count < 10);
	assert_true(run.pasts[run.count - 1].real_ms <= step->real_ms);
	assert_true(step->real_ms - run.pasts[run.count - 1].real_ms <= 60000);
	past_run_deinit(&run);
	/* One of an hour before is none. */
	assert_int_equal(
		past_run_read(
			&run, OLD, STORE_FILESYSTEMS,
			&(struct past_step){ .real_ms = step->real_ms + 3600000,
					     .last = step->last },
			60, NULL, &err),
		-ENODATA);
	past_run_deinit(&run);
	assert_int_equal(past_run_read(&run, OLD, STORE_MEMORY, step, 60, NULL,
				       &err),
			 -ENODATA);
	past_run_deinit(&run);
	past_steps_deinit(&steps);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_hosts_say_is_kept),
		cmocka_unit_test(the_format_is_that_of_the_fixture),
		cmocka_unit_test(gaps_have_their_causes),
		cmocka_unit_test(the_end_is_a_gap),
		cmocka_unit_test(a_lost_end_is_a_gap),
		cmocka_unit_test(a_clock_that_was_set_is_the_cause),
		cmocka_unit_test(a_time_without_a_trace_is_told_of_each_part),
		cmocka_unit_test(a_rise_says_what_of_it_stayed),
		cmocka_unit_test(growth_is_what_was_measured),
		cmocka_unit_test(the_newest_reading_answers),
		cmocka_unit_test(a_time_that_was_twice_has_two),
		cmocka_unit_test(a_gap_has_no_reading),
		cmocka_unit_test(what_is_new_rises_from_nothing),
		cmocka_unit_test(what_is_not_listed_is_not_nothing),
		cmocka_unit_test(a_past_has_its_names),
		cmocka_unit_test(steps_go_through_all),
		cmocka_unit_test(runs_have_their_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

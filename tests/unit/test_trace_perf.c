// SPDX-License-Identifier: GPL-2.0-or-later
/* What the perf engine reads: formats, records, rings and names. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"
#include "trace/perf_record.h"
#include "trace/perf_ring.h"
#include "trace/process_names.h"
#include "tree.h"

#define EVENTS "sys/kernel/tracing/events/filemap/mm_filemap_"

/* Linux 7.2; earlier kernels have pfn first. */
static const char format[] =
	"name: mm_filemap_add_to_page_cache\n"
	"ID: 480\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:u64 i_ino;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long pfn;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long index;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:dev_t s_dev;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned char order;\toffset:36;\tsize:1;\tsigned:0;\n";

struct sample {
	struct perf_event_header header;
	uint32_t process, thread, size;
	struct {
		uint16_t type;
		char flags[6];
		uint64_t inode, pfn, index;
		uint32_t device;
		unsigned char order;
		char padding[7];
	} __attribute__((packed)) raw;
};

static int set_up(void **state)
{
	static struct tree_fixture fixture;
	struct error err;

	tree_create(&fixture.tree);
	tree_add_text(&fixture.tree, EVENTS "add_to_page_cache/id", "480\n");
	tree_add_text(&fixture.tree, EVENTS "add_to_page_cache/format", format);
	tree_add_text(&fixture.tree, EVENTS "delete_from_page_cache/id",
		      "481\n");
	assert_int_equal(sysroot_init(&fixture.root, fixture.tree.path, &err),
			 0);
	*state = &fixture;
	return 0;
}

static struct sample make_sample(uint16_t type)
{
	return (struct sample){
		.header = { .type = PERF_RECORD_SAMPLE,
			    .size = sizeof(struct sample) },
		.process = 7,
		.thread = 8,
		.size = sizeof(((struct sample *)NULL)->raw),
		.raw = { .type = type,
			 .inode = (254 << 20) | 16,
			 .device = 6,
			 .order = 3 },
	};
}

static void records_are_read_by_their_format(void **state)
{
	const struct tree_fixture *fixture = *state;
	struct record_layout layout;
	struct record record;
	struct sample sample = make_sample(480);
	struct error err;

	assert_int_equal(record_layout_init(&layout, &fixture->root, &err), 0);
	assert_true(record_read(&layout, &sample.header, &record));
	assert_true(record.comes_in);
	assert_int_equal(record.process, 7);
	assert_int_equal(record.inode, (254 << 20) | 16);
	assert_int_equal(record.device, 6);
	assert_int_equal(record.pages, 8);
	sample = make_sample(481);
	assert_true(record_read(&layout, &sample.header, &record));
	assert_false(record.comes_in);
}

static void other_and_short_records_are_not_read(void **state)
{
	const struct tree_fixture *fixture = *state;
	struct record_layout layout;
	struct record record;
	struct sample sample = make_sample(479);
	struct error err;

	assert_int_equal(record_layout_init(&layout, &fixture->root, &err), 0);
	assert_false(record_read(&layout, &sample.header, &record));
	sample = make_sample(480);
	sample.size++;
	assert_false(record_read(&layout, &sample.header, &record));
	sample.size = 30;
	assert_false(record_read(&layout, &sample.header, &record));
	sample.header.size = sizeof(sample.header) + 4;
	assert_false(record_read(&layout, &sample.header, &record));
}

/* As on Linux 5.10. */
static void without_an_order_it_is_one_page(void **state)
{
	const struct tree_fixture *fixture = *state;
	const char *order = strstr(format, "\tfield:unsigned char order");
	struct record_layout layout;
	struct record record;
	const struct sample sample = make_sample(480);
	struct error err;

	tree_add_file(&fixture->tree, EVENTS "add_to_page_cache/format", format,
		      (size_t)(order - format));
	assert_int_equal(record_layout_init(&layout, &fixture->root, &err), 0);
	assert_true(record_read(&layout, &sample.header, &record));
	assert_int_equal(record.pages, 1);
}

static void without_tracefs_it_says_what_helps(void **state
					       __attribute__((unused)))
{
	struct sysroot root;
	struct record_layout layout;
	struct error err;

	assert_int_equal(sysroot_init_empty(&root, "empty", &err), 0);
	assert_int_equal(record_layout_init(&layout, &root, &err), -EOPNOTSUPP);
	assert_non_null(strstr(text_of(&err), "(mount -t tracefs"));
	sysroot_deinit(&root);
}

/* ---- the ring ------------------------------------------------------------ */

#define RING 4096

struct drained {
	unsigned int count;
	uint32_t last[4];
};

static void take(void *data, const struct perf_event_header *record)
{
	struct drained *drained = data;

	assert_int_equal(record->size, 24);
	memcpy(drained->last, record + 1, sizeof(drained->last));
	drained->count++;
}

/* Puts a record of 24 bytes at @at, which may go over the end. */
static void put(char *records, uint64_t at, uint32_t value)
{
	struct {
		struct perf_event_header header;
		uint32_t values[4];
	} record = { { .type = PERF_RECORD_SAMPLE, .size = 24 },
		     { value, value, value, value } };

	for (size_t i = 0; i < sizeof(record); i++)
		records[(at + i) % RING] = ((const char *)&record)[i];
}

static struct perf_ring new_ring(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (struct perf_ring){ .memory = calloc(1, page + RING),
				   .size = RING,
				   .record = malloc(65536) };
}

static char *records_of(const struct perf_ring *ring)
{
	return (char *)ring->memory + sysconf(_SC_PAGESIZE);
}

static void a_record_may_go_over_the_end(void **state __attribute__((unused)))
{
	struct perf_ring ring = new_ring();
	struct perf_event_mmap_page *head = ring.memory;
	char *records = records_of(&ring);
	struct drained drained = { 0 };

	head->data_tail = 3 * RING - 32;
	put(records, head->data_tail, 5);
	put(records, head->data_tail + 24, 6);
	head->data_head = head->data_tail + 48;
	perf_ring_drain(&ring, take, &drained);
	assert_int_equal(drained.count, 2);
	assert_int_equal(drained.last[0], 6);
	assert_int_equal(drained.last[3], 6);
	assert_int_equal(head->data_tail, head->data_head);
	perf_ring_drain(&ring, take, &drained);
	assert_int_equal(drained.count, 2);
	free(ring.memory);
	free(ring.record);
}

/* Whether it is, of a buffer with so many records of 24 bytes. */
static bool is_full(unsigned int count)
{
	struct perf_ring ring = new_ring();
	struct perf_event_mmap_page *head = ring.memory;
	struct drained drained = { 0 };
	bool was_full;

	for (unsigned int i = 0; i < count; i++)
		put(records_of(&ring), i * 24, i);
	head->data_head = count * 24;
	was_full = perf_ring_drain(&ring, take, &drained);
	assert_int_equal(drained.count, count);
	assert_false(perf_ring_drain(&ring, take, &drained));
	free(ring.memory);
	free(ring.record);
	return was_full;
}

static void a_buffer_was_full_or_not(void **state __attribute__((unused)))
{
	assert_false(is_full(0));
	assert_false(is_full((RING - 512) / 24));
	assert_true(is_full(RING / 24));
}

/* ---- names --------------------------------------------------------------- */

/* Above all ids that a process can have, so that /proc has none of them. */
#define PID 0x40000000U

static void life(struct process_names *names, uint32_t type, uint32_t process,
		 uint32_t parent, uint32_t thread)
{
	struct {
		struct perf_event_header header;
		uint32_t process, parent, thread, other;
		uint64_t time;
	} record = { { .type = type, .size = sizeof(record) },
		     process,
		     parent,
		     thread,
		     parent,
		     0 };

	process_names_take(names, &record.header);
}

static void comm(struct process_names *names, uint32_t process,
		 const char *command)
{
	struct {
		struct perf_event_header header;
		uint32_t process, thread;
		char command[16];
	} record = { { .type = PERF_RECORD_COMM, .size = sizeof(record) },
		     process,
		     process,
		     "" };

	snprintf(record.command, sizeof(record.command), "%s", command);
	process_names_take(names, &record.header);
}

static void expect_name(const struct process_names *names, uint32_t process,
			const char *expected)
{
	char command[TRACE_COMMAND] = "as before";

	process_names_find(names, process, command);
	assert_string_equal(command, expected);
}

static void names_come_in_any_order(void **state __attribute__((unused)))
{
	struct process_names *names = calloc(1, sizeof(*names));

	comm(names, PID, "sh");
	life(names, PERF_RECORD_FORK, PID + 1, PID, PID + 1);
	expect_name(names, PID + 1, "sh");
	comm(names, PID + 1, "dd");
	expect_name(names, PID + 1, "dd");
	/* The start comes from another processor, after the name. */
	comm(names, PID + 2, "find");
	life(names, PERF_RECORD_FORK, PID + 2, PID, PID + 2);
	expect_name(names, PID + 2, "find");
	/* A thread that ends is not the process. */
	life(names, PERF_RECORD_EXIT, PID + 2, PID + 2, PID + 9);
	life(names, PERF_RECORD_FORK, PID + 2, PID, PID + 2);
	expect_name(names, PID + 2, "find");
	/* The id is used again. */
	life(names, PERF_RECORD_EXIT, PID + 2, PID, PID + 2);
	expect_name(names, PID + 2, "find");
	life(names, PERF_RECORD_FORK, PID + 2, PID, PID + 2);
	expect_name(names, PID + 2, "sh");
	expect_name(names, PID + 3, "as before");
	/* Another process in the same place. */
	comm(names, PID + PROCESS_NAMES, "tar");
	expect_name(names, PID, "as before");
	free(names);
}

static void a_live_process_has_its_name_in_proc(void **state
						__attribute__((unused)))
{
	struct process_names *names = calloc(1, sizeof(*names));

	expect_name(names, (uint32_t)getpid(), "test_trace_perf");
	free(names);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(records_are_read_by_their_format,
						set_up, tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			other_and_short_records_are_not_read, set_up,
			tree_fixture_tear_down),
		cmocka_unit_test_setup_teardown(without_an_order_it_is_one_page,
						set_up, tree_fixture_tear_down),
		cmocka_unit_test(without_tracefs_it_says_what_helps),
		cmocka_unit_test(a_record_may_go_over_the_end),
		cmocka_unit_test(a_buffer_was_full_or_not),
		cmocka_unit_test(names_come_in_any_order),
		cmocka_unit_test(a_live_process_has_its_name_in_proc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

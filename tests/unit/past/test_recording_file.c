// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a start of the recorder does to a recording: many of them, as in a crash
 * loop, do not push out what was there before.
 */
#include <string.h>

#include "store/recording_file.h"
#include "store/segment_write.h"
#include "test.h"
#include "tree.h"

enum { SEGMENT = 64 << 10, PLACES = 32, STARTS = 100, KEPT = PLACES - 2 };

/* Starts, and writes a segment with so many documents. Returns its number. */
static uint64_t record(const struct tree *tree, int documents)
{
	static const char text[] = "{\"state\":\"a state of the recorder\"}";
	static uint8_t data[SEGMENT];
	struct segment_writer *writer = segment_writer_create();
	struct segment_identity identity = { 0 };
	struct store_time time = { .boot_ms = 1000, .real_ms = 2000 };
	struct recording_file file;
	struct error err;

	if (recording_file_open(&file, tree->path, SEGMENT * PLACES, SEGMENT,
				&err) < 0)
		fail_msg("%s", text_of(&err));
	identity.number = identity.seed = file.next_number;
	identity.sequence = file.next_sequence;
	segment_begin(writer, data, SEGMENT, &identity);
	for (int i = 0; i < documents; i++)
		assert_int_equal(segment_append(writer, STORE_STATE, &time,
						text, strlen(text), true),
				 0);
	assert_int_equal(recording_file_write(&file, identity.number, data, 0,
					      segment_used(writer)),
			 0);
	recording_file_close(&file);
	segment_writer_destroy(writer);
	return identity.number;
}

static size_t count(const struct tree *tree, uint64_t first, uint64_t end)
{
	struct recording_file file;
	struct error err;
	size_t found = 0;

	assert_int_equal(recording_file_open(&file, tree->path,
					     SEGMENT * PLACES, SEGMENT, &err),
			 0);
	for (uint64_t number = first; number < end; number++)
		found += recording_file_has(&file, number);
	recording_file_close(&file);
	return found;
}

static void starts_keep_the_past(void **state __attribute__((unused)))
{
	uint64_t first = 1, last = 0;
	struct tree tree;

	tree_create(&tree);
	/* A new one has room for short ones, too. */
	for (int i = 0; i < PLACES; i++)
		last = record(&tree, 500);
	assert_int_equal(count(&tree, first, last + 1), PLACES);
	for (int i = 0; i < STARTS; i++) {
		uint64_t before = last;

		last = record(&tree, 1);
		/* What came right before, and so the last crash, stays. */
		assert_int_equal(count(&tree, before, last + 1), 2);
	}
	assert_int_equal(count(&tree, first, first + PLACES), KEPT);
	/* One that runs for long takes the oldest place, as ever. */
	for (int i = 0; i < 3; i++)
		last = record(&tree, 500);
	assert_int_equal(count(&tree, first, first + PLACES), KEPT - 2);
	tree_destroy(&tree);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_keep_the_past),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

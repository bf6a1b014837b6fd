// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/byte_order.h"
#include "lib/crc32c.h"
#include "store/bytes.h"
#include "store/segment_read.h"
#include "store/segment_write.h"
#include "test.h"

enum { SEGMENT = 64 << 10 };

static const struct segment_identity identity = {
	.number = 7,
	.seed = 0x123456789abcdef0,
	.boot_id = "sixteen bytes..",
	.sequence = 1000,
	.time = { .boot_ms = 5000, .real_ms = 1790000000000 },
};

struct fixture {
	uint8_t data[SEGMENT];
	struct segment_writer *writer;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->writer = segment_writer_create();
	assert_non_null(fixture->writer);
	segment_begin(fixture->writer, fixture->data, SEGMENT, &identity);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	segment_writer_destroy(fixture->writer);
	free(fixture);
	return 0;
}

static int append(struct fixture *fixture, const char *text, bool key)
{
	uint64_t number = segment_sequence(fixture->writer);
	const struct store_time time = {
		.boot_ms = 5000 + (int64_t)(number - 1000) * 10000,
		.real_ms = 1790000000000 + (int64_t)(number - 1000) * 10000,
	};

	return segment_append(fixture->writer, STORE_DEVICES, &time, text,
			      strlen(text), key);
}

/* Reads the next document. Returns false at the end. */
static bool next(struct segment_reader *reader, struct segment_record *record,
		 char **text)
{
	size_t size;

	*text = NULL;
	if (segment_reader_next(reader, record) != 1)
		return false;
	if (record->readable) {
		assert_int_equal(
			segment_reader_text(reader, record, text, &size), 0);
		assert_int_equal(strlen(*text), size);
	}
	return true;
}

static struct segment_reader *open_reader(struct fixture *fixture)
{
	struct segment_reader *reader;

	assert_int_equal(segment_reader_open(&reader, fixture->data, SEGMENT),
			 0);
	return reader;
}

static void crc_is_the_one_of_iscsi(void **state __attribute__((unused)))
{
	uint8_t zeros[32] = { 0 };

	/* RFC 3720, B.4 */
	assert_int_equal(crc32c(0, zeros, sizeof(zeros)), 0x8a9136aa);
	assert_int_equal(crc32c(crc32c(0, "1234", 4), "56789", 5), 0xe3069283);
}

static const char *const documents[] = {
	"{}",
	"[]",
	"1",
	"null",
	"{\"a\":1,\"b\":[{\"c\":null},{\"c\":true},{\"c\":false}],\"d\":\"x\"}",
	"{\"a\":2,\"b\":[{\"c\":5},{\"c\":-7},{\"c\":0}],\"d\":\"x\"}",
	/* numbers that are not taken for values, and the largest that are */
	"{\"a\":1.5,\"b\":-0,\"c\":007,\"d\":1e3,\"e\":18446744073709551615}",
	"{\"a\":99999999999999999,\"b\":-99999999999999999}",
	"{\"a\":123456789012345678,\"b\":nullx,\"c\":9223372036854775807}",
	/* text that looks like values */
	"{\"1\":\"null\",\"true\":\"12\",\"q\":\"\\\"{7}\\\\\",\"u\":\"{,}\"}",
	/* times, and what is none */
	"{\"t\":\"2026-11-23T02:12:30Z\",\"u\":\"1970-01-01T00:00:00Z\"}",
	"{\"t\":\"2028-02-29T23:59:59Z\",\"u\":\"2026-02-29T00:00:00Z\"}",
	"{\"t\":\"9999-12-31T23:59:59Z\",\"u\":\"1969-12-31T23:59:59Z\"}",
	"{\"t\":\"2026-13-01T00:00:00Z\",\"u\":\"2026-11-23T24:00:00Z\"}",
	"{\"t\":\"2100-03-01T00:00:00Z\",\"u\":\"2000-12-31T00:00:00Z\"}",
	/* the same words more than once, in other orders */
	"[{\"a\":1},{\"a\":2},{\"b\":3}]",
	"[{\"b\":4},{\"a\":5},{\"a\":6},{\"a\":7}]",
	"[{\"b\":4},{\"a\":5},{\"a\":6},{\"a\":7}]",
	"[{\"a\":5}]",
	/* a piece with many values, which is moved while it becomes words */
	"{\"m\":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21],"
	"\"n\":{\"o\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]}}",
	"{\"m\":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,22],"
	"\"n\":{\"o\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,21]}}",
	/* no JSON, but nothing is lost */
	"}}{{,,\"",
	"{\"open\":\"",
	"{\"end\\",
};

static void what_is_read_is_what_was_written(void **state)
{
	struct fixture *fixture = *state;
	struct segment_reader *reader;
	struct segment_record record;
	char *text;

	for (int key = 0; key < 2; key++)
		for (size_t i = 0; i < COUNT_OF(documents); i++)
			assert_int_equal(append(fixture, documents[i], key), 0);
	reader = open_reader(fixture);
	for (int key = 0; key < 2; key++) {
		for (size_t i = 0; i < COUNT_OF(documents); i++) {
			int64_t ms;

			assert_true(next(reader, &record, &text));
			assert_string_equal(text, documents[i]);
			assert_int_equal(record.key, key || !i);
			assert_int_equal(record.lost, 0);
			free(text);
			ms = record.time.boot_ms - 5000;
			assert_int_equal(ms % 10000, 0);
			assert_int_equal(record.time.real_ms,
					 1790000000000 + ms);
		}
	}
	assert_false(next(reader, &record, &text));
	assert_int_equal(segment_reader_sequence(reader),
			 segment_sequence(fixture->writer));
	segment_reader_close(reader);
}

static void control_bytes_are_refused(void **state)
{
	assert_int_equal(append(*state, "{\"a\":\"\x01\"}", false), -EBADMSG);
	assert_int_equal(append(*state, "{\x02}", false), -EBADMSG);
	assert_int_equal(append(*state, "{}\n", false), -EBADMSG);
}

static void the_clock_may_go_back(void **state)
{
	const struct store_time time = { .boot_ms = 9000, .real_ms = 17 };
	struct fixture *fixture = *state;
	struct segment_reader *reader;
	struct segment_record record;
	char *text;

	assert_int_equal(segment_append(fixture->writer, STORE_STATE, &time,
					"{}", 2, false),
			 0);
	reader = open_reader(fixture);
	assert_true(next(reader, &record, &text));
	assert_int_equal(record.kind, STORE_STATE);
	assert_int_equal(record.time.boot_ms, 9000);
	assert_int_equal(record.time.real_ms, 17);
	free(text);
	segment_reader_close(reader);
}

/* Documents with a number that tells which it is. */
static void append_numbered(struct fixture *fixture, int count)
{
	for (int i = 0; i < count; i++) {
		char text[128];

		snprintf(text, sizeof(text),
			 "{\"i\":%d,\"rows\":[{\"name\":\"sda\",\"pages\":%d},"
			 "{\"name\":\"sdb%d\"}]}",
			 i, i * 1000, i / 20);
		assert_int_equal(append(fixture, text, i % 6 == 0), 0);
	}
}

static int number_of(const char *text)
{
	int number = -1;

	assert_int_equal(sscanf(text, "{\"i\":%d", &number), 1);
	return number;
}

/*
 * Damages every place in turn. All documents that do not need the damaged bytes
 * are read, and no document that was never written.
 */
static void damage_hides_no_more_than_a_minute(void **state)
{
	const struct store_time time = { .boot_ms = 900000 };
	struct fixture *fixture = *state;
	const int count = 60;
	size_t used;
	char *all[60];
	struct segment_reader *reader = NULL;
	struct segment_record record;

	append_numbered(fixture, count);
	assert_int_equal(segment_repeat_words(fixture->writer, &time), 0);
	used = segment_used(fixture->writer);
	reader = open_reader(fixture);
	for (int i = 0; i < count; i++)
		assert_true(next(reader, &record, &all[i]));
	segment_reader_close(reader);
	for (size_t at = STORE_HEADER_BYTES; at < used; at += 3) {
		bool seen[60] = { false };
		int missing = 0, lost = 0;
		char *text;

		fixture->data[at] ^= 0x40;
		reader = open_reader(fixture);
		while (next(reader, &record, &text)) {
			lost += (int)record.lost;
			if (!record.readable)
				continue;
			assert_string_equal(text, all[number_of(text)]);
			seen[number_of(text)] = true;
			free(text);
		}
		segment_reader_close(reader);
		fixture->data[at] ^= 0x40;
		for (int i = 0; i < count; i++)
			missing += !seen[i];
		assert_in_range(missing, 0, 6);
		assert_true(!missing || lost == 1 || !seen[count - 1]);
	}
	for (int i = 0; i < count; i++)
		free(all[i]);
}

static void words_that_are_repeated_survive(void **state)
{
	const struct store_time time = { .boot_ms = 900000 };
	struct fixture *fixture = *state;
	struct segment_reader *reader;
	struct segment_record record;
	int read = 0;
	char *text;

	append_numbered(fixture, 1);
	assert_int_equal(segment_repeat_words(fixture->writer, &time), 0);
	append_numbered(fixture, 6);
	/* The first entry of the dictionary, which all documents need. */
	fixture->data[STORE_HEADER_BYTES + STORE_RECORD_HEAD + 4] ^= 1;
	reader = open_reader(fixture);
	while (next(reader, &record, &text)) {
		assert_true(record.readable);
		read++;
		free(text);
	}
	assert_int_equal(read, 7);
	segment_reader_close(reader);
}

/* What an earlier segment has left in the same place is not read. */
static void the_rest_of_an_old_segment_is_not_read(void **state)
{
	struct segment_identity next_identity = identity;
	struct fixture *fixture = *state;
	struct segment_reader *reader;
	struct segment_record record;
	char *text;

	append_numbered(fixture, 60);
	next_identity.number++;
	next_identity.seed++;
	segment_begin(fixture->writer, fixture->data, SEGMENT, &next_identity);
	assert_int_equal(append(fixture, "{\"i\":0}", true), 0);
	reader = open_reader(fixture);
	assert_true(next(reader, &record, &text));
	assert_string_equal(text, "{\"i\":0}");
	free(text);
	assert_false(next(reader, &record, &text));
	segment_reader_close(reader);
}

/* Gives the record at @at another kind, as a later version might write it. */
static void change_kind(uint8_t *at, uint8_t kind)
{
	uint8_t checked[6], seed[8];
	uint32_t length = le32_at(at + 4), crc;

	for (int i = 0; i < 8; i++)
		seed[i] = (uint8_t)(identity.seed >> 8 * i);
	crc = crc32c(0, seed, sizeof(seed));
	at[1] = kind;
	memcpy(checked, at, 2);
	memcpy(checked + 2, at + 4, 4);
	at[2] = (uint8_t)crc32c(crc, checked, sizeof(checked));
	at[3] = (uint8_t)(crc32c(crc, checked, sizeof(checked)) >> 8);
	crc = crc32c(crc32c(crc, at, 8), at + STORE_RECORD_HEAD,
		     length - STORE_RECORD_HEAD);
	for (int i = 0; i < 4; i++)
		at[8 + i] = (uint8_t)(crc >> 8 * i);
}

static void kinds_that_are_not_known_are_skipped(void **state)
{
	struct fixture *fixture = *state;
	struct segment_reader *reader;
	struct segment_record record;
	size_t second;
	char *text;

	assert_int_equal(append(fixture, "{}", true), 0);
	second = segment_used(fixture->writer);
	assert_int_equal(append(fixture, "{}", true), 0);
	assert_int_equal(append(fixture, "{}", false), 0);
	change_kind(fixture->data + second, STORE_KINDS + 5);
	reader = open_reader(fixture);
	assert_true(next(reader, &record, &text));
	free(text);
	assert_true(next(reader, &record, &text));
	assert_int_equal(record.kind, STORE_KINDS + 5);
	assert_false(record.readable);
	assert_null(text);
	/* It was a change of what is not known. */
	assert_true(next(reader, &record, &text));
	assert_int_equal(record.lost, 0);
	assert_false(record.readable);
	segment_reader_close(reader);
}

static void a_full_segment_says_so(void **state)
{
	struct fixture *fixture = *state;
	struct segment_reader *reader;
	struct segment_record record;
	int written = 0, read = 0, ret;
	char *text;

	for (;; written++) {
		char line[256];

		snprintf(line, sizeof(line), "{\"i\":%d,\"name-%d\":\"%0*d\"}",
			 written, written, written % 200, 0);
		ret = append(fixture, line, false);
		if (ret < 0)
			break;
	}
	assert_int_equal(ret, -ENOSPC);
	reader = open_reader(fixture);
	while (next(reader, &record, &text)) {
		assert_int_equal(number_of(text), read++);
		free(text);
	}
	assert_int_equal(read, written);
	segment_reader_close(reader);
}

static void too_large_is_told_from_full(void **state)
{
	struct fixture *fixture = *state;
	char *text = malloc(SEGMENT + 64);

	memset(text, ' ', SEGMENT + 63);
	text[0] = '"';
	text[SEGMENT + 62] = '"';
	text[SEGMENT + 63] = '\0';
	assert_int_equal(append(fixture, text, true), -E2BIG);
	assert_int_equal(append(fixture, "{}", true), 0);
	assert_int_equal(append(fixture, text, true), -ENOSPC);
	free(text);
}

static void a_header_is_checked(void **state)
{
	struct fixture *fixture = *state;
	struct segment_reader *reader;

	assert_int_equal(segment_reader_open(&reader, fixture->data, 511),
			 -EBADMSG);
	for (size_t i = 0; i < 76; i++) {
		fixture->data[i] ^= 1;
		assert_int_equal(segment_reader_open(&reader, fixture->data,
						     SEGMENT),
				 -EBADMSG);
		fixture->data[i] ^= 1;
	}
	/* A later version is another answer. */
	fixture->data[8] = STORE_VERSION + 1;
	for (int i = 0; i < 4; i++)
		fixture->data[72 + i] =
			(uint8_t)(crc32c(0, fixture->data, 72) >> 8 * i);
	assert_int_equal(segment_reader_open(&reader, fixture->data, SEGMENT),
			 -EPROTO);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(crc_is_the_one_of_iscsi),
		cmocka_unit_test_setup_teardown(
			what_is_read_is_what_was_written, set_up, tear_down),
		cmocka_unit_test_setup_teardown(control_bytes_are_refused,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_clock_may_go_back, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			damage_hides_no_more_than_a_minute, set_up, tear_down),
		cmocka_unit_test_setup_teardown(words_that_are_repeated_survive,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_rest_of_an_old_segment_is_not_read, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			kinds_that_are_not_known_are_skipped, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(a_full_segment_says_so, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(too_large_is_told_from_full,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_header_is_checked, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

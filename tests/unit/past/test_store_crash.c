// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every state that a power cut may leave a recording in. The writes are logged
 * as they are made. Then, for each moment, what had been synced is on the disk,
 * and of each sector that was written after that the disk has any version, or
 * garbage. What had been synced must be read, nothing that was never written
 * may be, and the recorder must start again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/whole.h"
#include "store/recording_file.h"
#include "store/segment_index.h"
#include "store/segment_read.h"
#include "store/segment_write.h"
#include "test.h"
#include "tree.h"

enum {
	SEGMENT = STORE_SMALLEST_SEGMENT,
	PLACES = 3,
	IMAGE = SEGMENT * PLACES,
	SECTORS = IMAGE / STORE_SECTOR,
	DOCUMENTS = 44,
	PER_SYNC = 4,
	MOST_CALLS = 256,
	MOST_VERSIONS = 16,
};

/* What the recorder has done to its file. */
struct call {
	bool is_sync;
	size_t offset;
	size_t size;
	uint8_t *data;
};

/* The log is written by the functions that stand in for those of libc. */
static struct {
	bool on;
	struct call calls[MOST_CALLS];
	size_t count;
} call_log;

static struct call *log_call(void)
{
	assert_true(call_log.count < MOST_CALLS);
	return &call_log.calls[call_log.count++];
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
	if (call_log.on) {
		struct call *call = log_call();

		*call = (struct call){ false, (size_t)offset, size,
				       malloc(size) };
		memcpy(call->data, data, size);
	}
	return syscall(SYS_pwrite64, fd, data, size, offset);
}

/* The disk of these tests is memory: to wait for it would only take time. */
int fdatasync(int fd __attribute__((unused)))
{
	if (call_log.on)
		*log_call() = (struct call){ .is_sync = true };
	return 0;
}

int fsync(int fd)
{
	return fdatasync(fd);
}

/* No other call may change the file: this test knows nothing of it. */
#define NOT_LOGGED(call)                                                       \
	do {                                                                   \
		if (call_log.on)                                               \
			fail_msg(call " is not in the model of this test");    \
	} while (0)

int ftruncate(int fd, off_t size)
{
	NOT_LOGGED("ftruncate");
	return (int)syscall(SYS_ftruncate, fd, size);
}

int rename(const char *from, const char *to)
{
	NOT_LOGGED("rename");
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char *path)
{
	NOT_LOGGED("unlink");
	return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

/* The recorder, as far as the store goes. */
struct recorder {
	struct recording_file file;
	struct segment_writer *writer;
	uint8_t data[SEGMENT];
	uint64_t number;
	size_t written;
};

static const struct store_time start = { .boot_ms = 1000, .real_ms = 2000 };

static void begin_segment(struct recorder *recorder, uint64_t sequence)
{
	static uint64_t seed;
	struct segment_identity identity = {
		.number = recorder->number,
		.seed = ++seed,
		.sequence = sequence,
		.time = start,
	};

	segment_begin(recorder->writer, recorder->data, SEGMENT, &identity);
	recorder->written = 0;
}

static void begin(struct recorder *recorder, const struct tree *tree)
{
	struct error err;

	if (recording_file_open(&recorder->file, tree->path, IMAGE, SEGMENT,
				&err) < 0)
		fail_msg("%s", text_of(&err));
	assert_int_equal(recorder->file.count, PLACES);
	recorder->number = recorder->file.next_number;
	begin_segment(recorder, recorder->file.next_sequence);
}

/* What document @i says. The filler differs, so that no two are alike. */
static const char *document(int i, char text[512])
{
	int used = snprintf(text, 512, "{\"i\":%d,\"filler\":\"", i);

	for (int j = 0; j < 280; j++)
		text[used++] = (char)('a' + (i * 7 + j * (i % 5 + 1)) % 26);
	strcpy(text + used, "\"}");
	return text;
}

static void record(struct recorder *recorder, int i)
{
	char text[512];
	const char *words = document(i, text);
	struct store_time time = start;
	int ret = segment_append(recorder->writer, STORE_DEVICES, &time, words,
				 strlen(words), i % PER_SYNC == 0);

	if (ret == -ENOSPC) {
		recorder->number++;
		begin_segment(recorder, segment_sequence(recorder->writer));
		ret = segment_append(recorder->writer, STORE_DEVICES, &time,
				     words, strlen(words), true);
	}
	assert_int_equal(ret, 0);
	assert_int_equal(recording_file_write(&recorder->file, recorder->number,
					      recorder->data, recorder->written,
					      segment_used(recorder->writer)),
			 0);
	recorder->written = segment_used(recorder->writer);
}

static void sync_all(struct recorder *recorder)
{
	assert_int_equal(recording_file_sync(&recorder->file), 0);
	segment_align(recorder->writer);
	recorder->written = segment_used(recorder->writer);
}

/* When each document was written and synced, and when it was given up. */
struct life {
	size_t written; /* number of calls then */
	size_t synced;
	size_t recycled;
	uint64_t segment;
};

struct history {
	struct life lives[DOCUMENTS];
	uint8_t start[IMAGE]; /* the file before the first call */
};

static void read_file(const struct tree *tree, uint8_t image[IMAGE])
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/" RECORDING_NAME, tree->path);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(pread_whole(fd, image, IMAGE, 0), IMAGE);
	close(fd);
}

static void write_file(const struct tree *tree, const uint8_t image[IMAGE])
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/" RECORDING_NAME, tree->path);
	fd = open(path, O_WRONLY);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, image, IMAGE, 0), IMAGE);
	close(fd);
}

static void note_recycled(struct history *history, uint64_t number)
{
	for (int i = 0; i < DOCUMENTS; i++) {
		struct life *life = &history->lives[i];

		if (life->written && life->segment + PLACES <= number &&
		    !life->recycled)
			life->recycled = call_log.count;
	}
}

static void make_history(struct history *history, struct recorder *recorder)
{
	int synced = 0;

	call_log.on = true;
	for (int i = 0; i < DOCUMENTS; i++) {
		struct life *life = &history->lives[i];

		record(recorder, i);
		note_recycled(history, recorder->number);
		life->written = call_log.count;
		life->segment = recorder->number;
		if (i % PER_SYNC != PER_SYNC - 1)
			continue;
		sync_all(recorder);
		for (; synced <= i; synced++)
			history->lives[synced].synced = call_log.count;
	}
	call_log.on = false;
}

/* Reads all documents in @image. Checks that each was written and is new. */
static void read_image(const struct tree *tree, bool seen[DOCUMENTS + 8])
{
	static struct segment_place places[STORE_MOST_SEGMENTS];
	static uint8_t data[SEGMENT];
	char path[512], expected[512];
	int fd, count, last = -1;

	snprintf(path, sizeof(path), "%s/" RECORDING_NAME, tree->path);
	fd = open(path, O_RDONLY);
	count = segment_index_read(fd, places);
	assert_in_range(count, 0, PLACES);
	memset(seen, 0, (DOCUMENTS + 8) * sizeof(*seen));
	for (int i = 0; i < count; i++) {
		struct segment_reader *reader;
		struct segment_record record;

		pread_whole(fd, data, SEGMENT, places[i].offset);
		assert_int_equal(segment_reader_open(&reader, data, SEGMENT),
				 0);
		while (segment_reader_next(reader, &record) == 1) {
			char *text = NULL;
			size_t size;
			int which;

			if (!record.readable)
				continue;
			assert_int_equal(segment_reader_text(reader, &record,
							     &text, &size),
					 0);
			assert_int_equal(sscanf(text, "{\"i\":%d", &which), 1);
			assert_in_range(which, last + 1, DOCUMENTS + 7);
			assert_string_equal(text, document(which, expected));
			seen[which] = true;
			last = which;
			free(text);
		}
		segment_reader_close(reader);
	}
	close(fd);
}

/* Documents that were synced by call @now, in a segment that is still there. */
static void expect_synced(const struct history *history, size_t now,
			  const bool *seen, uint64_t given_up)
{
	for (int i = 0; i < DOCUMENTS; i++) {
		const struct life *life = &history->lives[i];

		if (life->synced && life->synced <= now &&
		    (!life->recycled || life->recycled > now) &&
		    life->segment != given_up && !seen[i])
			fail_msg("document %d was synced and is lost", i);
	}
}

/* The recorder starts again on what is there, and that is read, too. */
static void start_again(const struct tree *tree, const struct history *history,
			size_t now, struct recorder *recorder)
{
	bool seen[DOCUMENTS + 8];
	uint64_t before[PLACES], given_up;

	begin(recorder, tree);
	memcpy(before, recorder->file.numbers, sizeof(before));
	for (int i = 0; i < 3; i++)
		record(recorder, DOCUMENTS + i);
	given_up = before[recorder->file.place];
	read_image(tree, seen);
	expect_synced(history, now, seen, given_up ? given_up : UINT64_MAX);
	for (int i = 0; i < 3; i++)
		assert_true(seen[DOCUMENTS + i]);
	recording_file_close(&recorder->file);
}

/* The versions that a sector may have on the disk; the first is synced. */
struct sector {
	uint8_t versions[MOST_VERSIONS][STORE_SECTOR];
	size_t count;
};

static void add_version(struct sector *sector, const uint8_t *bytes)
{
	assert_true(sector->count < MOST_VERSIONS);
	memcpy(sector->versions[sector->count++], bytes, STORE_SECTOR);
}

/* Works out all versions at the moment after call @now. */
static void find_versions(const struct history *history, size_t now,
			  struct sector sectors[SECTORS])
{
	static uint8_t cache[IMAGE];
	size_t synced = 0;

	for (size_t i = 0; i < now; i++) {
		if (call_log.calls[i].is_sync)
			synced = i;
	}
	memcpy(cache, history->start, IMAGE);
	for (size_t i = 0; i < SECTORS; i++)
		sectors[i].count = 0;
	for (size_t i = 0; i <= now; i++) {
		const struct call *call = &call_log.calls[i];
		size_t first = call->offset / STORE_SECTOR;
		size_t end = (call->offset + call->size + STORE_SECTOR - 1) /
			     STORE_SECTOR;

		if (i == synced) {
			for (size_t j = 0; j < SECTORS; j++)
				add_version(&sectors[j],
					    cache + j * STORE_SECTOR);
		}
		if (i == now)
			break;
		if (call->is_sync)
			continue;
		memcpy(cache + call->offset, call->data, call->size);
		for (size_t j = first; i >= synced && j < end; j++)
			add_version(&sectors[j], cache + j * STORE_SECTOR);
	}
}

static void add_garbage(struct sector sectors[SECTORS])
{
	uint8_t garbage[STORE_SECTOR];

	for (size_t i = 0; i < SECTORS; i++) {
		if (sectors[i].count == 1)
			continue;
		for (size_t j = 0; j < STORE_SECTOR; j++)
			garbage[j] = (uint8_t)(j * 37 + i * 11 + 0xb5);
		add_version(&sectors[i], garbage);
	}
}

static size_t states;

static void check_state(const struct tree *tree, const struct history *history,
			size_t now, const uint8_t image[IMAGE],
			struct recorder *recorder)
{
	bool seen[DOCUMENTS + 8];

	states++;
	write_file(tree, image);
	read_image(tree, seen);
	expect_synced(history, now, seen, UINT64_MAX);
	start_again(tree, history, now, recorder);
}

enum base { SYNCED, NEWEST, GARBAGE, BASES };

static const uint8_t *version_of(const struct sector *sector, enum base base)
{
	size_t last = sector->count - 1;

	if (base == SYNCED || !last)
		return sector->versions[0];
	return sector->versions[base == NEWEST ? last - 1 : last];
}

/*
 * All sectors synced, newest or garbage; and each of them in every version with
 * all others synced, newest or garbage.
 */
static void check_moment(const struct tree *tree, const struct history *history,
			 size_t now, struct recorder *recorder)
{
	static struct sector sectors[SECTORS];
	static uint8_t image[IMAGE];

	find_versions(history, now, sectors);
	add_garbage(sectors);
	for (enum base base = 0; base < BASES; base++) {
		for (size_t i = 0; i < SECTORS; i++)
			memcpy(image + i * STORE_SECTOR,
			       version_of(&sectors[i], base), STORE_SECTOR);
		check_state(tree, history, now, image, recorder);
		for (size_t i = 0; i < SECTORS; i++) {
			uint8_t *place = image + i * STORE_SECTOR;

			for (size_t j = 0;
			     sectors[i].count > 1 && j < sectors[i].count;
			     j++) {
				memcpy(place, sectors[i].versions[j],
				       STORE_SECTOR);
				check_state(tree, history, now, image,
					    recorder);
			}
			memcpy(place, version_of(&sectors[i], base),
			       STORE_SECTOR);
		}
	}
}

static void every_state_is_read(void **state __attribute__((unused)))
{
	static struct recorder recorder;
	static struct history history;
	struct tree tree;

	tree_create(&tree);
	recorder.writer = segment_writer_create();
	begin(&recorder, &tree);
	read_file(&tree, history.start);
	make_history(&history, &recorder);
	recording_file_close(&recorder.file);
	/* The ring has gone round, and what it gave up is not all. */
	assert_true(history.lives[0].recycled);
	assert_false(history.lives[DOCUMENTS - 1].recycled);
	for (size_t now = 0; now <= call_log.count; now++)
		check_moment(&tree, &history, now, &recorder);
	print_message("%zu states\n", states);
	segment_writer_destroy(recorder.writer);
	for (size_t i = 0; i < call_log.count; i++)
		free(call_log.calls[i].data);
	tree_destroy(&tree);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_state_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

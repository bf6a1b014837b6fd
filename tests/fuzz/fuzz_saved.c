// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any text as a saved reading. If it is accepted, writing and reading it again
 * gives the same, and comparing it with itself shows no change.
 */
#include <string.h>

#include "filesystems/file_columns.h"
#include "filesystems/files_saved.h"
#include "filesystems/fs_rows.h"
#include "filesystems/fs_saved.h"
#include "fuzz.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/history.h"
#include "measure/saved.h"
#include "memory/memory_heads.h"
#include "memory/memory_saved.h"
#include "memory/owners_saved.h"
#include "memory_file.h"
#include "sample/baseline_file.h"
#include "sample/device_question.h"
#include "sample/heads_question.h"
#include "sample/reading.h"

static uint64_t number(const struct baseline_device *device)
{
	return (uint64_t)device->major << 32 | device->minor;
}

static void check_baseline(const struct baseline *baseline)
{
	int64_t change;

	for (size_t i = 0; i < baseline->count; i++) {
		const struct baseline_device *device = &baseline->devices[i];
		struct sample sample = { .major = device->major,
					 .minor = device->minor };

		fuzz_require(i == 0 || number(device - 1) <= number(device));
		fuzz_require(device->pages <= INT64_MAX / baseline->page_size);
		sample_set(&sample, FIGURE_PAGES, device->pages);
		if (!baseline->unsettled &&
		    (i == 0 || number(device - 1) != number(device)) &&
		    (i + 1 == baseline->count ||
		     number(device + 1) != number(device)))
			fuzz_require(baseline_change(baseline, &sample,
						     baseline->page_size,
						     &change) &&
				     change == 0);
	}
	fuzz_require(baseline->has_rest || baseline->rest_pages == 0);
}

static void check_sample(const struct sample *sample, uint64_t page_size)
{
	fuzz_require(!sample->refused || !sample->present);
	fuzz_require(sample->figures[FIGURE_DIRTY] <= INT64_MAX / page_size);
	for (unsigned int i = 0; i < FIGURES; i++)
		fuzz_require(sample_has(sample, i) || !sample->figures[i]);
}

static void check_filesystems(const struct filesystems *all)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct filesystem *filesystem = &all->filesystems[i];

		check_sample(&filesystem->sample, all->page_size);
		fuzz_require(filesystem->sample.refused ||
			     sample_has(&filesystem->sample, FIGURE_PAGES));
		fuzz_require(!filesystem->source == !filesystem->type);
		fuzz_require(!filesystem->source ||
			     filesystem->mountpoints.count ||
			     filesystem->is_unmounted || all->lacks_mounts);
		pages += filesystem->sample.figures[FIGURE_PAGES];
	}
	fuzz_require(pages == all->attributed_pages);
}

static void check_files(const struct cached_files *files)
{
	uint64_t most = files->pages;

	fuzz_require(files->count <= files->captured);
	fuzz_require(files->pages <= INT64_MAX / files->page_size);
	fuzz_require(files->refused == files->why.count);
	for (size_t i = 0; i < files->count; i++) {
		const struct cached_file *file = &files->files[i];

		fuzz_require(file->pages <= most);
		fuzz_require(file->size_bytes <= INT64_MAX);
		fuzz_require(file->is_own == !file->source &&
			     file->is_own == !file->type);
		most = file->pages;
	}
}

static int take_owners(const struct saved *saved, struct memory_owners *owners)
{
	struct memory_owners_asked asked = { 0 };

	fuzz_require(memory_owners_parse(&asked, "all", NULL) == 0);
	memory_owners_ask(owners, &asked, 3, 4096);
	return owners_saved_read(saved, owners);
}

static void check_owners(const struct memory_owners *owners)
{
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		const struct memory_owner_list *list = &owners->lists[i];

		fuzz_require(list->count <= 3);
		fuzz_require(list->asked || !list->count);
		fuzz_require(list->others_bytes >= 0);
	}
}

static void drop(struct reading *reading, enum question_id id)
{
	question_release(questions[id], reading->answers[id].answer);
	reading->answers[id] = (struct reading_answer){ 0 };
}

/* Returns whether all of it was accepted. The caller deinits @reading. */
static bool take(const char *path, struct reading *reading)
{
	struct device_answer *device = reading_begin(reading, QUESTION_DEVICES);
	struct fs_answer *fs = reading_begin(reading, QUESTION_FILESYSTEMS);
	struct files_answer *file = reading_begin(reading, QUESTION_FILES);
	struct heads_answer *heads = reading_begin(reading, QUESTION_MEMORY);
	struct saved saved;
	struct error err;
	int devices, filesystems = -1, files = -1, memory = -1, owners = -1;

	if (saved_open_file(&saved, path, &err) < 0)
		return false;
	devices = devices_read(&device->devices, &saved);
	if (devices >= 0)
		filesystems = fs_saved_read(&saved, &fs->taken);
	fs->filesystems = &fs->taken;
	if (filesystems >= 0)
		files = files_saved_read(&saved, &file->files);
	if (files >= 0 && provenance_read(&reading->provenance, &saved) < 0)
		files = -1;
	if (files >= 0)
		memory = memory_saved_read(&saved, &heads->reading);
	if (memory >= 0)
		owners = take_owners(&saved, &heads->owners);
	saved_close(&saved);
	device->head.source = device->devices.source;
	device->head.is_whole = device->devices.is_whole;
	heads->saves_owners = owners > 0;
	if (owners < 0)
		return false;
	if (!filesystems)
		drop(reading, QUESTION_FILESYSTEMS);
	if (!files)
		drop(reading, QUESTION_FILES);
	/* A file has owners only with memory. */
	if (!memory)
		drop(reading, QUESTION_MEMORY);
	return true;
}

static void check_memory(const struct memory_reading *memory)
{
	struct memory_heads heads;
	int64_t bytes;

	memory_heads_init(&heads, memory);
	fuzz_require(memory_heads_sum(&heads) + heads.rest == heads.total);
	fuzz_require(
		!__builtin_mul_overflow(heads.rest, memory->page_size, &bytes));
}

static char *write_again(const struct reading *reading, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	fuzz_require(out);
	reading_print(out, reading);
	fuzz_require(fclose(out) == 0);
	return text;
}

static void check_again(const struct reading *reading)
{
	struct reading again = { 0 };
	struct memory_file file;
	size_t size, other;
	char *first = write_again(reading, &size), *second;

	file = memory_file(first, size);
	fuzz_require(take(file.path, &again));
	close(file.fd);
	second = write_again(&again, &other);
	fuzz_require(size == other && memcmp(first, second, size) == 0);
	free(first);
	free(second);
	reading_deinit(&again);
}

static void check_answers(const struct reading *reading)
{
	const struct device_answer *device =
		reading_answer(reading, QUESTION_DEVICES);
	const struct fs_answer *fs =
		reading_answer(reading, QUESTION_FILESYSTEMS);
	const struct files_answer *file =
		reading_answer(reading, QUESTION_FILES);
	const struct heads_answer *heads =
		reading_answer(reading, QUESTION_MEMORY);

	for (size_t i = 0; i < device->devices.count; i++)
		check_sample(&device->devices.devices[i].sample,
			     device->devices.page_size);
	if (fs)
		check_filesystems(fs->filesystems);
	if (file)
		check_files(&file->files);
	if (heads)
		check_memory(&heads->reading);
	if (heads && heads->saves_owners)
		check_owners(&heads->owners);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct sysroot live = { .fd = -1 };
	struct memory_file file = memory_file(data, size);
	struct baseline baseline = { 0 };
	struct reading reading = { 0 };
	struct error err;

	if (take(file.path, &reading)) {
		check_answers(&reading);
		check_again(&reading);
	}
	reading_deinit(&reading);
	if (baseline_read(&baseline, file.path, "devices", &live, &err) == 0)
		check_baseline(&baseline);
	if (baseline_read(&baseline, file.path, "filesystems", &live, &err) ==
	    0)
		check_baseline(&baseline);
	baseline_deinit(&baseline);
	close(file.fd);
	return 0;
}

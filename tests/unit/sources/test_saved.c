// SPDX-License-Identifier: GPL-2.0-or-later
/* The saved form of a reading: reading it gives what was written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filesystems/file_columns.h"
#include "filesystems/fs_rows.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/saved.h"
#include "measure/source.h"
#include "sample/device_question.h"
#include "sample/reading.h"
#include "made_devices.h"
#include "test.h"
#include "tree.h"

/* The caller frees the text. */
static char *written(const struct reading *reading)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	reading_print(out, reading);
	fclose(out);
	return text;
}

static struct devices *devices_of(const struct reading *reading)
{
	struct device_answer *answer =
		reading_answer(reading, QUESTION_DEVICES);

	return &answer->devices;
}

/* Returns what devices_init() does. The caller always deinits @reading. */
static int take(const char *path, const char *source, struct reading *reading,
		struct error *err)
{
	struct sysroot root;
	struct asking asking = {
		.purpose = ASKED_TO_CAPTURE,
		.root = &root,
		.source = source,
		.most = 100,
	};
	int ret;

	*reading = (struct reading){ 0 };
	assert_int_equal(sysroot_init(&root, path, NULL), 0);
	ret = reading_ask(reading, QUESTION_DEVICES, &asking);
	*err = *reading_why(reading, QUESTION_DEVICES);
	reading->provenance = provenance_of(&root, NULL);
	asking.source = NULL;
	if (!ret)
		reading_ask(reading, QUESTION_FILESYSTEMS, &asking);
	if (!ret)
		reading_ask(reading, QUESTION_FILES, &asking);
	sysroot_deinit(&root);
	return ret;
}

static void expect_same(const struct tree *tree, const char *text)
{
	struct reading again;
	struct error err;
	char *second;

	tree_add_text(tree, "bufstat/reading.json", text);
	assert_int_equal(take(tree->path, NULL, &again, &err), 0);
	second = written(&again);
	assert_string_equal(second, text);
	free(second);
	reading_deinit(&again);
}

static void every_host_is_the_same_again(void **state __attribute__((unused)))
{
	static const char *const hosts[] = {
		FIXTURE("article"),	FIXTURE("blkid-only"),
		FIXTURE("btrfs"),	FIXTURE("container"),
		FIXTURE("debian-ext4"), FIXTURE("future-minor"),
		FIXTURE("lvm-many"),	FIXTURE("no-buffers"),
		FIXTURE("no-module"),	FIXTURE("no-pages"),
		FIXTURE("pages-64k"),	FIXTURE("rhel-xfs"),
		FIXTURE("shrunk"),	FIXTURE("unattributed"),
		FIXTURE("vm-host"),
	};
	struct reading reading;
	struct error err;
	struct tree tree;

	for (size_t i = 0; i < COUNT_OF(hosts); i++) {
		char *text;

		tree_create(&tree);
		assert_int_equal(take(hosts[i], NULL, &reading, &err), 0);
		text = written(&reading);
		expect_same(&tree, text);
		free(text);
		reading_deinit(&reading);
		tree_destroy(&tree);
	}
}

static struct sample *add_device(struct devices *devices, const char *name,
				 const char *refused)
{
	struct sample *sample =
		made_device(devices, 8, (unsigned int)devices->count);

	if (name)
		sample->kname = strdup(name);
	if (refused)
		sample->refused = strdup(refused);
	else
		sample_set(sample, FIGURE_PAGES, 7);
	return sample;
}

/* Uses everything that can be saved of devices. */
static void make_reading(struct reading *reading)
{
	static const char *const names[] = { "sda", "a \"b\"\\c\n#\td\x01", "-",
					     NULL, "c/\xff\xc3\xa9\xc3" };
	struct device_answer *answer;
	struct devices *devices;
	struct sample *sample;

	*reading = (struct reading){ 0 };
	answer = reading_begin(reading, QUESTION_DEVICES);
	answer->head.source = source_name(2);
	devices = &answer->devices;
	*devices = (struct devices){ .source = source_name(2),
				     .page_size = 65536,
				     .unsettled = true };
	/* The files were asked for, but no source could tell. */
	reading->answers[QUESTION_FILES].was_asked = true;
	devices->failed_source = strdup("module: line 2:\ncut short \\");
	for (size_t i = 0; i < COUNT_OF(names); i++)
		add_device(devices, names[i], NULL);
	sample_set(&devices->devices[1].sample, FIGURE_DIRTY, 0);
	sample_set(&devices->devices[2].sample, FIGURE_WRITE_ERROR, EIO);
	sample_set(&devices->devices[3].sample, FIGURE_WRITE_ERROR, 0);
	sample_set(&devices->devices[4].sample, FIGURE_PAGES,
		   INT64_MAX / 65536);
	sample_set(&devices->devices[4].sample, FIGURE_OPENERS, 2);
	add_device(devices, "sdb", "opening: /dev/sdb: no, not: that");
	sample = add_device(devices, NULL, "two\nlines");
	sample->major = 4294967295;
	/* The device exists, but nothing is known about it. */
	made_device(devices, 8, 7);
	meminfo_set(&devices->meminfo, MEMINFO_BUFFERS, 0);
	meminfo_set(&devices->meminfo, MEMINFO_CACHED, UINT64_MAX);
	strcpy(reading->provenance.kernel, "6.12.1-test");
	strcpy(reading->provenance.taken_at, "2026-11-22T01:02:03Z");
}

/* Uses everything that a list of files can have. */
static void make_files(struct reading *reading)
{
	static const struct cached_file files[] = {
		{ .major = 8,
		  .minor = 1,
		  .ino = UINT64_MAX,
		  .pages = 9,
		  .size_bytes = INT64_MAX,
		  .mode = 0100644 },
		{ .minor = 1, .pages = 9, .is_own = true, .is_deleted = true },
		{ .major = 8, .minor = 1, .pages = 0, .mode = UINT32_MAX },
	};
	const struct mounted mounted = {
		.type = (char *)"ext4",
		.source = (char *)"/dev/sda1",
	};
	struct files_answer *answer = reading_begin(reading, QUESTION_FILES);
	struct cached_files *all = &answer->files;

	answer->most = 100;
	*all = (struct cached_files){ .source = "kcore", .page_size = 4096 };
	all->pages = INT64_MAX / 4096;
	all->files = calloc(COUNT_OF(files), sizeof(*all->files));
	assert_non_null(all->files);
	all->mounts.failed = EIO;
	memcpy(all->files, files, sizeof(files));
	all->count = COUNT_OF(files);
	assert_int_equal(cached_file_name(&all->files[0], &mounted), 0);
	assert_int_equal(cached_file_name(&all->files[2], &mounted), 0);
	all->files[0].path = strdup("/a \"b\"/\xff\n");
	all->files[1].path = strdup("memfd:x");
	assert_int_equal(string_list_add(&all->files[1].users, "sh(1)"), 0);
	assert_int_equal(string_list_add(&all->files[1].users, "\xe9(2)"), 0);
	assert_int_equal(string_list_add(&all->why, "/mnt: did not answer"), 0);
	assert_int_equal(string_list_add(&all->unknown_users, "d(3)"), 0);
}

static void expect_files(const struct cached_files *all,
			 const struct cached_files *other)
{
	assert_string_equal(all->source, other->source);
	assert_int_equal(all->page_size, other->page_size);
	assert_int_equal(all->pages, other->pages);
	assert_int_equal(all->mounts.failed, other->mounts.failed);
	assert_int_equal(all->count, other->count);
	for (size_t i = 0; i < all->count; i++) {
		const struct cached_file *file = &all->files[i];
		const struct cached_file *same = &other->files[i];

		assert_int_equal(file->major, same->major);
		assert_int_equal(file->minor, same->minor);
		assert_int_equal(file->ino, same->ino);
		assert_int_equal(file->pages, same->pages);
		assert_int_equal(file->size_bytes, same->size_bytes);
		assert_int_equal(file->mode, same->mode);
		assert_int_equal(file->is_deleted, same->is_deleted);
		assert_int_equal(file->is_own, same->is_own);
		assert_string_equal(file->path ? file->path : "none",
				    same->path ? same->path : "none");
		assert_int_equal(file->users.count, same->users.count);
	}
	assert_string_equal(all->files[0].type, "ext4");
	assert_string_equal(all->files[2].source, "/dev/sda1");
	assert_string_equal(all->files[1].users.strings[1], "\xe9(2)");
	assert_string_equal(all->why.strings[0], "/mnt: did not answer");
	assert_string_equal(all->unknown_users.strings[0], "d(3)");
}

static void files_are_read_again(void **state __attribute__((unused)))
{
	struct files_question question = { .limit = 3 };
	struct reading reading, again;
	const struct files_answer *answer, *first;
	struct sysroot root;
	struct cached_files two;
	struct error err;
	struct tree tree;
	char *text;

	make_reading(&reading);
	make_files(&reading);
	text = written(&reading);
	tree_create(&tree);
	expect_same(&tree, text);
	assert_int_equal(take(tree.path, NULL, &again, &err), 0);
	answer = reading_answer(&again, QUESTION_FILES);
	first = reading_answer(&reading, QUESTION_FILES);
	assert_non_null(answer);
	expect_files(&answer->files, &first->files);
	assert_int_equal(answer->files.captured, 100);
	assert_false(cached_files_are_whole(&answer->files));
	reading_deinit(&again);

	/* Fewer than there are, and another source's. */
	assert_int_equal(sysroot_init(&root, tree.path, NULL), 0);
	question.limit = 2;
	assert_int_equal(cached_files_init(&two, &root, &question, &err), 0);
	assert_int_equal(two.count, 2);
	cached_files_deinit(&two);
	question.source = "module";
	assert_int_equal(cached_files_init(&two, &root, &question, &err),
			 -EOPNOTSUPP);
	assert_non_null(strstr(text_of(&err), "captured with kcore"));
	cached_files_deinit(&two);
	sysroot_deinit(&root);
	free(text);
	reading_deinit(&reading);
	tree_destroy(&tree);
}

/* files-captured has when a capture has fewer than were asked for. */
static void fewer_files_than_wanted(void **state __attribute__((unused)))
{
	struct cached_files files = { .captured = 3, .count = 3 };

	assert_true(cached_files_are_whole(&files));
	files.lacks_files = true;
	assert_false(cached_files_are_whole(&files));
	files.lacks_files = false;
	files.lacks_paths = true;
	assert_false(cached_files_are_whole(&files));
}

static void expect_device(const struct sample *sample,
			  const struct sample *other)
{
	assert_int_equal(sample->major, other->major);
	assert_int_equal(sample->minor, other->minor);
	assert_int_equal(sample->present, other->present);
	assert_memory_equal(sample->figures, other->figures,
			    sizeof(sample->figures));
	assert_string_equal(sample->kname ? sample->kname : "none",
			    other->kname ? other->kname : "none");
	assert_string_equal(sample->refused ? sample->refused : "none",
			    other->refused ? other->refused : "none");
}

static void what_is_written_is_read(void **state __attribute__((unused)))
{
	struct reading reading, again;
	const struct devices *devices, *written_ones;
	struct error err;
	struct tree tree;
	char *text;

	make_reading(&reading);
	text = written(&reading);
	tree_create(&tree);
	expect_same(&tree, text);
	assert_int_equal(take(tree.path, "cachestat", &again, &err), 0);
	devices = devices_of(&again);
	written_ones = devices_of(&reading);
	assert_string_equal(devices->source, "cachestat");
	assert_int_equal(devices->page_size, 65536);
	assert_true(devices->unsettled);
	assert_false(devices->lists_all_pages);
	assert_string_equal(devices->failed_source,
			    "module: line 2:\ncut short \\");
	assert_int_equal(devices->count, 8);
	for (size_t i = 0; i < devices->count; i++)
		expect_device(&devices->devices[i].sample,
			      &written_ones->devices[i].sample);
	assert_memory_equal(&devices->meminfo, &written_ones->meminfo,
			    sizeof(struct meminfo));
	assert_string_equal(again.provenance.kernel, "6.12.1-test");
	assert_string_equal(again.provenance.taken_at, "2026-11-22T01:02:03Z");
	assert_null(reading_answer(&again, QUESTION_FILESYSTEMS));
	reading_deinit(&again);

	/* No other source has measured there. */
	assert_int_equal(take(tree.path, "module", &again, &err), 0);
	devices = devices_of(&again);
	assert_int_equal(devices->collected, -EOPNOTSUPP);
	assert_int_equal(devices->count, 0);
	reading_deinit(&again);
	free(text);
	reading_deinit(&reading);
	tree_destroy(&tree);
}

static void expect_refused(const struct tree *tree, const char *text,
			   int wanted)
{
	struct reading reading;
	struct error err;

	tree_add_text(tree, "bufstat/reading.json", text);
	assert_int_equal(take(tree->path, NULL, &reading, &err), wanted);
	assert_non_null(strstr(text_of(&err), "reading a capture: /"));
	reading_deinit(&reading);
}

/* Cut anywhere: only the last newline may be missing. */
static void damaged_is_refused(void **state __attribute__((unused)))
{
	struct reading reading;
	struct tree tree;
	char *text;

	make_reading(&reading);
	text = written(&reading);
	tree_create(&tree);
	for (size_t size = strlen(text) - 2; size > 25; size -= size % 23 + 1) {
		text[size] = '\0';
		expect_refused(&tree, text, -EBADMSG);
	}
	expect_refused(&tree, "", -EBADMSG);
	expect_refused(&tree, "null", -EBADMSG);
	expect_refused(&tree, "{\"reading\": {}}", -EBADMSG);
	expect_refused(&tree, "{\"reading\": {\"version\": 1}}", -EBADMSG);
	expect_refused(&tree, "{\"reading\": {\"version\": 2}}", -EPROTO);
	expect_refused(&tree, "{\"bufstat\": \"0.1.0\"}", -EPROTO);
	free(text);
	reading_deinit(&reading);
	tree_destroy(&tree);
}

static void an_old_capture_is_refused(void **state __attribute__((unused)))
{
	struct reading reading;
	struct error err;
	struct tree tree;

	tree_create(&tree);
	tree_add_text(&tree, "proc/meminfo", "Buffers: 4 kB\n");
	assert_int_equal(take(tree.path, NULL, &reading, &err), 0);
	reading_deinit(&reading);
	tree_add_text(&tree, "bufstat/about", "bufstat 0.1.0\n");
	assert_int_equal(take(tree.path, NULL, &reading, &err), -EPROTO);
	assert_non_null(strstr(text_of(&err), "(capture the host again)"));
	reading_deinit(&reading);
	tree_destroy(&tree);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_host_is_the_same_again),
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(files_are_read_again),
		cmocka_unit_test(fewer_files_than_wanted),
		cmocka_unit_test(damaged_is_refused),
		cmocka_unit_test(an_old_capture_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

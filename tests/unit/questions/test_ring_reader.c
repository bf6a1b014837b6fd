// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What ftrace of several kernels recorded of "dd bs=16k count=2" on a device: a
 * directory of tests/fixtures/path for each has the formats, the addresses of
 * some functions, and the pages of both processors' buffers.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls/function_roles.h"
#include "calls/functions.h"
#include "calls/path_tree.h"
#include "calls/ring_reader.h"
#include "lib/cleanup.h"
#include "lib/sysroot.h"
#include "test.h"

#define PAGE 4096
#define MOST_STEPS 4096

/* A kernel's buffers are in its byte order, which is this machine's. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define IS_BIG_ENDIAN true
#define OWN_KERNELS 1
#define READ "__s390x_sys_read"
#else
#define IS_BIG_ENDIAN false
#define OWN_KERNELS 3
#define READ "__x64_sys_read"
#endif

struct recording {
	struct step steps[MOST_STEPS];
	size_t count;
};

static void keep(void *data, const struct step *step)
{
	struct recording *recording = data;

	assert_true(recording->count < MOST_STEPS);
	recording->steps[recording->count] = *step;
	recording->steps[recording->count].order = (uint32_t)recording->count;
	recording->count++;
}

static int compare(const void *left, const void *right)
{
	const struct step *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static void read_buffer(struct ring_reader *reader, int tracing,
			const char *name, struct recording *recording)
{
	int fd = openat(tracing, name, O_RDONLY | O_CLOEXEC);
	char page[PAGE];

	if (fd < 0)
		return;
	while (read(fd, page, PAGE) == PAGE)
		ring_reader_take(reader, 0, page, keep, recording);
	close(fd);
}

static void read_functions(struct functions *functions, int tracing)
{
	int fd = openat(tracing, "kallsyms", O_RDONLY | O_CLOEXEC);
	FILE *file = fdopen(fd, "r");
	unsigned long long address;
	char name[128];

	assert_non_null(file);
	while (fscanf(file, "%llx %*c %127s", &address, name) == 2)
		assert_int_equal(functions_add(functions, name, address), 0);
	fclose(file);
	functions_sort(functions);
	assert_true(functions->count >= 5);
}

static bool is_bdev(void *data __attribute__((unused)), uint32_t device,
		    uint64_t inode __attribute__((unused)))
{
	return device >> 20 == 0;
}

static void check_tree(const struct path_tree *tree, const char *kernel)
{
	const struct path_entry *read = NULL;

	for (size_t i = 0; !read && i < tree->entry_count; i++) {
		if (tree->entries[i].roles & ROLE_DEVICE)
			read = &tree->entries[i];
	}
	assert_non_null(read);
	assert_string_equal(path_function_name(tree, read->function), READ);
	assert_int_equal(read->calls, 2);
	assert_int_equal(read->failed.count, 0);
	assert_int_equal(read->bytes, 2 * 16384);
	assert_true(read->roles & ROLE_CACHE);
	assert_false(read->roles & ROLE_DIRECT);
	/* Read-ahead brings more in than was asked for. */
	assert_true(read->work.pages_added >= 8);
	assert_true(read->work.adds <= read->work.pages_added);
	assert_true(read->work.read_bytes >= 2 * 16384);
	assert_int_equal(read->work.read_bytes, read->work.pages_added * PAGE);
	assert_int_equal(read->work.written_bytes, 0);
	assert_true(read->total_ns > 1000);
	assert_true(read->target.is_bdev);
	assert_int_equal(read->target.by_io, strncmp(kernel, "5.10", 4) == 0);
	/* vdc */
	assert_int_equal(read->target.device, 254 << 20 | 32);
}

static void check(int tracing, const char *kernel)
{
	static struct recording recording;
	struct functions functions = { 0 };
	struct ring_reader reader;
	struct path_tree tree;
	struct error err;
	uint32_t thread = 0;

	recording.count = 0;
	if (ring_reader_init(&reader, tracing, &err) < 0)
		fail_msg("%s: %s", kernel, text_of(&err));
	read_functions(&functions, tracing);
	assert_int_equal(path_tree_init(&tree, &functions), 0);
	tree.is_bdev = is_bdev;
	read_buffer(&reader, tracing, "cpu0", &recording);
	read_buffer(&reader, tracing, "cpu1", &recording);
	assert_true(recording.count > 50);
	qsort(recording.steps, recording.count, sizeof(*recording.steps),
	      compare);
	for (size_t i = 0; i < recording.count; i++) {
		const struct step *step = &recording.steps[i];

		if (!thread)
			thread = step->thread;
		assert_int_equal(step->thread, thread);
		assert_int_equal(path_tree_take(&tree, step), 0);
	}
	assert_int_equal(path_tree_end(&tree), 0);
	check_tree(&tree, kernel);
	assert_int_equal(reader.lost, 0);
	path_tree_deinit(&tree);
	functions_deinit(&functions);
	ring_reader_deinit(&reader);
}

static void reads_every_kernel(void **state __attribute__((unused)))
{
	_cleanup_(closedirp) DIR *dir = opendir(FIXTURE("path"));
	const char *kernel;
	int kernels = 0;

	assert_non_null(dir);
	while (sysroot_next_name(dir, &kernel) > 0) {
		int tracing;

		if ((strstr(kernel, "-s390x") != NULL) != IS_BIG_ENDIAN)
			continue;
		tracing = openat(dirfd(dir), kernel,
				 O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(tracing >= 0);
		check(tracing, kernel);
		close(tracing);
		kernels++;
	}
	assert_true(kernels >= OWN_KERNELS);
}

/* Whatever a page says, nothing outside of it is read. */
static void bears_damage(void **state __attribute__((unused)))
{
	struct recording *recording = calloc(1, sizeof(*recording));
	int tracing =
		open(FIXTURE("path/6.1"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct ring_reader reader;
	struct error err;
	char page[PAGE];

	assert_non_null(recording);
	if (ring_reader_init(&reader, tracing, &err) < 0)
		fail_msg("%s", text_of(&err));
	memset(page, 0, sizeof(page));
	ring_reader_take(&reader, 0, page, keep, recording);
	assert_int_equal(recording->count, 0);
	close(tracing);
	free(recording);
	ring_reader_deinit(&reader);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_kernel),
		cmocka_unit_test(bears_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The largest files in a kernel's memory, their names and what is dirty. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_host.h"
#include "filesystems/found_paths.h"
#include "filesystems/kernel_files.h"
#include "filesystems/measured_files.h"
#include "kernel/kmem.h"
#include "lib/cleanup.h"
#include "test.h"
#include "worker/patience.h"

#define ALL_PAGES (HOST_EXT4_PAGES + 64 + 10 + 3 + 7)

static const struct sysroot live_root = { .fd = -1 };
static const struct files_question whole = { .limit = 100, .details = true };

static int find(struct cached_files *files, struct fake_host *host,
		const struct files_question *question, struct error *err)
{
	*files = (struct cached_files){ 0 };
	if (host->fake.kernel.is_live)
		fake_host_read_mounts(&files->mounts);
	return kernel_files_find(files, &live_root, &host->fake.kernel,
				 question, err);
}

static void find_all(struct cached_files *files, struct fake_host *host,
		     const struct files_question *question)
{
	struct error err;

	if (find(files, host, question, &err) < 0)
		fail_msg("%s", text_of(&err));
}

static const struct cached_file *file_of(const struct cached_files *files,
					 uint64_t ino)
{
	for (size_t i = 0; i < files->count; i++) {
		if (files->files[i].ino == ino)
			return &files->files[i];
	}
	return NULL;
}

/* Most pages first. */
static const struct expected {
	uint64_t ino, pages, dirty, writeback;
	const char *path;
	bool is_deleted, is_mapped;
	unsigned int write_error;
} expected_files[] = {
	{ 1001, 200, 70, 30, "/log/big", false, false, 0 },
	{ 2001, 64, 0, 0, "/srv/data", false, false, EIO },
	{ 3001, 10, 0, 0, "memfd:x", true, false, 0 },
	{ 6001, 7, 2, 0, NULL, false, false, 0 },
	{ 1003, 5, 0, 0, "gone", true, true, 0 },
	{ 4001, 3, 0, 0, NULL, false, false, 0 },
	{ 1002, 1, 1, 0, "/small", false, false, 0 },
};

static void expect_path(const struct cached_file *file, const char *path)
{
	if (!path)
		assert_null(file->path);
	else if (!file->path || strcmp(file->path, path) != 0)
		fail_msg("%s, expected %s", file->path, path);
}

static void expect_file(const struct cached_file *file,
			const struct expected *expected)
{
	assert_non_null(file);
	assert_int_equal(file->ino, expected->ino);
	assert_int_equal(file->pages, expected->pages);
	assert_true(file->has_details);
	assert_true(file->has_tags);
	assert_int_equal(file->dirty, expected->dirty);
	assert_int_equal(file->writeback, expected->writeback);
	assert_int_equal(file->is_deleted, expected->is_deleted);
	assert_int_equal(file->is_mapped, expected->is_mapped);
	assert_int_equal(file->write_error, expected->write_error);
	assert_int_equal(file->mode, S_IFREG | 0644);
	assert_int_equal(file->size_bytes, expected->ino == 1001 ? 819200 : 0);
}

static void largest_files(void **state __attribute__((unused)))
{
	for (size_t i = 0; i < COUNT_OF(fake_kernels); i++) {
		struct cached_files files;
		struct fake_host host;

		fake_host_init(&host, fake_kernels[i]);
		fake_kernel_open(&host.fake, true);
		find_all(&files, &host, &whole);
		assert_int_equal(files.count, COUNT_OF(expected_files));
		for (size_t j = 0; j < files.count; j++) {
			expect_file(&files.files[j], &expected_files[j]);
			expect_path(&files.files[j], expected_files[j].path);
		}
		assert_int_equal(files.pages, ALL_PAGES);
		assert_true(files.has_pages);
		assert_int_equal(files.refused + files.silent, 0);
		assert_int_equal(files.files[1].major, 254);
		assert_int_equal(files.files[1].minor, 16);
		assert_string_equal(files.files[1].type, "xfs");
		assert_true(files.files[2].is_own);
		assert_string_equal(files.files[3].source, "vdc");
		cached_files_deinit(&files);
		fake_host_deinit(&host);
	}
}

/* A dump tells no mount points; the path is that in the filesystem. */
static void dumped(void **state __attribute__((unused)))
{
	const struct files_question question = { .limit = 2 };
	struct cached_files files;
	struct fake_host host;

	fake_host_init(&host, "btf/debian-6.12");
	fake_kernel_open(&host.fake, false);
	find_all(&files, &host, &question);
	assert_int_equal(files.count, 2);
	expect_path(&files.files[0], "/log/big");
	expect_path(&files.files[1], "/data");
	assert_false(files.files[0].has_details);
	assert_int_equal(files.pages, ALL_PAGES);
	assert_string_equal(files.files[1].source, "vdb");
	cached_files_deinit(&files);

	/* A filesystem is lost. */
	host.fake.missing[0] = host.xfs / 4096 * 4096;
	find_all(&files, &host, &whole);
	assert_null(file_of(&files, 2001));
	assert_true(files.refused > 0);
	assert_true(string_list_has(
		&files.why,
		"filesystems: a page that is needed is not in the dump (it is "
		"cut off, or made by a makedumpfile that does not know this "
		"kernel)"));
	cached_files_deinit(&files);
	fake_host_deinit(&host);
}

/* Of a name, a dump lacks a directory, then all. */
static void lost_names(void **state __attribute__((unused)))
{
	const struct files_question question = { .limit = 1 };
	struct cached_files files;
	struct fake_host host;
	uint64_t pages[2], directory;

	fake_host_init(&host, "btf/debian-6.12");
	directory = fake_add_inode(&host.fake, host.ext4, 4);
	for (size_t i = 0; i < COUNT_OF(pages); i++) {
		/* Alone in its page. */
		fake_alloc(&host.fake, 4096);
		pages[i] = fake_add_name(&host.fake,
					 i ? host.files[HOST_BIG] : directory,
					 i ? pages[0] : host.root,
					 i ? "big" : "directory");
		fake_alloc(&host.fake, 4096);
	}
	fake_kernel_open(&host.fake, false);
	find_all(&files, &host, &question);
	expect_path(&files.files[0], "/directory/big");
	cached_files_deinit(&files);
	for (size_t i = 0; i < COUNT_OF(pages); i++) {
		host.fake.missing[0] = pages[i] / 4096 * 4096;
		find_all(&files, &host, &question);
		assert_int_equal(files.files[0].pages, 200);
		assert_int_equal(files.lost_names, i);
		expect_path(&files.files[0], i ? NULL : "big");
		cached_files_deinit(&files);
	}
	fake_host_deinit(&host);
}

/* More files than are wanted, in any order, and without a limit. */
static void limits(void **state __attribute__((unused)))
{
	const size_t extra = 40;
	struct cached_files files;
	struct fake_host host;

	fake_host_init(&host, "btf/debian-6.1");
	for (uint64_t i = 0; i < extra; i++) {
		const struct fake_pages pages = {
			.count = 300 + i * 7 % extra,
		};

		fake_fill(&host.fake,
			  fake_add_inode(&host.fake, host.xfs, 7000 + i),
			  &pages);
	}
	fake_kernel_open(&host.fake, true);
	for (size_t limit = 0; limit < extra + 10; limit++) {
		const struct files_question question = { .limit = limit };
		size_t all = COUNT_OF(expected_files) + extra;

		find_all(&files, &host, &question);
		assert_int_equal(files.count,
				 limit && limit < all ? limit : all);
		for (size_t i = 0; i < files.count && i < extra; i++)
			assert_int_equal(files.files[i].pages,
					 300 + extra - 1 - i);
		if (files.count > extra)
			assert_int_equal(files.files[extra].pages, 200);
		cached_files_deinit(&files);
	}
	fake_host_deinit(&host);
}

/* Names that are damaged: the file stays, without a path. */
static void damaged_names(void **state __attribute__((unused)))
{
	const uint32_t *offset;
	struct fake_host host;
	uint64_t alias, dentry, right;

	fake_host_init(&host, "btf/debian-6.12");
	fake_kernel_open(&host.fake, true);
	offset = host.fake.fs.offset;
	alias = host.files[HOST_BIG] + offset[FS_INODE_ALIASES];
	dentry = fake_word(&host.fake, alias) - offset[FS_DENTRY_ALIAS];
	const struct {
		uint64_t place, value;
		const char *path;
	} damages[] = {
		{ alias, FAKE_NOWHERE, NULL },
		{ alias, 0, NULL },
		/* Those of another file. */
		{ dentry + offset[FS_DENTRY_INODE], host.files[HOST_SMALL],
		  NULL },
		{ dentry + offset[FS_DENTRY_NAME], FAKE_NOWHERE, NULL },
		{ dentry + offset[FS_DENTRY_LENGTH], UINT32_MAX, NULL },
		{ dentry + offset[FS_DENTRY_LENGTH], 0, NULL },
		{ dentry + offset[FS_DENTRY_PARENT], FAKE_NOWHERE, NULL },
		{ dentry + offset[FS_DENTRY_PARENT], 0, NULL },
		/* A directory that is in its own file: too long a path. */
		{ host.log + offset[FS_DENTRY_PARENT], dentry, "big" },
		/* Unhashed: no lookup finds it. */
		{ dentry + offset[FS_DENTRY_HASHED], 0, "big" },
	};

	for (size_t i = 0; i < COUNT_OF(damages); i++) {
		struct cached_files files;

		right = fake_word(&host.fake, damages[i].place);
		fake_put_word(&host.fake, damages[i].place, damages[i].value);
		find_all(&files, &host, &whole);
		assert_int_equal(files.count, COUNT_OF(expected_files));
		for (size_t j = 0; j < files.count; j++) {
			expect_file(&files.files[j], &expected_files[j]);
			expect_path(&files.files[j],
				    j ? expected_files[j].path :
					damages[i].path);
		}
		fake_put_word(&host.fake, damages[i].place, right);
		cached_files_deinit(&files);
	}
	fake_host_deinit(&host);
}

/* A filesystem that cannot be walked is named, and adds nothing. */
static void damaged_inodes(void **state __attribute__((unused)))
{
	struct cached_files files;
	struct fake_host host;
	uint64_t node;

	fake_host_init(&host, "btf/debian-7.3");
	fake_kernel_open(&host.fake, true);
	node = host.files[HOST_SMALL] + host.fake.fs.offset[FS_INODE_LIST];
	const uint64_t wrong[] = {
		0,
		node,
		FAKE_NOWHERE,
		host.ext4 + host.fake.fs.offset[FS_SB_INODES],
		host.files[HOST_DATA] + host.fake.fs.offset[FS_INODE_LIST],
	};

	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		fake_put_word(&host.fake, node, wrong[i]);
		find_all(&files, &host, &whole);
		assert_int_equal(files.refused, 1);
		assert_int_equal(files.why.count, 1);
		assert_non_null(strstr(files.why.strings[0],
				       "/: the list of inodes is damaged"));
		assert_null(file_of(&files, 1001));
		assert_int_equal(files.pages, ALL_PAGES - HOST_EXT4_PAGES);
		expect_file(file_of(&files, 2001), &expected_files[1]);
		cached_files_deinit(&files);
	}
	fake_host_deinit(&host);
}

/* A tree that leads nowhere: what is dirty is not known. */
static void damaged_tree(void **state __attribute__((unused)))
{
	struct cached_files files;
	struct fake_host host;

	fake_host_init(&host, "btf/debian-6.12");
	fake_kernel_open(&host.fake, true);
	fake_put_word(&host.fake,
		      fake_tree_head(&host.fake, host.files[HOST_BIG]),
		      FAKE_NOWHERE | 2);
	find_all(&files, &host, &whole);
	assert_int_equal(file_of(&files, 1001)->pages, 200);
	assert_false(file_of(&files, 1001)->has_tags);
	assert_true(file_of(&files, 1002)->has_tags);
	assert_int_equal(file_of(&files, 1002)->dirty, 1);
	cached_files_deinit(&files);
	fake_host_deinit(&host);
}

/* Between the walk and its name, another file takes an inode's place. */
static struct fake_host *reusing;

static void reuse(struct fake_kernel *fake)
{
	fake_put_word(fake,
		      reusing->files[HOST_BIG] + fake->fs.offset[FS_INODE_INO],
		      9999);
}

static void reused_inode(void **state __attribute__((unused)))
{
	struct cached_files files;
	struct fake_host host;
	unsigned int reads, lost = 0, kept = 0;

	fake_host_init(&host, "btf/debian-6.12");
	fake_kernel_open(&host.fake, true);
	find_all(&files, &host, &whole);
	cached_files_deinit(&files);
	reads = host.fake.reads;
	reusing = &host;
	host.fake.at_read = reuse;
	for (unsigned int at = 1; at <= reads; at += 3) {
		const struct cached_file *file;

		fake_put_word(&host.fake,
			      host.files[HOST_BIG] +
				      host.fake.fs.offset[FS_INODE_INO],
			      1001);
		host.fake.reads = 0;
		host.fake.at = at;
		find_all(&files, &host, &whole);
		file = &files.files[0];
		assert_int_equal(file->pages, 200);
		/* The number and the path are of one file, or there is none. */
		if (file->ino == 9999) {
			expect_path(file, "/log/big");
		} else if (file->path) {
			expect_path(file, "/log/big");
			kept++;
		} else {
			lost++;
		}
		cached_files_deinit(&files);
	}
	assert_true(lost > 0);
	assert_true(kept > 0);
	fake_host_deinit(&host);
}

static void time_is_over(void **state __attribute__((unused)))
{
	struct fake_host host;
	bool is_over = true;

	fake_host_init(&host, "btf/debian-6.1");
	fake_kernel_open(&host.fake, true);
	host.fake.failure = -ETIMEDOUT;
	for (unsigned int from = 1; is_over; from += 1 + from / 8) {
		struct cached_files files;

		host.fake.reads = 0;
		host.fake.fail_from = from;
		find_all(&files, &host, &whole);
		is_over = host.fake.reads >= from;
		for (size_t i = 0; i < COUNT_OF(expected_files); i++) {
			const struct expected *expected = &expected_files[i];
			const struct cached_file *file =
				file_of(&files, expected->ino);

			assert_true(file || files.silent);
			if (!file)
				continue;
			assert_int_equal(file->pages, expected->pages);
			assert_true(file->path || !expected->path ||
				    files.silent);
			if (file->has_tags)
				expect_file(file, expected);
		}
		for (size_t i = 0; i < files.why.count; i++)
			assert_non_null(
				strstr(files.why.strings[i], PATIENCE_OVER));
		assert_true(is_over || !files.silent);
		cached_files_deinit(&files);
	}
	fake_host_deinit(&host);
}

/* A file on this host whose mount the fake kernel knows. */
struct named {
	struct tree tree;
	struct found_path found;
	char file[512];
	char absent[512];
};

static void named_init(struct named *named)
{
	int fd;

	tree_create(&named->tree);
	tree_add_text(&named->tree, "file", "text");
	snprintf(named->file, sizeof(named->file), "%s/file", named->tree.path);
	snprintf(named->absent, sizeof(named->absent), "%s/absent",
		 named->tree.path);
	named->found = (struct found_path){ 0 };
	fd = open(named->file, O_PATH | O_CLOEXEC);
	assert_true(fd >= 0);
	found_path_fill(&named->found, &live_root, fd);
	close(fd);
	assert_int_equal(named->found.error, 0);
}

/* Asks about the paths; the mount that they are on is ext4's. */
static void find_named(struct cached_files *files, struct fake_host *host,
		       struct named *named, char *const *paths, size_t count)
{
	const struct files_question question = {
		.paths = paths,
		.path_count = count,
		.limit = 3,
		.details = true,
	};
	struct mount_id *id;
	struct error err;

	*files = (struct cached_files){ 0 };
	fake_host_read_mounts(&files->mounts);
	for (size_t i = 0; i < files->mounts.id_count; i++) {
		id = &files->mounts.ids[i];
		if (id->major == 254 && id->minor == 0)
			id->id = named->found.mount_id;
	}
	/* They are sorted, and no other is that of the file. */
	for (size_t i = 0; i < files->mounts.id_count; i++) {
		id = &files->mounts.ids[i];
		if (id->major != 254 || id->minor != 0)
			id->id = UINT64_MAX;
	}
	if (kernel_files_find(files, &live_root, &host->fake.kernel, &question,
			      &err) < 0)
		fail_msg("%s", text_of(&err));
}

static void named_files(void **state __attribute__((unused)))
{
	struct cached_files files;
	struct fake_host host;
	struct named named;
	char *paths[] = { named.file, named.absent, named.tree.path };
	const struct cached_file *file;

	named_init(&named);
	fake_host_init(&host, "btf/debian-6.12");
	fake_put_word(&host.fake,
		      host.files[HOST_SMALL] +
			      host.fake.fs.offset[FS_INODE_INO],
		      named.found.ino);
	fake_kernel_open(&host.fake, true);

	/* The file alone. */
	find_named(&files, &host, &named, paths, 2);
	assert_int_equal(files.count, 1);
	file = &files.files[0];
	assert_true(file->is_named);
	assert_int_equal(file->pages, 1);
	assert_int_equal(file->dirty, 1);
	expect_path(file, "/small");
	assert_int_equal(files.refused, 1);
	assert_non_null(strstr(files.why.strings[0], strerror(ENOENT)));
	cached_files_deinit(&files);

	/* With its filesystem: each file once. */
	find_named(&files, &host, &named, paths, 3);
	assert_int_equal(files.count, 3);
	assert_int_equal(files.files[0].ino, 1001);
	assert_int_equal(files.files[1].ino, 1003);
	assert_int_equal(files.files[2].ino, named.found.ino);
	assert_true(files.files[2].is_named);
	assert_int_equal(files.pages, HOST_EXT4_PAGES);
	cached_files_deinit(&files);

	/* Not in memory, so it has no pages. */
	fake_put_word(&host.fake,
		      host.files[HOST_SMALL] +
			      host.fake.fs.offset[FS_INODE_INO],
		      1002);
	find_named(&files, &host, &named, paths, 1);
	assert_int_equal(files.count, 1);
	file = &files.files[0];
	assert_int_equal(file->pages, 0);
	assert_int_equal(file->ino, named.found.ino);
	assert_int_equal(file->size_bytes, 4);
	expect_path(file, named.file);
	cached_files_deinit(&files);

	/* On no filesystem that the kernel has. */
	named.found.mount_id++;
	find_named(&files, &host, &named, paths, 1);
	assert_int_equal(files.count, 0);
	assert_int_equal(files.refused, 1);
	assert_non_null(strstr(files.why.strings[0],
			       "no filesystem whose pages are in Cached"));
	cached_files_deinit(&files);
	tree_destroy(&named.tree);
	fake_host_deinit(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(largest_files),
		cmocka_unit_test(dumped),
		cmocka_unit_test(lost_names),
		cmocka_unit_test(limits),
		cmocka_unit_test(damaged_names),
		cmocka_unit_test(damaged_inodes),
		cmocka_unit_test(damaged_tree),
		cmocka_unit_test(reused_inode),
		cmocka_unit_test(time_is_over),
		cmocka_unit_test(named_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

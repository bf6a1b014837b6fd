// SPDX-License-Identifier: GPL-2.0-or-later
/* The filesystems in a kernel's memory: sound, damaged, and changing. */
#include <errno.h>
#include <string.h>

#include "fake_host.h"
#include "filesystems/kernel_filesystems.h"
#include "filesystems/measured_filesystems.h"
#include "kernel/inodes.h"
#include "kernel/kmem.h"
#include "test.h"
#include "worker/patience.h"

/* What is added up: all that is in Cached. */
#define ATTRIBUTED (HOST_EXT4_PAGES + 64 + 10 + 3 + 7)

static int measure(struct filesystems *all, struct fake_host *host,
		   struct error *err)
{
	const struct kernel *kernel = &host->fake.kernel;
	struct all_mounts mounts = { 0 };
	int ret;

	*all = (struct filesystems){
		.source = kernel->is_live ? "kcore" : "vmcore",
		.page_size = kernel->page_size,
	};
	if (kernel->is_live)
		fake_host_read_mounts(&mounts);
	ret = kernel_filesystems_measure(all, &mounts, kernel, err) ?:
		      filesystems_check(all);
	all_mounts_deinit(&mounts);
	return ret;
}

/* Measures what must not fail. */
static void measure_all(struct filesystems *all, struct fake_host *host)
{
	struct error err;

	if (measure(all, host, &err) < 0)
		fail_msg("%s", text_of(&err));
}

static const struct filesystem *row_of(const struct filesystems *all,
				       unsigned int major, unsigned int minor)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct sample *sample = &all->filesystems[i].sample;

		if (sample->major == major && sample->minor == minor)
			return &all->filesystems[i];
	}
	return NULL;
}

static const struct filesystem *ext4_of(const struct filesystems *all)
{
	const struct filesystem *row = row_of(all, 254, 0);

	assert_non_null(row);
	return row;
}

struct expected {
	unsigned int major, minor;
	uint64_t pages, dirty, writeback, inodes, unevictable;
	bool is_shmem, has_unevictable;
};

static void expect_row(const struct filesystems *all,
		       const struct expected *expected)
{
	const struct filesystem *row =
		row_of(all, expected->major, expected->minor);

	assert_non_null(row);
	assert_null(row->sample.refused);
	assert_true(sample_has(&row->sample, FIGURE_PAGES));
	assert_true(sample_has(&row->sample, FIGURE_DIRTY));
	assert_true(sample_has(&row->sample, FIGURE_WRITEBACK));
	assert_int_equal(row->sample.figures[FIGURE_PAGES], expected->pages);
	assert_int_equal(row->sample.figures[FIGURE_DIRTY], expected->dirty);
	assert_int_equal(row->sample.figures[FIGURE_WRITEBACK],
			 expected->writeback);
	assert_int_equal(row->inodes, expected->inodes);
	assert_int_equal(row->uncounted, 0);
	assert_int_equal(row->is_shmem, expected->is_shmem);
	assert_int_equal(row->keeps_pages, expected->is_shmem);
	assert_int_equal(row->unevictable, expected->unevictable);
	assert_int_equal(row->has_unevictable, expected->has_unevictable);
}

static const struct expected rows[] = {
	{ 254, 0, HOST_EXT4_PAGES, 71, 30, HOST_EMPTY + 5, 0, false, false },
	{ 254, 16, 64, 0, 0, 2, 0, false, true },
	{ 0, 1, 10, 0, 0, 1, 0, true, true },
	{ 0, 30, 3, 0, 0, 1, 3, true, true },
	{ 254, 32, 7, 2, 0, 1, 0, false, true },
};

static void live(void **state __attribute__((unused)))
{
	for (size_t i = 0; i < COUNT_OF(fake_kernels); i++) {
		struct filesystems all;
		struct fake_host host;

		fake_host_init(&host, fake_kernels[i]);
		fake_kernel_open(&host.fake, true);
		measure_all(&all, &host);
		assert_int_equal(all.count, COUNT_OF(rows));
		for (size_t j = 0; j < COUNT_OF(rows); j++)
			expect_row(&all, &rows[j]);
		assert_int_equal(all.attributed_pages, ATTRIBUTED);
		assert_int_equal(all.refused + all.silent, 0);
		assert_string_equal(ext4_of(&all)->mountpoints.strings[0], "/");
		assert_false(ext4_of(&all)->is_unmounted);
		assert_null(row_of(&all, 0, 1)->source);
		assert_true(row_of(&all, 254, 32)->is_unmounted);
		assert_string_equal(row_of(&all, 254, 32)->source, "vdc");
		filesystems_deinit(&all);
		fake_host_deinit(&host);
	}
}

/* It tells no mount points, so any that could be mounted has a row. */
static void dumped(void **state __attribute__((unused)))
{
	for (size_t i = 0; i < COUNT_OF(fake_kernels); i++) {
		struct filesystems all;
		struct fake_host host;

		fake_host_init(&host, fake_kernels[i]);
		fake_kernel_open(&host.fake, false);
		measure_all(&all, &host);
		assert_int_equal(all.count, COUNT_OF(rows) + 1);
		for (size_t j = 0; j < COUNT_OF(rows); j++)
			expect_row(&all, &rows[j]);
		expect_row(&all, &(struct expected){ .major = 254,
						     .minor = 48,
						     .has_unevictable = true });
		assert_false(row_of(&all, 254, 48)->is_unmounted);
		assert_string_equal(ext4_of(&all)->type, "ext4");
		filesystems_deinit(&all);
		fake_host_deinit(&host);
	}
}

/* A dump without the page of some inodes, and one without two filesystems. */
static void incomplete_dump(void **state __attribute__((unused)))
{
	const struct filesystem *row;
	struct filesystems all;
	struct fake_host host;
	size_t lost = 0;

	fake_host_init(&host, "btf/debian-6.12");
	fake_kernel_open(&host.fake, false);
	host.fake.missing[0] = host.files[HOST_BIG] / 4096 * 4096;
	measure_all(&all, &host);
	row = ext4_of(&all);
	assert_string_equal(row->sample.refused,
			    "2 or more inodes are not in the dump, so it may "
			    "have more");
	assert_int_equal(row->sample.figures[FIGURE_PAGES],
			 HOST_EXT4_PAGES - 200);
	assert_false(sample_has(&row->sample, FIGURE_DIRTY));
	assert_int_equal(all.refused, 1);
	expect_row(&all, &rows[1]);
	filesystems_deinit(&all);

	host.fake.missing[0] = host.ext4 / 4096 * 4096;
	measure_all(&all, &host);
	assert_null(row_of(&all, 254, 0));
	for (size_t i = 0; i < all.count; i++) {
		if (strcmp(all.filesystems[i].source ?
				   all.filesystems[i].source :
				   "",
			   "[not in the dump]") != 0)
			continue;
		assert_non_null(all.filesystems[i].sample.refused);
		assert_int_equal(all.filesystems[i].sample.present, 0);
		lost++;
	}
	assert_true(lost > 0);
	assert_int_equal(all.refused, lost);
	filesystems_deinit(&all);
	fake_host_deinit(&host);
}

/* The ext4 has either all of its figures, or a mark. */
static bool expect_marked_or_right(const struct filesystems *all)
{
	const struct filesystem *row = row_of(all, 254, 0);

	assert_non_null(row);
	if (row->sample.refused)
		return true;
	assert_int_equal(row->sample.figures[FIGURE_PAGES], HOST_EXT4_PAGES);
	if (row->uncounted) {
		assert_false(sample_has(&row->sample, FIGURE_DIRTY));
		assert_false(sample_has(&row->sample, FIGURE_WRITEBACK));
		return true;
	}
	assert_int_equal(row->sample.figures[FIGURE_DIRTY], 71);
	assert_int_equal(row->sample.figures[FIGURE_WRITEBACK], 30);
	return false;
}

/* Each link of the list of inodes, bent in each way. */
static void bent_links(void **state __attribute__((unused)))
{
	struct fake_host host;
	uint64_t head, nodes[4], wrong[8];
	unsigned int marked = 0, tried = 0;

	fake_host_init(&host, "btf/debian-6.1");
	fake_kernel_open(&host.fake, true);
	head = host.ext4 + host.fake.fs.offset[FS_SB_INODES];
	nodes[0] = head;
	for (size_t i = 0; i < 3; i++)
		nodes[i + 1] =
			host.files[i] + host.fake.fs.offset[FS_INODE_LIST];
	wrong[0] = 0;
	wrong[1] = FAKE_NOWHERE;
	wrong[2] = host.files[HOST_DATA] + host.fake.fs.offset[FS_INODE_LIST];
	wrong[3] = nodes[1] + 4;
	for (size_t i = 0; i < COUNT_OF(nodes); i++)
		wrong[4 + i] = nodes[i];
	for (size_t i = 0; i < COUNT_OF(nodes) * 2; i++) {
		uint64_t place = nodes[i / 2] + i % 2 * 8;
		uint64_t right = fake_word(&host.fake, place);

		for (size_t j = 0; j < COUNT_OF(wrong); j++) {
			struct filesystems all;
			struct error err;
			int ret;

			fake_put_word(&host.fake, place, wrong[j]);
			ret = measure(&all, &host, &err);
			tried++;
			/* A list of inodes that begins at 0 is none. */
			if (ret < 0) {
				assert_int_equal(ret, -EAGAIN);
				assert_int_equal(i + j, 0);
				assert_int_equal(all.count, 0);
				marked++;
				filesystems_deinit(&all);
				continue;
			}
			marked += expect_marked_or_right(&all);
			/* The others are as they were. */
			for (size_t k = 1; k < COUNT_OF(rows); k++)
				expect_row(&all, &rows[k]);
			filesystems_deinit(&all);
		}
		fake_put_word(&host.fake, place, right);
	}
	/*
	 * Backwards to a file that comes before it, as if those between had
	 * been removed: three times from the head, and 0, 1 and 2 from the
	 * files.
	 */
	assert_int_equal(marked, tried - 6);
	fake_host_deinit(&host);
}

static void expect_refused(struct fake_host *host, const char *why)
{
	const struct filesystem *row;
	struct filesystems all;

	measure_all(&all, host);
	row = ext4_of(&all);
	assert_non_null(row->sample.refused);
	if (!strstr(row->sample.refused, why))
		fail_msg("%s, expected %s", row->sample.refused, why);
	assert_int_equal(row->sample.present, 0);
	assert_int_equal(all.refused, 1);
	assert_int_equal(all.attributed_pages, ATTRIBUTED - HOST_EXT4_PAGES);
	filesystems_deinit(&all);
}

static void impossible_counts(void **state __attribute__((unused)))
{
	struct filesystems all;
	struct fake_host host;
	uint64_t pages, data;

	fake_host_init(&host, "btf/debian-7.3");
	fake_kernel_open(&host.fake, true);
	pages = fake_mapping(&host.fake, host.files[HOST_BIG]) +
		host.fake.fs.offset[FS_MAPPING_PAGES];
	fake_put_word(&host.fake, pages, INODES_MOST_PAGES);
	expect_refused(&host, "an impossible number of pages");
	fake_put_word(&host.fake, pages, UINT64_MAX);
	expect_refused(&host, "an impossible number of pages");
	/* Each filesystem may have them, but not both. */
	data = fake_mapping(&host.fake, host.files[HOST_DATA]) +
	       host.fake.fs.offset[FS_MAPPING_PAGES];
	fake_put_word(&host.fake, pages, INODES_MOST_PAGES - 1000);
	fake_put_word(&host.fake, data, 2000);
	measure_all(&all, &host);
	assert_null(ext4_of(&all)->sample.refused);
	assert_string_equal(row_of(&all, 254, 16)->sample.refused,
			    "more pages than there can be");
	assert_int_equal(row_of(&all, 254, 16)->sample.present, 0);
	filesystems_deinit(&all);
	fake_host_deinit(&host);
}

/* Of a file whose tree is damaged, its pages are known and nothing else. */
static void damaged_trees(void **state __attribute__((unused)))
{
	struct fake_host host;
	uint64_t head, right, node;

	fake_host_init(&host, "btf/debian-5.10");
	fake_kernel_open(&host.fake, true);
	head = fake_tree_head(&host.fake, host.files[HOST_BIG]);
	right = fake_word(&host.fake, head);
	node = right - 2;
	const uint64_t wrong[] = {
		0,
		FAKE_NOWHERE | 2,
		right + 8,
		/* A tree of another file. */
		fake_word(&host.fake,
			  fake_tree_head(&host.fake, host.files[HOST_DATA])),
	};
	const uint64_t places[] = {
		node + host.fake.tags.offset[TAGS_NODE_SLOTS],
		node + host.fake.tags.offset[TAGS_NODE_SLOTS] + 8,
	};

	for (size_t i = 0; i < COUNT_OF(wrong) + COUNT_OF(places); i++) {
		uint64_t place = i < COUNT_OF(wrong) ?
					 head :
					 places[i - COUNT_OF(wrong)];
		uint64_t before = fake_word(&host.fake, place);
		struct filesystems all;

		/* A slot that leads back to its own node, and then nowhere. */
		fake_put_word(&host.fake, place,
			      i < COUNT_OF(wrong) ? wrong[i] : right);
		measure_all(&all, &host);
		assert_null(ext4_of(&all)->sample.refused);
		assert_int_equal(ext4_of(&all)->uncounted, 1);
		assert_true(expect_marked_or_right(&all));
		fake_put_word(&host.fake, place, before);
		filesystems_deinit(&all);
	}
	fake_host_deinit(&host);
}

/* The list of filesystems, with each of its links bent. */
static void damaged_list(void **state __attribute__((unused)))
{
	struct fake_host host;
	uint64_t list, nodes[3];

	fake_host_init(&host, "btf/debian-6.12");
	fake_kernel_open(&host.fake, true);
	list = host.fake.fs.offset[FS_SB_LIST];
	nodes[0] = host.ext4 + list;
	nodes[1] = host.xfs + list;
	nodes[2] = host.unused + list;
	for (size_t i = 0; i < COUNT_OF(nodes); i++) {
		const uint64_t wrong[] = { 0, FAKE_NOWHERE, nodes[i],
					   host.own + list };
		uint64_t right = fake_word(&host.fake, nodes[i]);

		for (size_t j = 0; j < COUNT_OF(wrong); j++) {
			struct filesystems all;
			struct error err;

			fake_put_word(&host.fake, nodes[i], wrong[j]);
			assert_int_equal(measure(&all, &host, &err), -EAGAIN);
			assert_non_null(
				strstr(text_of(&err), "list of filesystems"));
			assert_int_equal(all.count, 0);
			filesystems_deinit(&all);
		}
		fake_put_word(&host.fake, nodes[i], right);
	}
	/* Nothing leads to the head. */
	for (uint64_t at = host.fake.devices + list; at;) {
		struct filesystems all;
		struct error err;

		fake_put_word(&host.fake, at + 8, FAKE_NOWHERE);
		at = 0;
		assert_int_equal(measure(&all, &host, &err), -EBADMSG);
		filesystems_deinit(&all);
	}
	fake_host_deinit(&host);
}

/* An inode that is freed while the walk is at it, and used by another. */
static uint64_t moving;
static uint64_t moves_to;

static void move_inode(struct fake_kernel *fake)
{
	const uint32_t *offset = fake->fs.offset;
	uint64_t node = moving + offset[FS_INODE_LIST];
	uint64_t next = fake_word(fake, node);
	uint64_t previous = fake_word(fake, node + 8);
	uint64_t head = moves_to + offset[FS_SB_INODES];
	uint64_t last = fake_word(fake, head + 8);

	fake_put_word(fake, previous, next);
	fake_put_word(fake, next + 8, previous);
	fake_put_word(fake, node, head);
	fake_put_word(fake, node + 8, last);
	fake_put_word(fake, last, node);
	fake_put_word(fake, head + 8, node);
	fake_put_word(fake, moving + offset[FS_INODE_SB], moves_to);
}

/*
 * Whenever it happens: the file is counted where it was, or where it is, or
 * twice or not at all if it moved from one to the other between both walks.
 * Nothing else changes.
 */
static void moving_inode(void **state __attribute__((unused)))
{
	unsigned int reads = 0;

	for (unsigned int at = 1; !reads || at <= reads; at += 1 + at / 16) {
		const struct filesystem *from, *to;
		struct filesystems all;
		struct fake_host host;

		fake_host_init(&host, "btf/debian-6.12");
		fake_kernel_open(&host.fake, true);
		if (!reads) {
			measure_all(&all, &host);
			reads = host.fake.reads;
			filesystems_deinit(&all);
			assert_true(reads > 100);
			host.fake.reads = 0;
		}
		moving = host.files[HOST_SMALL];
		moves_to = host.xfs;
		host.fake.at = at;
		host.fake.at_read = move_inode;
		measure_all(&all, &host);
		from = ext4_of(&all);
		to = row_of(&all, 254, 16);
		assert_null(from->sample.refused);
		assert_null(to->sample.refused);
		if (from->sample.figures[FIGURE_PAGES] != HOST_EXT4_PAGES)
			assert_int_equal(from->sample.figures[FIGURE_PAGES],
					 HOST_EXT4_PAGES - 1);
		if (to->sample.figures[FIGURE_PAGES] != 64)
			assert_int_equal(to->sample.figures[FIGURE_PAGES], 65);
		for (size_t k = 2; k < COUNT_OF(rows); k++)
			expect_row(&all, &rows[k]);
		filesystems_deinit(&all);
		fake_host_deinit(&host);
	}
}

/* An inode is added to an empty list: the head's two links change in turn. */
static void end_adding(struct fake_kernel *fake)
{
	fake_put_word(fake, moves_to + fake->fs.offset[FS_SB_INODES],
		      moving + fake->fs.offset[FS_INODE_LIST]);
}

static void begin_adding(struct fake_kernel *fake)
{
	uint64_t head = moves_to + fake->fs.offset[FS_SB_INODES];
	uint64_t node = moving + fake->fs.offset[FS_INODE_LIST];

	fake_put_word(fake, node, head);
	fake_put_word(fake, node + 8, head);
	fake_put_word(fake, head + 8, node);
	fake->at_read = end_adding;
	fake->at = fake->reads + 20;
}

static void half_added(void **state __attribute__((unused)))
{
	struct fake_host host;
	uint64_t head;

	fake_host_init(&host, "btf/debian-6.12");
	fake_kernel_open(&host.fake, true);
	moves_to = host.unused;
	moving = fake_add_inode(&host.fake, host.unused, 7001);
	fake_fill(&host.fake, moving, &(struct fake_pages){ .count = 9 });
	head = host.unused + host.fake.fs.offset[FS_SB_INODES];
	for (unsigned int at = 1; at < 400; at += 3) {
		const struct filesystem *row;
		struct filesystems all;

		fake_put_word(&host.fake, head, head);
		fake_put_word(&host.fake, head + 8, head);
		host.fake.reads = 0;
		host.fake.at = at;
		host.fake.at_read = begin_adding;
		measure_all(&all, &host);
		row = row_of(&all, 254, 48);
		if (row) {
			assert_null(row->sample.refused);
			assert_int_equal(row->sample.figures[FIGURE_PAGES], 9);
		}
		assert_int_equal(all.refused, 0);
		for (size_t i = 0; i < COUNT_OF(rows); i++)
			expect_row(&all, &rows[i]);
		filesystems_deinit(&all);
	}
	fake_host_deinit(&host);
}

/* Pages that are cleaned while they are counted: never more than there are. */
static void clean_pages(struct fake_kernel *fake)
{
	uint64_t flags = fake_mapping(fake, moving) +
			 fake->fs.offset[FS_MAPPING_TREE_FLAGS];

	fake_put_word(fake, fake_tree_head(fake, moving), 0);
	fake_put_half(fake, flags, 0);
	fake_put_word(fake,
		      fake_mapping(fake, moving) +
			      fake->fs.offset[FS_MAPPING_PAGES],
		      0);
}

static void emptied_tree(void **state __attribute__((unused)))
{
	unsigned int reads = 0;

	for (unsigned int at = 1; !reads || at <= reads; at += 1 + at / 16) {
		const struct sample *sample;
		struct filesystems all;
		struct fake_host host;

		fake_host_init(&host, "btf/debian-6.1");
		fake_kernel_open(&host.fake, true);
		if (!reads) {
			measure_all(&all, &host);
			reads = host.fake.reads;
			filesystems_deinit(&all);
			host.fake.reads = 0;
		}
		moving = host.files[HOST_BIG];
		host.fake.at = at;
		host.fake.at_read = clean_pages;
		measure_all(&all, &host);
		sample = &ext4_of(&all)->sample;
		assert_null(sample->refused);
		if (sample->figures[FIGURE_PAGES] != HOST_EXT4_PAGES)
			assert_int_equal(sample->figures[FIGURE_PAGES],
					 HOST_EXT4_PAGES - 200);
		assert_true(sample_has(sample, FIGURE_DIRTY));
		/* Before, or after, or what is left of the file alone. */
		if (sample->figures[FIGURE_DIRTY] != 71)
			assert_int_equal(sample->figures[FIGURE_DIRTY], 1);
		if (sample->figures[FIGURE_WRITEBACK] != 30)
			assert_int_equal(sample->figures[FIGURE_WRITEBACK], 0);
		filesystems_deinit(&all);
		fake_host_deinit(&host);
	}
}

/* Wherever the time is over: what has a figure has the right one. */
static void time_is_over(void **state __attribute__((unused)))
{
	struct fake_host host;
	bool is_over = true;

	fake_host_init(&host, "btf/debian-6.12");
	fake_kernel_open(&host.fake, true);
	host.fake.failure = -ETIMEDOUT;
	for (unsigned int from = 1; is_over; from += 1 + from / 8) {
		struct filesystems all;

		host.fake.reads = 0;
		host.fake.fail_from = from;
		measure_all(&all, &host);
		is_over = host.fake.reads >= from;
		assert_true(all.count >= 3);
		for (size_t i = 0; i < COUNT_OF(rows); i++) {
			const struct filesystem *row =
				row_of(&all, rows[i].major, rows[i].minor);

			if (row && row->sample.refused) {
				assert_string_equal(row->sample.refused,
						    PATIENCE_OVER);
				assert_int_equal(row->sample.present, 0);
			} else if (row && !row->uncounted) {
				expect_row(&all, &rows[i]);
			}
			assert_true(row || all.silent);
		}
		assert_true(is_over || !all.silent);
		assert_int_equal(all.refused, 0);
		filesystems_deinit(&all);
	}
	fake_host_deinit(&host);
}

/* The kernel's own tmpfs is the first; a graphics driver may have another. */
static void second_own(void **state __attribute__((unused)))
{
	static const struct fake_superblock other = {
		"tmpfs", "drm", 0, 60, TMPFS_MAGIC, SUPERBLOCK_NOUSER
	};
	const struct filesystem *row;
	struct filesystems all;
	struct fake_host host;
	uint64_t inode;

	fake_host_init(&host, "btf/debian-6.12");
	inode = fake_add_inode(&host.fake,
			       fake_add_superblock(&host.fake, &other), 1);
	fake_kernel_open(&host.fake, false);
	measure_all(&all, &host);
	assert_null(row_of(&all, 0, 60));
	filesystems_deinit(&all);
	fake_fill(&host.fake, inode, &(struct fake_pages){ .count = 9 });
	measure_all(&all, &host);
	row = row_of(&all, 0, 60);
	assert_non_null(row);
	assert_string_equal(row->source, "drm");
	assert_int_equal(row->sample.figures[FIGURE_PAGES], 9);
	assert_null(row_of(&all, 0, 1)->source);
	filesystems_deinit(&all);
	fake_host_deinit(&host);
}

/* A mount whose superblock is not on the list any more. */
static void unmounted_meanwhile(void **state __attribute__((unused)))
{
	struct filesystems all;
	struct fake_host host;
	uint64_t node, next, previous;

	fake_host_init(&host, "btf/debian-6.12");
	fake_kernel_open(&host.fake, true);
	node = host.xfs + host.fake.fs.offset[FS_SB_LIST];
	next = fake_word(&host.fake, node);
	previous = fake_word(&host.fake, node + 8);
	fake_put_word(&host.fake, previous, next);
	fake_put_word(&host.fake, next + 8, previous);
	measure_all(&all, &host);
	assert_string_equal(row_of(&all, 254, 16)->sample.refused,
			    "unmounted meanwhile");
	assert_int_equal(row_of(&all, 254, 16)->sample.present, 0);
	assert_int_equal(all.attributed_pages, ATTRIBUTED - 64);
	filesystems_deinit(&all);
	fake_host_deinit(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(live),
		cmocka_unit_test(dumped),
		cmocka_unit_test(incomplete_dump),
		cmocka_unit_test(bent_links),
		cmocka_unit_test(impossible_counts),
		cmocka_unit_test(damaged_trees),
		cmocka_unit_test(damaged_list),
		cmocka_unit_test(moving_inode),
		cmocka_unit_test(half_added),
		cmocka_unit_test(emptied_tree),
		cmocka_unit_test(time_is_over),
		cmocka_unit_test(second_own),
		cmocka_unit_test(unmounted_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

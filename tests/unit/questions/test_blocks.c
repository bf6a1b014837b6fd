// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What kind the cached blocks of a filesystem are, against libext2fs's own
 * iterators over the whole filesystem, for each layout that mke2fs makes. What
 * is cached is all of it, or a part; unknown is allowed then, wrong is not.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "blocks/blocks.h"
#include "blocks/ext.h"
#include "ext_kinds.h"
#include "kernel/page_contents.h"
#include "test.h"
#include "tree.h"

#define PAGE 4096U
#define FILES 200

struct image {
	int fd;
	uint64_t bytes;
	struct cached_page *pages;
	size_t count;
	size_t reads;
	size_t most_reads; /* then the time is over; 0: never */
	/* As in struct block_cache; NULL: all was read. */
	int (*look)(void *data, size_t first, size_t count,
		    const struct page_look *look);
};

static int read_page(void *data, size_t which, void *bytes, uint64_t *valid)
{
	struct image *image = data;
	uint64_t offset = cached_page_index(&image->pages[which]) * PAGE;
	ssize_t size = pread(image->fd, bytes, PAGE, (off_t)offset);

	if (image->most_reads && image->reads >= image->most_reads)
		return -ETIMEDOUT;
	image->reads++;
	assert_true(size >= 0);
	memset((char *)bytes + size, 0, PAGE - (size_t)size);
	*valid = UINT64_MAX;
	return 0;
}

/* Whether a page has a descriptor: a mount keeps all of them cached. */
static bool is_kept(const struct ext_kinds *kinds, uint64_t page)
{
	uint32_t size = kinds->fs->blocksize;
	uint64_t block = page * PAGE / size;

	for (; block * size < (page + 1) * PAGE; block++) {
		if (block < kinds->count &&
		    strcmp(kinds->names[block], "superblock and descriptors") ==
			    0)
			return true;
	}
	return false;
}

/* Caches all pages, or besides what a mount keeps one in so many. */
static void open_image(struct image *image, const char *path,
		       const struct ext_kinds *kinds, size_t one_in)
{
	struct stat status;

	*image = (struct image){ .fd = open(path, O_RDONLY | O_CLOEXEC) };
	assert_true(image->fd >= 0);
	assert_int_equal(fstat(image->fd, &status), 0);
	image->bytes = (uint64_t)status.st_size;
	image->pages = calloc(image->bytes / PAGE + 1, sizeof(*image->pages));
	assert_non_null(image->pages);
	for (uint64_t i = 0; i * PAGE < image->bytes; i++) {
		/* By a prime, so that no layout is met always or never. */
		if (i * 7919 % 1000 * one_in < 1000 || one_in == 1 ||
		    is_kept(kinds, i))
			image->pages[image->count++].place = i << 8;
	}
}

static void close_image(struct image *image)
{
	free(image->pages);
	close(image->fd);
}

static struct block_cache cache_of(struct image *image)
{
	return (struct block_cache){
		.pages = image->pages,
		.count = image->count,
		.page_size = PAGE,
		.read = read_page,
		.look = image->look,
		.data = image,
	};
}

struct verdict {
	uint64_t right, wrong, unknown;
};

/* What has an owner is in use, too, if the owner need not be cached. */
static bool is_right(const char *name, const char *expected, bool whole)
{
	return strcmp(name, expected) == 0 ||
	       (!whole && strcmp(name, "in use") == 0 &&
		strcmp(expected, "free") != 0);
}

/* Each block that is cached, with its kind beside the iterators'. */
static struct verdict compare(const struct block_cache *cache,
			      const struct ext_kinds *kinds, bool whole)
{
	struct verdict verdict = { 0 };

	for (size_t i = 0; i < block_cache_units(cache); i++) {
		uint64_t block =
			block_cache_offset(cache, i) / kinds->fs->blocksize;
		const char *name = block_kinds[block_cache_kind(cache, i)];
		const char *expected =
			block < kinds->count ? kinds->names[block] : "outside";

		if (strcmp(name, "unknown") == 0)
			verdict.unknown++;
		else if (is_right(name, expected, whole))
			verdict.right++;
		else if (verdict.wrong++ < 10)
			print_message("block %llu: %s, expected %s\n",
				      (unsigned long long)block, name,
				      expected);
	}
	return verdict;
}

static uint64_t sum_of(const struct blocks *blocks)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < BLOCK_KINDS; i++)
		sum += blocks->bytes[i];
	return sum;
}

/* What is cached of an image, what it is, and what it should be. */
struct trial {
	struct image image;
	struct block_cache cache;
	struct blocks blocks;
	struct ext_kinds kinds; /* of a filesystem that libext2fs knows */
};

/* Classifies what is cached, in that time. */
static void classify_within(struct trial *trial, int64_t began_ns,
			    int64_t budget_ns)
{
	trial->cache = cache_of(&trial->image);
	assert_int_equal(block_cache_init(&trial->cache), 0);
	assert_int_equal(blocks_init(&trial->blocks, &trial->cache,
				     trial->image.bytes, began_ns, budget_ns),
			 0);
	assert_int_equal(sum_of(&trial->blocks), trial->image.count * PAGE);
}

static void classify(struct trial *trial)
{
	classify_within(trial, 0, 0);
}

/* What is left is the image; another may be classified. */
static void forget(struct trial *trial)
{
	blocks_deinit(&trial->blocks);
	block_cache_deinit(&trial->cache);
	close_image(&trial->image);
}

static void finish(struct trial *trial)
{
	forget(trial);
	ext_kinds_deinit(&trial->kinds);
}

static struct verdict verdict_of(const struct trial *trial, bool whole)
{
	return compare(&trial->cache, &trial->kinds, whole);
}

static struct verdict judge(const char *path, size_t one_in)
{
	struct verdict verdict;
	struct trial trial;

	ext_kinds_init(&trial.kinds, path);
	open_image(&trial.image, path, &trial.kinds, one_in);
	classify(&trial);
	assert_string_equal(trial.blocks.why, "");
	assert_non_null(trial.blocks.fstype);
	verdict = verdict_of(&trial, one_in == 1);
	finish(&trial);
	return verdict;
}

static void shell(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static void shell(const char *format, ...)
{
	char command[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	assert_int_equal(system(command), 0);
}

static bool has_program(const char *name)
{
	char command[128];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", name);
	return system(command) == 0;
}

/* A file with more extents than fit in a block of 4 KiB. */
static void make_holes(const char *directory)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/a/holes", directory);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	for (off_t i = 0; i < 800; i++)
		assert_int_equal(pwrite(fd, "x", 1, 2 * i * 4096), 1);
	close(fd);
}

/* Files of all kinds; some with many extents, for which there are holes. */
static void make_files(const char *directory)
{
	shell("mkdir -p %s/a/b/c && cd %s && for i in $(seq %d); do "
	      "echo $i >a/b/file-with-a-long-name-so-that-it-has-blocks-$i; "
	      "done",
	      directory, directory, FILES);
	shell("cd %s && ln -s $(printf %%0200d 0) a/long && ln -s x a/short && "
	      "mkfifo a/fifo && touch a/empty",
	      directory);
	make_holes(directory);
	shell("cd %s && dd if=/dev/urandom of=large bs=64k count=40 "
	      "status=none",
	      directory);
}

static const char *const layouts[] = {
	"-t ext2 -b 1024",
	"-t ext2 -b 4096",
	"-t ext3 -b 1024",
	"-t ext3 -b 4096",
	"-t ext4 -b 1024",
	"-t ext4 -b 2048",
	"-t ext4 -b 4096",
	"-t ext4 -b 4096 -O ^metadata_csum,uninit_bg",
	"-t ext4 -b 1024 -O ^flex_bg -g 1024",
	"-t ext4 -b 1024 -O meta_bg,^resize_inode -g 1024",
	"-t ext4 -b 4096 -O bigalloc -C 16384",
	"-t ext4 -b 1024 -O bigalloc,^resize_inode -C 16384",
	"-t ext4 -b 4096 -O inline_data -I 256",
	"-t ext4 -b 4096 -O ^has_journal",
	"-t ext4 -b 4096 -O quota,project,ea_inode -I 256",
	"-t ext4 -b 4096 -O sparse_super2,^resize_inode -E num_backup_sb=2",
	"-t ext4 -b 4096 -O mmp",
	"-t ext4 -b 4096 -O orphan_file",
	"-t ext4 -b 4096 -O ^64bit -I 128",
	"-t ext4 -b 65536 -O ^resize_inode",
};

struct place {
	struct tree tree;
	char files[512], image[512];
};

static int set_up(void **state)
{
	static struct place place;

	tree_create(&place.tree);
	snprintf(place.files, sizeof(place.files), "%s/files", place.tree.path);
	snprintf(place.image, sizeof(place.image), "%s/image", place.tree.path);
	make_files(place.files);
	*state = &place;
	return 0;
}

static int tear_down(void **state)
{
	struct place *place = *state;

	tree_destroy(&place->tree);
	return 0;
}

/* With a file whose blocks are not written yet, if there can be one. */
static void make_image(const struct place *place, const char *layout,
		       const char *size)
{
	shell("rm -f %s && mke2fs -q -F %s -d %s %s %s >/dev/null 2>&1",
	      place->image, layout, place->files, place->image, size);
	if (strstr(layout, "ext4") && !strstr(layout, "bigalloc"))
		shell("debugfs -w -R 'fallocate /a/empty 0 20' %s "
		      ">/dev/null 2>&1",
		      place->image);
}

static void test_layouts(void **state)
{
	const struct place *place = *state;

	for (size_t i = 0; i < COUNT_OF(layouts); i++) {
		struct verdict whole, part;

		/* A group of blocks of 64 KiB is large. */
		make_image(place, layouts[i],
			   strstr(layouts[i], "65536") ? "160M" : "48M");
		whole = judge(place->image, 1);
		part = judge(place->image, 10);
		print_message("%s: of a tenth %llu right, %llu unknown\n",
			      layouts[i], (unsigned long long)part.right,
			      (unsigned long long)part.unknown);
		assert_int_equal(whole.wrong, 0);
		assert_int_equal(whole.unknown, 0);
		assert_int_equal(part.wrong, 0);
		assert_true(part.right > 0);
	}
}

/* Makes an image of 48 MiB, all of which is cached. */
static void open_layout(struct trial *trial, const struct place *place,
			const char *layout)
{
	make_image(place, layout, "48M");
	ext_kinds_init(&trial->kinds, place->image);
	open_image(&trial->image, place->image, &trial->kinds, 1);
}

static void test_owners(void **state)
{
	const struct ext_owners *owners;
	struct trial trial;
	bool found = false;

	open_layout(&trial, *state, "-t ext4 -b 1024");
	classify(&trial);
	assert_true(trial.blocks.has_inodes);
	/* Those of files, 5 directories, lost+found, 4 more, and 10 reserved. */
	assert_int_equal(trial.blocks.inodes,
			 trial.kinds.fs->super->s_inodes_count -
				 trial.kinds.fs->super->s_free_inodes_count);
	owners = &trial.blocks.owners;
	assert_int_equal(owners->read_blocks, owners->table_blocks);
	for (size_t i = 0; i < owners->count; i++) {
		const struct ext_owner *owner = &owners->list[i];

		assert_true(!i || owner->bytes <= owners->list[i - 1].bytes);
		if (owner->kind == BLOCK_DIRECTORY && owner->path &&
		    strcmp(owner->path, "/a/b") == 0)
			found = owner->bytes >= FILES * 40;
	}
	assert_true(found);
	finish(&trial);
}

/* What was never read, or left, is said so, whatever the layout says. */
static int look(void *data, size_t first, size_t count,
		const struct page_look *page_look)
{
	(void)data;
	for (size_t i = first; i < first + count; i++) {
		if (i == 2)
			page_look->gone(page_look->data, i);
		if (i == 3)
			page_look->unread(page_look->data, i, 1024, 2048);
	}
	return 0;
}

static void test_unread(void **state)
{
	struct trial trial;

	open_layout(&trial, *state, "-t ext4 -b 1024");
	trial.image.look = look;
	classify(&trial);
	assert_int_equal(trial.blocks.bytes[BLOCK_GONE], PAGE);
	assert_int_equal(trial.blocks.bytes[BLOCK_UNREAD], 2048);
	assert_int_equal(block_cache_kind(&trial.cache, 12), BLOCK_SUPER);
	assert_int_equal(block_cache_kind(&trial.cache, 13), BLOCK_UNREAD);
	finish(&trial);
}

static int look_half(void *data, size_t first, size_t count,
		     const struct page_look *page_look)
{
	(void)data;
	for (size_t i = first; i < first + count; i++)
		page_look->unread(page_look->data, i, 0, PAGE / 2);
	return 0;
}

/* What was never read of a page is not its owner's either. */
static void test_unread_owner(void **state)
{
	struct ext_owner whole, half;
	struct trial trial;

	open_layout(&trial, *state, "-t ext4 -b 1024");
	classify(&trial);
	whole = trial.blocks.owners.list[0];
	finish(&trial);
	open_layout(&trial, *state, "-t ext4 -b 1024");
	trial.image.look = look_half;
	classify(&trial);
	half = trial.blocks.owners.list[0];
	finish(&trial);
	assert_int_equal(half.inode, whole.inode);
	assert_in_range(half.bytes, whole.bytes / 2 - PAGE,
			whole.bytes / 2 + PAGE);
	assert_in_range(whole.bytes, 4 * PAGE, UINT64_MAX);
}

static int add_count(void *data, uint64_t logical __attribute__((unused)),
		     uint64_t block, uint64_t count,
		     bool is_map __attribute__((unused)))
{
	assert_true(block < 100 && count <= 100 - block);
	*(uint64_t *)data += count;
	return 0;
}

/* Extents beyond the end, or with a part beyond it, are the filesystem's not. */
static void test_beyond_the_end(void **state __attribute__((unused)))
{
	static const struct ext_inode inode = {
		.flags = EXT4_EXTENTS_FL,
		/* Four extents; the second is not written yet: 3 blocks. */
		.map = { 0x0a, 0xf3, 4, 0, 4, 0, 0, 0, 0, 0, 0, 0,
			 /* file block, blocks, high and low of the place */
			 0, 0, 0, 0, 2, 0, 0, 0, 10, 0, 0, 0, 2, 0, 0, 0, 3,
			 0x80, 0, 0, 20, 0, 0, 0, 5, 0, 0, 0, 2, 0, 0, 0, 99, 0,
			 0, 0, 7, 0, 0, 0, 1, 0, 1, 0, 50, 0, 0, 0 },
	};
	struct ext ext = { .blocks = 100,
			   .first_block = 1,
			   .block_size = PAGE };
	uint64_t blocks = 0;

	assert_int_equal(ext_map_walk(&ext, &inode, add_count, &blocks), 0);
	assert_int_equal(blocks, 2 + 3);
}

/* If there is no time, that is what is said, and nothing is wrong. */
static void test_late(void **state)
{
	struct trial trial;

	open_layout(&trial, *state, "-t ext4 -b 4096");
	trial.image.look = look;
	classify_within(&trial, 1, 1000);
	assert_false(blocks_are_whole(&trial.blocks) && !*trial.blocks.why);
	assert_int_equal(verdict_of(&trial, false).right, 0);
	finish(&trial);
}

/* If there is time for some inode tables only, the rest is not said wrongly. */
static void test_sample(void **state)
{
	const struct ext_owners *owners;
	struct verdict verdict;
	struct trial trial;

	open_layout(&trial, *state, "-t ext2 -b 1024 -g 2048 -N 4096");
	trial.image.most_reads = 60;
	classify(&trial);
	assert_string_equal(trial.blocks.why, "");
	assert_false(blocks_are_whole(&trial.blocks));
	owners = &trial.blocks.owners;
	assert_in_range(owners->read_blocks, 1, owners->table_blocks - 1);
	verdict = verdict_of(&trial, false);
	assert_int_equal(verdict.wrong, 0);
	assert_true(verdict.right > 0);
	finish(&trial);
}

/* Wrong bytes, and what was there before. */
struct damage {
	int fd;
	unsigned int seed;
	struct {
		off_t at;
		unsigned char before;
	} bytes[4096];
	size_t count;
};

static void damage_byte(struct damage *damage, uint64_t at)
{
	unsigned char byte = (unsigned char)rand_r(&damage->seed);

	assert_true(damage->count < COUNT_OF(damage->bytes));
	damage->bytes[damage->count].at = (off_t)at;
	assert_int_equal(pread(damage->fd, &damage->bytes[damage->count].before,
			       1, (off_t)at),
			 1);
	damage->count++;
	assert_int_equal(pwrite(damage->fd, &byte, 1, (off_t)at), 1);
}

/* A few wrong bytes in the first @size of each block of a kind, or of most. */
static void damage_kind(struct damage *damage, const struct ext_kinds *kinds,
			const char *name, uint32_t size)
{
	for (uint64_t block = 0; block < kinds->count; block++) {
		if (strcmp(kinds->names[block], name) != 0 ||
		    damage->count + 2 > COUNT_OF(damage->bytes) ||
		    rand_r(&damage->seed) % 4 == 0)
			continue;
		for (int i = 0; i < 2; i++)
			damage_byte(damage,
				    block * kinds->fs->blocksize +
					    (uint64_t)rand_r(&damage->seed) %
						    size);
	}
}

static void repair(struct damage *damage)
{
	while (damage->count) {
		damage->count--;
		assert_int_equal(pwrite(damage->fd,
					&damage->bytes[damage->count].before, 1,
					damage->bytes[damage->count].at),
				 1);
	}
}

/* Puts the superblock right again, and nothing else. */
static void repair_super(const struct damage *damage)
{
	for (size_t i = damage->count; i-- > 0;) {
		if (damage->bytes[i].at < 2048)
			assert_int_equal(pwrite(damage->fd,
						&damage->bytes[i].before, 1,
						damage->bytes[i].at),
					 1);
	}
}

static void judge_damaged(struct trial *trial, const struct place *place,
			  bool has_checksums)
{
	open_image(&trial->image, place->image, &trial->kinds, 1);
	classify(trial);
	if (has_checksums)
		assert_int_equal(verdict_of(trial, false).wrong, 0);
	forget(trial);
}

/*
 * Metadata with wrong bytes in it. It must not crash, run on, or lose a page,
 * and with checksums nothing is wrong.
 */
static void test_damage(void **state)
{
	static const char *const some[] = {
		"-t ext4 -b 1024",
		"-t ext2 -b 1024",
		"-t ext4 -b 4096 -O bigalloc -C 16384",
	};
	static const char *const what[] = { "superblock and descriptors",
					    "extents", "bitmap", "inode table",
					    "directory" };
	static struct damage damage = { .seed = 1 };
	const struct place *place = *state;

	for (size_t i = 0; i < COUNT_OF(some); i++) {
		struct trial trial;

		make_image(place, some[i], "48M");
		ext_kinds_init(&trial.kinds, place->image);
		damage.fd = open(place->image, O_RDWR | O_CLOEXEC);
		assert_true(damage.fd >= 0);
		for (size_t j = 0; j < 4 * COUNT_OF(what); j++) {
			damage_kind(&damage, &trial.kinds,
				    what[j % COUNT_OF(what)], 64);
			/* All but the superblock itself, to get further. */
			if (j >= COUNT_OF(what))
				repair_super(&damage);
			judge_damaged(&trial, place, strstr(some[i], "ext4"));
			repair(&damage);
		}
		close(damage.fd);
		ext_kinds_deinit(&trial.kinds);
	}
}

/* Classifies a whole image of which nothing is known. */
static void classify_other(struct trial *trial, const struct place *place)
{
	open_image(&trial->image, place->image, NULL, 1);
	classify(trial);
}

static void test_journal_device(void **state)
{
	const struct place *place = *state;
	struct trial trial;

	shell("rm -f %s && mke2fs -q -F -O journal_dev -b 4096 %s 8M "
	      ">/dev/null 2>&1",
	      place->image, place->image);
	classify_other(&trial, place);
	assert_string_equal(trial.blocks.why, "");
	assert_int_equal(trial.blocks.bytes[BLOCK_SUPER], 4096);
	assert_int_equal(trial.blocks.bytes[BLOCK_JOURNAL], (8 << 20) - 4096);
	forget(&trial);
}

static void test_xfs(void **state)
{
	const struct place *place = *state;
	struct trial trial;

	if (!has_program("mkfs.xfs"))
		SKIP_BECAUSE("no mkfs.xfs (package xfsprogs)");
	shell("rm -f %s && truncate -s 320M %s && mkfs.xfs -q -d agcount=4 "
	      "-l size=64m %s",
	      place->image, place->image, place->image);
	classify_other(&trial, place);
	assert_string_equal(trial.blocks.fstype, "xfs");
	/* Four headers of 512 bytes for each of 4 groups. */
	assert_int_equal(trial.blocks.bytes[BLOCK_SUPER], 4 * 4096);
	assert_int_equal(trial.blocks.bytes[BLOCK_JOURNAL], 64 << 20);
	assert_int_equal(trial.blocks.bytes[BLOCK_RAW],
			 trial.image.bytes - 4 * 4096 - (64 << 20));
	forget(&trial);
	/* A wrong checksum: nothing in it is believed. */
	shell("printf x | dd of=%s bs=1 seek=300 conv=notrunc status=none",
	      place->image);
	classify_other(&trial, place);
	assert_null(trial.blocks.fstype);
	assert_int_equal(trial.blocks.bytes[BLOCK_RAW], trial.image.bytes);
	forget(&trial);
}

static void test_btrfs(void **state)
{
	const struct place *place = *state;
	struct trial trial;

	if (!has_program("mkfs.btrfs"))
		SKIP_BECAUSE("no mkfs.btrfs (package btrfs-progs)");
	shell("rm -f %s && truncate -s 128M %s && mkfs.btrfs -q %s",
	      place->image, place->image, place->image);
	classify_other(&trial, place);
	assert_string_equal(trial.blocks.fstype, "btrfs");
	assert_int_equal(trial.blocks.bytes[BLOCK_SUPER], 2 * 4096);
	forget(&trial);
}

static void test_swap(void **state)
{
	const struct place *place = *state;
	struct trial trial;

	/* The signature is at the end of a page of this machine. */
	shell("rm -f %s && truncate -s 4M %s && chmod 600 %s && "
	      "mkswap %s >/dev/null 2>&1 && "
	      "dd if=%s bs=1 skip=%lu count=10 status=none | "
	      "dd of=%s bs=1 seek=%d conv=notrunc status=none",
	      place->image, place->image, place->image, place->image,
	      place->image, getauxval(AT_PAGESZ) - 10, place->image, PAGE - 10);
	classify_other(&trial, place);
	assert_string_equal(trial.blocks.fstype, "swap");
	assert_int_equal(trial.blocks.bytes[BLOCK_SUPER], PAGE);
	assert_int_equal(trial.blocks.bytes[BLOCK_RAW],
			 trial.image.bytes - PAGE);
	forget(&trial);
}

/* What does not fit on the device, or is not cached, is not believed. */
static void test_refused(void **state)
{
	const struct place *place = *state;
	struct trial trial;

	make_image(place, "-t ext4 -b 4096", "48M");
	open_image(&trial.image, place->image, NULL, 1);
	trial.image.bytes = 40 << 20;
	classify(&trial);
	assert_string_equal(trial.blocks.why, "its cached superblock has more "
					      "blocks than the device");
	assert_int_equal(trial.blocks.bytes[BLOCK_UNKNOWN],
			 trial.image.count * PAGE);
	forget(&trial);
	open_image(&trial.image, place->image, NULL, 1);
	trial.image.count = 1;
	classify(&trial);
	assert_string_equal(trial.blocks.why, "its superblock and group "
					      "descriptors are not all cached");
	forget(&trial);
	open_image(&trial.image, place->image, NULL, 1);
	trial.image.pages++;
	trial.image.count--;
	classify(&trial);
	assert_string_equal(trial.blocks.why,
			    "its first page is not cached, so "
			    "nothing tells what is on it");
	trial.image.pages--;
	forget(&trial);
}

/* A large filesystem takes memory for what is cached and for descriptors. */
static void test_16_tib(void **state)
{
	const struct place *place = *state;
	struct trial trial;
	struct image *image = &trial.image;
	uint64_t groups;

	shell("rm -f %s && mke2fs -q -F -t ext4 -E lazy_itable_init=1,"
	      "lazy_journal_init=1,nodiscard %s 16383G >/dev/null 2>&1",
	      place->image, place->image);
	*image = (struct image){ .fd = open(place->image, O_RDONLY) };
	image->bytes = 16383ULL << 30;
	groups = image->bytes >> 27;
	image->pages = calloc(200000, sizeof(*image->pages));
	assert_non_null(image->pages);
	/* The descriptors, 64 to a block, and then a page of each group. */
	for (uint64_t i = 0; i < groups / 64 + 4; i++)
		image->pages[image->count++].place = i << 8;
	for (uint64_t i = 1; i < groups; i++)
		image->pages[image->count++].place = (i << 15 | 1) << 8;
	classify(&trial);
	assert_string_equal(trial.blocks.why, "");
	assert_true(trial.blocks.bytes[BLOCK_SUPER] >= groups / 64 * PAGE);
	assert_true(trial.blocks.bytes[BLOCK_FREE] >= groups / 2 * PAGE);
	forget(&trial);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_owners),
		cmocka_unit_test(test_unread),
		cmocka_unit_test(test_unread_owner),
		cmocka_unit_test(test_beyond_the_end),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_journal_device),
		cmocka_unit_test(test_xfs),
		cmocka_unit_test(test_btrfs),
		cmocka_unit_test(test_swap),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_16_tib),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

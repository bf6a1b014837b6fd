// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is on a device, from some of its pages: beside what blkid says of all of
 * it, for everything that Debian's tools make in a file. An answer that is
 * taken for proven is never wrong, whatever is cached.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "blocks/block_cache.h"
#include "blocks/identity.h"
#include "kernel/page_contents.h"
#include "lib/error.h"
#include "names/device_names.h"
#include "test.h"

#define PAGE 4096U
#define IMAGE_BYTES (UINT64_C(256) << 20)

static char directory[] = "/tmp/bufstat-identity.XXXXXX";

/* Each writes to $1, a file of IMAGE_BYTES without a byte in it. */
static const struct type {
	const char *name, *command;
} types[] = {
	{ "ext2", "mke2fs -q -t ext2 -L some $1" },
	{ "ext3", "mke2fs -q -t ext3 $1" },
	{ "ext4", "mke2fs -q -t ext4 -L root $1" },
	{ "ext4", "mke2fs -q -t ext4 -b 1024 $1" },
	{ "jbd", "mke2fs -q -O journal_dev $1" },
	{ "xfs", "truncate -s 400M $1 && mkfs.xfs -q -L data $1" },
	{ "btrfs", "mkfs.btrfs -q -L pool $1" },
	{ "swap", "mkswap -q -L swap $1" },
	{ "swap", "mkswap -q -p 65536 $1" },
	{ "vfat", "mkfs.vfat -F 12 -S 512 $1 4096" },
	{ "vfat", "mkfs.vfat -F 16 -n SIXTEEN $1" },
	{ "vfat", "mkfs.vfat -F 32 -s 8 -n EFI $1" },
	{ "exfat", "mkfs.exfat -L stick $1" },
	{ "ntfs", "mkntfs -q -F -Q -L windows $1" },
	{ "f2fs", "mkfs.f2fs -q -l flash $1" },
	{ "nilfs2", "mkfs.nilfs2 -q -f -L log $1" },
	{ "udf", "mkudffs -l disc $1" },
	{ "jfs", "mkfs.jfs -q -L old $1" },
	{ "reiserfs", "mkreiserfs -q -f -f -l older $1" },
	{ "minix", "mkfs.minix -3 $1" },
	{ "bfs", "mkfs.bfs $1" },
	{ "cramfs", "mkfs.cramfs -n small $D $1" },
	{ "squashfs", "rm $1; mksquashfs $D $1" },
	{ "erofs", "mkfs.erofs $1 $D" },
	{ "iso9660", "genisoimage -quiet -V CD -o $1 $D" },
	{ "crypto_LUKS", "echo x | cryptsetup -q luksFormat --type luks1 "
			 "--pbkdf-force-iterations 1000 $1" },
	{ "crypto_LUKS", "echo x | cryptsetup -q luksFormat --type luks2 "
			 "--pbkdf pbkdf2 --pbkdf-force-iterations 1000 $1" },
	{ "bcache", "make-bcache -B $1" },
};

/* An image of which some pages are cached. */
struct image {
	int fd;
	uint64_t bytes;
	struct cached_page *pages;
	size_t count;
};

static int read_page(void *data, size_t which, void *bytes, uint64_t *valid)
{
	const struct image *image = data;
	uint64_t index = cached_page_index(&image->pages[which]);

	memset(bytes, 0, PAGE);
	*valid = 0xf;
	return pread(image->fd, bytes, PAGE, (off_t)(index * PAGE)) < 0 ?
		       -errno :
		       0;
}

typedef bool cached_fn(const struct image *image, uint64_t page);

static struct image open_image(const char *path)
{
	struct image image = { .fd = open(path, O_RDWR | O_CLOEXEC) };
	struct stat status;

	assert_true(image.fd >= 0);
	assert_int_equal(fstat(image.fd, &status), 0);
	image.bytes = (uint64_t)status.st_size;
	image.pages = calloc(image.bytes / PAGE + 1, sizeof(*image.pages));
	assert_non_null(image.pages);
	return image;
}

static void close_image(struct image *image)
{
	free(image->pages);
	close(image->fd);
}

static void ask(struct identity *identity, struct image *image,
		cached_fn *is_cached)
{
	struct block_cache cache = {
		.pages = image->pages,
		.page_size = PAGE,
		.read = read_page,
		.data = image,
	};
	struct error err = { 0 };

	image->count = 0;
	for (uint64_t i = 0; i * PAGE < image->bytes; i++)
		if (is_cached(image, i))
			image->pages[image->count++].place = i << 8;
	cache.count = image->count;
	assert_int_equal(block_cache_init(&cache), 0);
	assert_int_equal(identity_init(identity, &cache, image->bytes, &err),
			 0);
	block_cache_deinit(&cache);
}

static bool all(const struct image *image, uint64_t page)
{
	(void)image;
	(void)page;
	return true;
}

static bool front(const struct image *image, uint64_t page)
{
	(void)image;
	return page < 65536 / PAGE + 1;
}

/* Whether libblkid reads there, whatever is on the device. */
static bool places(const struct image *image, uint64_t page)
{
	uint64_t from = page * PAGE, end = from + PAGE;

	for (size_t i = 0; i < identity_place_count; i++) {
		const struct identity_place *place = &identity_places[i];
		uint64_t at = place->is_from_end ?
				      image->bytes - place->offset :
				      place->offset;

		if (at < end && at + place->bytes > from)
			return true;
	}
	return false;
}

static bool random_half(const struct image *image, uint64_t page)
{
	(void)image;
	(void)page;
	return random() & 1;
}

static bool not_the_last(const struct image *image, uint64_t page)
{
	return (page + 1) * PAGE < image->bytes;
}

/* What blkid says of the whole file: a tag, or "". */
static void blkid(const char *path, const char *tag, char text[64])
{
	char command[256];
	FILE *pipe;

	snprintf(command, sizeof(command), "blkid -p -o value -s %s %s", tag,
		 path);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	*text = '\0';
	if (fgets(text, 64, pipe))
		text[strcspn(text, "\n")] = '\0';
	pclose(pipe);
}

static void make_image(const struct type *type, char path[64])
{
	char command[512];

	snprintf(path, 64, "%s/image", directory);
	snprintf(command, sizeof(command),
		 "PATH=$PATH:/sbin:/usr/sbin; D=%s/tree; mkdir -p $D && "
		 "echo some >$D/file && rm -f %s && truncate -s %llu %s && "
		 "set -- %s && { %s; } </dev/null >%s/said 2>&1",
		 directory, path, (unsigned long long)IMAGE_BYTES, path, path,
		 type->command, directory);
	if (system(command) != 0)
		fail_msg("%s: %s", type->name, type->command);
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static void each_type_is_told(void **state)
{
	static cached_fn *const patterns[] = { front,	     places,
					       not_the_last, random_half,
					       random_half,  random_half };
	size_t proven = 0;

	(void)state;
	srandom(20);
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		char path[64], truth[64], label[64], uuid[64];
		struct identity identity;
		struct image image;

		/* Its mkfs makes nothing where nobody tells what is mounted. */
		if (strcmp(types[i].name, "nilfs2") == 0 &&
		    access("/etc/mtab", F_OK) < 0)
			continue;
		make_image(&types[i], path);
		blkid(path, "TYPE", truth);
		blkid(path, "LABEL", label);
		blkid(path, "UUID", uuid);
		assert_string_equal(truth, types[i].name);
		image = open_image(path);
		ask(&identity, &image, all);
		assert_string_equal(or_empty(identity.fstype), truth);
		assert_string_equal(or_empty(identity.label), label);
		assert_string_equal(or_empty(identity.uuid), uuid);
		assert_true(identity.is_proven);
		identity_deinit(&identity);
		for (size_t j = 0; j < sizeof(patterns) / sizeof(*patterns);
		     j++) {
			ask(&identity, &image, patterns[j]);
			if (identity.is_proven)
				assert_string_equal(identity.fstype, truth);
			if (patterns[j] == places && identity.is_proven)
				proven++;
			/* The front of a small one is all of it. */
			if (patterns[j] != places && image.bytes > 1U << 20)
				assert_false(identity.is_proven);
			identity_deinit(&identity);
		}
		close_image(&image);
	}
	/* Some have what tells their type elsewhere. */
	assert_in_range(proven, 20, sizeof(types) / sizeof(*types));
}

static void write_at(const struct image *image, uint64_t at, const void *bytes,
		     size_t size)
{
	assert_int_equal(pwrite(image->fd, bytes, size, (off_t)at), size);
}

/* struct mdp_superblock_1 of version 1.0, 8 KiB before the end. */
static void write_md(const struct image *image)
{
	uint64_t at = image->bytes - 8192;
	uint32_t head[] = { 0xa92b4efc, 1 };
	uint64_t sector = at / 512;
	char uuid[16] = "0123456789abcde";

	write_at(image, at, head, sizeof(head));
	write_at(image, at + 16, uuid, sizeof(uuid));
	write_at(image, at + 144, &sector, sizeof(sector));
}

/* The filesystem of an array with its metadata at the end looks like its own. */
static void a_member_is_not_proven(void **state)
{
	const struct type ext4 = { "ext4", "mke2fs -q -t ext4 $1 200M" };
	struct identity identity;
	struct image image;
	char path[64], truth[64];

	(void)state;
	make_image(&ext4, path);
	image = open_image(path);
	write_md(&image);
	blkid(path, "TYPE", truth);
	assert_string_equal(truth, "linux_raid_member");
	ask(&identity, &image, front);
	assert_string_equal(identity.fstype, "ext4");
	assert_false(identity.is_proven);
	identity_deinit(&identity);
	ask(&identity, &image, places);
	assert_string_equal(identity.fstype, "linux_raid_member");
	assert_true(identity.is_proven);
	identity_deinit(&identity);
	close_image(&image);
}

static struct identity identity_of(const char *fstype)
{
	return (struct identity){ .fstype = fstype ? strdup(fstype) : NULL };
}

static void confirm(struct identity *identity, const char *mounted,
		    const char *place, const char *holder)
{
	struct device_names names = { .fstype = (char *)mounted };

	if (place)
		string_list_add(&names.mountpoints, place);
	if (holder)
		string_list_add(&names.holders, holder);
	assert_int_equal(identity_confirm(identity, &names), 0);
	names.fstype = NULL;
	device_names_deinit(&names);
}

static void the_kernel_is_right(void **state)
{
	static const struct {
		const char *looks, *mounted, *place, *holder, *expected;
		bool is_proven;
	} cases[] = {
		{ "ext4", "ext4", "/", NULL, "ext4", true },
		{ "ext2", "ext4", "/", NULL, "ext4", true },
		{ NULL, "zfs", "/tank", NULL, "zfs", true },
		{ "swap", NULL, "[SWAP]", NULL, "swap", true },
		{ NULL, NULL, "[SWAP]", NULL, "swap", true },
		{ "ext4", NULL, NULL, "md0", "ext4", false },
		{ "ext4", NULL, NULL, "vg-root", "ext4", false },
		{ "linux_raid_member", NULL, NULL, "md0", "linux_raid_member",
		  true },
		{ "linux_raid_member", NULL, NULL, "vg-root",
		  "linux_raid_member", false },
		{ "LVM2_member", NULL, NULL, "vg-root", "LVM2_member", true },
		{ "LVM2_member", NULL, NULL, "md0", "LVM2_member", false },
		{ "crypto_LUKS", NULL, NULL, "home", "crypto_LUKS", true },
		{ "bcache", NULL, NULL, "bcache0", "bcache", true },
		/* udev's word is not the kernel's. */
		{ "ext4", "ext4", NULL, NULL, "ext4", false },
		{ NULL, NULL, NULL, "md0", NULL, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct identity identity = identity_of(cases[i].looks);

		confirm(&identity, cases[i].mounted, cases[i].place,
			cases[i].holder);
		assert_string_equal(or_empty(identity.fstype),
				    or_empty(cases[i].expected));
		assert_int_equal(identity.is_proven, cases[i].is_proven);
		identity_deinit(&identity);
	}
}

/* A device without an end, or without pages, is nothing. */
static void nothing_is_nothing(void **state)
{
	struct image image = { .fd = -1 };
	struct block_cache cache = { .page_size = PAGE, .read = read_page };
	struct identity identity;
	struct error err = { 0 };

	(void)state;
	cache.data = &image;
	assert_int_equal(block_cache_init(&cache), 0);
	for (uint64_t bytes = 0; bytes < 1U << 20; bytes += 512 * 1024 - 512) {
		assert_int_equal(identity_init(&identity, &cache, bytes, &err),
				 0);
		assert_null(identity.fstype);
		assert_false(identity.is_proven);
		identity_deinit(&identity);
	}
	block_cache_deinit(&cache);
}

/* Every place that strace sees is in the table. */
static void reads_only_known_places(void **state)
{
	static const uint64_t sizes[] = { IMAGE_BYTES, UINT64_C(10) << 30,
					  (UINT64_C(10) << 30) + 512 };
	size_t reads = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct image image = { .bytes = sizes[i] };
		unsigned long long at = 0, size;
		char command[512], line[512];
		FILE *pipe;

		snprintf(command, sizeof(command),
			 "truncate -s %llu %s/empty && strace -qq -e "
			 "trace=openat,lseek,read,pread64 -o %s/calls "
			 "blkid -p -u filesystem,raid,crypto,other "
			 "%s/empty; grep -A 9999 '/empty\"' %s/calls",
			 (unsigned long long)sizes[i], directory, directory,
			 directory, directory);
		pipe = popen(command, "r");
		assert_non_null(pipe);
		while (fgets(line, sizeof(line), pipe)) {
			const char *count = strrchr(line, ',');

			if (sscanf(line, "lseek(3, %llu, SEEK_SET)", &at) == 1)
				continue;
			if (strncmp(line, "read(3,", 7) != 0 || !count ||
			    sscanf(count, ", %llu)", &size) != 1)
				continue;
			reads++;
			for (uint64_t byte = at; byte < at + size;
			     byte += PAGE - byte % PAGE)
				if (!places(&image, byte / PAGE))
					fail_msg("%llu: reads %llu from %llu",
						 (unsigned long long)sizes[i],
						 size, at);
		}
		pclose(pipe);
	}
	assert_in_range(reads, 30, 1000);
}

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_type_is_told),
		cmocka_unit_test(a_member_is_not_proven),
		cmocka_unit_test(the_kernel_is_right),
		cmocka_unit_test(nothing_is_nothing),
		cmocka_unit_test(reads_only_known_places),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}

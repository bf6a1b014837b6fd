// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bdev_root.h"
#include "cleanup.h"
#include "kcore_cache.h"
#include "number.h"
#include "sysroot.h"
#include "text_stream.h"
#include "vmcoreinfo.h"

#define FORMAT "bufstat-kcore 1"
#define RUN "/run"
#define DIRECTORY "bufstat"
#define FILE_NAME "kcore"
#define MAX_FILE 4096

void kcore_cache_init(struct kcore_cache *cache, const struct sysroot *root,
		      const char *vmcoreinfo)
{
	*cache = (struct kcore_cache){ .root = root, .owner = 0 };
	if (!vmcoreinfo ||
	    !vmcoreinfo_symbol(vmcoreinfo, "_stext", &cache->stext) ||
	    !vmcoreinfo_string(vmcoreinfo, "BUILD-ID", cache->build_id,
			       sizeof(cache->build_id)))
		*cache->build_id = '\0';
}

/* "KEY VALUE\n" at *@text, moved behind it. */
static bool take(const char **text, const char *key, const char *value)
{
	size_t key_length = strlen(key), value_length = strlen(value);
	const char *line = *text;

	if (strncmp(line, key, key_length) != 0 || line[key_length] != ' ')
		return false;
	line += key_length + 1;
	if (strncmp(line, value, value_length) != 0 ||
	    line[value_length] != '\n')
		return false;
	*text = line + value_length + 1;
	return true;
}

static bool take_number(const char **text, const char *key, uint64_t max,
			uint64_t *number)
{
	size_t length = strlen(key);
	const char *line = *text;

	if (strncmp(line, key, length) != 0 || line[length] != ' ')
		return false;
	line += length + 1;
	if (!number_scan(&line, max, number) || *line != '\n')
		return false;
	*text = line + 1;
	return true;
}

static bool take_size(const char **text, const char *key, uint32_t *size)
{
	uint64_t number;

	if (!take_number(text, key, UINT32_MAX, &number))
		return false;
	*size = (uint32_t)number;
	return true;
}

int kcore_cache_parse(const struct kcore_cache *cache, const char *text,
		      struct bdev_root *root)
{
	struct bdev_layout *layout = &root->layout;
	uint64_t distance;

	if (!take(&text, "format", FORMAT) ||
	    !take(&text, "build-id", cache->build_id))
		return -ENOENT;
	if (!take_number(&text, "blockdev_superblock-_stext", UINT64_MAX,
			 &distance) ||
	    !take_size(&text, "sizeof(bdev_inode)", &layout->bdev_inode_size) ||
	    !take_size(&text, "sizeof(inode)", &layout->inode_size))
		return -EBADMSG;
	for (size_t i = 0; i < BDEV_MEMBERS; i++) {
		if (!take_size(&text, bdev_member_name(i), &layout->offset[i]))
			return -EBADMSG;
	}
	root->symbol = cache->stext + distance;
	return *text || !bdev_layout_is_sound(layout) ? -EBADMSG : 0;
}

char *kcore_cache_format(const struct kcore_cache *cache,
			 const struct bdev_root *root)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "format " FORMAT "\nbuild-id %s\n", cache->build_id);
	fprintf(out, "blockdev_superblock-_stext %" PRIu64 "\n",
		root->symbol - cache->stext);
	fprintf(out, "sizeof(bdev_inode) %" PRIu32 "\n",
		root->layout.bdev_inode_size);
	fprintf(out, "sizeof(inode) %" PRIu32 "\n", root->layout.inode_size);
	for (size_t i = 0; i < BDEV_MEMBERS; i++)
		fprintf(out, "%s %" PRIu32 "\n", bdev_member_name(i),
			root->layout.offset[i]);
	return text_stream_close(out, &text) < 0 ? NULL : text;
}

/* May nobody but its owner have put there what is in it? */
static bool is_trusted(const struct kcore_cache *cache, int fd, mode_t type,
		       mode_t forbidden)
{
	struct stat status;

	return fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == type &&
	       status.st_uid == cache->owner && !(status.st_mode & forbidden);
}

/* The directory, or -ENOENT without one that can be trusted. */
static int open_directory(const struct kcore_cache *cache)
{
	_cleanup_(closep) int fd = -1;

	if (!*cache->build_id)
		return -ENOENT;
	fd = sysroot_open(cache->root, RUN "/" DIRECTORY,
			  O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	if (fd < 0)
		return fd;
	if (!is_trusted(cache, fd, S_IFDIR, S_IWGRP | S_IWOTH))
		return -ENOENT;
	return steal_fd(&fd);
}

int kcore_cache_read(const struct kcore_cache *cache, struct bdev_root *root)
{
	_cleanup_(closep) int directory = open_directory(cache);
	_cleanup_(closep) int fd = -1;
	char text[MAX_FILE];
	ssize_t size;

	if (directory < 0)
		return -ENOENT;
	fd = openat(directory, FILE_NAME,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || !is_trusted(cache, fd, S_IFREG, S_IRWXG | S_IRWXO))
		return -ENOENT;
	size = read(fd, text, sizeof(text) - 1);
	if (size < 0)
		return -ENOENT;
	text[size] = '\0';
	return kcore_cache_parse(cache, text, root);
}

static void make_directory(const struct kcore_cache *cache)
{
	_cleanup_(closep) int run =
		sysroot_open(cache->root, RUN, O_RDONLY | O_DIRECTORY);

	if (run >= 0 && mkdirat(run, DIRECTORY, 0700) < 0)
		return;
}

static int write_all(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left) {
		ssize_t written = write(fd, text, left);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		text += written;
		left -= (size_t)written;
	}
	return 0;
}

static int replace_file(int directory, const char *text)
{
	_cleanup_(closep) int fd = -1;
	char temporary[64];
	int ret;

	snprintf(temporary, sizeof(temporary), FILE_NAME ".%ld",
		 (long)getpid());
	/* Left by a process of the same number that was killed. */
	unlinkat(directory, temporary, 0);
	fd = openat(directory, temporary,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	ret = write_all(fd, text);
	if (!ret && renameat(directory, temporary, directory, FILE_NAME) < 0)
		ret = -errno;
	if (ret < 0)
		unlinkat(directory, temporary, 0);
	return ret;
}

int kcore_cache_write(const struct kcore_cache *cache,
		      const struct bdev_root *root)
{
	_cleanup_(freep) char *text = NULL;
	_cleanup_(closep) int directory = -1;

	if (!*cache->build_id)
		return -ENOENT;
	make_directory(cache);
	directory = open_directory(cache);
	if (directory < 0)
		return directory;
	text = kcore_cache_format(cache, root);
	return text ? replace_file(directory, text) : -ENOMEM;
}

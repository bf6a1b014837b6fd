// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/whole.h"
#include "store/recording_file.h"
#include "store/segment_index.h"
#include "store/segment_read.h"

#define LOCK_TRIES 20
#define LOCK_PAUSE_NS 100000000
/* A segment of which less than this part is used is short. */
#define SHORT_PART 16
/* That many short ones are kept, or that part of all places. */
#define LEAST_SHORTS 2

static int failed(struct error *err, int number, const char *dir)
{
	return error_errno(err, number, "recording", dir);
}

/* Returns a descriptor or a negative errno. */
static int open_directory(const char *dir, struct error *err)
{
	int fd;

	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return failed(err, errno, dir);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? failed(err, errno, dir) : fd;
}

/*
 * btrfs would write each sector to a new place and might then find none. This
 * works only while the file is empty, and elsewhere not at all.
 */
static void write_in_place(int fd)
{
	int flags;

	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0)
		return;
	flags |= FS_NOCOW_FL;
	ioctl(fd, FS_IOC_SETFLAGS, &flags);
}

/*
 * The writer of a recorder that was killed may still write its last, so a lock
 * is worth waiting for.
 */
static int lock(int fd, const char *dir, struct error *err)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };
	int tries = LOCK_TRIES;

	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK)
			return failed(err, errno, dir);
		if (!--tries)
			break;
		nanosleep(&pause, NULL);
	}
	if (tries)
		return 0;
	return error_advise(err, EBUSY, "recording", dir,
			    "name another directory with --dir",
			    "another bufstat record writes there");
}

static int allocate(int fd, const char *dir, uint64_t size, int directory,
		    struct error *err)
{
	struct stat status;
	int ret;

	if (fstat(fd, &status) < 0)
		return failed(err, errno, dir);
	if ((uint64_t)status.st_size >= size)
		return 0;
	if (!status.st_size)
		write_in_place(fd);
	ret = posix_fallocate(fd, 0, (off_t)size);
	if (ret && !status.st_size)
		unlinkat(directory, RECORDING_NAME, 0);
	if (ret)
		return failed(err, ret, dir);
	if (fsync(fd) < 0 || fsync(directory) < 0)
		return failed(err, errno, dir);
	return 0;
}

/* What is known of a segment in the file. */
struct extent {
	uint64_t sequence; /* after the last record */
	size_t used; /* bytes; all of it if it cannot be read */
};

/* Finds where a segment ends. Lost records are not counted again. */
static int read_extent(const struct recording_file *file,
		       const struct segment_place *place, struct extent *extent)
{
	_cleanup_(freep) uint8_t *data = malloc(place->size);
	struct segment_reader *reader;
	struct segment_record record;
	long length;
	int ret;

	*extent = (struct extent){ place->identity.sequence, place->size };
	if (!data)
		return -ENOMEM;
	length = pread_whole(file->fd, data, place->size, place->offset);
	if (length < 0)
		return length == -EIO ? 0 : (int)length;
	ret = segment_reader_open(&reader, data, (size_t)length);
	if (ret < 0)
		return ret == -EBADMSG ? 0 : ret;
	do
		ret = segment_reader_next(reader, &record);
	while (ret > 0);
	extent->sequence = segment_reader_sequence(reader);
	extent->used = segment_reader_used(reader);
	segment_reader_close(reader);
	return ret;
}

/* The place of segment @number, or @count. */
static size_t find_place(const struct recording_file *file, uint64_t number)
{
	size_t place = 0;

	while (place < file->count && file->numbers[place] != number)
		place++;
	return place;
}

/*
 * Every start begins a segment. If the last ones are short, starts that follow
 * each other quickly have left them, and the next takes the place of the
 * shortest but the last, so that they do not push out what came before.
 */
static int find_last(struct recording_file *file,
		     const struct segment_place *places, int count)
{
	int most = (int)(file->count / SHORT_PART), shorts = 0;
	size_t least = file->segment_size / SHORT_PART;

	if (most < LEAST_SHORTS)
		most = LEAST_SHORTS;
	for (; shorts < most && shorts < count; shorts++) {
		const struct segment_place *place = &places[count - 1 - shorts];
		struct extent extent;
		int ret = read_extent(file, place, &extent);

		if (ret < 0)
			return ret;
		if (!shorts)
			file->next_sequence = extent.sequence;
		if (extent.used > file->segment_size / SHORT_PART)
			break;
		if (shorts && extent.used <= least) {
			least = extent.used;
			file->first_place = place->offset / file->segment_size;
		}
	}
	/* There is room for one. */
	if (shorts < most || find_place(file, 0) < file->count)
		file->first_place = file->count;
	return 0;
}

/*
 * Finds out whether a file without any segment may be a recording: the room of
 * one, of which a power cut has left at most what the first segment had.
 */
static int check_blank(const struct recording_file *file, off_t end)
{
	const off_t one = (off_t)file->segment_size;
	off_t at = end % one || end < 2 * one ? 0 : one;
	char bytes[4096];

	for (; at < end; at += (off_t)sizeof(bytes)) {
		long length;

		at = lseek(file->fd, at, SEEK_DATA);
		if (at < 0)
			return errno == ENXIO ? 0 : -errno;
		length = pread_whole(file->fd, bytes, sizeof(bytes),
				     (uint64_t)at);
		if (length < 0)
			return (int)length;
		for (long i = 0; i < length; i++) {
			if (bytes[i])
				return -EEXIST;
		}
	}
	return 0;
}

/* Finds out what is there, before anything is written. */
static int find_segments(struct recording_file *file, uint64_t size)
{
	_cleanup_(freep) struct segment_place *places =
		calloc(STORE_MOST_SEGMENTS, sizeof(*places));
	off_t end = lseek(file->fd, 0, SEEK_END);
	int count = places ? segment_index_read(file->fd, places) : -ENOMEM;

	if (count < 0 || end < 0)
		return count < 0 ? count : -errno;
	if (!count) {
		int ret = check_blank(file, end);

		if (ret < 0)
			return ret;
	} else if (places[0].size != file->segment_size) {
		return -EFBIG;
	}
	if ((uint64_t)end > size)
		size = (uint64_t)end;
	file->count = (size_t)size / file->segment_size;
	if (file->count < 2 || file->count > STORE_MOST_SEGMENTS)
		return -EFBIG;
	file->numbers = calloc(file->count, sizeof(*file->numbers));
	if (!file->numbers)
		return -ENOMEM;
	for (int i = 0; i < count; i++)
		file->numbers[places[i].offset / file->segment_size] =
			places[i].identity.number;
	file->first_place = file->count;
	file->next_number = count ? places[count - 1].identity.number + 1 : 1;
	return find_last(file, places, count);
}

static int explain(int ret, const char *dir, struct error *err)
{
	const char *reason;

	if (ret == -EPROTO)
		reason = "a later version of bufstat has written there";
	else if (ret == -EEXIST)
		reason = "the file there is no recording";
	else if (ret == -EFBIG)
		reason = "a file of this form is no recording of this version";
	else
		return failed(err, -ret, dir);
	return error_advise(err, -ret, "recording", dir,
			    "name another directory with --dir", "%s", reason);
}

int recording_file_open(struct recording_file *file, const char *dir,
			uint64_t size, size_t segment_size, struct error *err)
{
	_cleanup_(closep) int directory = open_directory(dir, err);
	_cleanup_(closep) int fd = -1;
	int ret;

	*file = (struct recording_file){
		.fd = -1,
		.segment_size = segment_size,
	};
	if (directory < 0)
		return directory;
	fd = openat(directory, RECORDING_NAME,
		    O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return failed(err, errno, dir);
	ret = lock(fd, dir, err);
	if (ret < 0)
		return ret;
	file->fd = fd;
	ret = find_segments(file, size);
	if (ret < 0)
		ret = explain(ret, dir, err);
	else
		ret = allocate(fd, dir, size, directory, err);
	if (ret < 0) {
		file->fd = -1;
		recording_file_close(file);
		return ret;
	}
	/* A new segment takes the oldest place. */
	file->place = file->count;
	file->fd = steal_fd(&fd);
	return 0;
}

void recording_file_close(struct recording_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	free(file->numbers);
	*file = (struct recording_file){ .fd = -1 };
}

bool recording_file_is_at(const struct recording_file *file, const char *dir)
{
	_cleanup_(closep) int directory =
		open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat ours, there;

	if (directory < 0)
		return errno != ENOENT && errno != ENOTDIR;
	if (fstatat(directory, RECORDING_NAME, &there, AT_SYMLINK_NOFOLLOW) < 0)
		return errno != ENOENT;
	return fstat(file->fd, &ours) < 0 ||
	       (ours.st_dev == there.st_dev && ours.st_ino == there.st_ino);
}

bool recording_file_has(const struct recording_file *file, uint64_t number)
{
	return number && find_place(file, number) < file->count;
}

static size_t find_oldest(const struct recording_file *file)
{
	size_t oldest = 0;

	for (size_t i = 1; i < file->count; i++) {
		if (file->numbers[i] < file->numbers[oldest])
			oldest = i;
	}
	return oldest;
}

int recording_file_write(struct recording_file *file, uint64_t number,
			 const void *data, size_t from, size_t to)
{
	const char *bytes = data;

	if (file->place == file->count || file->numbers[file->place] != number)
		file->place = find_place(file, number);
	if (file->place == file->count) {
		file->place = file->first_place < file->count ?
				      file->first_place :
				      find_oldest(file);
		file->first_place = file->count;
	}
	file->numbers[file->place] = number;
	while (from < to) {
		off_t offset = (off_t)(file->place * file->segment_size + from);
		ssize_t length =
			pwrite(file->fd, bytes + from, to - from, offset);

		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			return -errno;
		from += (size_t)length;
	}
	return 0;
}

int recording_file_sync(struct recording_file *file)
{
	if (fdatasync(file->fd) < 0)
		return -errno;
	posix_fadvise(file->fd, 0, 0, POSIX_FADV_DONTNEED);
	return 0;
}

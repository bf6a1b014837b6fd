// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/absolute_path.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/monotonic.h"
#include "trace/trace.h"
#include "who/verify.h"
#include "worker/worker.h"

#define VERIFYING "verifying"
#define PIECE (1UL << 20) /* bytes */
#define SILENCE_MS 5000
#define EXTRA_PART 50

/* What the worker says, in this order. */
enum word {
	WORD_ALIVE, /* as often as it makes progress */
	WORD_WRITTEN, /* waits to be told to read */
	WORD_READ,
	WORD_FAILED,
};

struct message {
	enum word word;
	int error; /* WORD_FAILED: an errno */
	uint64_t pages; /* WORD_WRITTEN: that are not in the cache */
};

/* ---- in the worker ------------------------------------------------------- */

static void say(enum word word, int error, uint64_t pages)
{
	const struct message message = { word, error, pages };

	if (write(WORKER_PIPE, &message, sizeof(message)) < 0)
		_exit(1);
}

static bool keeps_pages(int fd)
{
	struct statfs status;

	return fstatfs(fd, &status) < 0 || status.f_type == TMPFS_MAGIC ||
	       status.f_type == RAMFS_MAGIC;
}

/* A file that goes with its descriptor. Returns that or a negative errno. */
static int make_file(const char *dir)
{
	_cleanup_(freep) char *path = NULL;
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd < 0 ? -errno : fd;
	if (asprintf(&path, "%s/bufstat-XXXXXX", dir) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

/* Returns 0 or a negative errno. What is written cannot be compressed. */
static int write_file(int fd, char *piece)
{
	for (size_t done = 0; done < VERIFY_BYTES; done += PIECE) {
		if (getrandom(piece, PIECE, 0) != (ssize_t)PIECE)
			return -EIO;
		if (write(fd, piece, PIECE) != (ssize_t)PIECE)
			return errno ? -errno : -ENOSPC;
		/* In small steps, so that a slow disk shows progress. */
		if (fdatasync(fd) < 0)
			return -errno;
		say(WORD_ALIVE, 0, 0);
	}
	return posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) ? -EIO : 0;
}

/* Sets how many of the file's pages are not in the cache. */
static int count_absent(int fd, uint64_t *pages)
{
	size_t count = VERIFY_BYTES / (size_t)sysconf(_SC_PAGESIZE);
	_cleanup_(freep) unsigned char *present = calloc(count, 1);
	void *memory = mmap(NULL, VERIFY_BYTES, PROT_READ, MAP_SHARED, fd, 0);

	if (!present || memory == MAP_FAILED ||
	    mincore(memory, VERIFY_BYTES, present) < 0)
		return -errno;
	munmap(memory, VERIFY_BYTES);
	*pages = 0;
	for (size_t i = 0; i < count; i++)
		*pages += !(present[i] & 1);
	return 0;
}

static int read_file(int fd, char *piece)
{
	for (size_t done = 0; done < VERIFY_BYTES; done += PIECE) {
		if (pread(fd, piece, PIECE, (off_t)done) != (ssize_t)PIECE)
			return errno ? -errno : -EIO;
		say(WORD_ALIVE, 0, 0);
	}
	return 0;
}

static int work(const char *dir)
{
	_cleanup_(freep) char *piece = malloc(PIECE);
	int fd = make_file(dir);
	uint64_t pages = 0;
	char go;
	int ret;

	if (!piece)
		return -ENOMEM;
	if (fd < 0)
		return fd;
	if (keeps_pages(fd))
		return -EMEDIUMTYPE;
	ret = write_file(fd, piece) ?: count_absent(fd, &pages);
	if (ret < 0)
		return ret;
	say(WORD_WRITTEN, 0, pages);
	if (read(WORKER_KEPT, &go, 1) != 1)
		return -EPIPE;
	ret = read_file(fd, piece);
	if (!ret)
		say(WORD_READ, 0, 0);
	return ret;
}

/* ---- in the program ------------------------------------------------------ */

/* Waits for @wanted, as long as there is progress. */
static int expect(int pipe, enum word wanted, const char *dir,
		  struct message *message, struct error *err)
{
	do {
		struct pollfd said = { .fd = pipe, .events = POLLIN };
		int64_t until = monotonic_ns() + SILENCE_MS * INT64_C(1000000);
		bool over;

		/* Looks once more after that, as it may have had to wait too. */
		do {
			over = monotonic_ns() >= until;
			poll(&said, 1, over ? 0 : 100);
		} while (!said.revents && !over);
		if (!said.revents)
			return error_doing(err, ETIMEDOUT, VERIFYING, dir,
					   "the disk does not answer");
		if (read(pipe, message, sizeof(*message)) != sizeof(*message))
			return error_doing(err, EIO, VERIFYING, dir,
					   "the worker ended");
		if (message->word == WORD_FAILED &&
		    message->error == EMEDIUMTYPE)
			return error_advise(err, EINVAL, VERIFYING, dir,
					    "--dir DIR on a disk",
					    "it is in memory, where nothing "
					    "has to be read");
		if (message->word == WORD_FAILED)
			return error_errno(err, message->error, VERIFYING, dir);
	} while (message->word != wanted);
	return 0;
}

/* Pages that @process brought into caches of files. */
static uint64_t pages_of(const struct trace_totals *totals, uint32_t process)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < totals->count; i++) {
		if (totals->fills[i].process == process &&
		    !totals->fills[i].is_bdev)
			pages += trace_fill_in(&totals->fills[i]);
	}
	return pages;
}

static int compare(struct trace *trace, uint32_t process, int pipe, int go,
		   const char *dir, struct verified *verified,
		   struct error *err)
{
	_cleanup_(trace_totals_deinit) struct trace_totals before = { 0 };
	_cleanup_(trace_totals_deinit) struct trace_totals after = { 0 };
	struct message message;
	int ret = expect(pipe, WORD_WRITTEN, dir, &message, err);

	if (ret < 0)
		return ret;
	verified->expected_pages = message.pages;
	if (!message.pages)
		return error_doing(err, EINVAL, VERIFYING, dir,
				   "its filesystem does not let go of pages");
	ret = trace_read(trace, &before, err);
	if (ret < 0)
		return ret;
	if (before.foreign_pids)
		return lack_doing(err, LACK_FIRST_PIDS, "PIDs are not known",
				  VERIFYING, NULL);
	if (write(go, "", 1) != 1)
		return error_errno(err, errno, VERIFYING, dir);
	ret = expect(pipe, WORD_READ, dir, &message, err);
	if (!ret)
		ret = trace_read(trace, &after, err);
	verified->counted_pages =
		pages_of(&after, process) - pages_of(&before, process);
	verified->lost_events = after.lost_events - before.lost_events;
	return ret;
}

int verify(struct trace *trace, const char *dir, struct verified *verified,
	   struct error *err)
{
	_cleanup_(closep) int pipe = -1;
	_cleanup_(closep) int go = -1;
	_cleanup_(closep) int wait = -1;
	char path[PATH_MAX];
	int ends[2], ret = absolute_path(dir, path);
	pid_t worker;

	*verified = (struct verified){ 0 };
	if (ret < 0)
		return error_errno(err, -ret, VERIFYING, dir);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_errno(err, errno, VERIFYING, dir);
	wait = ends[0];
	go = ends[1];
	worker = worker_start(wait, false, &pipe);
	if (worker < 0)
		return error_errno(err, -worker, VERIFYING, dir);
	if (worker == 0) {
		errno = 0;
		ret = work(path);
		if (ret < 0)
			say(WORD_FAILED, -ret, 0);
		_exit(0);
	}
	ret = compare(trace, (uint32_t)worker, pipe, go, dir, verified, err);
	kill(worker, SIGKILL);
	worker_reap(worker, monotonic_ns() + INT64_C(1000000000));
	return ret;
}

bool verified_is_right(const struct verified *verified)
{
	uint64_t expected = verified->expected_pages;

	return !verified->lost_events && verified->counted_pages >= expected &&
	       verified->counted_pages <= expected + expected / EXTRA_PART;
}

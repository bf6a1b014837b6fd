// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/text_stream.h"
#include "worker/ask.h"
#include "worker/disk_writes.h"
#include "worker/new_file.h"
#include "worker/worker.h"

#define PATIENCE_MS 2000
/* A healthy disk may take this long to write without visible progress. */
#define SILENCE_MS 1700

static int refuse(const struct new_file *file, int number, const char *why,
		  struct error *err)
{
	return error_doing(err, number, file->doing, file->path, "%s", why);
}

struct found {
	int ret;
	struct destination destination;
};

/* The worker has left the program's directory, where relative paths begin. */
static int go_back(const struct new_file *file)
{
	if (*file->path != '/' && fchdir(WORKER_KEPT) < 0)
		return -errno;
	return 0;
}

static size_t find_in_worker(const void *data,
			     size_t index __attribute__((unused)), void *answer)
{
	const struct new_file *file = data;
	struct found *found = answer;

	found->ret = go_back(file);
	if (!found->ret)
		found->ret = destination_find(file->path, &found->destination);
	return sizeof(*found);
}

static size_t replace_in_worker(const void *data,
				size_t index __attribute__((unused)),
				void *answer)
{
	const struct new_file *file = data;
	int *ret = answer;

	*ret = go_back(file);
	if (!*ret)
		*ret = destination_replace(file->destination.path, file->text,
					   file->size);
	return sizeof(*ret);
}

static int tell_silence(const struct new_file *file, const struct asked *asked,
			struct error *err)
{
	char why[ASK_WHY];
	int step;
	pid_t left = asked_left(asked, 0, &step);

	if (left && file->text)
		return error_doing(err, EBUSY, file->doing, file->path,
				   "not done yet; process %d goes on with it",
				   left);
	return refuse(file, EBUSY, asked_why(asked, 0, why), err);
}

/* Returns 0 and copies the answer, of question->answer_size bytes, to @to. */
static int ask_worker(const struct new_file *file, struct ask *question,
		      void *to, struct error *err)
{
	_cleanup_(closep) int here =
		open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char object[STUCK_OBJECT];
	struct asked *asked;
	const void *answer;
	int ret;

	stuck_name_path("write", file->path, object);
	question->data = file;
	question->kept = here;
	question->what = file->path;
	question->stuck_on = object;
	question->insists = true;
	answer = ask_one(question, &asked, &ret, err);
	if (answer)
		memcpy(to, answer, question->answer_size);
	else if (!ret)
		ret = tell_silence(file, asked, err);
	asked_destroy(asked);
	return ret;
}

static int find(struct new_file *file, struct error *err)
{
	struct ask question = {
		.answer = find_in_worker,
		.answer_size = sizeof(struct found),
	};
	struct found found;
	int ret = ask_worker(file, &question, &found, err);

	if (ret < 0)
		return ret;
	file->destination = found.destination;
	if (found.ret < 0 && found.destination.refused)
		return refuse(file, -found.ret, found.destination.refused, err);
	return found.ret < 0 ?
		       error_errno(err, -found.ret, file->doing, file->path) :
		       0;
}

static int replace(const struct new_file *file, struct error *err)
{
	struct disk_writes disk = { .device = file->destination.device };
	struct ask question = {
		.answer = replace_in_worker,
		.answer_size = sizeof(int),
		.moves = disk_writes,
		.moves_data = &disk,
		.silence_ms = SILENCE_MS,
		.outlives = true,
	};
	int replaced;
	int ret = ask_worker(file, &question, &replaced, err);

	if (ret < 0 || !replaced)
		return ret;
	if (replaced == -EXDEV)
		return refuse(file, EPERM,
			      "owned by somebody else, and replacing it would "
			      "change the owner",
			      err);
	return error_errno(err, -replaced, file->doing, file->path);
}

/*
 * A descriptor of this program is duplicated and so shares its file offset: if
 * /dev/stdout is a file, later output follows this. A descriptor of another
 * process is opened again, to append.
 */
static int open_descriptor(const char *path)
{
	char own[32], where[PATH_MAX], *name;
	uint64_t number;
	int fd;

	snprintf(own, sizeof(own), "/proc/%d/fd", (int)getpid());
	strcpy(where, path);
	name = strrchr(where, '/');
	if (name) {
		_cleanup_(freep) char *parent = NULL;

		*name++ = '\0';
		parent = realpath(where, NULL);
		if (parent && strcmp(parent, own) == 0 &&
		    number_parse(name, INT_MAX, &number)) {
			fd = fcntl((int)number, F_DUPFD_CLOEXEC, 0);
			return fd < 0 ? -errno : fd;
		}
	}
	fd = open(path,
		  O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Opens it without waiting for a reader at the other end, or for a terminal. */
static int open_stream(struct new_file *file, struct error *err)
{
	struct stat status;

	file->fd = open(file->destination.path,
			O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (file->fd < 0 && errno == ENXIO)
		return refuse(file, ENXIO, "nobody reads this pipe", err);
	if (file->fd < 0 || fstat(file->fd, &status) < 0)
		return error_errno(err, errno, file->doing, file->path);
	if (!S_ISCHR(status.st_mode) && !S_ISFIFO(status.st_mode))
		return refuse(file, EAGAIN, "it was replaced just now", err);
	return 0;
}

/* AT_STATX_DONT_SYNC: no server may be asked here. */
static int mode_of(const char *path, mode_t *mode)
{
	struct statx status;

	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_TYPE, &status) < 0)
		return -errno;
	*mode = status.stx_mode;
	return 0;
}

static int choose_descriptor(struct new_file *file, struct error *err)
{
	const char *why = NULL;
	mode_t mode = 0;
	int ret = mode_of(file->destination.path, &mode);

	if (!ret)
		ret = destination_refuses(mode, &why);
	if (!ret && !S_ISREG(mode))
		return open_stream(file, err);
	if (!ret)
		ret = file->fd = open_descriptor(file->destination.path);
	if (ret >= 0)
		return 0;
	return why ? refuse(file, -ret, why, err) :
		     error_errno(err, -ret, file->doing, file->path);
}

static int choose(struct new_file *file, struct error *err)
{
	int ret = find(file, err);

	if (!ret && file->destination.kind == DESTINATION_STREAM)
		ret = open_stream(file, err);
	else if (!ret && file->destination.kind == DESTINATION_DESCRIPTOR)
		ret = choose_descriptor(file, err);
	return ret;
}

static void forget(struct new_file *file)
{
	closep(&file->fd);
	free(file->text);
	*file = (struct new_file){ .fd = -1 };
}

int new_file_create(struct new_file *file, const char *doing, const char *path,
		    struct error *err)
{
	int ret;

	*file = (struct new_file){ .doing = doing, .path = path, .fd = -1 };
	ret = choose(file, err);
	if (!ret) {
		file->out = text_stream_open(&file->text, &file->size);
		if (!file->out)
			ret = error_errno(err, ENOMEM, doing, path);
	}
	if (ret < 0)
		forget(file);
	return ret;
}

/*
 * Writes at most PIPE_BUF bytes at a time. A pipe that poll(2) reports as ready
 * takes them whole, so even a duplicated descriptor that blocks does not.
 */
static int write_some(int fd, const char *text, size_t size)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	int count = poll(&ready, 1, PATIENCE_MS);
	ssize_t written;

	if (!count)
		return -ETIMEDOUT;
	if (count < 0)
		return errno == EINTR ? 0 : -errno;
	written = write(fd, text, size < PIPE_BUF ? size : PIPE_BUF);
	if (written < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	return (int)written;
}

static int write_all(int fd, const char *text, size_t size)
{
	int ret = 0;

	while (size && ret >= 0) {
		ret = write_some(fd, text, size);
		if (ret > 0) {
			text += ret;
			size -= (size_t)ret;
		}
	}
	return ret < 0 ? ret : 0;
}

/* If the reader goes away, that is an error to report, not to die of. */
static int write_stream(const struct new_file *file)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction before;
	int ret;

	sigaction(SIGPIPE, &ignore, &before);
	ret = write_all(file->fd, file->text, file->size);
	sigaction(SIGPIPE, &before, NULL);
	return ret;
}

int new_file_commit(struct new_file *file, struct error *err)
{
	int ret = text_stream_close(file->out, &file->text);

	if (!ret && file->fd < 0) {
		ret = replace(file, err);
	} else if (!ret) {
		ret = write_stream(file);
		if (ret == -ETIMEDOUT)
			refuse(file, ETIMEDOUT,
			       "its reader does not take the "
			       "data",
			       err);
		else if (ret < 0)
			error_errno(err, -ret, file->doing, file->path);
	} else {
		error_errno(err, -ret, file->doing, file->path);
	}
	forget(file);
	return ret;
}

void new_file_discard(struct new_file *file)
{
	fclose(file->out);
	forget(file);
}

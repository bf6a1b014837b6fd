// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/magic.h>

#include "ask/stuck.h"
#include "ask/worker.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "record/cost.h"
#include "record/disk.h"
#include "record/ring.h"
#include "store/recording_file.h"

/* Allocating 64 MiB may take a slow disk some seconds. */
#define START_MS 20000
#define STOP_NS INT64_C(3000000000)

/* What the writer says once the file is open. */
struct opened {
	int ret;
	uint64_t next_number;
	uint64_t next_sequence;
	struct error err;
};

/* The writer's own state. */
struct copy {
	const struct record_ring *ring;
	struct recording_file file;
	uint64_t number; /* of the segment that is being copied */
	size_t written; /* bytes of it */
};

/*
 * Copies what is new of one segment. Returns 1 if it is complete, 0 if there
 * may be more later, or a negative errno.
 */
static int copy_segment(struct copy *copy, uint64_t newest)
{
	struct ring_shared *shared = copy->ring->shared;
	size_t slot = copy->number % RING_SEGMENTS, used;
	int ret = 0;

	if (atomic_load(&shared->slots[slot].number) != copy->number) {
		/* Another one has its place: the disk was too slow. */
		atomic_fetch_add(&shared->lost, 1);
		return 1;
	}
	used = atomic_load_explicit(&shared->slots[slot].used,
				    memory_order_acquire);
	if (used > copy->written)
		ret = recording_file_write(&copy->file, copy->number,
					   record_ring_segment(copy->ring,
							       copy->number),
					   copy->written, used);
	if (ret < 0)
		return ret;
	copy->written = used;
	return copy->number < newest;
}

/* What failed is tried again with what comes next. */
static void copy_all(struct copy *copy)
{
	struct ring_shared *shared = copy->ring->shared;
	uint64_t newest = atomic_load(&shared->newest);
	uint64_t wanted = atomic_load(&shared->sync_wanted);
	int ret = 0;

	/* Nothing may have been begun yet: then @newest is 0. */
	while (copy->number <= newest &&
	       (ret = copy_segment(copy, newest)) > 0) {
		copy->number++;
		copy->written = 0;
	}
	if (!ret && wanted != atomic_load(&shared->syncs)) {
		ret = recording_file_sync(&copy->file);
		atomic_store(&shared->syncs, wanted);
	}
	atomic_store(&shared->failed, -ret);
	atomic_store(&shared->cpu_ns, cost_of(RUSAGE_SELF));
}

/* The recorder closes its end when it ends, whatever ends it. */
static void copy_until_end(struct copy *copy, int wake)
{
	struct ring_shared *shared = copy->ring->shared;
	char bytes[64];

	while (read(wake, bytes, sizeof(bytes)) > 0)
		copy_all(copy);
	atomic_fetch_add(&shared->sync_wanted, 1);
	copy_all(copy);
}

static bool is_memory(const char *dir)
{
	struct statfs status;

	return statfs(dir, &status) == 0 && status.f_type == TMPFS_MAGIC;
}

static int open_file(struct recording_file *file, const char *dir,
		     uint64_t size, struct error *err)
{
	int ret = recording_file_open(file, dir, size, RING_SEGMENT_SIZE, err);

	if (ret < 0)
		return ret;
	if (file->segment_size != RING_SEGMENT_SIZE)
		ret = error_doing(err, EFBIG, "recording", dir,
				  "the recording there has segments of "
				  "another size");
	else if (stuck_is_fatal() && !is_memory(dir))
		ret = error_remedy(
			err,
			error_doing(err, EPERM, "recording", dir,
				    "with kernel.hung_task_panic set a disk "
				    "that hangs would panic this host"),
			"name a directory on a tmpfs, as below /run");
	if (ret < 0)
		recording_file_close(file);
	return ret;
}

static void write_until_end(const struct record_ring *ring, const char *dir,
			    uint64_t size, int wake)
{
	struct copy copy = { .ring = ring };
	struct opened opened = { 0 };

	opened.ret = open_file(&copy.file, dir, size, &opened.err);
	opened.next_number = copy.file.next_number;
	opened.next_sequence = copy.file.next_sequence;
	if (send(wake, &opened, sizeof(opened), MSG_NOSIGNAL) !=
		    (ssize_t)sizeof(opened) ||
	    opened.ret < 0)
		_exit(1);
	copy.number = opened.next_number;
	mlockall(MCL_CURRENT | MCL_FUTURE);
	copy_until_end(&copy, wake);
	_exit(0);
}

/*
 * It must not end by what ends the recorder: it has yet to write its last. It
 * may stay for long, so nobody may wait for what it holds. Signals are blocked.
 */
static void become_writer(int wake)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	for (int fd = 0; fd <= 2 && null >= 0; fd++)
		dup2(null, fd);
	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_NAME, "bufstat-disk");
	fcntl(wake, F_SETFL, 0);
}

/* Waits for what the writer says about the file. */
static int hear(struct disk *disk, const char *dir, struct error *err)
{
	struct pollfd wake = { .fd = disk->wake, .events = POLLIN };
	struct opened opened;
	int ready = poll(&wake, 1, START_MS);

	if (ready == 0)
		return error_doing(err, EBUSY, "recording", dir,
				   "the disk does not answer");
	if (ready < 0 || recv(disk->wake, &opened, sizeof(opened), 0) !=
				 (ssize_t)sizeof(opened))
		return error_doing(err, EIO, "recording", dir,
				   "the writer has died");
	if (opened.ret < 0) {
		*err = opened.err;
		return opened.ret;
	}
	disk->next_number = opened.next_number;
	disk->next_sequence = opened.next_sequence;
	return 0;
}

int disk_start(struct disk *disk, const struct record_ring *ring,
	       const char *dir, uint64_t size, struct error *err)
{
	sigset_t all, before;
	int ends[2], ret;

	*disk = (struct disk){ .wake = -1 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
		       0, ends) < 0)
		return error_errno(err, errno, "recording", dir);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	disk->pid = fork();
	if (disk->pid)
		sigprocmask(SIG_SETMASK, &before, NULL);
	if (disk->pid < 0) {
		ret = error_errno(err, errno, "recording", dir);
		close(ends[0]);
		close(ends[1]);
		return ret;
	}
	if (!disk->pid) {
		close(ends[0]);
		become_writer(ends[1]);
		write_until_end(ring, dir, size, ends[1]);
	}
	close(ends[1]);
	disk->wake = ends[0];
	ret = hear(disk, dir, err);
	if (ret < 0) {
		kill(disk->pid, SIGKILL);
		worker_reap(disk->pid, monotonic_ns());
		close(disk->wake);
	}
	return ret;
}

void disk_wake(const struct disk *disk)
{
	/* If its queue is full, it has been woken already. */
	(void)!send(disk->wake, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool disk_stop(struct disk *disk)
{
	close(disk->wake);
	disk->wake = -1;
	return worker_reap(disk->pid, monotonic_ns() + STOP_NS);
}

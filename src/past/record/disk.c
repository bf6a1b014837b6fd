// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "lib/absolute_path.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/oom_score.h"
#include "record/cost.h"
#include "record/disk.h"
#include "record/ring.h"
#include "store/recording_file.h"
#include "worker/stuck.h"
#include "worker/worker.h"

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
	const char *dir;
	uint64_t size; /* of the recording, bytes */
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

static bool is_memory(const char *dir)
{
	struct statfs status;

	return statfs(dir, &status) == 0 && status.f_type == TMPFS_MAGIC;
}

/* The oldest segment in memory is the first that a new file gets. */
static void begin_with_oldest(struct copy *copy, uint64_t newest)
{
	const struct ring_shared *shared = copy->ring->shared;

	copy->number = newest < RING_SEGMENTS ? 1 : newest - RING_SEGMENTS + 1;
	copy->written = 0;
	while (copy->number < newest &&
	       atomic_load(
		       &shared->slots[copy->number % RING_SEGMENTS].number) !=
		       copy->number)
		copy->number++;
}

/* Where an earlier writer was, if this is the file that it wrote to. */
static int go_on(struct copy *copy, struct error *err)
{
	struct ring_shared *shared = copy->ring->shared;
	uint64_t newest = atomic_load(&shared->newest);

	copy->number = copy->file.next_number;
	copy->written = 0;
	if (!newest)
		return 0;
	if (copy->number > newest + 1)
		return error_doing(err, EEXIST, "recording", copy->dir,
				   "another recording is there now");
	copy->number = atomic_load(&shared->copying);
	copy->written = atomic_load(&shared->copied);
	if (recording_file_has(&copy->file, copy->number))
		return 0;
	if (copy->number)
		atomic_fetch_add(&shared->begun_again, 1);
	begin_with_oldest(copy, newest);
	return 0;
}

static int open_file(struct copy *copy, struct error *err)
{
	int ret = recording_file_open(&copy->file, copy->dir, copy->size,
				      RING_SEGMENT_SIZE, err);

	if (ret < 0)
		return ret;
	if (stuck_is_fatal() && !is_memory(copy->dir))
		ret = error_advise(err, EPERM, "recording", copy->dir,
				   "name a directory on a tmpfs, as below /run",
				   "with kernel.hung_task_panic set a disk "
				   "that hangs would panic this host");
	if (!ret)
		ret = go_on(copy, err);
	if (ret < 0)
		recording_file_close(&copy->file);
	return ret;
}

/* Somebody may have removed it, or put another one there. */
static int find_file(struct copy *copy)
{
	struct error err;

	if (copy->file.fd >= 0 && recording_file_is_at(&copy->file, copy->dir))
		return 0;
	recording_file_close(&copy->file);
	return open_file(copy, &err);
}

/* What failed is tried again with what comes next. */
static int copy_new(struct copy *copy)
{
	struct ring_shared *shared = copy->ring->shared;
	uint64_t newest = atomic_load(&shared->newest);
	int ret = 0;

	/* Until the recorder has begun there is none. */
	while (copy->number <= newest &&
	       (ret = copy_segment(copy, newest)) > 0) {
		copy->number++;
		copy->written = 0;
	}
	atomic_store(&shared->copied, copy->written);
	atomic_store(&shared->copying, copy->number);
	return ret;
}

static void copy_all(struct copy *copy)
{
	struct ring_shared *shared = copy->ring->shared;
	uint64_t wanted = atomic_load(&shared->sync_wanted);
	int ret = find_file(copy) ?: copy_new(copy);

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

static void write_until_end(const struct record_ring *ring,
			    const struct disk *disk)
{
	struct copy copy = { .ring = ring,
			     .dir = disk->dir,
			     .size = disk->size };
	struct opened opened = { 0 };
	bool heard;

	opened.ret = open_file(&copy, &opened.err);
	opened.next_number = copy.file.next_number;
	opened.next_sequence = copy.file.next_sequence;
	heard = send(WORKER_KEPT, &opened, sizeof(opened), MSG_NOSIGNAL) ==
		(ssize_t)sizeof(opened);
	if (opened.ret < 0)
		atomic_store(&ring->shared->failed, -opened.ret);
	/* One that ends meanwhile may have left something to write. */
	if (opened.ret < 0 || (!heard && !atomic_load(&ring->shared->newest)))
		_exit(1);
	mlockall(MCL_CURRENT | MCL_FUTURE);
	oom_score_set(OOM_SCORE_LAST);
	copy_until_end(&copy, WORKER_KEPT);
	_exit(0);
}

void disk_outlive(const char *name)
{
	sigset_t none;

	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_NAME, name);
}

int disk_replace(struct disk *disk, const struct record_ring *ring,
		 struct error *err)
{
	int ends[2], pipe;

	disk->since_ns = monotonic_ns();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK,
		       0, ends) < 0)
		return error_errno(err, errno, "recording", disk->dir);
	disk->pid = worker_start(ends[1], true, &pipe);
	if (!disk->pid) {
		/* It has yet to write its last. */
		disk_outlive("bufstat-disk");
		fcntl(WORKER_KEPT, F_SETFL, 0);
		write_until_end(ring, disk);
	}
	close(ends[1]);
	if (disk->pid < 0) {
		int number = -disk->pid;

		disk->pid = 0;
		close(ends[0]);
		return error_errno(err, number, "recording", disk->dir);
	}
	close(pipe);
	disk->wake = ends[0];
	disk->opening = true;
	return 0;
}

int disk_hear(struct disk *disk, struct error *err)
{
	struct opened opened;

	disk->opening = false;
	if (recv(disk->wake, &opened, sizeof(opened), 0) !=
	    (ssize_t)sizeof(opened))
		return error_doing(err, EIO, "recording", disk->dir,
				   "the writer has died");
	if (opened.ret < 0) {
		*err = opened.err;
		return opened.ret;
	}
	disk->next_number = opened.next_number;
	disk->next_sequence = opened.next_sequence;
	return 0;
}

/* Waits for what the writer says about the file. */
static int wait_until_open(struct disk *disk, int signals, struct error *err)
{
	struct pollfd events[] = {
		{ .fd = disk->wake, .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
	};
	int ready = poll(events, 2, START_MS);

	if (ready == 0)
		return error_doing(err, EBUSY, "recording", disk->dir,
				   "the disk does not answer");
	if (ready > 0 && !events[0].revents)
		return error_errno(err, EINTR, "recording", disk->dir);
	return disk_hear(disk, err);
}

int disk_start(struct disk *disk, const struct record_ring *ring,
	       const char *dir, uint64_t size, int signals, struct error *err)
{
	int ret;

	*disk = (struct disk){ .wake = -1, .size = size };
	ret = absolute_path(dir, disk->dir);
	if (ret < 0)
		return error_errno(err, -ret, "recording", dir);
	ret = disk_replace(disk, ring, err);
	if (ret < 0)
		return ret;
	ret = wait_until_open(disk, signals, err);
	if (ret < 0) {
		kill(disk->pid, SIGKILL);
		worker_reap(disk->pid, monotonic_ns());
		disk_forget(disk);
	}
	return ret;
}

void disk_forget(struct disk *disk)
{
	closep(&disk->wake);
	disk->wake = -1;
	disk->pid = 0;
	disk->opening = false;
}

void disk_wake(const struct disk *disk)
{
	/* If its queue is full, it has been woken already. */
	if (disk->pid)
		(void)!send(disk->wake, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool disk_stop(struct disk *disk)
{
	close(disk->wake);
	disk->wake = -1;
	return worker_reap(disk->pid, monotonic_ns() + STOP_NS);
}

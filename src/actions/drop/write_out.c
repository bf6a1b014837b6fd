// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <time.h>

#include "drop/drop_result.h"
#include "drop/silence.h"
#include "drop/write_out.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "worker/disk_writes.h"

#define ROUNDS 2
#define LEAST_PAUSE_NS INT64_C(10000000)
#define NS INT64_C(1000000000)

/* Why a round came to its end. */
enum end {
	END_CLEAN,
	END_DIRTY, /* nothing is under writeback, but pages are dirty */
	END_BUSY, /* it is written to as fast as the disk writes */
	END_SILENT, /* nothing was written */
};

int write_out_start(int fd)
{
	return sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE) < 0 ? -errno :
								      0;
}

/* As long as the count took, so that it takes half a processor at most. */
static void pause_since(int64_t began_ns)
{
	int64_t took_ns = monotonic_ns() - began_ns;

	if (took_ns < LEAST_PAUSE_NS)
		took_ns = LEAST_PAUSE_NS;
	nanosleep(&(struct timespec){ took_ns / NS, took_ns % NS }, NULL);
}

/* Waits until no page is under writeback, or their number stays. */
static int end_round(const struct write_out *how, enum end *end,
		     struct error *err)
{
	struct disk_writes disk = { .device = how->disk };
	uint64_t least = UINT64_MAX, last = 0, sum;
	int64_t since_ns = monotonic_ns();
	bool moves = false;
	int ret;

	disk_writes(&disk);
	for (int64_t began_ns = since_ns;; pause_since(began_ns)) {
		struct drop_pages left = { 0 };

		began_ns = monotonic_ns();
		ret = how->count(how->data, &left, err);
		if (ret < 0)
			return ret;
		sum = left.dirty + left.writeback;
		*end = left.dirty ? END_DIRTY : END_CLEAN;
		if (!left.writeback)
			return 0;
		if (disk_writes(&disk) || sum < last)
			moves = true;
		last = sum;
		if (sum < least) {
			least = sum;
			since_ns = monotonic_ns();
			continue;
		}
		*end = moves ? END_BUSY : END_SILENT;
		if (monotonic_ns() - since_ns > DROP_SILENCE_MS * 1000000LL)
			return 0;
	}
}

int write_out(const struct write_out *how, struct error *err)
{
	enum end end = END_DIRTY;
	int ret = 0;

	for (int i = 0; !ret && i < ROUNDS && end != END_CLEAN; i++) {
		ret = how->start(how->data, err);
		if (!ret)
			ret = end_round(how, &end, err);
		if (!ret && end == END_SILENT)
			ret = error_doing(err, EBUSY, "dropping", how->object,
					  "writing dirty pages: not done yet, "
					  "and nothing is released: the disk "
					  "has written nothing for %g seconds",
					  DROP_SILENCE_MS / 1000.0);
	}
	return ret;
}

int write_out_check(bool is_known, unsigned int write_error, const char *object,
		    struct error *err)
{
	char name[ERRNO_NAME_SIZE];

	if (is_known && !write_error)
		return 0;
	if (!is_known)
		return error_advise(err, ERROR_UNUSABLE, "dropping", object,
				    "bufstat sources says what keeps kcore and "
				    "the module from telling; --despite-errors "
				    "releases them",
				    "refused, it is not known whether a write "
				    "to it has failed, and its pages may hold "
				    "the only copy");
	errno_name(write_error, name);
	return error_advise(err, EIO, "dropping", object,
			    "--despite-errors releases them",
			    "refused, a write to it has failed (%s) and its "
			    "pages may hold the only copy",
			    name);
}

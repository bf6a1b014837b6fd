// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/monotonic.h"
#include "record/cost.h"
#include "record/ring.h"

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)

enum {
	/* To start costs more than to go on: less tells nothing. */
	LEAST_S = 30,
	/* A processor may be used for this part of the time, in 1/1000. */
	MOST_PERMILLE = 5,
	MOST_SLOWED = 60, /* intervals, at most */
};

int64_t cost_of(int who)
{
	struct rusage usage;

	if (getrusage(who, &usage) < 0)
		return 0;
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_S +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) *
		       INT64_C(1000);
}

static int64_t used_so_far_ns(const struct ring_shared *shared)
{
	return cost_of(RUSAGE_SELF) + cost_of(RUSAGE_CHILDREN) +
	       atomic_load(&shared->cpu_ns);
}

void cost_begin(struct cost *cost, const struct ring_shared *shared)
{
	cost->at_ns = monotonic_ns();
	cost->used_ns = used_so_far_ns(shared);
	cost->slowed = 1;
}

/* What is resident of the recorder itself, in KiB; -1 if not known. */
static int64_t resident_kib(void)
{
	_cleanup_(closep) int fd =
		open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	char text[128];
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	long pages;

	if (length <= 0)
		return -1;
	text[length] = '\0';
	if (sscanf(text, "%*d %ld", &pages) != 1)
		return -1;
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void keep_budget(struct cost *cost, int64_t used_ns, int64_t over_ns)
{
	int64_t most_ns = over_ns * MOST_PERMILLE / 1000;

	if (over_ns < LEAST_S * NS_PER_S)
		return;
	if (used_ns > most_ns && cost->slowed < MOST_SLOWED)
		cost->slowed++;
	else if (used_ns < most_ns / 2 && cost->slowed > 1)
		cost->slowed--;
}

struct store_state cost_note(struct cost *cost,
			     const struct ring_shared *shared,
			     int64_t interval_ms)
{
	int64_t now_ns = monotonic_ns(), so_far_ns = used_so_far_ns(shared);
	int64_t over_ns = now_ns - cost->at_ns, resident = resident_kib();
	int64_t used_ns = so_far_ns - cost->used_ns;

	keep_budget(cost, used_ns, over_ns);
	cost->at_ns = now_ns;
	cost->used_ns = so_far_ns;
	return (struct store_state){
		.what = STORE_RUNNING,
		.interval_ms = interval_ms * cost->slowed,
		.has_cost = true,
		.cpu_us = (uint64_t)used_ns / 1000,
		.over_ms = (uint64_t)(over_ns / NS_PER_MS),
		.has_resident = resident >= 0,
		.resident_kib = (uint64_t)resident,
		.has_disk = true,
		.disk_errno = atomic_load(&shared->failed),
		.disk_waits = atomic_load(&shared->syncs) !=
			      atomic_load(&shared->sync_wanted),
		.lost_segments = atomic_load(&shared->lost),
		.has_dead = true,
		.dead_writers = cost->dead_writers,
	};
}

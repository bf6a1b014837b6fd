/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the tracing on this kernel: a process brings in pages whose number is
 * known, and they are compared with those that were counted. Tracers have
 * printed wrong figures for years, because the kernel renamed a function and
 * nobody was told.
 */
#ifndef BUFSTAT_VERIFY_H
#define BUFSTAT_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct trace;

#define VERIFY_BYTES (64UL << 20)

struct verified {
	uint64_t expected_pages;
	uint64_t counted_pages;
	uint64_t lost_events;
};

/*
 * Writes a file without a name of VERIFY_BYTES in @dir, drops its pages, and
 * counts those that come in when it is read. A worker does that (worker.h), so
 * that a disk that does not answer is given up after some seconds. Returns 0,
 * -EINVAL if @dir is on tmpfs or another filesystem that keeps its pages, or
 * another negative errno.
 */
int verify(struct trace *trace, const char *dir, struct verified *verified,
	   struct error *err);

/*
 * Whether the figures are right. Some filesystems bring in pages of their own
 * for a file's, so there may be one more in fifty.
 */
bool verified_is_right(const struct verified *verified);

#endif

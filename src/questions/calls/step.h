/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ftrace records, one step of a thread after the other. */
#ifndef BUFSTAT_STEP_H
#define BUFSTAT_STEP_H

#include <stdbool.h>
#include <stdint.h>

enum step_kind {
	STEP_ENTRY, /* a function is called */
	STEP_RETURN, /* a function returns */
	STEP_ADD, /* pages come into the page cache */
	STEP_LOOK, /* pages are looked for in the page cache (Linux 6.12) */
	STEP_BIO, /* I/O is submitted */
	STEP_SYSCALL, /* a system call begins */
	STEP_SYSCALL_END,
	STEP_AIO_END, /* a request of AIO ends, in the thread that asked */
	STEP_URING_END, /* the same of io_uring */
	STEP_KINDS,
};

struct step {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint32_t thread; /* id outside of all containers */
	uint32_t processor;
	uint32_t order; /* for the tracer: which of equal times came first */
	uint8_t kind; /* enum step_kind */
	bool in_interrupt; /* a hardware interrupt or an NMI */
	bool in_softirq;
	union {
		struct {
			uint64_t address; /* in the function's first bytes */
			uint64_t took_ns; /* STEP_RETURN */
			int32_t depth; /* functions that called it */
		} call;
		struct {
			uint64_t inode; /* of a device: its number */
			uint64_t pages; /* STEP_ADD */
			/* Of the filesystem: major << 20 | minor. */
			uint32_t device;
		} cache;
		struct {
			uint64_t bytes;
			uint32_t device; /* major << 20 | minor */
			bool writes;
		} bio;
		struct {
			int64_t number; /* of the system call */
			/* STEP_SYSCALL: its first and third argument. */
			uint64_t first, third;
			int64_t result; /* STEP_..._END */
		} call_out;
	};
};

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests that read a dump: the address sanitizer takes terabytes of address
 * space, and what serves the dump allows itself less (dump_server.c). Without
 * that sanitizer the limit is the program's own.
 */
#ifndef BUFSTAT_TESTS_ADDRESS_SPACE_H
#define BUFSTAT_TESTS_ADDRESS_SPACE_H

#ifdef __SANITIZE_ADDRESS__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In place of the C library's. */
int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	if (resource == RLIMIT_AS)
		return 0;
	return (int)syscall(SYS_prlimit64, 0, resource, limit, NULL);
}
#endif

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs libkdumpfile in a process of its own, which answers questions through a
 * socket. The library trusts what a dump says: a damaged one makes it crash
 * (0.5.1 in kdump_free() after every open that fails), use unlimited memory or
 * run forever. kdump_server.c declares the few functions that it uses, because
 * not every distribution has the library.
 */
#ifndef BUFSTAT_KDUMP_SERVER_H
#define BUFSTAT_KDUMP_SERVER_H

#include <stdint.h>

/* Asks for physical memory. */
struct kdump_question {
	uint64_t address;
	uint64_t size; /* bytes */
};

/*
 * Comes before the memory, or alone if the status is negative. The first answer
 * comes unasked: VMCOREINFO follows it or, with a negative status, a text that
 * says why no question will be answered.
 */
struct kdump_answer {
	int32_t status; /* 0 or a negative errno */
	uint32_t size; /* bytes that follow */
};

/*
 * Answers questions about the dump in descriptor @dump through @socket, until
 * the other end is closed. Call it only in a new process.
 */
_Noreturn void kdump_serve(int dump, int socket);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a dump in a worker (worker.h), which answers questions through a
 * socket. The dump's disk may be sick, and then nothing ends who reads from it.
 * And the library that reads compressed dumps crashes on damaged ones.
 */
#ifndef BUFSTAT_DUMP_SERVER_H
#define BUFSTAT_DUMP_SERVER_H

#include <stdint.h>

/* Bytes to ask for at once, at most. */
#define DUMP_PAGE 16384

/* Asks for physical memory. */
struct dump_question {
	uint64_t address;
	uint64_t size; /* bytes, at most DUMP_PAGE */
};

/*
 * Answers questions about the dump at @path through @socket, until the other
 * end is closed. Call it only in a worker. An answer is a frame whose kind is 0
 * or an errno, with the memory, which is undefined if there is an errno. The
 * first comes unasked: it is VMCOREINFO or, with an errno, the struct error
 * that says why no question will be answered.
 */
_Noreturn void dump_serve(const char *path, int socket);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libkdumpfile in a process of its own, which answers what is asked through a
 * socket: the library trusts what a dump says, and a damaged one makes it crash
 * (0.5.1 in kdump_free() after every open that fails), take memory without end
 * or run for ever. Its few functions are declared in kdump_server.c, for it is
 * not in every distribution.
 */
#ifndef BUFSTAT_KDUMP_SERVER_H
#define BUFSTAT_KDUMP_SERVER_H

#include <stdint.h>

/* Physical memory wanted. */
struct kdump_question {
	uint64_t address;
	uint64_t size;
};

/*
 * What is asked for, or why not. The first answer comes unasked: VMCOREINFO or,
 * with a negative status, the reason for which nothing will be answered.
 */
struct kdump_answer {
	int32_t status; /* 0 or a negative errno */
	uint32_t size; /* of what follows */
};

/*
 * Answers from the dump in @dump through @socket, until nobody asks any more.
 * To be called in a new process only.
 */
_Noreturn void kdump_serve(int dump, int socket);

#endif

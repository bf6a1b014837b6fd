/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which functions of the kernel the path of a page consists of, and what each
 * says about a call that goes through it.
 */
#ifndef BUFSTAT_FUNCTION_ROLES_H
#define BUFSTAT_FUNCTION_ROLES_H

/* What it means that a call goes through a function. */
enum function_role {
	ROLE_SYSCALL = 1 << 0, /* a system call's own function */
	ROLE_FAULT = 1 << 1, /* of memory that is not there yet */
	ROLE_DEVICE = 1 << 2, /* the file is a block device */
	ROLE_FILE = 1 << 3, /* the file is on a filesystem */
	ROLE_SOCKET = 1 << 4, /* the file is a socket */
	ROLE_CACHE = 1 << 5, /* data goes through the page cache */
	ROLE_DIRECT = 1 << 6, /* data goes past the page cache */
	/*
	 * Of a function: data has to be on the device at its end. Of a call:
	 * it was (path_call_count()).
	 */
	ROLE_SYNC = 1 << 7,
	ROLE_WAIT = 1 << 8, /* the thread gives its processor away */
	ROLE_HANDOVER = 1 << 9, /* a thread of the kernel does the rest */
	ROLE_BYTES = 1 << 10, /* a system call that returns how many it moved */
	ROLE_FD =
		1 << 11, /* its first argument is the descriptor of the file */
	ROLE_COMMIT = 1 << 12, /* another thread writes what it waits for */
	ROLE_QUEUE = 1 << 13, /* requests of the call have own results */
	ROLE_EXEC = 1 << 14, /* begins another program */
	ROLE_REQUEST = 1 << 15, /* serves one file, on any filesystem */
	ROLE_SPARSE = 1 << 16, /* reads holes, too, which have no pages */
	/* Of a call: a request for past the page cache came to it. */
	ROLE_FALL_BACK = 1 << 17,
};

/* Returns the roles of a function, or -1 if the path does not need it. */
int function_roles(const char *name);

/* The name of the system call whose function is @name, static, or NULL. */
const char *function_syscall(const char *name);

#endif

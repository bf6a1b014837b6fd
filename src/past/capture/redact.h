/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaces the names in a capture: of hosts, files, processes, volumes, cgroups
 * and containers. The same name becomes the same word everywhere, so relations
 * stay: which process has which file, and what is mounted below what. Names
 * that every host has stay too: those of the kernel's devices and threads, and
 * the usual directories.
 */
#ifndef BUFSTAT_REDACT_H
#define BUFSTAT_REDACT_H

/* What a name is of; each kind counts its words on its own. */
enum redact_kind {
	REDACT_FILE, /* a component of a path: file1 */
	REDACT_PROCESS, /* process1 */
	REDACT_VOLUME, /* of device-mapper, or a label: volume1 */
	REDACT_ID, /* a UUID: id1 */
	REDACT_CONTAINER, /* 12 or 64 hexadecimal digits, which stay so many */
	REDACT_KINDS
};

struct redactor;

/* NULL when out of memory. */
struct redactor *redactor_create(void);
void redactor_destroy(struct redactor *redactor);

/*
 * These return the replacement, which belongs to @redactor, or NULL when out of
 * memory. @name may have any bytes.
 */
const char *redact_name(struct redactor *redactor, enum redact_kind kind,
			const char *name);

/* A name that is known to be of a process, unless a thread of the kernel has
 * it. */
const char *redact_process(struct redactor *redactor, const char *name);

/*
 * A path, of a file, a device or a cgroup, component by component. "[SWAP]",
 * "-" and " (deleted)" at the end stay.
 */
const char *redact_path(struct redactor *redactor, const char *path);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes of this host, and what to call them. */
#ifndef BUFSTAT_PROCESSES_H
#define BUFSTAT_PROCESSES_H

struct string_list;
struct sysroot;

/*
 * Adds the number of each process but this one. Returns 0 or a negative errno,
 * with which some may have been added, too.
 */
int processes_list(struct string_list *pids, const struct sysroot *root);

/*
 * Sets *@label to "comm(pid)", which the caller frees; comm is empty if the
 * process has ended. Returns 0 or -ENOMEM.
 */
int process_label(const struct sysroot *root, const char *pid, char **label);

/* Sets *@comm to its name alone, or to NULL if it has ended. As above. */
int process_comm(const struct sysroot *root, unsigned int pid, char **comm);

#endif

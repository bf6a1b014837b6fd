/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands. */
#ifndef BUFSTAT_COMMAND_H
#define BUFSTAT_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "frame/exit_code.h"

struct command_line;
struct error;

/* Whether the program runs under the name free, which has no commands. */
bool called_free(void);

/* The command with this name or alias, or NULL. */
const struct command_line *command_find(const char *name);

/*
 * Finds the command in @argv and moves it to argv[1], ahead of any options.
 * Only options that plain bufstat and the commands share may stand before it.
 * Returns 0, with *@command NULL if there is no command, or -EINVAL with @err
 * set if an option has to go after the command. @err may be NULL.
 */
int command_choose(int argc, char **argv, const struct command_line **command,
		   struct error *err);

/* The command at index @which, or NULL after the last. */
const struct command_line *command_at(size_t which);

/* Sets @err for an unknown command, with the nearest name. Returns -EINVAL. */
int command_unknown(const char *word, struct error *err);

/* Prints the list of commands for --help, a line for each. */
void command_print_list(FILE *out);

/*
 * Prints free's table, then the devices that its buffers belong to. Takes
 * free's options. Prints its own errors and returns the exit code.
 */
int cmd_summary(int argc, char **argv);

/* Saves a host as one file. */
extern const struct command_line command_blocks;
extern const struct command_line command_capture;
/* Shows every cgroup, and which limit is next. */
extern const struct command_line command_cgroups;
extern const struct command_line command_charges;
/* Lists words for the shells' completion. */
extern const struct command_line command_complete;
/* Prints the full table of devices. */
extern const struct command_line command_devices;
/* Releases a device's clean pages. */
extern const struct command_line command_drop;
/* Says what cannot be reclaimed, whose it is, and what gives it back. */
extern const struct command_line command_explain;
/* Prints metrics for Prometheus. */
extern const struct command_line command_export;
/* Lists the files with most pages. */
extern const struct command_line command_files;
/* Shows which filesystems Cached belongs to. */
extern const struct command_line command_filesystems;
/* Prints the help of a command. */
extern const struct command_line command_help;
/* Shows what a recording says: what grew, and when. */
extern const struct command_line command_history;
/* Shows all of memory, in heads that add up to MemTotal. */
extern const struct command_line command_memory;
/* module status, load, unload. */
extern const struct command_line command_module;
/* Shows which way a command's data takes through the kernel. */
extern const struct command_line command_path;
/* Records the host. */
extern const struct command_line command_record;
/* Runs experiments that show each claim on this kernel. */
extern const struct command_line command_repro;
/* Shows which sources can measure this host, and why others cannot. */
extern const struct command_line command_sources;
/* Shows the host on one screen. */
extern const struct command_line command_top;
/* Traces which process fills which cache. */
extern const struct command_line command_who;
/* Shows what is free in each NUMA node and zone. */
extern const struct command_line command_zones;

#endif

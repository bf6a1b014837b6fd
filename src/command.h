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

/* Was the program started under the name free? Then it has no commands. */
bool called_free(void);

/* The command of this name, or NULL. */
const struct command_line *command_find(const char *name);

/*
 * Finds the command in the words of the program's start and makes it the first
 * after the program's name; options may stand before it that plain bufstat and
 * commands have in common, and follow it then. Returns 0, with *@command NULL
 * if there is none, or -EINVAL with the text if an option has to go after it.
 */
int command_choose(int argc, char **argv, const struct command_line **command,
		   struct error *err);

/* All commands: NULL after the last. */
const struct command_line *command_at(size_t which);

/* Returns -EINVAL and says which command was probably meant. */
int command_unknown(const char *word, struct error *err);

/* For --help: a line for each. */
void command_print_list(FILE *out);

/*
 * free's table, then what its buffers are; takes free's options. Prints its
 * result and its errors, and returns the exit code.
 */
int cmd_summary(int argc, char **argv);

/* A host as one file. */
extern const struct command_line command_capture;
/* Words for the shells. */
extern const struct command_line command_complete;
/* The full table of devices. */
extern const struct command_line command_devices;
/* Releases a device's clean pages. */
extern const struct command_line command_drop;
/* What the columns of free mean on this host. */
extern const struct command_line command_explain;
/* Metrics for Prometheus. */
extern const struct command_line command_export;
/* The files with most pages. */
extern const struct command_line command_files;
/* What Cached is made of. */
extern const struct command_line command_filesystems;
/* The help of a command. */
extern const struct command_line command_help;
/* module status, load, unload. */
extern const struct command_line command_module;
/* Experiments that show each claim on this kernel. */
extern const struct command_line command_repro;
/* What can measure this host, what cannot, and why. */
extern const struct command_line command_sources;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands. Each takes argv from its own name on, prints its result and
 * its errors, and returns the exit code.
 */
#ifndef BUFSTAT_COMMAND_H
#define BUFSTAT_COMMAND_H

#include <stdbool.h>

#include "exit_code.h"

/* Was the program started under the name free? Then it has no commands. */
bool called_free(void);

typedef int command_fn(int argc, char **argv);

/* The command of this name, or NULL. */
command_fn *command_find(const char *name);

/* The name of the command that was probably meant, or NULL. */
const char *command_nearest(const char *word);

/* free's table, then what its buffers are; takes free's options. */
command_fn cmd_summary;
/* The full table of devices. */
command_fn cmd_devices;
/* Releases a device's clean pages. */
command_fn cmd_drop;
/* What the columns of free mean on this host. */
command_fn cmd_explain;
/* A host as one file. */
command_fn cmd_capture;
/* Metrics for Prometheus. */
command_fn cmd_export;
/* The files with most pages. */
command_fn cmd_files;
/* What Cached is made of. */
command_fn cmd_filesystems;
/* module status, load, unload. */
command_fn cmd_module;
/* Experiments that show each claim on this kernel. */
command_fn cmd_repro;
/* What can measure this host, what cannot, and why. */
command_fn cmd_sources;

#endif

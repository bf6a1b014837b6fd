/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of bufstat devices. */
#ifndef BUFSTAT_DEVICES_OPTIONS_H
#define BUFSTAT_DEVICES_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "command_line.h"
#include "device_columns.h"
#include "repeat_options.h"
#include "table_options.h"

struct error;

struct devices_options {
	struct common_options common;
	struct table_options table;
	struct repeat_options repeat;
	const char *vmcore; /* dump to read instead of this host, or NULL */
	bool all;
};

void devices_options_init(struct devices_options *options);

/* For struct command_line; @data is a struct devices_options. */
extern const char devices_letters[];
extern const struct option devices_names[];
void devices_print_help(void);
int devices_take_option(void *data, int option, struct error *err);
int devices_check_options(void *data, struct error *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of bufstat devices. */
#ifndef BUFSTAT_DEVICES_OPTIONS_H
#define BUFSTAT_DEVICES_OPTIONS_H

#include <stdbool.h>

#include "frame/command_line.h"
#include "frame/interval.h"
#include "frame/table_options.h"

struct error;

struct devices_options {
	struct common_options common;
	struct table_options table;
	struct repeat_options repeat;
	bool all;
};

/* For struct command_line; @data is a struct devices_options. */
extern const struct option_row devices_options[];
int devices_options_check(void *data, struct error *err);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <string.h>

#include "command.h"
#include "nearest.h"

static const struct command {
	const char *name;
	command_fn *run;
} commands[] = {
	{ .name = "capture", .run = cmd_capture },
	{ .name = "devices", .run = cmd_devices },
	{ .name = "drop", .run = cmd_drop },
	{ .name = "explain", .run = cmd_explain },
	{ .name = "export", .run = cmd_export },
	{ .name = "files", .run = cmd_files },
	{ .name = "filesystems", .run = cmd_filesystems },
	{ .name = "fs", .run = cmd_filesystems },
	{ .name = "module", .run = cmd_module },
	{ .name = "repro", .run = cmd_repro },
	{ .name = "sources", .run = cmd_sources },
};

#define COMMANDS (sizeof(commands) / sizeof(*commands))

command_fn *command_find(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(name, commands[i].name) == 0)
			return commands[i].run;
	}
	return NULL;
}

const char *command_nearest(const char *word)
{
	struct nearest nearest;

	nearest_init(&nearest, word, strlen(word));
	for (size_t i = 0; i < COMMANDS; i++)
		nearest_try(&nearest, commands[i].name);
	return nearest.name;
}

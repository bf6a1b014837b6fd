// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/debug.h"
#include "lib/error.h"

#define VARIABLE "BUFSTAT_DEBUG"

static const char *const words[] = {
	[DEBUG_KERNEL] = "kernel",
	[DEBUG_SOURCE] = "source",
	[DEBUG_WORKER] = "worker",
	[DEBUG_ALL] = "all",
};

/* Whether @word or all is in the variable. *@unknown: another word, or NULL. */
static bool is_asked_for(enum debug_word word, const char **unknown)
{
	const char *list = getenv(VARIABLE);
	bool asked = false;

	*unknown = NULL;
	while (list && *list) {
		size_t length = strcspn(list, ","), i = 0;

		while (i <= DEBUG_ALL && (strlen(words[i]) != length ||
					  memcmp(list, words[i], length) != 0))
			i++;
		if (i > DEBUG_ALL)
			*unknown = list;
		asked |= i == word || i == DEBUG_ALL;
		list += length + (list[length] == ',');
	}
	return asked;
}

#define HELP                                                                   \
	"use kernel (types, symbols and offsets), source (what was refused, "  \
	"and why), worker (what was asked, and for how long) or all"

const char *debug_help(void)
{
	const char *list = getenv(VARIABLE);

	return list && strcmp(list, "help") == 0 ? VARIABLE ": " HELP : NULL;
}

int debug_check(struct error *err)
{
	const char *unknown;

	is_asked_for(DEBUG_ALL, &unknown);
	return unknown ? error_doing(err, EINVAL, VARIABLE, unknown, HELP) : 0;
}

void debug(enum debug_word word, const char *format, ...)
{
	char text[ERROR_TEXT_SIZE];
	const char *unknown;
	va_list values;

	if (!is_asked_for(word, &unknown))
		return;
	va_start(values, format);
	snprintf(text, sizeof(text), "%s: ", words[word]);
	vsnprintf(text + strlen(text), sizeof(text) - strlen(text), format,
		  values);
	va_end(values);
	error_tell_in_signal(text);
}

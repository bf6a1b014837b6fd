// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * patient, as "bufstat" in a directory in front of PATH: bufstat as typed, but
 * not held to its 2 s. An emulated machine on a busy host is slower than any
 * host. test.sh puts it there; scripts that are about time take it away
 * (hurried).
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REAL "/usr/bin/bufstat"

/* The others take no --timeout, or trace for as long as they are told. */
static int measures(const char *word)
{
	static const char *const commands[] = {
		"blocks", "capture", "cgroups", "charges", "devices", "explain",
		"export", "files",   "fs",	"memory",  "sources",
	};

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		if (strcmp(commands[i], word) == 0)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	char **words = calloc((size_t)argc + 3, sizeof(*words)), **to = words;
	int has_command = argc > 1 && *argv[1] && *argv[1] != '-';

	if (!words)
		err(1, "memory");
	*to++ = *argv++;
	if (has_command)
		*to++ = *argv++;
	if (!has_command || measures(to[-1])) {
		*to++ = "--timeout";
		*to++ = "60";
	}
	while (*argv)
		*to++ = *argv++;
	execv(REAL, words);
	err(127, REAL);
}

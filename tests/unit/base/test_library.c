// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is said of a library that is not installed, and whether the packages
 * recommend it, or require it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "lib/library.h"
#include "test.h"

#define PACKAGING FIXTURES "/../../tools/packaging/"

static char asked[LIBRARY_COUNT * 128];

/* Replaces the C library's: nothing is installed. */
void *dlopen(const char *file, int flags)
{
	(void)flags;
	strcat(strcat(asked, " "), file);
	return NULL;
}

char *dlerror(void)
{
	return (char *)"not there";
}

/* Returns the text of what the file of a package has for a key. Free it. */
static char *field(const char *path, const char *key)
{
	FILE *file = fopen(path, "r");
	char *line = NULL, *all = calloc(1, 1);
	size_t size = 0;
	bool inside = false;

	assert_non_null(file);
	while (getline(&line, &size, file) > 0) {
		bool begins = !strncmp(line, key, strlen(key));

		inside = begins || (inside && *line == ' ');
		if (!inside)
			continue;
		all = realloc(all, strlen(all) + strlen(line) + 1);
		strcat(all, line);
	}
	free(line);
	fclose(file);
	return all;
}

static bool has_word(const char *text, const char *word)
{
	static const char of_words[] = "abcdefghijklmnopqrstuvwxyz0123456789.-";
	size_t length = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at += length)
		if (!strchr(of_words, at[length]) &&
		    (at == text || !strchr(of_words, at[-1])))
			return true;
	return false;
}

static void all_are_asked_for(void **state)
{
	char *recommended[] = {
		field(PACKAGING "debian/control", "Recommends:"),
		field(PACKAGING "bufstat.spec.in", "Recommends:"),
	};
	char *required[] = {
		field(PACKAGING "debian/control", "Depends:"),
		field(PACKAGING "bufstat.spec.in", "Requires:"),
	};

	(void)state;
	for (int id = 0; id < LIBRARY_COUNT; id++) {
		bool is_required = id == LIBRARY_BPF || id == LIBRARY_SMARTCOLS;
		char **asked_for = is_required ? required : recommended;
		char deb[64], rpm[64], *file;
		struct error err = { 0 };
		void *handle = NULL;

		*asked = 0;
		assert_int_equal(library_open(id, NULL, 0, &handle, &err),
				 -ENOENT);
		assert_null(handle);
		assert_string_equal(err.reason, "not there");
		assert_int_equal(sscanf(err.remedy, "install %63s or %63s", deb,
					rpm),
				 2);
		if (!has_word(asked_for[0], deb))
			fail_msg("Debian's package asks for no %s", deb);
		assert_non_null(strtok(asked, " "));
		for (file = asked + 1; file; file = strtok(NULL, " "))
			if (!has_word(asked_for[1], file))
				fail_msg("the RPM asks for no %s", file);
	}
	for (int i = 0; i < 2; i++) {
		free(recommended[i]);
		free(required[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

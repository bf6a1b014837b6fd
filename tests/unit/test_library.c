// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is said of a library that is not installed, and whether the packages
 * recommend it.
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

/* Returns the text of what the packages of one kind recommend. Free it. */
static char *recommended(const char *path, const char *key)
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

static void all_are_recommended(void **state)
{
	char *debian = recommended(PACKAGING "debian/control", "Recommends:");
	char *fedora = recommended(PACKAGING "bufstat.spec.in", "Recommends:");

	(void)state;
	for (int id = 0; id < LIBRARY_COUNT; id++) {
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
		if (!has_word(debian, deb))
			fail_msg("Debian's package recommends no %s", deb);
		assert_non_null(strtok(asked, " "));
		for (file = asked + 1; file; file = strtok(NULL, " "))
			if (!has_word(fedora, file))
				fail_msg("the RPM recommends no %s", file);
	}
	free(debian);
	free(fedora);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_recommended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

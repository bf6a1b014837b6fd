// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "safe_text.h"

int error_set(struct error *err, int number, const char *format, ...)
{
	va_list args;

	if (err) {
		va_start(args, format);
		vsnprintf(err->text, sizeof(err->text), format, args);
		va_end(args);
	}
	return -number;
}

int error_errno(struct error *err, int number, const char *doing,
		const char *object)
{
	return error_set(err, number, "%s: %s: %s", doing, object,
			 strerror(number));
}

static void append(struct error *err, const char *text)
{
	size_t used = strlen(err->text);
	size_t length = strnlen(text, sizeof(err->text) - 1 - used);

	memcpy(err->text + used, text, length);
	err->text[used + length] = '\0';
}

void error_append(struct error *err, const struct error *reason)
{
	if (*err->text)
		append(err, "; ");
	append(err, reason->text);
}

void error_print(const struct error *err)
{
	flockfile(stderr);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	safe_text_put(stderr, err->text);
	putc_unlocked('\n', stderr);
	funlockfile(stderr);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/lack.h"
#include "lib/utf8.h"

/* Removes a character that was cut in two. */
static void end_between_characters(char *text)
{
	size_t length = strlen(text), back = 1;

	while (back < length && back < 4 &&
	       (text[length - back] & 0xc0) == 0x80)
		back++;
	if (length && !utf8_length((unsigned char *)text + length - back))
		text[length - back] = '\0';
}

__attribute__((format(printf, 3, 0))) static void
put_args(char *field, size_t size, const char *format, va_list args)
{
	if (vsnprintf(field, size, format, args) >= (int)size)
		end_between_characters(field);
}

__attribute__((format(printf, 3, 4))) static void put(char *field, size_t size,
						      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_args(field, size, format, args);
	va_end(args);
}

static int errno_of(int what)
{
	switch (what) {
	case ERROR_PARTIAL:
		return ENODATA;
	case ERROR_UNUSABLE:
		return EOPNOTSUPP;
	case ERROR_FAILED:
		return EIO;
	default:
		return what >= LACKS_FIRST ? EOPNOTSUPP : what;
	}
}

static void begin(struct error *err, int what, const char *doing,
		  const char *object)
{
	*err->reason = *err->remedy = '\0';
	err->others_size = 0;
	err->number = errno_of(what);
	err->lack = what >= LACKS_FIRST ? what : 0;
	err->class = err->lack		   ? ERROR_UNUSABLE :
		     what >= ERROR_PARTIAL ? (enum error_class)what :
		     what		   ? ERROR_FAILED :
					     ERROR_NONE;
	put(err->doing, sizeof(err->doing), "%s", doing ? doing : "");
	put(err->object, sizeof(err->object), "%s", object ? object : "");
}

__attribute__((format(printf, 5, 0))) static int
begin_with(struct error *err, int what, const char *doing, const char *object,
	   const char *format, va_list args)
{
	if (err) {
		begin(err, what, doing, object);
		put_args(err->reason, sizeof(err->reason), format, args);
	}
	return -errno_of(what);
}

int error_set(struct error *err, int what, const char *format, ...)
{
	va_list args;
	int ret;

	va_start(args, format);
	ret = begin_with(err, what, NULL, NULL, format, args);
	va_end(args);
	return ret;
}

int error_doing(struct error *err, int what, const char *doing,
		const char *object, const char *format, ...)
{
	va_list args;
	int ret;

	va_start(args, format);
	ret = begin_with(err, what, doing, object, format, args);
	va_end(args);
	return ret;
}

int error_advise(struct error *err, int what, const char *doing,
		 const char *object, const char *remedy, const char *format,
		 ...)
{
	va_list args;
	int ret;

	va_start(args, format);
	ret = begin_with(err, what, doing, object, format, args);
	va_end(args);
	return error_remedy(err, ret, "%s", remedy);
}

int error_errno(struct error *err, int number, const char *doing,
		const char *object)
{
	if (err)
		begin(err, number, doing, object);
	return -number;
}

int error_remedy(struct error *err, int ret, const char *format, ...)
{
	va_list args;

	if (err) {
		va_start(args, format);
		put_args(err->remedy, sizeof(err->remedy), format, args);
		va_end(args);
	}
	return ret;
}

int error_object(struct error *err, int ret, const char *format, ...)
{
	va_list args;

	if (err) {
		va_start(args, format);
		put_args(err->object, sizeof(err->object), format, args);
		va_end(args);
	}
	return ret;
}

static const char *reason_of(const struct error *err)
{
	return *err->reason || !err->number ? err->reason :
					      strerror(err->number);
}

/* Joins the parts that are not empty: "a: b: c". */
static void join(char *text, size_t size, const char *const parts[3])
{
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < 3; i++) {
		if (!*parts[i])
			continue;
		put(text + used, size - used, "%s%s", used ? ": " : "",
		    parts[i]);
		used = strlen(text);
	}
}

int error_within(struct error *err, int ret, const char *doing,
		 const char *object)
{
	char inner[ERROR_TEXT_SIZE];

	if (!err)
		return ret;
	if (ret < 0 && !error_is_set(err))
		begin(err, -ret, NULL, NULL);
	/*
	 * The error's own doing and object move into its reason, to make room.
	 */
	if (*err->doing || (object && *err->object)) {
		join(inner, sizeof(inner),
		     (const char *const[]){ err->doing, err->object,
					    reason_of(err) });
		put(err->reason, sizeof(err->reason), "%s", inner);
		*err->doing = *err->object = '\0';
	}
	if (doing)
		put(err->doing, sizeof(err->doing), "%s", doing);
	if (object)
		put(err->object, sizeof(err->object), "%s", object);
	return ret;
}

/* Returns where the text ends now. */
static size_t put_others(const struct error *err, char *text, size_t used)
{
	const char *other = err->others;

	while (other < err->others + err->others_size) {
		put(text + used, ERROR_TEXT_SIZE - used, "%s%s",
		    used ? "; " : "", other);
		used += strlen(text + used);
		other += strlen(other) + 1;
	}
	return used;
}

static void put_first(const struct error *err, bool with_doing,
		      bool with_remedy, char text[ERROR_TEXT_SIZE])
{
	size_t used;

	join(text, ERROR_TEXT_SIZE,
	     (const char *const[]){ with_doing ? err->doing : "", err->object,
				    reason_of(err) });
	used = strlen(text);
	if (with_remedy && *err->remedy)
		put(text + used, ERROR_TEXT_SIZE - used, " (%s)", err->remedy);
}

char *error_text(const struct error *err, char text[ERROR_TEXT_SIZE])
{
	put_first(err, true, true, text);
	put_others(err, text, strlen(text));
	return text;
}

char *error_text_without_remedy(const struct error *err,
				char text[ERROR_TEXT_SIZE])
{
	put_first(err, true, false, text);
	put_others(err, text, strlen(text));
	return text;
}

bool error_item(const struct error *err, size_t which,
		char text[ERROR_TEXT_SIZE])
{
	const char *other = err->others, *end = other + err->others_size;

	if (!which) {
		put_first(err, false, true, text);
		return *text;
	}
	while (--which && other < end)
		other += strlen(other) + 1;
	if (other >= end)
		return false;
	put(text, ERROR_TEXT_SIZE, "%s", other);
	return true;
}

void error_append(struct error *err, const struct error *other)
{
	char text[ERROR_TEXT_SIZE];
	size_t room = sizeof(err->others) - err->others_size;
	char *end = err->others + err->others_size;

	if (!error_is_set(err)) {
		*err = *other;
		return;
	}
	if (room < 2)
		return;
	put(end, room, "%s", error_text(other, text));
	err->others_size += strlen(end) + 1;
}

void error_add_next(struct error *err, const struct error *next)
{
	error_append(err, next);
	if (next->class != ERROR_UNUSABLE)
		err->class = next->class;
}

void error_tell(const char *text)
{
	/*
	 * What was printed on stdout comes first, even if both go to one file.
	 */
	fflush(stdout);
	flockfile(stderr);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	safe_text_put(stderr, text);
	putc_unlocked('\n', stderr);
	funlockfile(stderr);
}

void error_tell_in_signal(const char *text)
{
	char line[ERROR_TEXT_SIZE + NAME_MAX + sizeof(": \n")], *end = line;
	size_t room = ERROR_TEXT_SIZE;

	end = stpncpy(end, program_invocation_short_name, NAME_MAX);
	end = stpcpy(end, ": ");
	for (; *text && room--; text++)
		*end++ = (char)(*text >= ' ' && *text <= '~' ? *text : '?');
	*end++ = '\n';
	(void)!write(STDERR_FILENO, line, (size_t)(end - line));
}

void error_print(const struct error *err)
{
	char text[ERROR_TEXT_SIZE];

	error_tell(error_text(err, text));
}

/* The errors that the block layer and the page cache report for a write. */
static const struct {
	unsigned int number;
	const char *name;
} names[] = {
#define NAME(error)                                                            \
	{                                                                      \
		error, #error                                                  \
	}
	NAME(EIO),	 NAME(ENOSPC),	   NAME(ENOMEM),   NAME(ETIMEDOUT),
	NAME(ENOLINK),	 NAME(EREMOTEIO),  NAME(EBADE),	   NAME(ENODATA),
	NAME(EILSEQ),	 NAME(EAGAIN),	   NAME(EBUSY),	   NAME(ETOOMANYREFS),
	NAME(EOVERFLOW), NAME(EOPNOTSUPP), NAME(EINVAL),   NAME(ENODEV),
	NAME(ENXIO),	 NAME(EROFS),	   NAME(EDQUOT),   NAME(EFBIG),
	NAME(ESTALE),	 NAME(EPERM),	   NAME(EACCES),   NAME(EUCLEAN),
	NAME(EFAULT),	 NAME(EINTR),	   NAME(ENOMEDIUM)
#undef NAME
};

void errno_name(unsigned int number, char name[ERRNO_NAME_SIZE])
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (names[i].number == number) {
			snprintf(name, ERRNO_NAME_SIZE, "%s", names[i].name);
			return;
		}
	}
	snprintf(name, ERRNO_NAME_SIZE, "%u", number);
}

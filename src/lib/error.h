/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What went wrong. Functions below the commands return a negative errno and
 * fill one of these; only main and the commands print it, and the text is made
 * then: "doing what: object: reason (what to do about it); what else".
 *
 * Whoever has to decide something looks at the class, not at the errno, which
 * may come from anywhere, nor at the words.
 */
#ifndef BUFSTAT_ERROR_H
#define BUFSTAT_ERROR_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What it comes to for whoever asked. Each is above every errno: the functions
 * below take a class where they take an errno.
 */
enum error_class {
	ERROR_NONE,
	ERROR_PARTIAL = 4096, /* done, but something is missing; -ENODATA */
	ERROR_UNUSABLE, /* this host, user or capture lacks it; -EOPNOTSUPP */
	ERROR_FAILED, /* tried, and failed */
};

/*
 * All zero: nothing went wrong. What is too long for its field is cut between
 * two characters. It is a copy of all it says and has no pointers.
 */
struct error {
	enum error_class class;
	int number; /* errno; 0: there is none */
	char doing[96];
	char object[1024]; /* what that was done to */
	char reason[1024]; /* "": what the errno says */
	char remedy[384]; /* what would help, if that is known */
	char others[1024]; /* what else went wrong: texts, a NUL after each */
	size_t others_size; /* of them */
};

/* Holds what the whole of an error says. */
#define ERROR_TEXT_SIZE 4096

/*
 * Each of the following allows NULL for @err, for @doing and for @object, and
 * returns -@what, where that is an errno, or the negative errno of a class.
 */

/* A reason in words, for a caller that knows what was being done. */
int error_set(struct error *err, int what, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with what was being done, and to what. */
int error_doing(struct error *err, int what, const char *doing,
		const char *object, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* The reason is strerror(@number). */
int error_errno(struct error *err, int number, const char *doing,
		const char *object);

/*
 * These add to an error that is filled, and return @ret:
 *	return error_remedy(err, error_set(err, EPERM, "needs root"),
 *			    "use sudo");
 */

/* What to do about it. */
int error_remedy(struct error *err, int ret, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* An object that has to be put together. */
int error_object(struct error *err, int ret, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * It happened while @doing that to @object. What it says of that itself stays,
 * after these. Class, errno and remedy stay as they are; one that nobody has
 * filled is filled from @ret.
 */
int error_within(struct error *err, int ret, const char *doing,
		 const char *object);

/* Adds what @other says. The class, the errno and the remedy stay @err's. */
void error_append(struct error *err, const struct error *other);

static inline bool error_is_set(const struct error *err)
{
	return err->class != ERROR_NONE;
}

/* Both return @text. */
char *error_text(const struct error *err, char text[ERROR_TEXT_SIZE]);
char *error_text_without_remedy(const struct error *err,
				char text[ERROR_TEXT_SIZE]);

/*
 * One of several: number @which of what went wrong, from 0, without what was
 * being done. False if there are no more.
 */
bool error_item(const struct error *err, size_t which,
		char text[ERROR_TEXT_SIZE]);

/*
 * Prints "bufstat: text", or what else the program was called, and a newline on
 * stderr, control characters escaped: what a file or a device name contains
 * must not reach the terminal raw.
 */
void error_print(const struct error *err);

/* The same for a text. */
void error_tell(const char *text);

#define ERRNO_NAME_SIZE 16

/*
 * The name of what a write may fail with, "EIO", or of another error its
 * number. (strerrorname_np() is not in every C library: glibc 2.32.)
 */
void errno_name(unsigned int number, char name[ERRNO_NAME_SIZE]);

#endif

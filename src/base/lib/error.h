/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What went wrong. Functions below the commands return a negative errno and
 * fill in a struct error. Only main and the commands print it, and only then is
 * the text made: "doing what: object: reason (what to do about it); what else".
 *
 * Code that has to decide something looks at the class. It does not look at the
 * words, or at the errno, which may come from anywhere.
 */
#ifndef BUFSTAT_ERROR_H
#define BUFSTAT_ERROR_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#define MAX_ERRNO 4095 /* as in the kernel */

/*
 * What the error means to the caller. The values are above every errno, so the
 * functions below take a class wherever they take an errno.
 */
enum error_class {
	ERROR_NONE,
	/* Done, but something is missing; -ENODATA. */
	ERROR_PARTIAL = MAX_ERRNO + 1,
	ERROR_UNUSABLE, /* this host, user or capture lacks it; -EOPNOTSUPP */
	ERROR_FAILED, /* tried, and failed */
};

/*
 * All zero: nothing went wrong. Text that is too long for its field is cut
 * between two characters. A struct error holds copies and no pointers.
 */
struct error {
	enum error_class class;
	int lack; /* enum lack, or 0 */
	int number; /* errno, or 0 if there is none */
	char doing[96];
	char object[1024]; /* what it was done to */
	char reason[1024]; /* "": what strerror() says */
	char remedy[384]; /* what would help, if known */
	char others[1024]; /* other errors: texts, each with a NUL */
	size_t others_size; /* bytes in use */
};

/* Bytes; room for the whole text of an error. */
#define ERROR_TEXT_SIZE 4096

/*
 * The functions below allow NULL for @err, @doing and @object. They return
 * -@what if it is an errno, or the negative errno of the class.
 */

/* Sets a reason in words, for a caller that knows what was being done. */
int error_set(struct error *err, int what, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, with what was being done and to what. */
int error_doing(struct error *err, int what, const char *doing,
		const char *object, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* The same for what the user wrote. */
#define error_option(err, object, ...)                                         \
	error_doing(err, EINVAL, "reading options", object, __VA_ARGS__)

/* error_doing() with @remedy, what to do about it, in words as they are. */
int error_advise(struct error *err, int what, const char *doing,
		 const char *object, const char *remedy, const char *format,
		 ...) __attribute__((format(printf, 6, 7)));

/* Sets an errno, whose strerror() is the reason. */
int error_errno(struct error *err, int number, const char *doing,
		const char *object);

/* These functions add to an error that is filled in, and return @ret. */

/* Sets what to do about it. */
int error_remedy(struct error *err, int ret, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Sets an object that has to be formatted. */
int error_object(struct error *err, int ret, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Says that it happened while @doing something to @object. What the error said
 * itself comes after these. Its class, errno and remedy stay. An error that is
 * not filled in is filled in from @ret.
 */
int error_within(struct error *err, int ret, const char *doing,
		 const char *object);

/*
 * Adds what @other says. The class, errno and remedy of @err stay. If @err is
 * not filled in, it becomes a copy of @other.
 */
void error_append(struct error *err, const struct error *other);

/*
 * The same for @next, why the next way to the same answer failed. A way that
 * could be used, but failed, decides about the class.
 */
void error_add_next(struct error *err, const struct error *next);

static inline bool error_is_set(const struct error *err)
{
	return err->class != ERROR_NONE;
}

/* Where whatever else cannot be had is left out. */
static inline int only_enomem(int ret)
{
	return ret == -ENOMEM ? ret : 0;
}

/* Both return @text. */
char *error_text(const struct error *err, char text[ERROR_TEXT_SIZE]);
char *error_text_without_remedy(const struct error *err,
				char text[ERROR_TEXT_SIZE]);

/*
 * Writes one of several errors: number @which, from 0, without what was being
 * done. Returns false if there are no more.
 */
bool error_item(const struct error *err, size_t which,
		char text[ERROR_TEXT_SIZE]);

/* Takes one of several errors, for whoever asked for all. */
typedef void error_tell_fn(void *data, const struct error *err);

/*
 * Prints "bufstat: text" and a newline on stderr, with the name that the
 * program was called by. Control characters are escaped: what a file or device
 * name contains must not reach the terminal raw.
 */
void error_print(const struct error *err);

/* The same for @text. */
void error_tell(const char *text);

/* The same in a signal handler: what is not printable ASCII is a "?". */
void error_tell_in_signal(const char *text);

#define ERRNO_NAME_SIZE 16

/*
 * Writes the name, such as "EIO", of an error that a write may fail with, or
 * the number of any other. (strerrorname_np() is not in every C library: glibc
 * 2.32.)
 */
void errno_name(unsigned int number, char name[ERRNO_NAME_SIZE]);

#endif

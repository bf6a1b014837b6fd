/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of libtraceevent (1.1 or later) that read what ftrace recorded.
 * The library is loaded on demand, and libtraceevent.c declares them, because
 * not every distribution that builds bufstat has it.
 *
 * libtracefs is not used. It mounts tracefs where it does not find it, and the
 * process that puts everything back has to need nothing but a directory that is
 * already open.
 */
#ifndef BUFSTAT_LIBTRACEEVENT_H
#define BUFSTAT_LIBTRACEEVENT_H

struct error;
struct kbuffer;
struct tep_handle;

/* The members that every version has first, in these two. */
struct tep_event {
	struct tep_handle *tep;
	char *name;
	int id;
};

struct tep_format_field {
	struct tep_format_field *next;
	struct tep_event *event;
	char *type;
	char *name;
	char *alias;
	int offset; /* in a record, bytes */
	int size; /* bytes */
};

/* What kbuffer_alloc() takes, as in traceevent/kbuffer.h. */
enum { KBUFFER_BIG_ENDIAN, KBUFFER_LITTLE_ENDIAN };
enum { KBUFFER_LONGS_OF_4, KBUFFER_LONGS_OF_8 };

/* Those that return a pointer return NULL for "none" and "out of memory". */
struct libtraceevent {
	void *handle; /* of the loaded library, or NULL */
	struct tep_handle *(*alloc)(void);
	void (*free)(struct tep_handle *tep);
	/* Returns 0, or an error that is no errno. */
	int (*parse)(struct tep_handle *tep, struct tep_event **event,
		     const char *text, unsigned long size, const char *system);
	struct tep_format_field *(*find)(struct tep_event *event,
					 const char *name);
	struct tep_format_field *(*find_common)(struct tep_event *event,
						const char *name);
	struct kbuffer *(*buffer_alloc)(int size, int endian);
	void (*buffer_free)(struct kbuffer *buffer);
	int (*buffer_load)(struct kbuffer *buffer, void *bytes);
	/* The current record, and its time; NULL after the last. */
	void *(*buffer_read)(struct kbuffer *buffer, unsigned long long *time);
	void *(*buffer_next)(struct kbuffer *buffer, unsigned long long *time);
	int (*record_size)(struct kbuffer *buffer);
	/* How many records were lost before these; -1: some. */
	int (*buffer_missed)(struct kbuffer *buffer);
};

/*
 * Loads the library. Returns 0 or -ENOENT. The caller deinits @library in
 * either case.
 */
int libtraceevent_init(struct libtraceevent *library, struct error *err);
void libtraceevent_deinit(struct libtraceevent *library);

#endif

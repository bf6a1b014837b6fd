/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices or filesystems that a user selects by naming them, as for lsblk
 * and findmnt: by name, number, node, mount point, or any path.
 */
#ifndef BUFSTAT_SELECTION_H
#define BUFSTAT_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "names/members.h"
#include "names/mountinfo.h"
#include "question/question_command.h"

struct sysroot;

/* What a record of an answer is called. */
struct called {
	/* MAJ:MIN, or UINT_MAX: it has no number. */
	unsigned int major;
	unsigned int minor;
	const char *name; /* or NULL */
	const char *other; /* another name, or NULL */
	const char *source; /* what a filesystem was mounted from, or NULL */
	const struct string_list *mountpoints; /* or NULL */
	bool is_device; /* which no path in a filesystem selects */
	/* Of a cgroup, which has nothing else. */
	const char *cgroup;
	const char *mount;
};

struct selected {
	const char *word; /* in argv */
	/* Of a device, or of a filesystem. */
	unsigned int major;
	unsigned int minor;
	bool has_number; /* if not, the word is compared with names */
	char *node; /* of a device, as members.h has it; or NULL */
	const struct string_list *devices; /* of a filesystem, if several */
	bool is_path; /* in a filesystem: it selects no device */
	bool failed; /* it is nothing that could be selected */
	/* Why, until selection_next_error() has said it; or will be, if vain. */
	struct error error;
	bool met; /* something was selected by it */
};

/* All zero: everything. */
struct selection {
	struct selected *list;
	size_t count;
	int code; /* enum exit_code: EXIT_OK, or what to exit with */
	enum selection_kind kind;
	const struct sysroot *root; /* NULL: the records alone decide */
	/* Of a recording: files were not, or devices were not, recorded. */
	bool lacks_files;
	bool lacks_devices;
	struct mountinfo info;
	struct members members; /* of its mounts */
};

/*
 * Looks the @count @words up. A path leads to the device of its node or, if it
 * is no block device's, to its filesystem: SELECTS_DEVICES then means the
 * device that this was mounted from. Any other word may be a name that
 * selection_has() is given. In a captured tree, a path has to be a mount point
 * or in the tree; with --at, of a record. The last two kinds leave all to the
 * records, and do not look at @root. Opens no device. What is wrong with a
 * word, selection_next_error() says. Returns 0, or a negative errno with @err
 * set; the caller deinits @selection in either case.
 */
int selection_init(struct selection *selection, enum selection_kind kind,
		   const struct sysroot *root, char *const *words, size_t count,
		   struct error *err);
void selection_deinit(struct selection *selection);

/* Whether something was named, but all of it in vain. */
bool selection_is_vain(const struct selection *selection);

/*
 * Whether the record was selected, by its number, a name, a mount point or, if
 * it is a filesystem's, one of its devices. (So is, by its number, one without
 * a source, if it is mounted here.) Notes which word did so.
 */
bool selection_has(struct selection *selection, const struct called *called);

/* Refuses each word that selected nothing. */
void selection_refuse_vain(struct selection *selection);

/* Sets @err to why the next word was refused, each once; false: there is none. */
bool selection_next_error(struct selection *selection, struct error *err);

/* The exit code of a command that ends with @code, if all words were good. */
int selection_code(const struct selection *selection, int code);

#endif

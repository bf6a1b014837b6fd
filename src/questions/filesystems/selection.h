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

struct sysroot;

enum selection_kind {
	SELECTS_DEVICES,
	SELECTS_FILESYSTEMS,
	SELECTS_CACHES, /* of devices and of filesystems */
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
	struct error error; /* why, until selection_next_error() has said it */
	bool met; /* something was selected by it */
};

/* All zero: everything. */
struct selection {
	struct selected *list;
	size_t count;
	int code; /* enum exit_code: EXIT_OK, or what to exit with */
	enum selection_kind kind;
	const struct sysroot *root;
	struct mountinfo info;
	struct members members; /* of its mounts */
};

/*
 * Looks the @count @words up. A path leads to the device of its node or, if it
 * is no block device's, to its filesystem: SELECTS_DEVICES then means the
 * device that this was mounted from. A word that is no path and no device may
 * still be a name that selection_has() is given. In a captured tree, a path has
 * to be a mount point or in the tree. Opens no device. What is wrong with a
 * word, selection_next_error() says. Returns 0, or a negative errno with @err
 * set; the caller deinits
 * @selection in either case.
 */
int selection_init(struct selection *selection, enum selection_kind kind,
		   const struct sysroot *root, char *const *words, size_t count,
		   struct error *err);
void selection_deinit(struct selection *selection);

/* Whether something was named, but all of it in vain. */
bool selection_is_vain(const struct selection *selection);

/*
 * Whether the device or filesystem with this number, and one of these names
 * (either may be NULL), was selected. Notes which word did so.
 */
bool selection_has(struct selection *selection, unsigned int major,
		   unsigned int minor, const char *name, const char *other);

/*
 * Like selection_has(), for a filesystem that was mounted from @source. It is
 * also selected by each of its devices. (So is, by its number, one that
 * selection_has() is given, if it is mounted here.)
 */
bool selection_has_filesystem(struct selection *selection, unsigned int major,
			      unsigned int minor, const char *source);

/* Like selection_has(), for a device, which no path in a filesystem selects. */
bool selection_has_device(struct selection *selection, unsigned int major,
			  unsigned int minor, const char *name);

/* Refuses each word that selected nothing. */
void selection_refuse_vain(struct selection *selection);

/* Sets @err to why the next word was refused, each once; false: there is none. */
bool selection_next_error(struct selection *selection, struct error *err);

/* The exit code of a command that ends with @code, if all words were good. */
int selection_code(const struct selection *selection, int code);

#endif

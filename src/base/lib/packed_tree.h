/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A captured tree in a tar file (tar.h). It is read in place: nothing is
 * unpacked, only the names of what bufstat reads are kept, and links are
 * followed inside it.
 */
#ifndef BUFSTAT_PACKED_TREE_H
#define BUFSTAT_PACKED_TREE_H

#include <stddef.h>

struct error;
struct packed_tree;
struct string_list;

/*
 * Opens the tar file @path. Returns 0 or a negative errno: -EBADMSG if it is
 * not a tar file, is damaged, cut short or far too large, or if a name in it
 * leads outside. The caller closes *@tree.
 */
int packed_tree_open(const char *path, struct packed_tree **tree,
		     struct error *err);
void packed_tree_close(struct packed_tree *tree);

/* The descriptor of the file, which a process that has moved it changes. */
int *packed_tree_fd(struct packed_tree *tree);

/* Returns 0 if @path is there, with links followed, or a negative errno. */
int packed_tree_find(const struct packed_tree *tree, const char *path);

/* As sysroot_read(). */
int packed_tree_read(const struct packed_tree *tree, const char *path,
		     size_t limit, char **data, size_t *size);

/*
 * Sets *@target, owned by @tree, to what the symbolic link @path says. Returns
 * 0 or a negative errno, -EINVAL if it is not a link.
 */
int packed_tree_link(const struct packed_tree *tree, const char *path,
		     const char **target);

/*
 * Adds the names in a directory that do not begin with a dot, in order. Returns
 * 0 or a negative errno.
 */
int packed_tree_list(const struct packed_tree *tree, const char *path,
		     struct string_list *names);

#endif

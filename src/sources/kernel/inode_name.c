// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/fs_layout.h"
#include "kernel/inode_name.h"
#include "kernel/kmem.h"
#include "kernel/object.h"
#include "lib/cleanup.h"

/* A path of PATH_MAX bytes has no more levels. */
#define MAX_DEPTH 2048
/* Aliases to try: hard links, and a network filesystem's names of a file. */
#define MAX_ALIASES 64
#define ATTEMPTS 4
/* Bytes. More than NAME_MAX, in case the kernel makes up a longer name. */
#define MAX_NAME 511

struct reader {
	const struct kmem *kmem;
	const struct fs_layout *layout;
	unsigned char *object; /* copy of the dentry read last */
	uint64_t dentry; /* its address */
};

static uint64_t member(const struct reader *reader, enum fs_member wanted)
{
	return word_at(reader->object, reader->layout->offset[wanted]);
}

/* A pointer that leads out of memory has changed meanwhile: -EAGAIN. */
static int read_dentry(struct reader *reader, uint64_t dentry)
{
	int ret;

	if (!dentry || dentry % sizeof(uint64_t))
		return -EAGAIN;
	ret = kmem_read(reader->kmem, dentry, reader->object,
			reader->layout->dentry_size);
	reader->dentry = dentry;
	return ret == -EFAULT ? -EAGAIN : ret;
}

/* Whether it is the root dentry of its filesystem. */
static bool is_root(const struct reader *reader)
{
	return member(reader, FS_DENTRY_PARENT) == reader->dentry;
}

/* Whether a lookup finds it. */
static bool leads_somewhere(const struct reader *reader)
{
	return member(reader, FS_DENTRY_HASHED) || is_root(reader);
}

/* Reads the name of the current dentry; an empty one is damaged. */
static int read_name(const struct reader *reader, char name[MAX_NAME + 1],
		     size_t *length)
{
	uint32_t size;
	int ret;

	size = half_at(reader->object,
		       reader->layout->offset[FS_DENTRY_LENGTH]);
	if (!size || size > MAX_NAME)
		return -EAGAIN;
	ret = kmem_read(reader->kmem, member(reader, FS_DENTRY_NAME), name,
			size);
	if (ret < 0)
		return ret == -EFAULT ? -EAGAIN : ret;
	name[size] = '\0';
	*length = size;
	return strlen(name) == size ? 0 : -EAGAIN;
}

/*
 * Finds an alias that a lookup finds, else the first alias. *@dentry is 0 if
 * there is none.
 */
static int find_alias(struct reader *reader, uint64_t inode, uint64_t *dentry)
{
	uint32_t alias = reader->layout->offset[FS_DENTRY_ALIAS];
	uint64_t node;
	int ret = kmem_read_word(
		reader->kmem, inode + reader->layout->offset[FS_INODE_ALIASES],
		&node);

	*dentry = 0;
	for (int i = 0; !ret && node && i < MAX_ALIASES; i++) {
		ret = read_dentry(reader, node - alias);
		if (!ret && member(reader, FS_DENTRY_INODE) != inode)
			ret = -EAGAIN;
		if (ret < 0)
			return ret;
		if (leads_somewhere(reader)) {
			*dentry = reader->dentry;
			return 0;
		}
		if (!*dentry)
			*dentry = reader->dentry;
		node = member(reader, FS_DENTRY_ALIAS);
	}
	return ret == -EFAULT ? -EAGAIN : ret;
}

/* Builds the path of the current dentry from the end to the start. */
static int read_path(struct reader *reader, char text[INODE_NAME_SIZE])
{
	char name[MAX_NAME + 1];
	size_t at = INODE_NAME_SIZE - 1, length;

	text[at] = '\0';
	for (int i = 0; !is_root(reader); i++) {
		int ret = read_name(reader, name, &length);

		if (!ret && i == MAX_DEPTH)
			ret = -EAGAIN;
		if (!ret && length + 1 > at)
			ret = -ENAMETOOLONG;
		if (!ret) {
			at -= length;
			memcpy(text + at, name, length);
			text[--at] = '/';
			ret = read_dentry(reader,
					  member(reader, FS_DENTRY_PARENT));
		}
		if (ret < 0)
			return ret;
	}
	if (at == INODE_NAME_SIZE - 1)
		text[--at] = '/';
	memmove(text, text + at, INODE_NAME_SIZE - at);
	return 0;
}

static int read_once(struct reader *reader, uint64_t inode, uint32_t links,
		     struct inode_name *name)
{
	size_t length;
	uint64_t dentry;
	int ret = find_alias(reader, inode, &dentry);

	*name->text = '\0';
	if (ret < 0 || !dentry)
		return ret;
	ret = read_dentry(reader, dentry);
	if (!ret && links && leads_somewhere(reader))
		ret = read_path(reader, name->text);
	else if (!ret)
		return read_name(reader, name->text, &length);
	if (ret != -ENAMETOOLONG && ret != -ENODATA)
		return ret;
	/* The path is too long, or a dump lacks a part of it. */
	ret = read_dentry(reader, dentry);
	return ret < 0 ? ret : read_name(reader, name->text, &length);
}

int inode_name_read(const struct kmem *kmem, const struct fs_layout *layout,
		    uint64_t inode, uint32_t links, struct inode_name *name)
{
	_cleanup_(freep) unsigned char *object = malloc(layout->dentry_size);
	_cleanup_(freep) struct inode_name *again = malloc(sizeof(*again));
	struct reader reader = { kmem, layout, object, 0 };
	int ret = -EAGAIN;

	*name->text = '\0';
	if (!object || !again)
		return -ENOMEM;
	for (int i = 0; ret == -EAGAIN && i < ATTEMPTS; i++) {
		ret = read_once(&reader, inode, links, name);
		if (!ret)
			ret = read_once(&reader, inode, links, again);
		if (!ret && strcmp(name->text, again->text) != 0)
			ret = -EAGAIN;
	}
	if (ret < 0)
		*name->text = '\0';
	return ret;
}

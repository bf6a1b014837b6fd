// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "blocks/ext.h"
#include "lib/byte_order.h"

/* Bytes; a path is at most as long as the kernel's. */
#define PATH_SIZE 4096
/* Bytes of an entry before its name. */
#define ENTRY 8
#define MAX_NAME 255
/* Where ".." is in the first block: after ".", which has no other length. */
#define PARENT_AT 12
/* In a directory within its inode, the parent comes first. */
#define INLINE_PARENT 4

/* Looks through a directory for the entry of an inode. */
struct search {
	struct ext *ext;
	unsigned char *block;
	uint32_t wanted;
	bool first_only; /* the first block, to be left in @block */
	bool found;
	char name[MAX_NAME + 1];
};

/* A name that would not be printed as it is is not shown either. */
static bool take_name(struct search *search, const unsigned char *name,
		      size_t length)
{
	if (memchr(name, '/', length) || memchr(name, '\0', length) ||
	    (length == 1 && name[0] == '.') ||
	    (length == 2 && name[0] == '.' && name[1] == '.'))
		return false;
	memcpy(search->name, name, length);
	search->name[length] = '\0';
	return true;
}

static void search_entries(struct search *search, const unsigned char *bytes,
			   size_t size)
{
	size_t at = 0;

	while (!search->found && at + ENTRY <= size) {
		size_t length = le16_at(bytes + at + 4);
		size_t name = bytes[at + 6];

		/* 64 KiB do not fit in 16 bits. */
		if (length == 0xffff || !length)
			length = size - at;
		if (length < ENTRY || length > size - at ||
		    name > length - ENTRY)
			return;
		if (le32_at(bytes + at) == search->wanted && name)
			search->found =
				take_name(search, bytes + at + ENTRY, name);
		at += length;
	}
}

static int search_blocks(void *data, uint64_t logical, uint64_t block,
			 uint64_t count, bool is_map)
{
	struct search *search = data;
	int ret = 0;

	for (uint64_t i = 0; !is_map && !ret && i < count; i++) {
		if (search->first_only && logical + i)
			continue;
		ret = ext_read(search->ext, block + i, 1, search->block);
		if (!ret && search->first_only)
			search->found = true;
		else if (!ret)
			search_entries(search, search->block,
				       search->ext->block_size);
		if (search->found)
			return 1;
		if (ret == -ENODATA)
			ret = 0;
	}
	return ret;
}

static int search_directory(struct search *search,
			    const struct ext_inode *directory)
{
	search->found = false;
	if (directory->flags & EXT4_INLINE_DATA_FL) {
		search_entries(search, directory->map + INLINE_PARENT,
			       sizeof(directory->map) - INLINE_PARENT);
		return 0;
	}
	return ext_map_walk(search->ext, directory, search_blocks, search);
}

/* The directory that @directory is in; 0 if that is not cached. */
static uint32_t parent_of(struct search *search,
			  const struct ext_inode *directory)
{
	if (directory->flags & EXT4_INLINE_DATA_FL)
		return le32_at(directory->map);
	search->first_only = true;
	search->found = false;
	if (ext_map_walk(search->ext, directory, search_blocks, search) < 0 ||
	    !search->found ||
	    memcmp(search->block + PARENT_AT + 6, "\2", 1) != 0 ||
	    memcmp(search->block + PARENT_AT + ENTRY, "..", 2) != 0)
		return 0;
	return le32_at(search->block + PARENT_AT);
}

/* Puts "/name" before what is in @path from *@at on. */
static bool prepend(char path[PATH_SIZE], size_t *at, const char *name)
{
	size_t length = strlen(name);

	if (length + 1 > *at)
		return false;
	*at -= length;
	memcpy(path + *at, name, length);
	path[--*at] = '/';
	return true;
}

/* Each level takes two bytes of the path at least, so this ends. */
static bool find(struct search *search, uint32_t inode, char path[PATH_SIZE],
		 size_t *at)
{
	struct ext_inode here, parent;

	if (ext_inode_read(search->ext, inode, &here) < 0)
		return false;
	while (here.number != EXT2_ROOT_INO) {
		uint32_t above = S_ISDIR(here.mode) ? parent_of(search, &here) :
						      0;

		/* Names in an encrypted directory are not names. */
		if (!above || ext_inode_read(search->ext, above, &parent) < 0 ||
		    !S_ISDIR(parent.mode) || parent.flags & EXT4_ENCRYPT_FL)
			return false;
		search->wanted = here.number;
		search->first_only = false;
		if (search_directory(search, &parent) < 0 || !search->found ||
		    !prepend(path, at, search->name))
			return false;
		here = parent;
	}
	return true;
}

int ext_path(struct ext *ext, uint32_t directory, char **path)
{
	struct search search = {
		.ext = ext,
		.block = malloc(ext->block_size),
	};
	char text[PATH_SIZE];
	size_t at = sizeof(text) - 1;
	bool found;

	*path = NULL;
	text[at] = '\0';
	if (!search.block)
		return -ENOMEM;
	found = find(&search, directory, text, &at);
	free(search.block);
	if (!found)
		return 0;
	*path = strdup(text[at] ? text + at : "/");
	return *path ? 0 : -ENOMEM;
}

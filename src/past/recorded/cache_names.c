// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "recorded/cache_names.h"
#include "store/documents.h"
#include "store/past_names.h"

void cache_names_deinit(struct cache_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->names[i].name);
	free(names->names);
	*names = (struct cache_names){ 0 };
}

static struct cache_name *find(const struct cache_names *names,
			       unsigned int major, unsigned int minor,
			       bool is_bdev)
{
	for (size_t i = 0; i < names->count; i++) {
		struct cache_name *name = &names->names[i];

		if (name->major == major && name->minor == minor &&
		    name->is_bdev == is_bdev)
			return name;
	}
	return NULL;
}

const char *cache_names_find(const struct cache_names *names,
			     unsigned int major, unsigned int minor,
			     bool is_bdev)
{
	const struct cache_name *name = find(names, major, minor, is_bdev);

	return name ? name->name : NULL;
}

static int keep(struct cache_names *names, unsigned int major,
		unsigned int minor, bool is_bdev, const char *text)
{
	struct cache_name *name = find(names, major, minor, is_bdev);
	char *copy;

	if (name && strcmp(name->name, text) == 0)
		return 0;
	if (!name &&
	    array_make_room(&names->names, names->count, &names->room) < 0)
		return -ENOMEM;
	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	if (!name) {
		name = &names->names[names->count++];
		*name = (struct cache_name){ major, minor, is_bdev, NULL };
	}
	free(name->name);
	name->name = copy;
	return 0;
}

static int take_device(void *data, const struct store_name *device)
{
	return device->name ? keep(data, device->major, device->minor, true,
				   device->name) :
			      0;
}

static int take_filesystem(void *data, const struct store_name *filesystem)
{
	return filesystem->name ?
		       keep(data, filesystem->major, filesystem->minor, false,
			    filesystem->name) :
		       0;
}

int cache_names_take(struct cache_names *names, const char *text)
{
	return past_names_each(text, take_device, take_filesystem, names);
}

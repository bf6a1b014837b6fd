// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/error.h"
#include "names/recorded_names.h"
#include "recorded/cache_names.h"
#include "store/documents.h"

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

static int keep(struct cache_names *names, const struct recorded_name *named,
		bool is_bdev)
{
	struct cache_name *name =
		find(names, named->major, named->minor, is_bdev);
	char *copy;

	if (!named->name || (name && strcmp(name->name, named->name) == 0))
		return 0;
	if (!name &&
	    array_make_room(&names->names, names->count, &names->room) < 0)
		return -ENOMEM;
	copy = strdup(named->name);
	if (!copy)
		return -ENOMEM;
	if (!name) {
		name = &names->names[names->count++];
		*name = (struct cache_name){ named->major, named->minor,
					     is_bdev, NULL };
	}
	free(name->name);
	name->name = copy;
	return 0;
}

int cache_names_take(struct cache_names *names, const char *text)
{
	struct recorded_names taken = { 0 };
	int ret = store_document_read(text, &recorded_names_fields, &taken);

	for (size_t i = 0; !ret && i < taken.device_count; i++)
		ret = keep(names, &taken.devices[i], true);
	for (size_t i = 0; !ret && i < taken.filesystem_count; i++)
		ret = keep(names, &taken.filesystems[i], false);
	fields_release(&recorded_names_fields, &taken);
	return only_enomem(ret);
}

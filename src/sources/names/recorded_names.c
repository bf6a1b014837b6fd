// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "lib/number.h"
#include "lib/sysroot.h"
#include "names/recorded_names.h"

#define MAX_FILE (64U << 20)

static const struct field device_list[] = {
	{ FIELD_DEVICE(struct recorded_name, major, "maj:min") },
	{ FIELD_STRING(struct recorded_name, name, "name", SAYS_VOLUME),
	  .known = KNOWN_NOT_ZERO },
	{ FIELD_STRING(struct recorded_name, fstype, "fstype", SAYS_WORD),
	  .known = KNOWN_NOT_ZERO },
	{ FIELD_STRINGS(struct recorded_name, mountpoints, "mountpoints",
			SAYS_PLACE) },
};

static const struct field mounted_list[] = {
	{ FIELD_DEVICE(struct recorded_name, major, "maj:min") },
	{ FIELD_STRING(struct recorded_name, name, "name", SAYS_PLACE),
	  .known = KNOWN_NOT_ZERO },
};

static const struct fields device_fields =
	FIELDS(struct recorded_name, device_list);
static const struct fields mounted_fields =
	FIELDS(struct recorded_name, mounted_list);

/* The first recordings lack the filesystems. */
static const struct field names_list[] = {
	{ FIELD_LIST(struct recorded_names, devices, device_count, "names",
		     &device_fields, SIZE_MAX) },
	{ FIELD_LIST(struct recorded_names, filesystems, filesystem_count,
		     "filesystems", &mounted_fields, SIZE_MAX),
	  .may_lack = true },
};

const struct fields recorded_names_fields =
	FIELDS(struct recorded_names, names_list);

static int by_number(const void *left, const void *right)
{
	const struct recorded_name *a = left, *b = right;

	return dev_number_compare(a->major, a->minor, b->major, b->minor);
}

int recorded_names_read(struct recorded_names *names,
			const struct sysroot *root)
{
	char *text;
	int ret = sysroot_read(root, RECORDED_NAMES, MAX_FILE, &text, NULL);

	*names = (struct recorded_names){ 0 };
	if (!ret)
		ret = fields_read_text(text, &recorded_names_fields, names);
	if (ret < 0) {
		recorded_names_deinit(names);
		return ret == -ENOMEM ? ret : -ENOENT;
	}
	if (names->device_count)
		qsort(names->devices, names->device_count,
		      sizeof(*names->devices), by_number);
	return 0;
}

void recorded_names_deinit(struct recorded_names *names)
{
	fields_release(&recorded_names_fields, names);
}

const struct recorded_name *
recorded_names_find(const struct recorded_names *names, unsigned int major,
		    unsigned int minor)
{
	const struct recorded_name wanted = { .major = major, .minor = minor };

	return names->device_count ?
		       bsearch(&wanted, names->devices, names->device_count,
			       sizeof(wanted), by_number) :
		       NULL;
}

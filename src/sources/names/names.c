// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fields/fields.h"
#include "lib/sysroot.h"
#include "measure/snapshot.h"
#include "names/names.h"
#include "names/names_blkid.h"
#include "names/names_mounts.h"
#include "names/names_sysfs.h"
#include "names/recorded_names.h"

struct names {
	const struct sysroot *root;
	struct mounts *mounts;
	struct blkid_file *blkid;
	/* The file is read on demand: most hosts have a udev record for every
	 * device. */
	bool blkid_tried;
};

struct names *names_create(const struct sysroot *root)
{
	struct names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->root = root;
	names->mounts = mounts_create(root);
	if (!names->mounts) {
		names_destroy(names);
		return NULL;
	}
	return names;
}

void names_destroy(struct names *names)
{
	if (!names)
		return;
	mounts_destroy(names->mounts);
	names_blkid_close(names->blkid);
	free(names);
}

static int lookup_blkid(struct names *names, struct device_names *device)
{
	if (!names->blkid_tried)
		names->blkid = names_blkid_open(names->root);
	names->blkid_tried = true;
	return names->blkid ? names_blkid_lookup(names->blkid, device) : 0;
}

static int copy(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -ENOMEM : 0;
}

/* All that the recorder knew. */
static int lookup_recorded(const struct names *names,
			   const struct sample *sample,
			   struct device_names *device)
{
	const struct recorded_name *named =
		mounts_recorded(names->mounts, sample->major, sample->minor,
				&device->has_mounts);
	int ret = copy(&device->name,
		       named && named->name ? named->name : device->kname);

	if (!ret && named)
		ret = copy(&device->fstype, named->fstype);
	for (size_t i = 0; !ret && named && i < named->mountpoints.count; i++)
		ret = string_list_add(&device->mountpoints,
				      named->mountpoints.strings[i]);
	if (!ret)
		mounts_doubt(names->mounts, sample, device);
	return ret;
}

/*
 * For the type of a mounted filesystem, the kernel comes before udev, and udev
 * before libblkid, whose file may be old.
 */
int names_lookup(struct names *names, const struct sample *sample,
		 struct device_names *device)
{
	int ret;

	*device = (struct device_names){ 0 };
	ret = copy(&device->kname, sample->kname);
	if (ret < 0)
		return ret;
	if (names->root->is_recorded)
		return lookup_recorded(names, sample, device);
	ret = names_sysfs_lookup(names->root, sample->major, sample->minor,
				 device);
	if (!ret)
		ret = mounts_lookup(names->mounts, sample->major, sample->minor,
				    device);
	/* A device that has left sysfs may still be mounted. */
	if (!ret && !device->name)
		ret = mounts_name(names->mounts, sample->major, sample->minor,
				  device);
	if (!ret)
		ret = names_udev_lookup(names->root, sample->major,
					sample->minor, device);
	/* A mounted filesystem has its type already, but not its label. */
	if (!ret && (!device->fstype || !device->uuid))
		ret = lookup_blkid(names, device);
	if (!ret)
		mounts_doubt(names->mounts, sample, device);
	return ret;
}

void device_names_deinit(struct device_names *device)
{
	free(device->kname);
	free(device->name);
	free(device->fstype);
	free(device->looks_like);
	free(device->label);
	free(device->uuid);
	free(device->partlabel);
	free(device->partuuid);
	string_list_deinit(&device->mountpoints);
	string_list_deinit(&device->holders);
	*device = (struct device_names){ 0 };
}

static struct column_value list_value(const struct string_list *list)
{
	return (struct column_value){ .known = list, .list = list };
}

struct column_value device_names_mounts_value(const void *names)
{
	return list_value(device_names_mounts(names));
}

struct column_value device_names_holders_value(const void *names)
{
	return list_value(device_names_holders(names));
}

static const struct field users_list[] = {
	{ FIELD_VALUE("mountpoints", COLUMN_LIST),
	  .value = device_names_mounts_value, .about = "[SWAP] for swap space",
	  .null = "the mount table could not be read" },
	{ FIELD_VALUE("holders", COLUMN_LIST),
	  .value = device_names_holders_value,
	  .about = "devices built on this one",
	  .null = "not all could be read" },
};

const struct fields device_users_fields =
	FIELDS(struct device_names, users_list);

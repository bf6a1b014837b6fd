// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "drop/drop_targets.h"
#include "lib/error.h"
#include "measure/snapshot.h"
#include "names/device_base.h"

static bool has_device(const struct drop_targets *targets, dev_t number)
{
	for (size_t i = 0; i < targets->count; i++) {
		if (targets->targets[i].found.number == number)
			return true;
	}
	return false;
}

static int look_up(struct drop_target *target, struct names *names,
		   struct error *err)
{
	const struct sample sample = {
		.major = major(target->found.number),
		.minor = minor(target->found.number),
	};
	int ret = names_lookup(names, &sample, &target->names);

	if (ret < 0)
		return error_errno(err, -ret, "looking up names",
				   target->found.node);
	target->name = target->names.name ? target->names.name :
					    target->found.node;
	return 0;
}

/* Whoever looked the node up knows its number. */
static int take_node(struct found_device *found, const char *path,
		     struct error *err)
{
	found->node = strdup(path);
	return found->node ?
		       0 :
		       error_errno(err, ENOMEM, "finding the device", path);
}

int drop_targets_init(struct drop_targets *targets, const struct sysroot *root,
		      size_t most, struct error *err)
{
	*targets = (struct drop_targets){
		.targets = calloc(most, sizeof(*targets->targets)),
		.device_names = names_create(root),
	};
	return targets->targets && targets->device_names ?
		       0 :
		       error_errno(err, ENOMEM, "looking up", "names");
}

int drop_targets_add(struct drop_targets *targets, const struct sysroot *root,
		     const char *word, dev_t node, struct error *err)
{
	struct drop_target *target = &targets->targets[targets->count];
	struct found_device found = { .number = node };
	int ret = node ? take_node(&found, word, err) :
			 device_find(root, word, &found, err);

	if (ret < 0)
		return ret;
	if (is_ramdisk(root, found.number))
		ret = error_doing(err, EPERM, "dropping", word,
				  "refused, it is a ramdisk");
	if (ret < 0 || has_device(targets, found.number)) {
		found_device_deinit(&found);
		return ret;
	}
	target->found = found;
	target->major = major(found.number);
	target->minor = minor(found.number);
	targets->count++;
	return look_up(target, targets->device_names, err);
}

void drop_targets_deinit(struct drop_targets *targets)
{
	for (size_t i = 0; i < targets->count; i++) {
		found_device_deinit(&targets->targets[i].found);
		device_names_deinit(&targets->targets[i].names);
	}
	names_destroy(targets->device_names);
	free(targets->targets);
	*targets = (struct drop_targets){ 0 };
}

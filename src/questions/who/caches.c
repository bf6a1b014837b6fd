// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "lib/error.h"
#include "lib/sysroot.h"
#include "who/caches.h"

int caches_take(struct caches *caches, const struct sysroot *root,
		const char *source, bool walks)
{
	struct error err = { 0 };
	int ret;

	*caches = (struct caches){ 0 };
	ret = devices_init(&caches->devices, root, source, &err);
	if (!ret && caches->devices.collected < 0)
		err = caches->devices.why;
	caches->has_devices = !ret && caches->devices.collected == 0;
	if (error_is_set(&err))
		error_append(&caches->why, &err);
	if (ret == -ENOMEM || !walks)
		return only_enomem(ret);
	err = (struct error){ 0 };
	ret = filesystems_init(&caches->filesystems, root, NULL, &err);
	caches->has_filesystems = !ret;
	if (error_is_set(&err))
		error_append(&caches->why, &err);
	return only_enomem(ret);
}

void caches_deinit(struct caches *caches)
{
	devices_deinit(&caches->devices);
	filesystems_deinit(&caches->filesystems);
	*caches = (struct caches){ 0 };
}

int caches_keep(struct caches_before *before, struct caches *caches)
{
	int ret = 0;

	caches_before_deinit(before);
	if (caches->has_devices)
		ret = baseline_take(&before->devices,
				    devices_samples(&caches->devices));
	if (!ret && caches->has_filesystems)
		ret = baseline_take(&before->filesystems,
				    filesystems_samples(&caches->filesystems));
	return ret;
}

void caches_before_deinit(struct caches_before *before)
{
	baseline_deinit(&before->devices);
	baseline_deinit(&before->filesystems);
}

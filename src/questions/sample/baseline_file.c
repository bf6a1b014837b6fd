// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "devices/devices.h"
#include "filesystems/fs_saved.h"
#include "filesystems/measured_filesystems.h"
#include "lib/error.h"
#include "measure/history.h"
#include "measure/provenance.h"
#include "measure/saved.h"
#include "sample/baseline_file.h"

static const char reading[] = "reading a saved sample";

static int read_devices(void *baseline, const struct saved *saved)
{
	struct devices devices = { 0 };
	int ret = devices_read(&devices, saved);

	if (ret > 0)
		ret = baseline_take(baseline, devices_samples(&devices)) ?: 1;
	devices_deinit(&devices);
	return ret;
}

static int read_filesystems(void *baseline, const struct saved *saved)
{
	struct filesystems filesystems = { 0 };
	int ret = fs_saved_read(saved, &filesystems);

	if (ret > 0)
		ret = baseline_take(baseline, filesystems_samples(&filesystems)) ?:
			      1;
	filesystems_deinit(&filesystems);
	return ret;
}

int baseline_check_boot(const struct saved *saved, const char *path,
			const struct sysroot *root, struct error *err)
{
	struct provenance before = { 0 }, now = { 0 };
	int ret = provenance_read(&before, saved);

	if (!ret)
		now = provenance_of(root, NULL);
	if (ret < 0)
		saved_failed(saved, ret, err);
	else if (*before.boot_id && *now.boot_id &&
		 strcmp(before.boot_id, now.boot_id) != 0)
		ret = error_advise(err, EXDEV, reading, path, "save another",
				   "from another host, or from before this "
				   "one was booted: nothing can be compared");
	return ret;
}

int baseline_read_saved(baseline_read_fn *read, void *to, const char *what,
			const char *path, const struct sysroot *root,
			struct error *err)
{
	struct saved saved;
	int ret = saved_open_file(&saved, path, err);

	if (ret < 0)
		return ret;
	ret = read(to, &saved);
	if (ret < 0)
		saved_failed(&saved, ret, err);
	else if (!ret)
		ret = error_doing(err, EBADMSG, reading, path,
				  "it has no %s to compare with", what);
	else
		ret = baseline_check_boot(&saved, path, root, err);
	saved_close(&saved);
	return ret;
}

int baseline_read(struct baseline *baseline, const char *path, const char *rows,
		  const struct sysroot *root, struct error *err)
{
	bool are_devices = strcmp(rows, "devices") == 0;
	int ret = baseline_read_saved(are_devices ? read_devices :
						    read_filesystems,
				      baseline, rows, path, root, err);

	if (ret < 0)
		baseline_deinit(baseline);
	return ret;
}

bool baseline_is_proven(const struct baseline *baseline, const char *path,
			struct error *err)
{
	if (!baseline->unsettled)
		return true;
	error_advise(err, ERROR_PARTIAL, "comparing", path, "save another",
		     "unsettled: no reading of it added up, "
		     "so what changed since is not known");
	return false;
}

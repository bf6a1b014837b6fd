// SPDX-License-Identifier: GPL-2.0-or-later
/* The module's figures, read from debugfs. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <bufstat/devices.h>

#include "kernel/lockdown.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/devices_text.h"
#include "measure/module_absence.h"
#include "measure/snapshot.h"
#include "measure/source.h"

/* Room for a million devices; a larger file is not the module's. */
#define MAX_SIZE (64U << 20)

#define MAX_TYPES 65536

#define DEBUGFS "/sys/kernel/debug"
static const char devices_path[] = DEBUGFS "/" BUFSTAT_DEBUGFS_DIR
					   "/" BUFSTAT_DEBUGFS_DEVICES;

static bool is_loaded(const struct sysroot *root)
{
	return sysroot_exists(root, "/sys/module/bufstat");
}

static int explain_not_loaded(const struct sysroot *root, bool whole,
			      struct error *err)
{
	struct module_absence absence;

	if (!whole)
		return error_set(err, ERROR_UNUSABLE, "not loaded");
	module_absence_read(&absence, root);
	return error_remedy(
		err, error_set(err, ERROR_UNUSABLE, "%s", absence.reason), "%s",
		absence.remedy);
}

/* The module is loaded, so its file or debugfs is missing. */
static int explain_no_debugfs(const struct sysroot *root, struct error *err)
{
	_cleanup_(freep) char *types = NULL;

	if (sysroot_exists(root, DEBUGFS "/" BUFSTAT_DEBUGFS_DIR))
		return error_remedy(
			err,
			error_set(err, ERROR_UNUSABLE,
				  "loaded, but without its debugfs file"),
			"unload and load it again");
	if (sysroot_read(root, "/proc/filesystems", MAX_TYPES, &types, NULL) ==
		    0 &&
	    !strstr(types, "\tdebugfs\n"))
		return error_remedy(
			err,
			error_set(err, ERROR_UNUSABLE,
				  "loaded, but this kernel has no debugfs"),
			"boot one with CONFIG_DEBUG_FS=y, without debugfs=off");
	return error_remedy(err,
			    error_set(err, ERROR_UNUSABLE,
				      "loaded, but debugfs is not mounted"),
			    "mount -t debugfs debugfs " DEBUGFS);
}

/*
 * Turns the reason why the file could not be read into advice. All of it, if
 * @whole, takes looking at disks.
 */
static int explain(const struct sysroot *root, int number, bool whole,
		   struct error *err)
{
	switch (number) {
	case ENOENT:
	case ENOTDIR:
		if (!sysroot_is_live(root))
			return error_object(err,
					    error_set(err, ERROR_UNUSABLE,
						      "not in this tree"),
					    "%s%s", root->prefix, devices_path);
		if (!is_loaded(root))
			return explain_not_loaded(root, whole, err);
		return explain_no_debugfs(root, err);
	case EACCES:
		/* Before the module is loaded, being root does not help. */
		if (sysroot_is_live(root) && !is_loaded(root))
			return explain_not_loaded(root, whole, err);
		return error_remedy(err,
				    error_set(err, ERROR_UNUSABLE,
					      DEBUGFS " is for root"),
				    "use sudo");
	case EPERM:
		/* Others may refuse it, too, as a container's rules. */
		return error_set(err, ERROR_UNUSABLE, "%s",
				 lockdown_restricts(lockdown_level(root)) ?
					 "this kernel's lockdown refuses "
					 "debugfs" :
					 DEBUGFS " may not be read here");
	case EFBIG:
		return error_doing(err, EFBIG, NULL, devices_path,
				   "larger than %u MiB", MAX_SIZE >> 20);
	default:
		return error_errno(err, number, "reading", devices_path);
	}
}

static int read_text(const struct sysroot *root, char **text, size_t *size,
		     bool whole, struct error *err)
{
	int ret = sysroot_read(root, devices_path, MAX_SIZE, text, size);

	return ret < 0 ? explain(root, -ret, whole, err) : 0;
}

int source_module_collect(const struct sysroot *root, struct snapshot *snapshot,
			  struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	size_t size;
	int ret = read_text(root, &text, &size, false, err);

	if (ret < 0)
		return ret;
	snapshot->lists_all_pages = true;
	return devices_text_parse(text, size, snapshot, err);
}

void source_module_explain(const struct sysroot *root, struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	struct error whole = { 0 };

	if (read_text(root, &text, NULL, true, &whole) < 0)
		*err = whole;
}

int source_module_version(const struct sysroot *root, unsigned int *major,
			  unsigned int *minor, struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	int ret = read_text(root, &text, NULL, true, err);

	if (ret < 0)
		return ret;
	if (devices_text_version(text, major, minor) < 0)
		return error_doing(err, EBADMSG, NULL, devices_path,
				   "not the format %s", BUFSTAT_DEVICES_FORMAT);
	return 0;
}

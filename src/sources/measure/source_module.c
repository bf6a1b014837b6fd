// SPDX-License-Identifier: GPL-2.0-or-later
/* The module's figures, read from debugfs. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bufstat/devices.h>

#include "kernel/lockdown.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/sysroot.h"
#include "measure/devices_text.h"
#include "measure/snapshot.h"
#include "measure/source.h"

/* Room for a million devices; a larger file is not the module's. */
#define MAX_SIZE (64U << 20)

#define MAX_TYPES 65536
#define MAX_MOUNTS (16U << 20)

#define DEBUGFS "/sys/kernel/debug"
static const char devices_path[] = DEBUGFS "/" BUFSTAT_DEBUGFS_DIR
					   "/" BUFSTAT_DEBUGFS_DEVICES;

static bool is_loaded(const struct sysroot *root)
{
	return sysroot_exists(root, "/sys/module/bufstat");
}

/* The module is loaded, so its file or debugfs is missing. */
static enum lack debugfs_lack(const struct sysroot *root)
{
	_cleanup_(freep) char *types = NULL, *mounts = NULL;

	if (sysroot_exists(root, DEBUGFS "/" BUFSTAT_DEBUGFS_DIR))
		return LACK_DEBUGFS_FILE;
	if (sysroot_read(root, "/proc/filesystems", MAX_TYPES, &types, NULL) ==
		    0 &&
	    !strstr(types, "\tdebugfs\n"))
		return LACK_DEBUGFS;
	/* It may have gone, or not come, between two looks. */
	if (sysroot_read(root, "/proc/self/mounts", MAX_MOUNTS, &mounts,
			 NULL) == 0 &&
	    strstr(mounts, " " DEBUGFS " debugfs "))
		return LACK_DEBUGFS_FILE;
	return LACK_DEBUGFS_MOUNT;
}

enum lack source_module_lack(const struct sysroot *root, int number)
{
	switch (number) {
	case ENOENT:
	case ENOTDIR:
		return is_loaded(root) ? debugfs_lack(root) : LACK_MODULE;
	case EACCES:
		/* Before the module is loaded, being root does not help. */
		if (sysroot_is_live(root) && !is_loaded(root))
			return LACK_MODULE;
		return geteuid() ? LACK_ROOT : LACK_RIGHT;
	case EPERM:
		/* Others may refuse it, too, as a container's rules. */
		return lockdown_restricts(lockdown_level(root)) ?
			       LACK_DEBUGFS_IN_LOCKDOWN :
			       LACK_RIGHT;
	default:
		return LACKS_NOTHING;
	}
}

static int read_text(const struct sysroot *root, char **text, size_t *size,
		     struct error *err)
{
	int number = -sysroot_read(root, devices_path, MAX_SIZE, text, size);
	enum lack lack;

	if (number <= 0)
		return 0;
	if (number == EFBIG)
		return error_doing(err, EFBIG, NULL, devices_path,
				   "larger than %u MiB", MAX_SIZE >> 20);
	if (!sysroot_is_live(root) && (number == ENOENT || number == ENOTDIR))
		return error_object(err,
				    lack_error(err, LACK_FILE_IN_TREE, NULL),
				    "%s%s", root->prefix, devices_path);
	lack = source_module_lack(root, number);
	return lack ? lack_error(err, lack, DEBUGFS) :
		      error_errno(err, number, "reading", devices_path);
}

int source_module_collect(const struct sysroot *root, struct snapshot *snapshot,
			  struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	size_t size;
	int ret = read_text(root, &text, &size, err);

	if (ret < 0)
		return ret;
	snapshot->lists_all_pages = true;
	return devices_text_parse(text, size, snapshot, err);
}

int source_module_version(const struct sysroot *root, unsigned int *major,
			  unsigned int *minor, struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	int ret = read_text(root, &text, NULL, err);

	if (ret < 0)
		return ret;
	if (devices_text_version(text, major, minor) < 0)
		return error_doing(err, EBADMSG, NULL, devices_path,
				   "not the format %s", BUFSTAT_DEVICES_FORMAT);
	return 0;
}

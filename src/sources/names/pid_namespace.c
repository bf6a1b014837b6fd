// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/stat.h>
#include <unistd.h>

#include "names/pid_namespace.h"

#define FIRST 0xeffffffc /* PROC_PID_INIT_INO, since Linux 3.8 */
#define FIRST_USER 0xeffffffd /* PROC_USER_INIT_INO */

struct pid_namespace pid_namespace_here(void)
{
	struct pid_namespace here = { 0 };
	struct stat status;

	if (stat("/proc/self/ns/pid", &status) == 0) {
		here.device = status.st_dev;
		here.inode = status.st_ino;
		here.is_foreign = status.st_ino != FIRST;
	}
	return here;
}

bool is_first_root(void)
{
	struct stat status;

	return geteuid() == 0 && (stat("/proc/self/ns/user", &status) < 0 ||
				  status.st_ino == FIRST_USER);
}

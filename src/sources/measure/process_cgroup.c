// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/process_cgroup.h"
#include "worker/file_text.h"

#define MAX_FILE (64U << 10)

/*
 * "4:hugetlb,memory:/a" of version 1; of version 2 "0::/a", which comes last.
 * Returns the path, or NULL if the line is of other controllers.
 */
static const char *path_in(const char *line, bool *is_v1)
{
	static const char memory[] = "memory";
	const char *name = line + strcspn(line, ":\n");
	const char *path = *name ? strpbrk(name + 1, ":\n") : NULL;

	if (*name != ':' || !path || path[0] != ':' || path[1] != '/')
		return NULL;
	*is_v1 = name + 1 < path;
	while (name < path) {
		size_t length = strcspn(++name, ",:");

		if (!*is_v1 || (length == strlen(memory) &&
				memcmp(name, memory, length) == 0))
			return path + 1;
		name += length;
	}
	return NULL;
}

/* Linux 6.8 takes no mutex any more (9067d90006df). */
static bool may_wait(void)
{
	struct utsname kernel;
	unsigned int major, minor;

	return uname(&kernel) < 0 ||
	       sscanf(kernel.release, "%u.%u", &major, &minor) != 2 ||
	       major < 6 || (major == 6 && minor < 8);
}

static int read_text(const struct sysroot *root, const char *path, char **text)
{
	const struct file_text file = { .path = path, .limit = MAX_FILE };
	char why[ASK_WHY];

	return may_wait() ? file_text_ask(root, &file, text, NULL, why) :
			    sysroot_read(root, path, MAX_FILE, text, NULL);
}

int process_cgroup(const struct sysroot *root, unsigned int pid, char **path,
		   bool *is_v1)
{
	_cleanup_(freep) char *text = NULL;
	char name[64] = "/proc/self/cgroup";
	const char *found = NULL;
	bool of_v1;
	int ret;

	*path = NULL;
	if (pid)
		snprintf(name, sizeof(name), "/proc/%u/cgroup", pid);
	ret = read_text(root, name, &text);
	if (ret < 0)
		return only_enomem(ret);
	for (const char *line = text; *line && !found;) {
		found = path_in(line, &of_v1);
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	if (!found)
		return 0;
	if (is_v1)
		*is_v1 = of_v1;
	*path = strndup(found, strcspn(found, "\n"));
	return *path ? 0 : -ENOMEM;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "ask/patience.h"
#include "kernel/kcore.h"
#include "kernel/lockdown.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"

#define KCORE "/proc/kcore"
#define MAX_TEXT 65536

#define CAP_SYS_RAWIO_BIT (1ULL << 17)

static int read_memory(void *memory, uint64_t address, void *buffer,
		       size_t size)
{
	struct kcore *kcore = memory;
	uint64_t offset;
	int ret = patience_step(kcore->patience);

	if (ret < 0)
		return ret;
	if (!elf_core_find(&kcore->core, false, address, size, &offset))
		return -EFAULT;
	return elf_core_pread(kcore->fd, buffer, size, offset);
}

static bool has_rawio(const struct sysroot *root)
{
	_cleanup_(freep) char *status = NULL;
	const char *line;

	if (sysroot_read(root, "/proc/self/status", MAX_TEXT, &status, NULL) <
	    0)
		return true;
	line = strstr(status, "\nCapEff:");
	return !line || strtoull(line + strlen("\nCapEff:"), NULL, 16) &
				CAP_SYS_RAWIO_BIT;
}

/* The kernel returns EPERM for any of three reasons. */
static int explain_permission(const struct sysroot *root, struct error *err)
{
	const char *lockdown = lockdown_level(root);

	if (lockdown_hides(lockdown))
		return error_remedy(
			err,
			error_set(err, ERROR_UNUSABLE,
				  "lockdown=confidentiality refuses " KCORE),
			"boot with lockdown=integrity");
	if (!has_rawio(root))
		return error_remedy(
			err,
			error_set(err, ERROR_UNUSABLE,
				  KCORE " needs CAP_SYS_RAWIO"),
			"use sudo, or give the container or service that "
			"capability");
	return error_remedy(
		err,
		error_doing(err, ERROR_UNUSABLE, NULL, KCORE, "%s",
			    strerror(EPERM)),
		"lockdown, or a user namespace: run it on the host");
}

static int explain(const struct sysroot *root, int number, struct error *err)
{
	switch (number) {
	case ENOENT:
	case ENOTDIR:
		if (!sysroot_is_live(root))
			return error_object(err,
					    error_set(err, ERROR_UNUSABLE,
						      "not in this tree"),
					    "%s" KCORE, root->prefix);
		return error_remedy(err,
				    error_set(err, ERROR_UNUSABLE,
					      "this kernel has no " KCORE),
				    "one with CONFIG_PROC_KCORE=y");
	case EACCES:
		return error_remedy(err,
				    error_set(err, ERROR_UNUSABLE,
					      KCORE " is for root"),
				    "use sudo");
	case EPERM:
		return explain_permission(root, err);
	default:
		return error_doing(err, ERROR_UNUSABLE, "opening", KCORE, "%s",
				   strerror(number));
	}
}

int kcore_open(struct kcore *kcore, const struct sysroot *root,
	       struct error *err)
{
	int ret;

	*kcore = (struct kcore){
		.core.fd = -1,
		.patience = root->patience,
		.kmem = { read_memory, kcore },
	};
	kcore->about = patience_set_about(root->patience, KCORE);
	kcore->fd = sysroot_open(root, KCORE, O_RDONLY | O_NONBLOCK);
	if (kcore->fd < 0)
		return explain(root, -kcore->fd, err);
	ret = elf_core_init(&kcore->core, kcore->fd, err);
	if (ret < 0)
		return error_within(err, ret, NULL, KCORE);
	return 0;
}

void kcore_close(struct kcore *kcore)
{
	patience_set_about(kcore->patience, kcore->about);
	elf_core_deinit(&kcore->core);
	closep(&kcore->fd);
	kcore->fd = -1;
}

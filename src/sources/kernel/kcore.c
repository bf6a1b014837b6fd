// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "kernel/kcore.h"
#include "kernel/lockdown.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "worker/patience.h"

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
	line = value_of_line(status, "CapEff:");
	return !line || strtoull(line, NULL, 16) & CAP_SYS_RAWIO_BIT;
}

enum lack kcore_lack(const struct sysroot *root, int number)
{
	switch (number) {
	case ENOENT:
	case ENOTDIR:
		return LACK_KCORE;
	case EACCES:
		/* Root of a user namespace is not who may. */
		return geteuid() ? LACK_ROOT : LACK_RIGHT_TO_KCORE;
	case EPERM: /* for any of three reasons */
		if (lockdown_hides(lockdown_level(root)))
			return LACK_KCORE_IN_LOCKDOWN;
		return has_rawio(root) ? LACK_RIGHT_TO_KCORE : LACK_RAWIO;
	default:
		return LACKS_NOTHING;
	}
}

static int explain(const struct sysroot *root, int number, struct error *err)
{
	enum lack lack = kcore_lack(root, number);

	if (lack == LACK_KCORE && !sysroot_is_live(root))
		return error_object(err,
				    lack_error(err, LACK_FILE_IN_TREE, NULL),
				    "%s" KCORE, root->prefix);
	if (!lack)
		return error_doing(err, ERROR_UNUSABLE, "opening", KCORE, "%s",
				   strerror(number));
	lack_error(err, lack, lack == LACK_ROOT ? KCORE : strerror(number));
	return error_within(err, -EOPNOTSUPP, NULL,
			    lack == LACK_RIGHT_TO_KCORE ? KCORE : NULL);
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

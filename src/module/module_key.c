// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "cleanup.h"
#include "module_key.h"
#include "sysroot.h"

#define EFIVARS "/sys/firmware/efi/efivars/"
#define SECURE_BOOT EFIVARS "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define MOK_NEW EFIVARS "MokNew-605dab50-e046-4300-abb6-3dd810dd8b23"
#define MAX_KEYS (1U << 20)

static bool exists(const struct sysroot *root, const char *path)
{
	_cleanup_(closep) int fd = sysroot_open(root, path, O_PATH);

	return fd >= 0;
}

/* Four bytes of attributes, then a 1. */
static bool read_secure_boot(const struct sysroot *root)
{
	_cleanup_(freep) char *data = NULL;
	size_t size;

	return sysroot_read(root, SECURE_BOOT, 4096, &data, &size) == 0 &&
	       size == 5 && data[4] == 1;
}

/*
 * Lines "ID FLAGS USES TIMEOUT PERM UID GID asymmetri NAME: KEYID: X509.rsa
 * ...", in which NAME ends with the signer's.
 */
static bool has_key(char *keys, const char *signer)
{
	size_t length = strlen(signer);
	char *line;

	while ((line = strsep(&keys, "\n"))) {
		const char *name = strstr(line, " asymmetri ");

		while (name && (name = strstr(name + 1, signer))) {
			if (name[-1] == ' ' &&
			    strncmp(name + length, ": ", 2) == 0)
				return true;
		}
	}
	return false;
}

static enum key_state read_state(const struct sysroot *root, const char *signer)
{
	_cleanup_(freep) char *keys = NULL;

	if (!signer ||
	    sysroot_read(root, "/proc/keys", MAX_KEYS, &keys, NULL) < 0)
		return KEY_UNKNOWN;
	if (has_key(keys, signer))
		return KEY_PRESENT;
	return exists(root, MOK_NEW) ? KEY_WAITING : KEY_ABSENT;
}

void module_key_read(struct module_key *key, const struct sysroot *root,
		     const char *signer)
{
	/* DKMS's own, and the one that Ubuntu's DKMS uses. */
	static const char *const certificates[] = {
		"/var/lib/dkms/mok.pub",
		"/var/lib/shim-signed/mok/MOK.der",
	};

	*key = (struct module_key){
		.secure_boot = read_secure_boot(root),
		.state = read_state(root, signer),
	};
	for (size_t i = 0; i < sizeof(certificates) / sizeof(*certificates);
	     i++) {
		if (!key->certificate && exists(root, certificates[i]))
			key->certificate = certificates[i];
	}
}

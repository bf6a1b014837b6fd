/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The key that the module is signed with, as Secure Boot sees it: does the
 * kernel know it, is its enrolment under way, where is its certificate?
 */
#ifndef BUFSTAT_MODULE_KEY_H
#define BUFSTAT_MODULE_KEY_H

#include <stdbool.h>

struct sysroot;

enum key_state {
	KEY_UNKNOWN, /* /proc/keys cannot be read, or there is no signature */
	KEY_ABSENT,
	KEY_WAITING, /* for the next boot, where MokManager asks */
	KEY_PRESENT,
};

struct module_key {
	bool secure_boot;
	enum key_state state;
	const char *certificate; /* static: its path, or NULL if there is none */
};

/*
 * @signer is the name in the module's signature, or NULL. Reads /proc/keys
 * (Linux with CONFIG_KEYS; other users' keys are not in it, the kernel's are)
 * and the EFI variables that shim keeps.
 */
void module_key_read(struct module_key *key, const struct sysroot *root,
		     const char *signer);

#endif

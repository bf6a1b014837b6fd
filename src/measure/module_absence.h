/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the module is not there, and the one thing that would help on this host:
 * every command that misses it says the same.
 */
#ifndef BUFSTAT_MODULE_ABSENCE_H
#define BUFSTAT_MODULE_ABSENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/string_list.h"

struct sysroot;

/* Which modules the kernel takes. */
struct module_policy {
	bool unsupported; /* none: CONFIG_MODULES=n */
	bool forbidden; /* none: sysctl kernel.modules_disabled */
	bool signatures_enforced; /* module.sig_enforce */
	const char *lockdown; /* as lockdown_level() says, static */
};

void module_policy_read(struct module_policy *policy,
			const struct sysroot *root);

static inline bool module_policy_loads_none(const struct module_policy *policy)
{
	return policy->unsupported || policy->forbidden;
}

/* Only those that are signed with a key it knows? */
bool module_policy_wants_signature(const struct module_policy *policy);

struct module_absence {
	char reason[192];
	char remedy[384];
};

/* Of the running host's module, which is not loaded; @root may be a test's. */
void module_absence_read(struct module_absence *absence,
			 const struct sysroot *root);

/* For @kernel, a release; module_absence_read() takes the running one. */
void module_absence_of(struct module_absence *absence,
		       const struct sysroot *root, const char *kernel);

/*
 * What it takes to install the module for @kernel, in @remedy of @size bytes.
 * False if it is installed.
 */
bool module_install_remedy(const struct sysroot *root, const char *kernel,
			   char *remedy, size_t size);

/* What there is of the module, for which kernels. */
struct module_built {
	bool for_kernel; /* installed for this one */
	struct string_list kernels; /* for these, in no order, if they were
				     * looked for */
	char *dkms_version; /* that DKMS has the sources of, or NULL */
	bool has_headers; /* this kernel's, to build it with */
	/* The errno of what could not be read, or 0: then there may be more. */
	int failed;
	const char *failed_at; /* static */
};

/* @kernel is its release. */
void module_built_init(struct module_built *built, const struct sysroot *root,
		       const char *kernel);
/* Takes longer the more kernels there are. */
void module_built_find_kernels(struct module_built *built,
			       const struct sysroot *root);
void module_built_deinit(struct module_built *built);

/*
 * The key that the module is signed with, as Secure Boot sees it: does the
 * kernel know it, is its enrolment under way, where is its certificate?
 */

enum key_state {
	KEY_UNKNOWN, /* /proc/keys cannot be read, or there is no signature */
	KEY_ABSENT,
	KEY_WAITING, /* for the next boot, where MokManager asks */
	KEY_PRESENT,
};

struct module_key {
	bool secure_boot;
	enum key_state state;
	bool is_waiting; /* one, for the next boot, where MokManager asks */
	const char *certificate; /* static: its path, or NULL if there is none */
};

/*
 * @signer is the name in the module's signature, or NULL. Reads /proc/keys
 * (Linux with CONFIG_KEYS; other users' keys are not in it, the kernel's are)
 * and the EFI variables that shim keeps.
 */
void module_key_read(struct module_key *key, const struct sysroot *root,
		     const char *signer);

/* Is there a key of the kernel's whose name is in this certificate (DER)? */
bool module_key_is_known(const struct sysroot *root, const char *certificate);

#endif

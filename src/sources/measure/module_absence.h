/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the module is not loaded, and the one thing that would help on this host.
 * Every command that lacks the module says the same.
 */
#ifndef BUFSTAT_MODULE_ABSENCE_H
#define BUFSTAT_MODULE_ABSENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/string_list.h"

struct error;
struct sysroot;

/* Which modules the kernel accepts. */
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

/* Whether it accepts only modules that are signed with a key it knows. */
bool module_policy_wants_signature(const struct module_policy *policy);

/*
 * Explains why the running host's module is not loaded, if @err says no more
 * than that (LACK_MODULE). @root may be a test's. Looks for its files in /lib
 * and /var in a worker; their disk may not answer.
 */
void module_absence_complete(struct error *err, const struct sysroot *root);

/* The same for the kernel release @kernel, whatever @err says. */
void module_absence_of(struct error *err, const struct sysroot *root,
		       const char *kernel);

/*
 * Writes to @remedy, of @size bytes, what it takes to install the module for
 * @kernel. Returns false if it is installed.
 */
bool module_install_remedy(const struct sysroot *root, const char *kernel,
			   char *remedy, size_t size);

/* The kernels that have the module, and what there is to build it. */
struct module_built {
	bool for_kernel; /* it is installed for this kernel */
	/*
	 * The kernels that it is installed for, in no order. Only
	 * module_built_find_kernels() fills this in.
	 */
	struct string_list kernels;
	char *dkms_version; /* version whose sources DKMS has, or NULL */
	bool has_headers; /* this kernel's headers are there to build it */
	/* 0, or the errno of a read that failed: there may then be more. */
	int failed;
	const char *failed_at; /* static: the directory, if failed */
};

/* @kernel is a kernel release. */
void module_built_init(struct module_built *built, const struct sysroot *root,
		       const char *kernel);
/* Fills in @built->kernels. Takes longer the more kernels there are. */
void module_built_find_kernels(struct module_built *built,
			       const struct sysroot *root);
void module_built_deinit(struct module_built *built);

/*
 * The key that the module is signed with, as Secure Boot sees it: whether the
 * kernel knows it, whether it is being enrolled, and where its certificate is.
 */

enum key_state {
	KEY_UNKNOWN, /* /proc/keys cannot be read, or there is no signature */
	KEY_ABSENT,
	KEY_WAITING, /* MokManager asks for it at the next boot */
	KEY_PRESENT,
};

struct module_key {
	bool secure_boot;
	enum key_state state;
	bool is_waiting; /* MokManager asks for a key at the next boot */
	const char *certificate; /* static: its path, or NULL if there is none */
};

/*
 * @signer is the name in the module's signature, or NULL. Reads the EFI
 * variables that shim keeps, and /proc/keys (needs CONFIG_KEYS), which lists
 * the kernel's keys but not those of other users.
 */
void module_key_read(struct module_key *key, const struct sysroot *root,
		     const char *signer);

#endif

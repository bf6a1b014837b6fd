/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inspects, loads and unloads the kernel module. Acts on the running host. The
 * only user of libkmod, which is loaded on the first call that needs it:
 * linking it would make every start of bufstat cost twice as much.
 */
#ifndef BUFSTAT_MODULE_H
#define BUFSTAT_MODULE_H

#include <stdbool.h>

#include "measure/module_absence.h"

struct error;

/* Members that are unknown or absent are NULL or "". */
struct module_facts {
	char kernel[128]; /* the running kernel's release */
	char *path; /* the module's file for this kernel */
	char *version; /* that file's version */
	char *built_for; /* the release in its vermagic */
	char *signer; /* who signed it; NULL: unsigned */
	bool loaded;
	char *loaded_version;
	struct module_policy policy;
};

/*
 * Returns 0, or a negative errno if libkmod cannot be used; the kernel's facts
 * are filled in all the same. The caller deinits @facts in either case.
 */
int module_facts_init(struct module_facts *facts, struct error *err);
void module_facts_deinit(struct module_facts *facts);

/*
 * Loads the module, from @path if that is not NULL. Returns 0, -EEXIST if it
 * was loaded already, or another negative errno; @err tells what to do.
 */
int module_load(const char *path, struct error *err);

/*
 * Unloads the module. Returns 0, -ENOENT if it was not loaded, or another
 * negative errno.
 */
int module_unload(struct error *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_MODULE_BUILT_H
#define BUFSTAT_MODULE_BUILT_H

#include <stdbool.h>

#include "string_list.h"

struct sysroot;

/* What of the module is there when it is not there for this kernel. */
struct module_built {
	struct string_list kernels; /* that it is installed for, in no order */
	char *dkms_version; /* that DKMS has the sources of, or NULL */
	bool has_headers; /* this kernel's, to build it with */
};

/* @kernel is its release. What cannot be read is not there. */
void module_built_init(struct module_built *built, const struct sysroot *root,
		       const char *kernel);
void module_built_deinit(struct module_built *built);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "lib/error.h"
#include "lib/library.h"

int library_open(const char *file, const char *packages,
		 const struct library_symbol *symbols, size_t count,
		 void **handle, struct error *err)
{
	*handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!*handle)
		return error_remedy(err,
				    error_doing(err, ENOENT,
						"loading a library", NULL, "%s",
						dlerror()),
				    "install %s", packages);
	for (size_t i = 0; i < count; i++) {
		void *symbol = dlsym(*handle, symbols[i].name);

		if (!symbol) {
			error_doing(err, ENOENT, "loading a library", NULL,
				    "%s", dlerror());
			dlclose(*handle);
			*handle = NULL;
			return -ENOENT;
		}
		memcpy(symbols[i].place, &symbol, sizeof(symbol));
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#include "error.h"
#include "kdumpfile.h"
#include "library.h"

#define LIBKDUMPFILE "libkdumpfile"
#define PACKAGES "libkdumpfile10 or libkdumpfile"

/* As <libkdumpfile/kdumpfile.h> has them (0.5). */
enum { STATUS_OK = 0, STATUS_NO_DATA = 3 };
enum { MACHINE_PHYSICAL = 1 };
enum { ATTRIBUTE_STRING = 4 };

struct attribute {
	int type;
	union {
		uint64_t number;
		const char *string;
	};
};

struct kdumpfile_library {
	void *handle;
	void *(*create)(void);
	void (*destroy)(void *context);
	int (*open)(void *context, unsigned int count, const int *fds);
	int (*set)(void *context, const char *key,
		   const struct attribute *value);
	int (*read)(void *context, int space, uint64_t address, void *buffer,
		    size_t *length);
	int (*vmcoreinfo)(void *context, char **text);
	const char *(*error)(void *context);
};

static int read_physical(void *memory, uint64_t address, void *buffer,
			 size_t size)
{
	const struct kdumpfile *dump = memory;

	switch (dump->library->read(dump->context, MACHINE_PHYSICAL, address,
				    buffer, &size)) {
	case STATUS_OK:
		return 0;
	case STATUS_NO_DATA:
		return -ENODATA;
	default:
		return -EIO;
	}
}

static int load(struct kdumpfile_library *library, struct error *err)
{
	const struct library_symbol symbols[] = {
		{ "kdump_new", &library->create },
		{ "kdump_free", &library->destroy },
		{ "kdump_open_fdset", &library->open },
		{ "kdump_set_attr", &library->set },
		{ "kdump_read", &library->read },
		{ "kdump_vmcoreinfo_raw", &library->vmcoreinfo },
		{ "kdump_get_err", &library->error },
	};

	/* 0.5.0 to 0.5.4, and 0.5.5; these functions are the same in both. */
	static const char *const files[] = { "libkdumpfile.so.12",
					     "libkdumpfile.so.10" };
	int ret = -ENOENT;

	for (size_t i = 0; ret < 0 && i < sizeof(files) / sizeof(*files); i++)
		ret = library_open(files[i], PACKAGES, symbols,
				   sizeof(symbols) / sizeof(*symbols),
				   &library->handle, err);
	return ret;
}

/* Only of a kernel that is said to be Linux has the library VMCOREINFO. */
static void read_vmcoreinfo(struct kdumpfile *dump)
{
	const struct attribute linux_kernel = { .type = ATTRIBUTE_STRING,
						.string = "linux" };

	dump->library->set(dump->context, "addrxlat.ostype", &linux_kernel);
	if (dump->library->vmcoreinfo(dump->context, &dump->vmcoreinfo) !=
	    STATUS_OK)
		dump->vmcoreinfo = NULL;
}

int kdumpfile_init(struct kdumpfile *dump, int fd, struct error *err)
{
	struct error reason;

	*dump = (struct kdumpfile){ .physical = { read_physical, dump } };
	dump->library = calloc(1, sizeof(*dump->library));
	if (!dump->library)
		return error_errno(err, ENOMEM, "loading", LIBKDUMPFILE);
	if (load(dump->library, &reason) < 0)
		return error_set(err, EOPNOTSUPP,
				 "not an ELF dump, and for others: %s",
				 reason.text);
	dump->context = dump->library->create();
	if (!dump->context)
		return error_errno(err, ENOMEM, "loading", LIBKDUMPFILE);
	if (dump->library->open(dump->context, 1, &fd) != STATUS_OK)
		return error_set(err, EBADMSG,
				 "not an ELF dump, nor one that libkdumpfile "
				 "reads: %s",
				 dump->library->error(dump->context));
	read_vmcoreinfo(dump);
	return 0;
}

void kdumpfile_deinit(struct kdumpfile *dump)
{
	free(dump->vmcoreinfo);
	if (dump->context)
		dump->library->destroy(dump->context);
	if (dump->library && dump->library->handle)
		dlclose(dump->library->handle);
	free(dump->library);
	*dump = (struct kdumpfile){ 0 };
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "kernel/kdumpfile.h"
#include "lib/error.h"
#include "lib/library.h"

#define LIBKDUMPFILE "libkdumpfile"

/* From <libkdumpfile/kdumpfile.h> (0.5), which may not be installed. */
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

static int load(struct kdumpfile *dump, struct error *err)
{
	const struct library_symbol symbols[] = {
		{ "kdump_new", &dump->create },
		{ "kdump_open_fdset", &dump->open },
		{ "kdump_set_attr", &dump->set },
		{ "kdump_read", &dump->get },
		{ "kdump_vmcoreinfo_raw", &dump->get_vmcoreinfo },
		{ "kdump_get_err", &dump->get_error },
	};

	return library_open(LIBRARY_KDUMPFILE, symbols,
			    sizeof(symbols) / sizeof(*symbols), &dump->handle,
			    err);
}

static int open_dump(struct kdumpfile *dump, int fd, struct error *err)
{
	struct error reason;
	char text[ERROR_TEXT_SIZE];

	if (load(dump, &reason) < 0)
		return error_set(err, ERROR_UNUSABLE,
				 "not an ELF dump, and for others: %s",
				 error_text(&reason, text));
	dump->context = dump->create();
	if (!dump->context)
		return error_errno(err, ENOMEM, "loading", LIBKDUMPFILE);
	if (dump->open(dump->context, 1, &fd) != STATUS_OK)
		return error_set(err, EBADMSG,
				 "not an ELF dump, nor one that libkdumpfile "
				 "reads: %s",
				 dump->get_error(dump->context));
	return 0;
}

/* The library has VMCOREINFO only if it is told that the kernel is Linux. */
static char *read_vmcoreinfo(struct kdumpfile *dump)
{
	const struct attribute linux_kernel = { .type = ATTRIBUTE_STRING,
						.string = "linux" };
	char *text;

	dump->set(dump->context, "addrxlat.ostype", &linux_kernel);
	if (dump->get_vmcoreinfo(dump->context, &text) != STATUS_OK)
		return NULL;
	return text;
}

static int read_physical(void *memory, uint64_t address, void *buffer,
			 size_t size)
{
	const struct kdumpfile *dump = memory;
	size_t length = size;

	switch (dump->get(dump->context, MACHINE_PHYSICAL, address, buffer,
			  &length)) {
	case STATUS_OK:
		return 0;
	case STATUS_NO_DATA:
		return -ENODATA;
	default:
		return -EIO;
	}
}

int kdumpfile_init(struct kdumpfile *dump, int fd, struct error *err)
{
	int ret;

	*dump = (struct kdumpfile){ .physical = { read_physical, dump } };
	ret = open_dump(dump, fd, err);
	if (!ret)
		dump->vmcoreinfo = read_vmcoreinfo(dump);
	return ret;
}

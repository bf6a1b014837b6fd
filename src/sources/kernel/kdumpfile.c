// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>

#include "kernel/kdumpfile.h"
#include "lib/error.h"
#include "lib/library.h"

#define LIBKDUMPFILE "libkdumpfile"

/* From <libkdumpfile/kdumpfile.h> (0.5), which may not be installed. */
enum { STATUS_OK = 0, STATUS_NO_DATA = 3 };
enum { MACHINE_PHYSICAL = 1 };
enum { ATTRIBUTE_NUMBER = 2, ATTRIBUTE_STRING = 4, ATTRIBUTE_BITMAP = 5 };

struct attribute {
	int type;
	union {
		uint64_t number;
		const char *string;
		void *bitmap;
	};
};

static int load(struct kdumpfile *dump, struct error *err)
{
	const struct library_symbol symbols[] = {
		{ "kdump_new", &dump->create },
		{ "kdump_open_fdset", &dump->open },
		{ "kdump_set_attr", &dump->set },
		{ "kdump_get_attr", &dump->get_attribute },
		{ "kdump_bmp_find_clear", &dump->find_clear },
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

/* Not every format has a map of its pages. */
static void find_pages(struct kdumpfile *dump)
{
	struct attribute page_size, pages;

	if (dump->get_attribute(dump->context, "arch.page_size", &page_size) !=
		    STATUS_OK ||
	    page_size.type != ATTRIBUTE_NUMBER || !page_size.number ||
	    dump->get_attribute(dump->context, "file.pagemap", &pages) !=
		    STATUS_OK ||
	    pages.type != ATTRIBUTE_BITMAP)
		return;
	dump->page_size = page_size.number;
	dump->pages = pages.bitmap;
}

/*
 * The library is not asked for what the dump lacks. After some such pages the
 * cache of 0.5.1 has no memory for a page that is there, and the library
 * crashes (repaired in January 2024, e63dab40c8ce).
 */
static bool lacks_page(const struct kdumpfile *dump, uint64_t address,
		       size_t size)
{
	uint64_t found = address / (dump->pages ? dump->page_size : 1);

	return dump->pages && size &&
	       dump->find_clear(dump->pages, &found) == STATUS_OK &&
	       found <= (address + size - 1) / dump->page_size;
}

static int read_physical(void *memory, uint64_t address, void *buffer,
			 size_t size)
{
	const struct kdumpfile *dump = memory;
	size_t length = size;

	if (lacks_page(dump, address, size))
		return -ENODATA;
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
	if (ret)
		return ret;
	dump->vmcoreinfo = read_vmcoreinfo(dump);
	find_pages(dump);
	return 0;
}

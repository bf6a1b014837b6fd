// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "drop/drop.h"
#include "drop/drop_targets.h"
#include "drop/drop_text.h"
#include "test.h"

#define NOT_KNOWN                                                              \
	"       not known: whether a write to it has failed; kcore and the "   \
	"module can tell (bufstat sources); all stays without "                \
	"--despite-errors\n"

/* A device without users; pages have 4 KiB. */
static struct drop_target target_of(const char *name)
{
	return (struct drop_target){ .name = name };
}

static struct drop_device device_of(const struct drop_target *target)
{
	return (struct drop_device){ .target = target,
				     .result = { .source = "module",
						 .page_size = 4096 } };
}

static void set_pages(struct drop_pages *pages, uint64_t count, uint64_t dirty,
		      uint64_t writeback)
{
	*pages = (struct drop_pages){
		true, count, true, dirty, true, writeback
	};
}

static void set_buffers(struct meminfo *meminfo, uint64_t kib)
{
	meminfo->kib[MEMINFO_BUFFERS] = kib;
	meminfo->present |= 1U << MEMINFO_BUFFERS;
}

static void expect(const struct drop_device *device, bool bytes,
		   const char *expected)
{
	const struct drop_style style = { .width = 5, .unit.power = bytes };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(drop_text_put(out, device, &style), 0);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void all_released(void **state __attribute__((unused)))
{
	struct drop_target target = target_of("loop0");
	struct drop_device device = device_of(&target);

	set_pages(&device.result.before, 5760, 0, 0);
	set_pages(&device.result.after, 0, 0, 0);
	expect(&device, false,
	       "loop0  before 22.5M (0 dirty)  after 0  released 22.5M\n");
	expect(&device, true,
	       "loop0  before 23592960 (0 dirty)  after 0  "
	       "released 23592960\n");
	assert_false(drop_pages_are_dirty(&device.result.after));
}

/* Each character is two columns wide. */
static void wide_names_keep_to_theirs(void **state __attribute__((unused)))
{
	struct drop_target target = target_of("\u65e5");
	struct drop_device device = device_of(&target);

	set_pages(&device.result.before, 1, 0, 0);
	set_pages(&device.result.after, 0, 0, 0);
	expect(&device, false,
	       "\u65e5     before 4K (0 dirty)  after 0  released 4K\n");
}

static void nothing_was_there(void **state __attribute__((unused)))
{
	struct drop_target target = target_of("sd");
	struct drop_device device = device_of(&target);

	set_pages(&device.result.before, 0, 0, 0);
	set_pages(&device.result.after, 0, 0, 0);
	expect(&device, false,
	       "sd     before 0 (0 dirty)  after 0  released 0\n");
}

static void pages_in_use_stay(void **state __attribute__((unused)))
{
	struct drop_target target = target_of("loop0");
	struct drop_device device = device_of(&target);
	char *mountpoints[] = { (char *)"/mnt", (char *)"/srv/a\nb" };
	char *holders[] = { (char *)"vg-root" };

	set_pages(&device.result.before, 5760, 3, 0);
	set_pages(&device.result.after, 4, 0, 0);
	expect(&device, false,
	       "loop0  before 22.5M (12K dirty)  after 16K  released 22.5M\n"
	       "       16K stayed: in use\n");

	device.openers = 1;
	expect(&device, false,
	       "loop0  before 22.5M (12K dirty)  after 16K  released 22.5M\n"
	       "       16K stayed: in use (opened 1 time)\n");

	target.names.holders = (struct string_list){ holders, 1 };
	expect(&device, false,
	       "loop0  before 22.5M (12K dirty)  after 16K  released 22.5M\n"
	       "       16K stayed: in use (used by vg-root)\n");

	target.names.mountpoints = (struct string_list){ mountpoints, 2 };
	expect(&device, false,
	       "loop0  before 22.5M (12K dirty)  after 16K  released 22.5M\n"
	       "       16K stayed: in use (mounted on /mnt, /srv/a\\x0ab; "
	       "used by vg-root)\n");
	assert_false(drop_pages_are_dirty(&device.result.after));
}

static void dirty_pages_stay(void **state __attribute__((unused)))
{
	struct drop_target target = target_of("loop0");
	struct drop_device device = device_of(&target);

	set_pages(&device.result.before, 100, 100, 0);
	set_pages(&device.result.after, 8, 2, 0);
	expect(&device, false,
	       "loop0  before 400K (400K dirty)  after 32K  released 368K\n"
	       "       32K stayed: 8K dirty, written to meanwhile; "
	       "the rest in use\n");
	assert_true(drop_pages_are_dirty(&device.result.after));

	set_pages(&device.result.after, 8, 2, 6);
	expect(&device, false,
	       "loop0  before 400K (400K dirty)  after 32K  released 368K\n"
	       "       32K stayed: 8K dirty, written to meanwhile; "
	       "24K being written to the device\n");

	set_pages(&device.result.after, 8, 0, 8);
	expect(&device, false,
	       "loop0  before 400K (400K dirty)  after 32K  released 368K\n"
	       "       32K stayed: 32K being written to the device\n");
	assert_true(drop_pages_are_dirty(&device.result.after));
}

static void others_read_meanwhile(void **state __attribute__((unused)))
{
	struct drop_target target = target_of("loop0");
	struct drop_device device = device_of(&target);

	set_pages(&device.result.before, 1, 0, 0);
	set_pages(&device.result.after, 3, 0, 0);
	expect(&device, false,
	       "loop0  before 4K (0 dirty)  after 12K  grew by 8K, "
	       "read or written meanwhile\n"
	       "       12K stayed: in use\n");
}

static void figures_that_are_not_there(void **state __attribute__((unused)))
{
	struct drop_target target = target_of("loop0");
	struct drop_device device = device_of(&target);

	device.result.before =
		(struct drop_pages){ .has_pages = true, .pages = 2 };
	device.result.after = (struct drop_pages){ .has_pages = true };
	expect(&device, false, "loop0  before 8K  after 0  released 8K\n");

	device = device_of(&target);
	set_buffers(&device.host_before, 2048);
	set_buffers(&device.host_after, 1024);
	expect(&device, false,
	       "loop0  done, but not measured\n"
	       "       Buffers of the whole host: before 2M  after 1M\n");

	set_pages(&device.result.before, 2, 1, 0);
	expect(&device, false,
	       "loop0  before 8K (4K dirty)  after unknown\n"
	       "       Buffers of the whole host: before 2M  after 1M\n");

	device = device_of(&target);
	expect(&device, false,
	       "loop0  done, but not measured\n"
	       "       Buffers of the whole host: before unknown  "
	       "after unknown\n");
}

static void what_would_be_released(void **state __attribute__((unused)))
{
	struct drop_target target = target_of("vda1");
	struct drop_device device = device_of(&target);
	char *mountpoints[] = { (char *)"/" };

	device.result.dry_run = true;
	expect(&device, false, "vda1   not measured\n" NOT_KNOWN);
	device.knows_write_error = true;
	expect(&device, false, "vda1   not measured\n");
	set_pages(&device.result.before, 0, 0, 0);
	expect(&device, false, "vda1   nothing to release\n");
	set_pages(&device.result.before, 256, 0, 0);
	expect(&device, false, "vda1   would release up to 1M (0 dirty)\n");
	target.names.mountpoints = (struct string_list){ mountpoints, 1 };
	set_pages(&device.result.before, 256, 1, 0);
	expect(&device, false,
	       "vda1   would release up to 1M (4K dirty, to be written "
	       "first)\n"
	       "       some may stay: in use (mounted on /)\n");
}

/* Writes that failed or may have failed. */
static void write_errors(void **state __attribute__((unused)))
{
	struct drop_target target = target_of("vda1");
	struct drop_device device = device_of(&target);

	device.result.dry_run = true;
	set_pages(&device.result.before, 256, 0, 0);
	expect(&device, false,
	       "vda1   would release up to 1M (0 dirty)\n" NOT_KNOWN);
	device.knows_write_error = true;
	device.write_error = EIO;
	expect(&device, false,
	       "vda1   would release up to 1M (0 dirty)\n"
	       "       despite a write error (EIO)\n");
	/* After the drop, an unknown write error is not mentioned. */
	device.result.dry_run = false;
	set_pages(&device.result.after, 0, 0, 0);
	expect(&device, false,
	       "vda1   before 1M (0 dirty)  after 0  released 1M\n"
	       "       despite a write error (EIO)\n");
	device.knows_write_error = false;
	expect(&device, false,
	       "vda1   before 1M (0 dirty)  after 0  released 1M\n");
}

static void a_device_without_sectors(void **state __attribute__((unused)))
{
	struct drop_target target = target_of("loop7");
	struct drop_device device = device_of(&target);

	target.names.has_size = true;
	expect(&device, false,
	       "loop7  nothing to release: it has no sectors\n");
	/* The loop device's file was truncated while the device was open. */
	device.result.dry_run = true;
	set_pages(&device.result.before, 256, 0, 0);
	expect(&device, false,
	       "loop7  would release up to 1M (0 dirty)\n" NOT_KNOWN);
}

static void a_name_wider_than_asked(void **state __attribute__((unused)))
{
	struct drop_target target = target_of("a\033[31m-name");
	struct drop_device device = device_of(&target);

	device.result.dry_run = true;
	expect(&device, false, "a\\x1b[31m-name  not measured\n" NOT_KNOWN);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_released),
		cmocka_unit_test(wide_names_keep_to_theirs),
		cmocka_unit_test(nothing_was_there),
		cmocka_unit_test(pages_in_use_stay),
		cmocka_unit_test(dirty_pages_stay),
		cmocka_unit_test(others_read_meanwhile),
		cmocka_unit_test(figures_that_are_not_there),
		cmocka_unit_test(what_would_be_released),
		cmocka_unit_test(write_errors),
		cmocka_unit_test(a_device_without_sectors),
		cmocka_unit_test(a_name_wider_than_asked),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

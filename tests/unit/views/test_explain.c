// SPDX-License-Identifier: GPL-2.0-or-later
/* Hand-made facts for every sentence; whole hosts are in fixtures. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "explain/explain_facts.h"
#include "made_devices.h"
#include "made_facts.h"
#include "test.h"

#define VERDICT "verdict"

#define MAX_DEVICES 32

static const char whole_meminfo[] =
	"MemTotal: 1000000 kB\nMemFree: 100000 kB\nMemAvailable: 600000 kB\n"
	"Buffers: 4000 kB\nCached: 400000 kB\nSReclaimable: 30000 kB\n"
	"Shmem: 7000 kB\nMapped: 20000 kB\nDirty: 40 kB\n"
	"SwapTotal: 200000 kB\nSwapFree: 150000 kB\n";

/* A host and the facts about it. Only its samples are on the heap. */
struct host {
	struct explain_facts facts;
	struct explain_device devices[MAX_DEVICES];
};

static void host_init(struct host *host, const char *meminfo)
{
	*host = (struct host){ .facts.provenance.kernel = "6.1.0" };
	host->facts.devices = host->devices;
	host->facts.openers.processes = 1;
	host->facts.buffers.page_size = 4096;
	host->facts.buffers.source = "module";
	meminfo_parse(&host->facts.buffers.meminfo, meminfo, strlen(meminfo));
}

/* @pages below zero: not measured. Add devices with the most pages first. */
static struct explain_device *host_add(struct host *host, const char *name,
				       int pages)
{
	struct devices *devices = &host->facts.buffers;
	unsigned int minor = (unsigned int)devices->count;
	struct sample *sample = made_device(devices, 8, minor);

	assert_true(minor < MAX_DEVICES);
	if (pages >= 0)
		sample_set(sample, FIGURE_PAGES, (uint64_t)pages);
	else
		sample->refused = strdup("opening: /dev/x: no");
	host->devices[minor].of.names.name = (char *)name;
	host->devices[minor].of.names.kname = (char *)name;
	host->devices[minor].of.names.has_mounts = true;
	return &host->devices[minor];
}

static struct sample *last_sample(struct host *host)
{
	struct devices *devices = &host->facts.buffers;

	return &devices->devices[devices->count - 1].sample;
}

/* The paragraph of a column, VERDICT, or the head. */
static char *explain(struct host *host, const char *topic)
{
	struct explain_facts *facts = &host->facts;
	const struct devices kept = {
		.meminfo = facts->buffers.meminfo,
		.collected = facts->buffers.collected,
		.why = facts->buffers.why,
	};
	struct explanation explanation;
	unsigned int columns = 0;
	char *text = NULL;

	made_facts_finish(facts, host->devices);
	if (*topic && strcmp(topic, VERDICT) != 0)
		assert_int_equal(explain_column_add(&columns, topic, NULL), 0);
	assert_int_equal(explanation_init(&explanation, facts, columns), 0);
	for (size_t i = 0; i < explanation.count; i++) {
		const struct paragraph *paragraph = &explanation.paragraphs[i];

		/* The verdict comes first, and after it the head last. */
		bool is_it = strcmp(topic, VERDICT) == 0 ? i == 0 :
			     *topic ? strncmp(paragraph->heading, topic,
					      strlen(topic)) == 0 :
				      i + 1 == explanation.count;

		if (is_it)
			assert_true(asprintf(&text, "%s\n%s",
					     paragraph->heading,
					     paragraph->text) > 0);
	}
	explanation_deinit(&explanation);
	devices_deinit(&facts->buffers);
	facts->buffers = kept;
	assert_non_null(text);
	return text;
}

static void expect_said(struct host *host, const char *topic,
			const char *expected)
{
	char *text = explain(host, topic);

	if (!strstr(text, expected))
		fail_msg("\"%s\" is not in: %s", expected, text);
	free(text);
}

static void expect_unsaid(struct host *host, const char *topic,
			  const char *unexpected)
{
	char *text = explain(host, topic);

	if (strstr(text, unexpected))
		fail_msg("\"%s\" is in: %s", unexpected, text);
	free(text);
}

/* The paragraph about one column, for this /proc/meminfo. */
static void expect_column(const char *meminfo, const char *topic,
			  const char *expected)
{
	struct host host;

	host_init(&host, meminfo);
	expect_said(&host, topic, expected);
}

static void names_every_column(void **state __attribute__((unused)))
{
	expect_column(whole_meminfo, "",
		      "Linux 6.1.0; devices measured by "
		      "module");
	expect_column(whole_meminfo, "total", "total 976.6M\n");
	expect_column(whole_meminfo, "used",
		      "used 390.6M\ntotal - available (976.6M - 585.9M)");
	expect_column(whole_meminfo, "used", ", here 455.1M: remember");
	expect_column(whole_meminfo, "free", "free 97.7M\nMemFree");
	expect_column(whole_meminfo, "shared", "be swapped out (146.5M free)");
	expect_column(whole_meminfo, "buffers", "buffers 3.9M\n");
	expect_column(whole_meminfo, "cache",
		      "Cached (390.6M) + SReclaimable (29.3M)");
	expect_column(whole_meminfo, "cache", "buff/cache: 423.8M.");
	expect_column(whole_meminfo, "cache", "- Mapped 19.5M: ");
	expect_column(whole_meminfo, "available", "available 585.9M\n");
	expect_column(whole_meminfo, "swap",
		      "swap 195.3M\n48.8M used, 146.5M free.");
}

/* The kernel's reserves may exceed the memory that caches can give back. */
static void says_when_available_is_below_free(void **state
					      __attribute__((unused)))
{
	struct host host;

	expect_column("MemTotal: 100 kB\nMemFree: 50 kB\n"
		      "MemAvailable: 40 kB\n",
		      "available", " It is below free here: the reserves");
	host_init(&host, whole_meminfo);
	expect_unsaid(&host, "available", "below free");
}

static void absent_is_not_zero(void **state __attribute__((unused)))
{
	static const char bare[] = "HugePages_Total: 0\n";

	expect_column(bare, "total", "This kernel does not report MemTotal");
	expect_column(bare, "used", "used not known\nIt cannot be computed");
	expect_column(bare, "free", "This kernel does not report MemFree");
	expect_column(bare, "shared", "This kernel does not report Shmem");
	expect_column(bare, "buffers", "This kernel does not report Buffers");
	expect_column(bare, "buffers", "- unattributed: not known");
	expect_column(bare, "cache", "This kernel does not report Cached");
	expect_column(bare, "cache", "- Mapped: this kernel does not report");
	expect_column(bare, "available", "does not report MemAvailable, so");
	expect_column(bare, "swap", "This kernel does not report SwapTotal");
	expect_column("SwapTotal: 8 kB\n", "swap", "not report SwapFree");
	expect_column("SwapTotal: 8 kB\nSwapFree: 9 kB\n", "swap",
		      "SwapFree (9K) is larger than SwapTotal, so the used");
	expect_column(
		"Cached: 8 kB\n", "cache",
		"not report SReclaimable, so free prints Cached alone, 8K");
	expect_column("Shmem: 8 kB\n", "shared", "can only be swapped out or");
}

static void says_which_used_it_is(void **state __attribute__((unused)))
{
	static const char old[] = "MemTotal: 100 kB\nMemFree: 20 kB\n";
	static const char odd[] = "MemTotal: 100 kB\nMemFree: 20 kB\n"
				  "MemAvailable: 101 kB\n";

	expect_column(old, "used", "used 80K\ntotal - free (100K - 20K)");
	expect_column(old, "available", "MemFree (20K) instead");
	expect_column(odd, "used", "total - free");
	expect_column(odd, "available", "free does not believe that");
	expect_column(odd, "available", "MemFree (20K) instead.\n");
	expect_column(old, "available", "from caches comes on top");
}

static void knows_of_missing_swap(void **state __attribute__((unused)))
{
	static const char none[] = "Shmem: 8 kB\nSwapTotal: 0 kB\n"
				   "SwapFree: 0 kB\n";

	expect_column(none, "shared", "there is no free swap, so it");
	expect_column(none, "swap", "swap 0\nThis host has no swap");
}

static void says_where_metadata_is(void **state __attribute__((unused)))
{
	char *types[] = { "proc", "ext4", "ext2", "btrfs", "xfs", "vfat" };
	struct host host;

	host_init(&host, whole_meminfo);
	host.facts.fstypes = (struct string_list){ types, COUNT_OF(types) };
	expect_said(&host, "buffers", "ext4, ext2 keep their metadata here");
	expect_said(&host, "buffers",
		    "btrfs keeps its metadata in an internal");
	expect_said(&host, "buffers", "xfs keeps its metadata in buffers of");
	expect_unsaid(&host, "buffers", "vfat");

	host.facts.fstypes.count = 1;
	expect_unsaid(&host, "buffers", "keeps its metadata");
}

/* One device with 1000 pages, all of Buffers; @expected is said about it. */
static void expect_device(const struct explain_device *like,
			  const char *expected)
{
	struct explain_device *device;
	struct host host;

	host_init(&host, whole_meminfo);
	device = host_add(&host, "sda", 1000);
	*device = *like;
	device->of.names.name = device->of.names.kname = (char *)"sda";
	expect_said(&host, "buffers", expected);
}

static void says_where_it_is_mounted(void **state __attribute__((unused)))
{
	char *places[] = { "/", "/srv/a b", "/c", "/d\n", "[SWAP]" };
	struct explain_device device = {
		.of.names.fstype = (char *)"ext4",
		.of.names.mountpoints = { places, 1 },
	};

	expect_device(&device,
		      "- sda 3.9M (100.0%): ext4 mounted at /: its "
		      "metadata, and any raw reads or writes of sda\n");
	device.of.names.fstype = (char *)"f2fs";
	device.of.names.mountpoints.count = 2;
	expect_device(&device, "mounted at / and /srv/a\037b\n");
	device.of.names.mountpoints.count = 4;
	expect_device(&device, "mounted at /, /srv/a\037b, /c and 1 more\n");
	device.of.names.fstype = (char *)"vfat";
	expect_device(&device, "): vfat mounted at /, ");
	device.of.names.fstype = NULL;
	expect_device(&device, "): a filesystem mounted at /, ");
	device.of.names.mountpoints = (struct string_list){ &places[4], 1 };
	expect_device(&device, "): swap space\n");
	device.of.names.mountpoints = (struct string_list){ &places[3], 1 };
	expect_device(&device, "mounted at /d\\x0a\n");
}

static void says_when_it_is_not_metadata(void **state __attribute__((unused)))
{
	char *places[] = { "/" };
	struct explain_device device = {
		.of.names.fstype = (char *)"xfs",
		.of.names.mountpoints = { places, 1 },
	};
	struct host host;

	expect_device(&device, "xfs mounted at /, which keeps its metadata "
			       "elsewhere: raw reads or writes of sda\n");
	device.of.names.fstype = (char *)"btrfs";
	expect_device(&device, "keeps its metadata elsewhere");

	/* Mounting alone reads a few pages. */
	host_init(&host, whole_meminfo);
	*host_add(&host, "sda", 11) = device;
	expect_unsaid(&host, "buffers", "elsewhere");
}

static void says_what_stands_on_it(void **state __attribute__((unused)))
{
	char *holders[] = { "vg-root", "vg-home", "vg-a", "vg-b", "vg-c" };
	struct explain_device device = {
		.of.names.holders = { holders, 2 },
	};

	expect_device(
		&device,
		"): pages of the volume itself; vg-root and vg-home on top of it have their own\n");
	device.of.names.holders.count = 5;
	expect_device(
		&device,
		"; vg-root, vg-home, vg-a and 2 more on top of it have their own\n");
	device.base.has_partitions = true;
	expect_device(&device,
		      "their own; pages of the disk itself; its partitions");
	device = (struct explain_device){ .base.loop_file = (char *)"/a b" };
	expect_device(&device, "): loop device on /a\037b, which may be in "
			       "Cached as well\n");
	device.base.loop_file = (char *)"/dev/vdb";
	expect_device(&device, "): loop device on /dev/vdb\n");
	device.base.loop_file = (char *)"/a b";
	device.base.loop_direct = true;
	expect_device(&device, "): loop device on /a\037b\n");
}

static void says_who_holds_it_open(void **state __attribute__((unused)))
{
	static const struct opener openers[] = {
		{ .pid = 1, .comm = "qemu" },
		{ .pid = 2, .comm = "" },
		{ .pid = 3, .comm = "a\x1b" },
		{ .pid = 4, .comm = "dd" },
	};
	char *places[] = { "/" };
	struct explain_device device = { .openers = openers,
					 .opener_count = 1 };

	expect_device(&device, "): held open by qemu (1)\n");
	device.opener_count = 2;
	expect_device(&device, "): held open by qemu (1) and ? (2)\n");
	device.opener_count = 4;
	expect_device(&device, "qemu (1), ? (2), a\\x1b (3) and 1 more\n");
	device.of.names.mountpoints = (struct string_list){ places, 1 };
	device.of.names.fstype = (char *)"ext4";
	expect_device(&device, "writes of sda; held open by qemu (1), ");
}

static void says_when_no_reason_is_known(void **state __attribute__((unused)))
{
	struct explain_device none = { .of.names.has_mounts = true };
	struct host host;

	expect_device(&none, "): not mounted here, and no process was seen "
			     "to hold it open\n");
	none.of.names.fstype = (char *)"xfs";
	expect_device(&none, "): xfs, not mounted here, and");
	none.of.names.has_mounts = false;
	expect_device(&none,
		      "): xfs, and where it is mounted is not known, and");

	host_init(&host, whole_meminfo);
	host_add(&host, "sda", 1000);
	sample_set(last_sample(&host), FIGURE_OPENERS, 2);
	host.facts.openers.denied = 7;
	expect_said(&host, "buffers",
		    "): not mounted here, but the kernel counts 2 that have it "
		    "open\n");
}

static void says_what_it_could_not_see(void **state __attribute__((unused)))
{
	struct host host;

	host_init(&host, whole_meminfo);
	host_add(&host, "sda", 1000);
	host.facts.openers.denied = 7;
	expect_said(&host, "buffers", "only root may look at 7 processes");

	host_add(&host, "sda", 1000);
	host.facts.openers = (struct openers){ 0 };
	expect_said(&host, "buffers", "openers of devices are not known");

	host_add(&host, "sda", 1000);
	host.facts.openers.processes = 7;
	expect_unsaid(&host, "buffers", "openers of devices");
}

static void expect_rest(int pages, const char *expected)
{
	struct host host;

	host_init(&host, whole_meminfo);
	host_add(&host, "sda", pages);
	expect_said(&host, "buffers", expected);
}

static void always_states_the_rest(void **state __attribute__((unused)))
{
	expect_rest(1000, "- unattributed 0: every page is accounted for\n");
	expect_rest(900, "- unattributed 400K: on no device that was "
			 "measured\n");
	expect_rest(1024, "- unattributed -96K: the devices have more");
}

/* An unsettled answer proves nothing, even if it adds up. */
static void says_what_did_not_settle(void **state __attribute__((unused)))
{
	static const struct {
		const char *topic;
		const char *expected;
	} said[] = {
		{ "", "devices measured by module (unsettled); " },
		{ "buffers", "- unsettled 0: no reading added up to" },
	};

	for (size_t i = 0; i < COUNT_OF(said); i++) {
		struct host host;

		host_init(&host, whole_meminfo);
		host.facts.buffers.unsettled = true;
		host_add(&host, "sda", 1000);
		expect_said(&host, said[i].topic, said[i].expected);
	}
}

static void lumps_the_small_ones(void **state __attribute__((unused)))
{
	struct host host;

	host_init(&host, whole_meminfo);
	for (int i = 0; i < 7; i++)
		host_add(&host, "sda", 100 - i);
	for (int i = 0; i < 5; i++)
		host_add(&host, "sdb", -1);
	expect_said(&host, "buffers",
		    "- 2 more, together 756K: see bufstat devices\n"
		    "- 2 more that could not be measured\n");

	for (int i = 0; i < 2; i++)
		host_add(&host, "sda", 100);
	for (int i = 0; i < 3; i++)
		host_add(&host, "sdb", -1);
	expect_unsaid(&host, "buffers", " more");
}

static void numbers_what_has_no_name(void **state __attribute__((unused)))
{
	struct host host;

	host_init(&host, whole_meminfo);
	host_add(&host, NULL, 1000);
	expect_said(&host, "buffers", "- 8:0 3.9M (100.0%): not mounted");
}

static void names_what_was_refused(void **state __attribute__((unused)))
{
	char *places[] = { "/" };
	struct explain_device *device;
	struct host host;

	host_init(&host, whole_meminfo);
	device = host_add(&host, "sdb", -1);
	device->of.names.fstype = (char *)"ext4";
	device->of.names.mountpoints = (struct string_list){ places, 1 };
	expect_said(&host, "buffers",
		    "- sdb not measured (opening: /dev/x: no): ext4 mounted at "
		    "/: its metadata, and any raw reads or writes of sdb\n");
}

static void expect_dirty(int first, int second, const char *expected)
{
	const int dirty[] = { first, second };
	struct host host;

	host_init(&host, whole_meminfo);
	for (size_t i = 0; i < COUNT_OF(dirty); i++) {
		host_add(&host, "sda", 500 - (int)i);
		if (dirty[i] < 0)
			continue;
		sample_set(last_sample(&host), FIGURE_DIRTY,
			   (uint64_t)dirty[i]);
		sample_set(last_sample(&host), FIGURE_WRITEBACK, 1);
	}
	expect_said(&host, "buffers", expected);
}

static void sums_what_is_dirty(void **state __attribute__((unused)))
{
	expect_dirty(3, 4,
		     "systems hold; 28K are dirty, 8K under writeback.\n");
	expect_dirty(3, -1,
		     "; 12K are dirty, 4K under writeback (not known for "
		     "1 device).\n");
	expect_dirty(-1, -1,
		     "systems hold; how many are dirty is not known.\n");
}

static void explains_without_a_source(void **state __attribute__((unused)))
{
	struct error none;
	struct host host;

	host_init(&host, whole_meminfo);
	host.facts.buffers.collected = -EOPNOTSUPP;
	error_doing(&host.facts.buffers.why, ERROR_UNUSABLE, NULL, "a",
		    "no\x1b source; see below");
	error_doing(&none, ERROR_UNUSABLE, NULL, "b", "none");
	error_append(&host.facts.buffers.why, &none);
	error_within(&host.facts.buffers.why, 0, "measuring", NULL);
	expect_said(&host, "", "devices could not be measured");
	expect_said(&host, "buffers",
		    "all of it is unattributed. The reasons:\n"
		    "- a: no\\x1b source; see below\n- b: none\n");
	expect_said(&host, "cache", "cache 419.9M\n");
	assert_false(explain_is_complete(&host.facts));
}

/* Nothing is known but free's columns. */
static void says_what_programs_can_have(void **state __attribute__((unused)))
{
	expect_column(whole_meminfo, VERDICT,
		      "Programs can still have 585.9M of 976.6M without "
		      "swapping, by the kernel's estimate.\n");
	expect_column("MemFree: 8 kB\n", VERDICT, "8K is free; how much more");
	expect_column("Shmem: 8 kB\n", VERDICT,
		      "How much programs can still have");
	expect_column(whole_meminfo, VERDICT,
		      "What cannot be reclaimed is not known: ");
}

static void chooses_columns(void **state __attribute__((unused)))
{
	unsigned int both = 0, one_by_one = 0, all = 0;
	struct explanation explanation;
	struct host host;
	struct error err;

	assert_int_equal(explain_column_add(&both, "buff/cache", &err), 0);
	assert_int_equal(explain_column_add(&one_by_one, "cache", &err), 0);
	assert_int_equal(explain_column_add(&one_by_one, "buffers", &err), 0);
	assert_int_equal(both, one_by_one);
	assert_int_equal(explain_column_add(&all, "buff", &err), -EINVAL);
	assert_int_equal(all, 0);
	assert_int_equal(explain_column_add(&all, "all", &err), 0);

	host_init(&host, whole_meminfo);
	assert_int_equal(explanation_init(&explanation, &host.facts, both), 0);
	assert_int_equal(explanation.count, 3);
	assert_string_equal(explanation.paragraphs[1].heading, "buffers 3.9M");
	assert_string_equal(explanation.paragraphs[2].heading, "cache 419.9M");
	explanation_deinit(&explanation);
	assert_int_equal(explanation_init(&explanation, &host.facts, all), 0);
	assert_int_equal(explanation.count, 9);
	explanation_deinit(&explanation);
}

/* A dumped kernel with a device, ext4 on it, and no processes. */
static void dump_init(struct host *host)
{
	struct explain_device *device;

	host_init(host, whole_meminfo);
	host->facts.is_dump = true;
	host->facts.openers.processes = 0;
	device = host_add(host, "sda", 1000);
	device->of.names.has_mounts = false;
	device->of.names.fstype = (char *)"ext4";
	sample_set(last_sample(host), FIGURE_OPENERS, 2);
}

static void says_what_a_dump_tells(void **state __attribute__((unused)))
{
	static const char why[] = "a page that is needed is not in the dump";
	struct host host;

	dump_init(&host);
	expect_said(&host, "", "Linux 6.1.0, in a dump; devices");
	dump_init(&host);
	expect_said(&host, "buffers",
		    "- sda 3.9M (100.0%): ext4 is in use on it: its metadata, "
		    "and any raw reads or writes of sda; opened 2 times, by "
		    "processes or the kernel\n");
	dump_init(&host);
	expect_said(&host, "buffers", "A dump does not tell where a device");
	dump_init(&host);
	expect_unsaid(&host, "buffers", "no process could be looked at");
	dump_init(&host);
	error_set(&host.facts.why_no_filesystems, ENODATA, "%s", why);
	expect_said(&host, "cache",
		    "The filesystems could not be measured: a page that is "
		    "needed is not in the dump.\n");
}

static void gives_a_dump_no_advice(void **state __attribute__((unused)))
{
	struct explanation explanation;
	struct host host;

	dump_init(&host);
	assert_int_equal(explanation_init(&explanation, &host.facts, 0), 0);
	assert_int_equal(explanation.count, 4);
	for (size_t i = 0; i < explanation.count; i++)
		assert_null(strstr(explanation.paragraphs[i].heading,
				   "What gives memory back"));
	explanation_deinit(&explanation);
	devices_deinit(&host.facts.buffers);
}

static void prints_in_columns(void **state __attribute__((unused)))
{
	struct explanation explanation = {
		.paragraphs = {
			{ (char *)"", (char *)"a head that is long\n" },
			{ (char *)"topic 1M", (char *)"line one of it\n"
						      "- item of a list\n"
						      "last\n" },
		},
		.count = 2,
	};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(explanation_print(out, &explanation, 12,
					   (struct size_unit){ 0 }),
			 0);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, "a head that\n"
				  "is long\n"
				  "\n"
				  "topic 1M\n"
				  "  line one\n"
				  "  of it\n"
				  "  - item of\n"
				  "    a list\n"
				  "  last\n");
	free(text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_every_column),
		cmocka_unit_test(says_when_available_is_below_free),
		cmocka_unit_test(absent_is_not_zero),
		cmocka_unit_test(says_which_used_it_is),
		cmocka_unit_test(knows_of_missing_swap),
		cmocka_unit_test(says_where_metadata_is),
		cmocka_unit_test(says_where_it_is_mounted),
		cmocka_unit_test(says_when_it_is_not_metadata),
		cmocka_unit_test(says_what_stands_on_it),
		cmocka_unit_test(says_who_holds_it_open),
		cmocka_unit_test(says_when_no_reason_is_known),
		cmocka_unit_test(says_what_it_could_not_see),
		cmocka_unit_test(always_states_the_rest),
		cmocka_unit_test(says_what_did_not_settle),
		cmocka_unit_test(lumps_the_small_ones),
		cmocka_unit_test(numbers_what_has_no_name),
		cmocka_unit_test(names_what_was_refused),
		cmocka_unit_test(sums_what_is_dirty),
		cmocka_unit_test(explains_without_a_source),
		cmocka_unit_test(says_what_programs_can_have),
		cmocka_unit_test(chooses_columns),
		cmocka_unit_test(says_what_a_dump_tells),
		cmocka_unit_test(gives_a_dump_no_advice),
		cmocka_unit_test(prints_in_columns),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The verdict, the table and the advice, for a host made by hand. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "explain/explain.h"
#include "explain/explain_advice.h"
#include "explain/explain_facts.h"
#include "explain/explain_holder.h"
#include "explain/explain_rows.h"
#include "explain/explain_verdict.h"
#include "made_devices.h"
#include "made_facts.h"
#include "test.h"

enum { PAGE = 4096, MIB = 1 << 20, PAGES_PER_MIB = MIB / PAGE };

#define MAX_DEVICES 8
#define MAX_CGROUPS 4

/* A host of 1000 MiB. Nothing of it is on the heap but samples. */
struct host {
	struct explain_facts facts;
	struct explain_device devices[MAX_DEVICES];
	struct cgroup cgroups[MAX_CGROUPS];
	struct cgroup_limit limits[MAX_CGROUPS];
	struct filesystem filesystem;
};

static void set(struct host *host, enum memory_field field, int64_t mib)
{
	memory_set(&host->facts.memory.fields, field, mib * PAGES_PER_MIB);
}

/*
 * 300 MiB of programs, 200 MiB of files, 50 MiB of Buffers, 40 MiB of tmpfs, 60
 * MiB of slab, half of it reclaimable; the rest is free.
 */
static void host_init(struct host *host)
{
	static const struct {
		enum memory_field field;
		int64_t mib;
	} fields[] = {
		{ MEMORY_TOTAL, 1000 },
		{ MEMORY_ZONE_MANAGED, 1000 },
		{ MEMORY_NR_FREE, 350 },
		{ MEMORY_ZONE_FREE, 350 },
		{ MEMORY_ZONE_LAG, 0 },
		{ MEMORY_NR_ANON, 300 },
		{ MEMORY_NR_FILE, 290 },
		{ MEMORY_BUFFERS, 50 },
		{ MEMORY_NR_SHMEM, 40 },
		{ MEMORY_NR_SWAP_CACHED, 0 },
		{ MEMORY_SWAP_FREE, 0 },
		{ MEMORY_NR_ACTIVE_ANON, 340 },
		{ MEMORY_NR_INACTIVE_ANON, 0 },
		{ MEMORY_NR_ACTIVE_FILE, 150 },
		{ MEMORY_NR_INACTIVE_FILE, 100 },
		{ MEMORY_NR_UNEVICTABLE, 0 },
		{ MEMORY_NR_DIRTY, 0 },
		{ MEMORY_NR_WRITEBACK, 0 },
		{ MEMORY_NR_MAPPED, 0 },
		{ MEMORY_NR_MLOCK, 0 },
		{ MEMORY_NR_SLAB_RECLAIMABLE, 30 },
		{ MEMORY_NR_SLAB_UNRECLAIMABLE, 30 },
	};

	*host = (struct host){
		.facts.memory = {
			.page_size = PAGE,
			.processors = 1,
			.settled = true,
		},
		.facts.has_memory = true,
		.facts.sees_processes = true,
		.facts.devices = host->devices,
		.facts.cgroups.page_size = PAGE,
		.facts.cgroups.cgroups = { .cgroups = host->cgroups },
		.facts.cgroups.limits = { .cgroups = host->limits },
		.facts.buffers = {
			.page_size = PAGE,
			.source = "module",
		},
	};
	for (size_t i = 0; i < COUNT_OF(fields); i++)
		set(host, fields[i].field, fields[i].mib);
}

/* Ends the making of a host: the heads and the sums of its devices. */
static void host_finish(struct host *host)
{
	struct explain_facts *facts = &host->facts;

	memory_heads_init(&facts->heads, &facts->memory);
	facts->buffers.meminfo.kib[MEMINFO_BUFFERS] = 50 * 1024;
	facts->buffers.meminfo.present |= 1U << MEMINFO_BUFFERS;
	made_facts_finish(facts, host->devices);
}

static void host_deinit(struct host *host)
{
	devices_deinit(&host->facts.buffers);
}

/* Add those with most pages first. */
static struct explain_device *add_device(struct host *host, const char *name,
					 uint64_t mib)
{
	struct devices *devices = &host->facts.buffers;
	unsigned int minor = (unsigned int)devices->count;
	struct sample *sample = made_device(devices, 8, minor);

	sample_set(sample, FIGURE_PAGES, mib * PAGES_PER_MIB);
	sample_set(sample, FIGURE_WRITE_ERROR, 0);
	host->devices[minor].of.names.name = (char *)name;
	host->devices[minor].of.names.has_mounts = true;
	return &host->devices[minor];
}

static struct cgroup *add_cgroup(struct host *host, const char *path)
{
	struct cgroups *cgroups = &host->facts.cgroups.cgroups;
	struct cgroup *cgroup = &host->cgroups[cgroups->count];

	*cgroup = (struct cgroup){
		.path = (char *)path,
		.parent = cgroups->count ? 0 : CGROUP_NONE,
		.is_read = true,
	};
	cgroups->count++;
	return cgroup;
}

static void add_filesystem(struct host *host, char **place, const char *type,
			   uint64_t mib)
{
	host->filesystem = (struct filesystem){
		.type = (char *)type,
		.source = (char *)"/dev/sda",
		.mountpoints = { place, 1 },
		.is_shmem = strcmp(type, "tmpfs") == 0,
		.keeps_pages = strcmp(type, "tmpfs") == 0,
	};
	sample_set(&host->filesystem.sample, FIGURE_PAGES, mib * PAGES_PER_MIB);
	host->facts.has_filesystems = true;
	host->facts.filesystems.filesystems = &host->filesystem;
	host->facts.filesystems.count = 1;
	host->facts.filesystems.page_size = PAGE;
}

/* The first paragraph with this heading. */
static char *paragraph(struct host *host, const char *heading)
{
	struct explanation explanation;
	char *text = NULL;

	host_finish(host);
	assert_int_equal(explanation_init(&explanation, &host->facts, 0), 0);
	for (size_t i = 0; i < explanation.count; i++) {
		if (!text &&
		    strcmp(explanation.paragraphs[i].heading, heading) == 0)
			text = strdup(explanation.paragraphs[i].text);
	}
	explanation_deinit(&explanation);
	host_deinit(host);
	assert_non_null(text);
	return text;
}

static void expect(struct host *host, const char *heading, const char *said)
{
	char *text = paragraph(host, heading);

	if (!strstr(text, said))
		fail_msg("\"%s\" is not in: %s", said, text);
	free(text);
}

static void expect_not(struct host *host, const char *heading, const char *said)
{
	char *text = paragraph(host, heading);

	if (strstr(text, said))
		fail_msg("\"%s\" is in: %s", said, text);
	free(text);
}

#define VERDICT ""
#define ADVICE "What frees memory"

static void says_what_cannot_be_reclaimed(void **state __attribute__((unused)))
{
	struct host host;

	/* Programs, tmpfs and half of slab. */
	host_init(&host);
	expect(&host, VERDICT,
	       "At least 370M of 1000M cannot be reclaimed; the largest part "
	       "is 300M of programs (anonymous).\n");
	/* Locked files are on no list that is reclaimed from. */
	host_init(&host);
	set(&host, MEMORY_NR_ACTIVE_FILE, 50);
	set(&host, MEMORY_NR_UNEVICTABLE, 100);
	expect(&host, VERDICT, "At least 470M of 1000M cannot");
	/* With room in swap for the others, that is most of it. */
	set(&host, MEMORY_SWAP_FREE, 2000);
	set(&host, MEMORY_NR_MLOCK, 4);
	expect(&host, VERDICT,
	       "; the largest part is 100M that is pinned or locked "
	       "(Unevictable; by mlock 4M).\n");
	/* Both heads share the room in swap. */
	host_init(&host);
	set(&host, MEMORY_SWAP_FREE, 100);
	expect(&host, VERDICT,
	       "At least 270M of 1000M cannot be reclaimed, even if all free "
	       "swap (100M) is used; the largest");
	host_init(&host);
	set(&host, MEMORY_SWAP_FREE, 2000);
	expect(&host, VERDICT,
	       "At least 30M of 1000M cannot be reclaimed, even if all free "
	       "swap (2G) is used; the largest part is 30M of slab, "
	       "unreclaimable.\n");
	host_init(&host);
	host.facts.memory.settled = false;
	host.facts.memory.samples = 3;
	expect(&host, VERDICT,
	       "(anonymous); it is no bound, because the counts did not "
	       "settle.\n");
	/* A leak. */
	host_init(&host);
	set(&host, MEMORY_ZONE_FREE, 200);
	expect(&host, VERDICT, "(anonymous); 150M more is unaccounted.\n");
}

static void does_not_say_what_is_not_known(void **state __attribute__((unused)))
{
	struct host host;

	host_init(&host);
	set(&host, MEMORY_ZONE_MANAGED, 3000);
	expect(&host, VERDICT, "is not known: MemTotal is about other memory");
	host_init(&host);
	host.facts.has_memory = false;
	error_set(&host.facts.why_no_memory, ERROR_UNUSABLE, "a reason");
	expect(&host, VERDICT, "is not known: a reason.\n");
}

/* One zone, of which vm.min_free_kbytes keeps back half as much again. */
static void keep_back(struct host *host, int64_t min_free)
{
	static struct zone zone;

	zone = (struct zone){
		.name = "Normal",
		.managed_pages = 1000 * 256,
		.min_pages = min_free * 256,
		.low_pages = min_free * 5 / 4 * 256,
		.high_pages = min_free * 3 / 2 * 256,
	};
	host->facts.memory.zones =
		(struct zoneinfo){ .zones = &zone, .count = 1 };
	set(host, MEMORY_ZONE_LOW, min_free * 5 / 4);
	set(host, MEMORY_ZONE_RESERVE, min_free * 3 / 2);
	set(host, MEMORY_MIN_FREE, min_free);
}

/* vm.min_free_kbytes of 100 MiB in 1,000, of which 5 % are usual at most. */
static void says_what_keeps_memory_back(void **state __attribute__((unused)))
{
	struct host host;

	host_init(&host);
	keep_back(&host, 90);
	expect_not(&host, VERDICT, "vm.min_free_kbytes");
	host_init(&host);
	keep_back(&host, 104);
	expect(&host, VERDICT,
	       "vm.min_free_kbytes is 104M (10% of memory; usual here is 50M "
	       "or less), which keeps 156M from programs. Lowering it gives "
	       "that back.\n");
	host_init(&host);
	keep_back(&host, 104);
	expect(&host, ADVICE, "vm.min_free_kbytes=51200: at most 143.5M.");
}

/* What the paragraph of a column of free says. */
static void expect_of_column(struct host *host, const char *word,
			     const char *said, bool is_said)
{
	struct explanation explanation;
	unsigned int columns = 0;
	const char *text;

	assert_int_equal(explain_column_add(&columns, word, NULL), 0);
	meminfo_set(&host->facts.buffers.meminfo, MEMINFO_MEM_TOTAL,
		    1000 * 1024);
	meminfo_set(&host->facts.buffers.meminfo, MEMINFO_MEM_FREE, 900 * 1024);
	meminfo_set(&host->facts.buffers.meminfo, MEMINFO_MEM_AVAILABLE,
		    800 * 1024);
	host_finish(host);
	assert_int_equal(explanation_init(&explanation, &host->facts, columns),
			 0);
	text = explanation.paragraphs[explanation.count - 1].text;
	if (!strstr(text, said) == is_said)
		fail_msg("\"%s\" is%s in: %s", said, is_said ? " not" : "",
			 text);
	explanation_deinit(&explanation);
	host_deinit(host);
}

static void says_what_zfs_gives_back(void **state __attribute__((unused)))
{
	static const char *const columns[][2] = {
		{ "used", "It counts ZFS's cache, of which up to 240M" },
		{ "available", "It leaves out ZFS's cache, of which up to "
			       "240M can be given back.\n" },
	};
	struct host host;

	for (size_t i = 0; i < COUNT_OF(columns); i++) {
		host_init(&host);
		set(&host, MEMORY_ARC_SIZE, 256);
		set(&host, MEMORY_ARC_MIN, 16);
		expect_of_column(&host, columns[i][0], columns[i][1], true);
		host_init(&host);
		expect_of_column(&host, columns[i][0], "ZFS", false);
	}
	host_init(&host);
	set(&host, MEMORY_ARC_SIZE, 256);
	set(&host, MEMORY_ARC_MIN, 16);
	expect(&host, ADVICE,
	       "/sys/module/zfs/parameters/zfs_arc_max: at most 192M.");
}

static void names_the_owner(void **state __attribute__((unused)))
{
	struct cgroup *cgroup;
	struct host host;

	host_init(&host);
	add_cgroup(&host, "/");
	cgroup = add_cgroup(&host, "/small");
	cgroup_set(&cgroup->figures, CGROUP_ANON, 100 * MIB);
	cgroup = add_cgroup(&host, "/large");
	cgroup_set(&cgroup->figures, CGROUP_ANON, 150 * MIB);
	cgroup->container = (char *)"docker:abc";
	expect(&host, VERDICT,
	       "(anonymous), and the cgroup with most of that is /large "
	       "(docker:abc) with 150M.\n");
	/* Nobody has much of it. */
	cgroup_set(&host.cgroups[1].figures, CGROUP_ANON, 10 * MIB);
	cgroup_set(&host.cgroups[2].figures, CGROUP_ANON, 20 * MIB);
	expect_not(&host, VERDICT, "cgroup with");
	/* More than the head has: it grew meanwhile. */
	cgroup_set(&host.cgroups[2].figures, CGROUP_ANON, 400 * MIB);
	expect_not(&host, VERDICT, "cgroup with");
}

static void names_the_process(void **state __attribute__((unused)))
{
	struct memory_owner owner = { .name = (char *)"a db",
				      .bytes = 120 * MIB,
				      .pid = 12 };
	struct cgroup *cgroup;
	struct host host;

	host_init(&host);
	host.facts.owners.lists[0] = (struct memory_owner_list){
		.asked = true, .owners = &owner, .count = 1
	};
	assert_int_equal(memory_owner_info(0)->head, MEMORY_HEAD_PROGRAMS);
	assert_int_equal(memory_owner_info(0)->kind, MEMORY_OWNER_PROCESS);
	expect(&host, VERDICT,
	       "(anonymous), and the process with most of that is adb (12) "
	       "with 120M.\n");
	add_cgroup(&host, "/");
	cgroup = add_cgroup(&host, "/large");
	cgroup_set(&cgroup->figures, CGROUP_ANON, 150 * MIB);
	expect(&host, VERDICT,
	       "is /large with 150M, the process adb (12) with 120M.\n");
	/* Nobody has much of it, or more than there was. */
	owner.bytes = 20 * MIB;
	expect_not(&host, VERDICT, "process");
	owner.bytes = 400 * MIB;
	expect_not(&host, VERDICT, "process");
}

/* A cgroup with 64 MiB of cache, of which 60 MiB can be reclaimed at once. */
static void add_limit(struct host *host)
{
	struct cgroup *cgroup;

	add_cgroup(host, "/");
	cgroup = add_cgroup(host, "/a web");
	cgroup_set(&cgroup->figures, CGROUP_CURRENT, 96 * MIB);
	cgroup_set(&cgroup->figures, CGROUP_MAX, 128 * MIB);
	cgroup_set(&cgroup->figures, CGROUP_INACTIVE_FILE, 66 * MIB);
	cgroup_set(&cgroup->figures, CGROUP_DIRTY, 2 * MIB);
	host->limits[1] = (struct cgroup_limit){
		.has_limit = true,
		.limit = CGROUP_MAX,
		.has_reclaimable = true,
		.has_own_reclaimable = true,
		.reclaimable_bytes = 60 * MIB,
		.used_bytes = 96 * MIB,
		.limit_bytes = 128 * MIB,
		.left_bytes = 92 * MIB,
	};
	host->facts.cgroups.cgroups.hierarchy.version = CGROUP_V2;
	host->facts.cgroups.limits.next = (struct limit){ LIMIT_CGROUP, 1 };
	host->facts.cgroups.cgroups.can_reclaim = true;
}

static void says_which_limit_is_next(void **state __attribute__((unused)))
{
	struct host host;

	host_init(&host);
	add_limit(&host);
	expect(&host, VERDICT,
	       "\nNext limit: /a\037web: 75 % of memory.max 128M, 60M of it "
	       "can be reclaimed; 92M left.\n");
	host.facts.cgroups.cgroups.unread = 1;
	expect(&host, VERDICT, "92M left (not all cgroups could be read).\n");
}

/* Its line of advice, with what it says of sizes. */
static void expect_item(struct host *host, const char *item)
{
	expect(host, ADVICE, item);
}

/* By the zones. */
static void say_available(struct host *host, int64_t mib)
{
	host->facts.cgroups.limits.has_host = true;
	host->facts.cgroups.limits.host_bytes = 1000 * MIB;
	host->facts.cgroups.limits.host_available_bytes = (uint64_t)mib * MIB;
}

/* The list of this kind has one owner. */
static void give(struct host *host, enum memory_head_id head,
		 enum memory_owner_kind kind, struct memory_owner *owner)
{
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		if (memory_owner_info(i)->head == head &&
		    memory_owner_info(i)->kind == kind)
			host->facts.owners.lists[i] =
				(struct memory_owner_list){ .asked = true,
							    .owners = owner,
							    .count = 1 };
	}
}

/* And that is in the cgroup whose limit is near; NULL: it is not. */
static void give_in_cgroup(struct host *host, enum memory_head_id head,
			   enum memory_owner_kind kind,
			   const struct memory_owner *owner)
{
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		if (memory_owner_info(i)->head == head &&
		    memory_owner_info(i)->kind == kind)
			host->facts.limited_owners[i] = owner;
	}
}

static void accuses_nobody_without_need(void **state __attribute__((unused)))
{
	struct memory_owner owner = { .name = (char *)"/tmp/f",
				      .bytes = 40 * MIB };
	struct host host;

	host_init(&host);
	say_available(&host, 600);
	give(&host, MEMORY_HEAD_SHARED, MEMORY_OWNER_FILE, &owner);
	expect(&host, VERDICT,
	       "Nothing is wrong: 600M of 1000M are available.\nAt least");
	host.facts.cgroups.limits.next.kind = LIMIT_HOST;
	expect(&host, VERDICT, " are available, and no limit is near.\n");
	/* A zone is low, or some cgroups are not known. */
	host.facts.cgroups.cgroups.unread = 1;
	expect(&host, VERDICT, "600M of 1000M are available.\n");
	/* Nobody says what is available. */
	host_init(&host);
	expect_not(&host, VERDICT, "wrong");
}

/* Little is available, because a setting keeps more than anybody has. */
static void names_the_setting_that_keeps_most(void **state
					      __attribute__((unused)))
{
	struct host host;

	host_init(&host);
	say_available(&host, 60);
	keep_back(&host, 380);
	expect(&host, VERDICT,
	       "vm.min_free_kbytes is 380M (38% of memory; usual here is 50M "
	       "or less), which keeps 570M from programs. 60M of 1000M are "
	       "available.\n");
	expect_not(&host, VERDICT, "Lowering it");
	expect(&host, ADVICE, "Next: bufstat\037memory\037--available\n");
	expect_item(&host, "- sysctl\037vm.min_free_kbytes=51200: at most");
	/* Programs have more than that. */
	host_init(&host);
	say_available(&host, 60);
	keep_back(&host, 110);
	expect(&host, VERDICT, "300M of 1000M is programs (anonymous). 60M of");
	expect(&host, VERDICT, "Lowering it gives that back.\n");
}

/* Of a cgroup, how much can be reclaimed is not known (Linux 4.1). */
static void a_limit_that_may_be_near(void **state __attribute__((unused)))
{
	struct host host;
	struct cgroup *cgroup;

	host_init(&host);
	say_available(&host, 600);
	host.facts.cgroups.limits.next.kind = LIMIT_CGROUP;
	cgroup = add_cgroup(&host, "/web");
	cgroup_set(&cgroup->figures, CGROUP_FILE, 70 * MIB);
	cgroup_set(&cgroup->figures, CGROUP_ANON, 20 * MIB);
	host.limits[0] = (struct cgroup_limit){
		.has_limit = true,
		.limit = CGROUP_MAX,
		.used_bytes = 95 * MIB,
		.limit_bytes = 100 * MIB,
		.left_bytes = 5 * MIB,
	};
	expect(&host, VERDICT,
	       "/web has 95M of its memory.limit_in_bytes of 100M; how much of it can be reclaimed is not "
	       "known. 600M of 1000M are available.\n");
	expect(&host, ADVICE, "Next: bufstat\037cgroups\037/web\n");
	host.limits[0].has_own_reclaimable = true;
	host.limits[0].left_bytes = 75 * MIB;
	expect(&host, VERDICT, "Nothing is wrong: 600M of");
	expect_not(&host, ADVICE, "Next: ");
	/* A part is not more than its whole. */
	cgroup_set(&cgroup->figures, CGROUP_ANON, 120 * MIB);
	host.limits[0].left_bytes = 5 * MIB;
	expect(&host, VERDICT,
	       "/web has 95M of its memory.limit_in_bytes of "
	       "100M. 600M of");
	host.limits[0].limit_bytes = host.limits[0].used_bytes = 0;
	host.limits[0].left_bytes = 0;
	expect(&host, VERDICT, "/web has 0 of its memory.limit_in_bytes of 0.");
}

static void names_who_has_shared_memory(void **state __attribute__((unused)))
{
	struct memory_owner file = { .name = (char *)"/tmp/f",
				     .bytes = 140 * MIB };
	struct memory_owner memfd = { .name = (char *)"m, of a(7)",
				      .bytes = 150 * MIB,
				      .pid = 7,
				      .own_length = 1 };
	struct memory_owner root = { .name = (char *)"/", .bytes = 150 * MIB };
	struct host host;

	host_init(&host);
	say_available(&host, 600);
	set(&host, MEMORY_NR_SHMEM, 160);
	give(&host, MEMORY_HEAD_SHARED, MEMORY_OWNER_FILE, &file);
	expect(&host, VERDICT,
	       "/tmp/f has 140M on tmpfs. 600M of 1000M are available.\n");
	expect_not(&host, ADVICE, "rm\037");
	expect(&host, ADVICE, "Next: bufstat\037memory\037--owners=shared\n");
	host.facts.has_users = true;
	expect_item(&host, "- rm\037/tmp/f: at most 140M.");
	expect(&host, VERDICT, "on tmpfs, and no process has it open. ");
	host.facts.user_pid = 9;
	host.facts.process = (char *)"db";
	expect(&host, VERDICT, ", and db\037(9) has it open or mapped. ");
	expect_not(&host, ADVICE, "rm\037");
	/* The larger one is named. */
	give(&host, MEMORY_HEAD_SHARED, MEMORY_OWNER_MEMFD, &memfd);
	expect(&host, VERDICT, "db\037(7) holds 150M in the memfd m. 600M");
	expect_item(
		&host,
		"- kill\0377: at most 150M. Cost: it ends db (7), and what else that has goes too.");
	host.facts.outlives_sigterm = true;
	expect_item(&host, "- kill\037-KILL\0377: at most 150M.");
	host.facts.service = (char *)"app.service";
	expect(&host, VERDICT, "db\037(7,\037app.service) holds");
	expect_item(&host, "- systemctl\037restart\037app.service: at most");
	/* Nobody has a quarter of it. */
	file.bytes = memfd.bytes = 30 * MIB;
	expect(&host, VERDICT, "160M of 1000M is shared memory, tmpfs");
	/* The root of a live system has the system's own files. */
	give(&host, MEMORY_HEAD_SHARED, MEMORY_OWNER_TMPFS, &root);
	host.facts.root_bytes = root.bytes;
	expect(&host, VERDICT, "Nothing is wrong: 600M of 1000M");
	expect_not(&host, VERDICT, "tmpfs at");
	/* What is beside it is named, and it never is. */
	host.facts.root_bytes = root.bytes = 30 * MIB;
	memfd.bytes = 110 * MIB;
	expect(&host, VERDICT, "db\037(7,\037app.service) holds 110M in");
	memfd.bytes = 30 * MIB;
	expect(&host, VERDICT, "160M of 1000M is shared memory, tmpfs");
	/* Not a command for another host. */
	memfd.bytes = 150 * MIB;
	host.facts.is_captured = true;
	expect_not(&host, ADVICE, "systemctl");
}

static void use_swap(struct host *host, uint64_t mib)
{
	struct meminfo *meminfo = &host->facts.buffers.meminfo;

	meminfo_set(meminfo, MEMINFO_SWAP_TOTAL, 900 * 1024);
	meminfo_set(meminfo, MEMINFO_SWAP_FREE, (900 - mib) * 1024);
}

/* So much was recorded of a head until now. */
static void record_median(struct host *host, enum memory_head_id head,
			  int64_t mib)
{
	host->facts.medians[head] = (struct growth_median){
		.is_known = true,
		.bytes = mib * MIB,
		.since_ms = INT64_C(1795226760000),
	};
}

static void does_not_name_who_has_what_is_usual(void **state
						__attribute__((unused)))
{
	struct memory_owner file = { .name = (char *)"/tmp/f",
				     .bytes = 140 * MIB };
	struct host host;

	setenv("TZ", "UTC", 1);
	tzset();
	host_init(&host);
	say_available(&host, 600);
	set(&host, MEMORY_NR_SHMEM, 160);
	give(&host, MEMORY_HEAD_SHARED, MEMORY_OWNER_FILE, &file);
	record_median(&host, MEMORY_HEAD_SHARED, 80);
	expect(&host, VERDICT,
	       "Nothing is wrong: 600M of 1000M are available. As usual, 160M is shared memory, tmpfs: the "
	       "recorded median since 2026-11-21 02:06 is 80M.\nAt least");
	expect_not(&host, ADVICE, "Next: ");
	record_median(&host, MEMORY_HEAD_SHARED, 79);
	expect(&host, VERDICT,
	       "/tmp/f has 140M on tmpfs. That is unusual: the recorded median since 2026-11-21 02:06 is "
	       "79M. 600M of 1000M are available.\n");
	/* What is large beside it is not. */
	record_median(&host, MEMORY_HEAD_SHARED, 150);
	set(&host, MEMORY_NR_SLAB_UNRECLAIMABLE, 120);
	set(&host, MEMORY_NR_FREE, 200);
	set(&host, MEMORY_ZONE_FREE, 200);
	expect(&host, VERDICT,
	       "120M of 1000M is slab, unreclaimable. 600M of 1000M are available. As usual, 160M is");
	record_median(&host, MEMORY_HEAD_SLAB_UNRECLAIMABLE, 120);
	expect(&host, VERDICT, "Nothing is wrong: 600M of");
	/* That is little of a host that is short of it. */
	say_available(&host, 60);
	expect_not(&host, VERDICT, "Nothing is wrong");
}

/* The first sentence is about one head, and the others are said. */
static void all_that_is_large_is_said(void **state __attribute__((unused)))
{
	struct host host;

	host_init(&host);
	say_available(&host, 600);
	set(&host, MEMORY_NR_SHMEM, 160);
	set(&host, MEMORY_NR_SLAB_UNRECLAIMABLE, 120);
	set(&host, MEMORY_NR_FREE, 200);
	set(&host, MEMORY_ZONE_FREE, 200);
	expect(&host, VERDICT,
	       "160M of 1000M is shared memory, tmpfs. Large, too: 120M of slab, unreclaimable (bufstat "
	       "memory --owners all names whose). 600M of 1000M are available.\n");
	/* Where memory is short, too. */
	say_available(&host, 60);
	expect(&host, VERDICT,
	       "180M of 1000M is programs (anonymous). Large, too: 160M of shared memory, tmpfs; 120M of slab, "
	       "unreclaimable (bufstat memory --owners all names whose). 60M of");
	/* What is a tenth, or as usual, is not large. */
	say_available(&host, 600);
	set(&host, MEMORY_NR_SLAB_UNRECLAIMABLE, 100);
	expect_not(&host, VERDICT, "Large, too");
	set(&host, MEMORY_NR_SLAB_UNRECLAIMABLE, 120);
	record_median(&host, MEMORY_HEAD_SLAB_UNRECLAIMABLE, 110);
	expect_not(&host, VERDICT, "Large, too");
	host_deinit(&host);
}

static void names_no_device_that_is_usual(void **state __attribute__((unused)))
{
	struct host host;

	host_init(&host);
	say_available(&host, 600);
	set(&host, MEMORY_BUFFERS, 120);
	add_device(&host, "vdb", 110);
	expect(&host, VERDICT, "Buffers are 120M, and vdb has 110M of that");
	host_deinit(&host);
	host_init(&host);
	say_available(&host, 600);
	set(&host, MEMORY_BUFFERS, 120);
	add_device(&host, "vdb", 110);
	record_median(&host, MEMORY_HEAD_BLOCK_CACHE, 100);
	expect(&host, VERDICT,
	       "Nothing is wrong: 600M of 1000M are available. As usual, vdb has 110M of Buffers: the "
	       "recorded median since");
	host_deinit(&host);
}

static struct explain_holder holder_of(struct host *host)
{
	struct explain_holder holder;

	memory_heads_init(&host->facts.heads, &host->facts.memory);
	explain_holder_init(&holder, &host->facts);
	return holder;
}

static void what_is_short_is_never_usual(void **state __attribute__((unused)))
{
	const struct zone zone = { 0 };
	struct explain_holder holder;
	struct host host;

	host_init(&host);
	say_available(&host, 600);
	holder = holder_of(&host);
	assert_false(explain_may_be_usual(&holder, &host.facts));
	set(&host, MEMORY_NR_SHMEM, 160);
	holder = holder_of(&host);
	assert_true(explain_may_be_usual(&holder, &host.facts));
	host.facts.cgroups.limits.low_zone = &zone;
	assert_false(explain_may_be_usual(&holder, &host.facts));
	host.facts.cgroups.limits.low_zone = NULL;
	use_swap(&host, 860);
	assert_false(explain_may_be_usual(&holder, &host.facts));
	use_swap(&host, 100);
	assert_true(explain_may_be_usual(&holder, &host.facts));
	say_available(&host, 60);
	holder = holder_of(&host);
	assert_int_equal(holder.state, EXPLAIN_NEAR);
	assert_false(explain_may_be_usual(&holder, &host.facts));
}

static void names_who_is_near_a_limit(void **state __attribute__((unused)))
{
	struct memory_owner owner = { .name = (char *)"db",
				      .bytes = 80 * MIB,
				      .pid = 7 };
	struct host host;

	host_init(&host);
	say_available(&host, 600);
	add_limit(&host);
	expect(&host, VERDICT, "Nothing is wrong: ");
	/* Full of what goes. */
	host.limits[1].used_bytes = 125 * MIB;
	host.facts.cgroups.limits.count = 2;
	expect(&host, VERDICT,
	       "/a\037web has 125M of its memory.max of 128M, and 60M of that "
	       "is reclaimed when it is needed. Nothing is wrong: 600M");
	/* Full of what stays. */
	host.limits[1].left_bytes = 8 * MIB;
	cgroup_set(&host.cgroups[1].figures, CGROUP_ANON, 100 * MIB);
	give(&host, MEMORY_HEAD_PROGRAMS, MEMORY_OWNER_PROCESS, &owner);
	give_in_cgroup(&host, MEMORY_HEAD_PROGRAMS, MEMORY_OWNER_PROCESS,
		       &owner);
	host.facts.process = (char *)"db";
	expect(&host, VERDICT,
	       "of 128M, and 100M of that is programs (anonymous); db\037(7) "
	       "has 80M. 600M of");
	expect_item(&host, "- a memory.max above 128M, or less memory for "
			   "db\037(7).\n- sysctl");
	give_in_cgroup(&host, MEMORY_HEAD_PROGRAMS, MEMORY_OWNER_PROCESS, NULL);
	expect_item(&host, "- a memory.max above 128M, or less memory for its "
			   "processes.\n- sysctl");
	/* Where no command helps, either. */
	set(&host, MEMORY_NR_ACTIVE_FILE, 3);
	set(&host, MEMORY_NR_INACTIVE_FILE, 3);
	set(&host, MEMORY_NR_SLAB_RECLAIMABLE, 3);
	expect(&host, ADVICE, "- a memory.max above 128M, or less memory");
	expect_not(&host, ADVICE, "sysctl");
	expect_not(&host, ADVICE, "nothing");
	/* What a line of the kernel has is of any head. */
	host_init(&host);
	say_available(&host, 600);
	set(&host, MEMORY_ZONE_FREE, 200);
	owner.bytes = 140 * MIB;
	give(&host, MEMORY_HEADS, MEMORY_OWNER_SITE, &owner);
	expect(&host, VERDICT,
	       "150M of 1000M is unaccounted: no count of the kernel has it. ");
	owner.bytes = 80 * MIB;
	/* The whole host. */
	host_init(&host);
	say_available(&host, 90);
	give(&host, MEMORY_HEAD_PROGRAMS, MEMORY_OWNER_PROCESS, &owner);
	host.facts.process = (char *)"db";
	expect(&host, VERDICT,
	       "db\037(7) has 80M of programs (anonymous). 90M of 1000M are "
	       "available.\n");
}

/* What all programs have in other pages is less than half of what one has. */
static void tells_of_huge_pages(void **state __attribute__((unused)))
{
	struct memory_owner owner = { .name = (char *)"db",
				      .bytes = 200 * MIB,
				      .pid = 7 };
	struct host host;

	host_init(&host);
	say_available(&host, 60);
	host.facts.process = (char *)"db";
	give(&host, MEMORY_HEAD_PROGRAMS, MEMORY_OWNER_PROCESS, &owner);
	set(&host, MEMORY_ANON_HUGE, 190);
	expect(&host, VERDICT, "200M of programs (anonymous). 60M of");
	set(&host, MEMORY_ANON_HUGE, 210);
	expect(&host, VERDICT,
	       "db\037(7) has 200M of programs (anonymous), most of it in "
	       "transparent huge pages. 60M of");
	/* What of them has room in swap makes no page another one. */
	set(&host, MEMORY_SWAP_FREE, 150);
	set(&host, MEMORY_ANON_HUGE, 110);
	expect(&host, VERDICT, "200M of programs (anonymous). 60M of");
}

/* It is told from what all maps have, which has the same callers. */
static void names_who_has_a_bpf_map(void **state __attribute__((unused)))
{
	struct memory_owner map = { .name = (char *)"events, of agent(7)",
				    .bytes = 100 * MIB,
				    .pid = 7,
				    .own_length = 6 };
	struct memory_owner caller = { .name = (char *)"array_map_alloc",
				       .bytes = 140 * MIB };
	struct host host;

	host_init(&host);
	say_available(&host, 600);
	set(&host, MEMORY_ZONE_FREE, 200);
	set(&host, MEMORY_VMALLOC_USED, 150);
	give(&host, MEMORY_HEAD_VMALLOC, MEMORY_OWNER_CALLER, &caller);
	give(&host, MEMORY_HEAD_VMALLOC, MEMORY_OWNER_BPF, &map);
	host.facts.process = (char *)"agent";
	expect(&host, VERDICT,
	       "agent\037(7) holds 100M in the BPF map events. 600M of");
	/* One of many does not stand for all. */
	map.bytes = 30 * MIB;
	expect(&host, VERDICT,
	       "The kernel's function array_map_alloc has 140M of vmalloc. ");
}

/* What is unread in a pipe takes as much; in a Unix socket it takes more. */
static void names_who_has_what_is_unread(void **state __attribute__((unused)))
{
	struct memory_owner pipes = { .name = (char *)"shell(9)",
				      .bytes = 50 * MIB,
				      .pid = 9 };
	struct memory_owner sockets = { .name = (char *)"agent(7)",
					.bytes = 80 * MIB,
					.pid = 7 };
	struct memory_owner datagrams = pipes;
	struct host host;

	host_init(&host);
	say_available(&host, 600);
	set(&host, MEMORY_ZONE_FREE, 200);
	host.facts.process = (char *)"agent";
	give(&host, MEMORY_HEADS, MEMORY_OWNER_PIPE, &pipes);
	expect(&host, VERDICT, "agent\037(9) has 50M unread in pipes. 600M");
	expect_item(&host, "- kill\0379: at most 50M. Cost: it ends agent (9)");
	give(&host, MEMORY_HEADS, MEMORY_OWNER_UNIX_SOCKET, &sockets);
	expect(&host, VERDICT,
	       "agent\037(7) has 80M unread in Unix sockets. 600M");
	expect_item(&host,
		    "- kill\0377: at most 150M. Cost: it ends agent (7)");
	datagrams.bytes = 90 * MIB;
	give(&host, MEMORY_HEADS, MEMORY_OWNER_UDP, &datagrams);
	expect(&host, VERDICT,
	       "agent\037(9) has 90M in the queues of its UDP sockets. 600M");
}

/* What the kernel gave it to map. */
static void names_who_maps_kernel_memory(void **state __attribute__((unused)))
{
	static const struct {
		enum memory_owner_kind kind;
		const char *sentence;
	} kinds[] = {
		{ MEMORY_OWNER_PERF, "agent\037(7) has 80M of perf buffers. " },
		{ MEMORY_OWNER_IO_URING,
		  "agent\037(7) has 80M of io_uring rings. " },
		{ MEMORY_OWNER_PACKET,
		  "agent\037(7) has 80M of packet rings. " },
		{ MEMORY_OWNER_GRAPHICS,
		  "agent\037(7) has 80M of graphics objects. " },
	};
	struct memory_owner pool = { .name = (char *)"eth0",
				     .bytes = 90 * MIB };
	struct memory_owner metadata = { .name = (char *)"/srv",
					 .bytes = 95 * MIB };

	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		struct memory_owner rings = { .name = (char *)"agent(7)",
					      .bytes = 80 * MIB,
					      .pid = 7 };
		struct host host;

		host_init(&host);
		say_available(&host, 600);
		set(&host, MEMORY_ZONE_FREE, 200);
		host.facts.process = (char *)"agent";
		give(&host, MEMORY_HEADS, kinds[i].kind, &rings);
		expect(&host, VERDICT, kinds[i].sentence);
		expect_item(&host, "- kill\0377: at most 80M. Cost: it ends "
				   "agent (7)");
		/* Nothing is to be done about that. */
		give(&host, MEMORY_HEADS, MEMORY_OWNER_PAGE_POOL, &pool);
		expect(&host, VERDICT, "The page pools of eth0 have 90M. ");
		expect_not(&host, ADVICE, "kill");
		/* Or the kernel does it. */
		set(&host, MEMORY_NR_SLAB_RECLAIMABLE, 1);
		give(&host, MEMORY_HEADS, MEMORY_OWNER_XFS, &metadata);
		expect(&host, VERDICT,
		       "XFS on /srv has 95M of metadata: the kernel takes it "
		       "when programs need memory. 600M");
		expect_not(&host, ADVICE, "kill");
	}
}

/* Its lists are in vmalloc, and may be more than it is. */
static void per_cpu_memory_is_with_its_lists(void **state
					     __attribute__((unused)))
{
	struct memory_owner caller = { .name = (char *)"pcpu_create_chunk",
				       .bytes = 140 * MIB };
	struct memory_owner map = { .name = (char *)"events, of agent(7)",
				    .bytes = 50 * MIB,
				    .pid = 7,
				    .own_length = 6 };
	struct host host;

	host_init(&host);
	say_available(&host, 600);
	set(&host, MEMORY_ZONE_FREE, 10);
	set(&host, MEMORY_VMALLOC_USED, 200);
	set(&host, MEMORY_PERCPU, 55);
	host.facts.process = (char *)"agent";
	give(&host, MEMORY_HEAD_VMALLOC, MEMORY_OWNER_CALLER, &caller);
	give(&host, MEMORY_HEAD_PER_CPU, MEMORY_OWNER_BPF, &map);
	expect(&host, VERDICT, "The kernel's function pcpu_create_chunk has ");
	host.facts.memory.has_vmalloc = true;
	host.facts.memory.vmalloc[MEMORY_VMALLOC_CHUNKS] =
		140 * MIB / (int64_t)host.facts.memory.page_size;
	expect(&host, VERDICT,
	       "agent\037(7) holds 50M in the BPF map events. ");
	expect_item(&host,
		    "- kill\0377: at most 190M. Cost: it ends agent (7)");
}

/* Of a cgroup whose limit is near: what is neither programs nor files. */
static void names_who_fills_a_cgroup(void **state __attribute__((unused)))
{
	struct memory_owner memfd = { .name = (char *)"load, of agent(7)",
				      .bytes = 100 * MIB,
				      .pid = 7,
				      .own_length = 4 };
	struct memory_owner mapper = { .name = (char *)"agent",
				       .bytes = 101 * MIB,
				       .pid = 7 };
	struct memory_owner pipes = { .name = (char *)"agent(7)",
				      .bytes = 90 * MIB,
				      .pid = 7 };
	struct cgroup_figures *figures;
	struct host host;

	host_init(&host);
	say_available(&host, 600);
	add_limit(&host);
	host.facts.process = (char *)"agent";
	figures = &host.cgroups[1].figures;
	host.limits[1].used_bytes = 125 * MIB;
	host.limits[1].left_bytes = 3 * MIB;
	host.facts.cgroups.limits.count = 2;
	cgroup_set(figures, CGROUP_ANON, MIB);
	cgroup_set(figures, CGROUP_FILE, 110 * MIB);
	cgroup_set(figures, CGROUP_SHMEM, 108 * MIB);
	give(&host, MEMORY_HEAD_SHARED, MEMORY_OWNER_MEMFD, &memfd);
	give(&host, MEMORY_HEAD_SHARED, MEMORY_OWNER_PROCESS, &mapper);
	give_in_cgroup(&host, MEMORY_HEAD_SHARED, MEMORY_OWNER_MEMFD, &memfd);
	give_in_cgroup(&host, MEMORY_HEAD_SHARED, MEMORY_OWNER_PROCESS,
		       &mapper);
	expect(&host, VERDICT,
	       "of 128M, and 108M of that is shared memory, tmpfs; "
	       "agent\037(7) holds 100M in the memfd load. 600M of");
	expect_item(&host,
		    "- kill\0377: at most 100M. Cost: it ends agent (7)");
	/* What another cgroup has is not in this one. */
	give_in_cgroup(&host, MEMORY_HEAD_SHARED, MEMORY_OWNER_MEMFD, NULL);
	expect(&host, VERDICT, "tmpfs; agent\037(7) has 101M. 600M of");
	/* Nobody has what the kernel does not tell. */
	cgroup_set(figures, CGROUP_FILE, 2 * MIB);
	cgroup_set(figures, CGROUP_SHMEM, MIB);
	expect(&host, VERDICT, "of its memory.max of 128M. 600M of");
	expect_not(&host, ADVICE, "kill");
	cgroup_set(figures, CGROUP_SLAB, 4 * MIB);
	cgroup_set(figures, CGROUP_VMALLOC, MIB);
	cgroup_set(figures, CGROUP_PAGE_TABLES, MIB);
	give(&host, MEMORY_HEADS, MEMORY_OWNER_PIPE, &pipes);
	give_in_cgroup(&host, MEMORY_HEADS, MEMORY_OWNER_PIPE, &pipes);
	expect(&host, VERDICT,
	       "of 128M, and 116M of that is unaccounted; agent\037(7) has 90M "
	       "unread in pipes. 600M of");
	cgroup_set(figures, CGROUP_SLAB, 90 * MIB);
	cgroup_set(figures, CGROUP_SLAB_RECLAIMABLE, 4 * MIB);
	expect(&host, VERDICT,
	       "of 128M, and 86M of that is slab, unreclaimable. 600M of");
}

/* How much that is in pages is an estimate, and dropping them a bound. */
static void says_that_names_have_slab(void **state __attribute__((unused)))
{
	struct host host;

	host_init(&host);
	say_available(&host, 600);
	set(&host, MEMORY_ZONE_FREE, 200);
	set(&host, MEMORY_NR_SLAB_RECLAIMABLE, 180);
	memory_set(&host.facts.memory.fields, MEMORY_DENTRY_COUNT, 900000);
	memory_set(&host.facts.memory.fields, MEMORY_DENTRY_UNUSED, 850000);
	memory_set(&host.facts.memory.fields, MEMORY_DENTRY_NEGATIVE, 500000);
	expect_not(&host, VERDICT, "do not exist");
	memory_set(&host.facts.memory.fields, MEMORY_DENTRY_NEGATIVE, 800000);
	expect(&host, VERDICT,
	       "Names that do not exist have about 146.5M of slab, 800000 of "
	       "them: the kernel takes that when programs need memory. "
	       "Nothing is wrong: 600M");
	expect(&host, ADVICE, "\n- sysctl\037vm.drop_caches=2: ");
	expect(&host, ADVICE,
	       "Next: bufstat\037memory\037--owners=slab_reclaimable\n");
}

/* What is said next is of a host with so much in use of all swap. */
static void say_full_swap(struct host *host)
{
	use_swap(host, 860);
	say_available(host, 600);
}

/* It harms nobody while memory is available, but nothing more can go there. */
static void says_that_swap_is_full(void **state __attribute__((unused)))
{
	struct memory_owner device = { .name = (char *)"zram0",
				       .bytes = 700 * MIB };
	struct memory_owner owner = { .name = (char *)"db",
				      .bytes = 400 * MIB,
				      .pid = 7 };
	struct host host;

	host_init(&host);
	say_available(&host, 600);
	host.facts.process = (char *)"db";
	give(&host, MEMORY_HEAD_COMPRESSED, MEMORY_OWNER_ZRAM, &device);
	give(&host, MEMORY_HEAD_COMPRESSED, MEMORY_OWNER_PROCESS, &owner);
	use_swap(&host, 850);
	expect(&host, VERDICT, "Nothing is wrong: 600M");
	say_full_swap(&host);
	expect(&host, VERDICT,
	       "Swap is full: 860M of 900M are used, and db\037(7) has 400M of "
	       "that. 600M of 1000M are available");
	say_full_swap(&host);
	expect_not(&host, VERDICT, "Nothing is wrong");
	say_full_swap(&host);
	expect_not(&host, ADVICE, "kill");
	say_full_swap(&host);
	expect(&host, ADVICE,
	       "Next: bufstat\037memory\037--owners=compressed\n");
	/* Files on tmpfs are no process's. */
	owner.bytes = 200 * MIB;
	say_full_swap(&host);
	expect(&host, VERDICT,
	       "Swap is full: 860M of 900M are used. 600M of 1000M are ");
	/* What is near is worse. */
	say_full_swap(&host);
	say_available(&host, 60);
	expect_not(&host, VERDICT, "Swap is full");
}

/* What compresses well is what zram is for. */
static void says_that_zram_saves_little(void **state __attribute__((unused)))
{
	struct memory_owner device = { .name = (char *)"zram0",
				       .bytes = 150 * MIB };
	struct memory_owner owner = { .name = (char *)"db",
				      .bytes = 155 * MIB,
				      .pid = 7 };
	struct host host;

	host_init(&host);
	say_available(&host, 600);
	set(&host, MEMORY_ZONE_FREE, 200);
	set(&host, MEMORY_NR_ZSPAGES, 150);
	set(&host, MEMORY_ZRAM, 150);
	set(&host, MEMORY_ZRAM_STORED, 400);
	host.facts.process = (char *)"db";
	give(&host, MEMORY_HEAD_COMPRESSED, MEMORY_OWNER_ZRAM, &device);
	give(&host, MEMORY_HEAD_COMPRESSED, MEMORY_OWNER_PROCESS, &owner);
	expect(&host, VERDICT, "Nothing is wrong: 600M");
	set(&host, MEMORY_ZRAM_STORED, 160);
	/* Who is swapped out may be on another device. */
	use_swap(&host, 400);
	expect(&host, VERDICT,
	       "zram0 has 150M of compressed swap (zram, zswap), which saves "
	       "little. 600M");
	use_swap(&host, 160);
	expect(&host, VERDICT,
	       "zram keeps 160M of data in 150M of memory, which saves little; "
	       "db\037(7) has 155M swapped out. 600M of");
	use_swap(&host, 160);
	expect_item(&host, "- kill\0377: at most 150M. Cost: it ends db (7)");
	/* Nobody is swapped out, so it is a disk. */
	owner.bytes = 0;
	use_swap(&host, 160);
	expect(&host, VERDICT,
	       "zram0 has 150M of compressed swap (zram, zswap), which saves "
	       "little. 600M");
}

static void says_who_has_huge_pages(void **state __attribute__((unused)))
{
	struct memory_owner owner = { .name = (char *)"vm",
				      .bytes = 190 * MIB,
				      .pid = 7 };
	const char nobody[] = "200M of 1000M is huge page pools, and no "
			      "process has any of it. ";
	struct memory_owner_list *list = NULL;
	struct host host;

	host_init(&host);
	say_available(&host, 600);
	set(&host, MEMORY_ZONE_FREE, 150);
	set(&host, MEMORY_HUGETLB, 200);
	host.facts.memory.pools[0] =
		(struct memory_pool){ .size_kib = 2048, .total = 100 };
	host.facts.memory.pool_count = 1;
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		if (memory_owner_info(i)->head == MEMORY_HEAD_HUGE_PAGES &&
		    memory_owner_info(i)->kind == MEMORY_OWNER_PROCESS)
			list = &host.facts.owners.lists[i];
	}
	assert_non_null(list);
	/* Nobody looked. */
	expect_not(&host, VERDICT, "no process");
	list->asked = true;
	expect(&host, VERDICT, nobody);
	/* In a container. */
	host.facts.sees_processes = false;
	expect(&host, VERDICT,
	       "200M of 1000M is huge page pools, and a process outside this "
	       "container may have it. 600M");
	expect(&host, ADVICE, "Next, on the host: bufstat\037explain\n");
	/* Who is on another host looks at it here. */
	host.facts.is_captured = true;
	expect_not(&host, VERDICT, "container");
	host.facts.is_captured = false;
	host.facts.sees_processes = true;
	/* Some could not be asked. */
	list->unread = 1;
	expect_not(&host, VERDICT, "no process");
	list->unread = 0;
	give(&host, MEMORY_HEAD_HUGE_PAGES, MEMORY_OWNER_PROCESS, &owner);
	expect_not(&host, VERDICT, "no process");
}

/* Then no part of them can be told from any other that is wrong. */
static void counts_that_cannot_be_are_not_fine(void **state
					       __attribute__((unused)))
{
	struct host host;

	host_init(&host);
	say_available(&host, 600);
	expect(&host, VERDICT, "Nothing is wrong: 600M of 1000M are available");
	set(&host, MEMORY_NR_GPU_RECLAIM, 5000);
	expect(&host, VERDICT,
	       "600M of 1000M are available.\nWhat cannot be reclaimed is not "
	       "known: the counts add up to 4.9G more than MemTotal.\n");
	expect_not(&host, VERDICT, "Nothing is wrong");
}

static void advises_to_drop_what_is_clean(void **state __attribute__((unused)))
{
	struct host host;

	host_init(&host);
	expect_item(&host, "- sysctl\037vm.drop_caches=1: 250M to 277.8M. "
			   "Cost: what went is read again when used.\n");
	/* Where little is dirty, sync changes little. */
	set(&host, MEMORY_NR_DIRTY, 9);
	expect_not(&host, ADVICE, "sync");
	set(&host, MEMORY_NR_DIRTY, 20);
	set(&host, MEMORY_NR_MAPPED, 10);
	expect_item(&host,
		    "- sync;\037sysctl\037vm.drop_caches=1: 240M to "
		    "277.8M. Cost: writes 20M; what went is read again when "
		    "used. What stays: mapped 10M.\n- sysctl");
	expect_not(&host, ADVICE, "hugepages");
	host.facts.memory.pools[0] = (struct memory_pool){
		.size_kib = 2048, .total = 40, .free = 30, .reserved = 5
	};
	host.facts.memory.pool_count = 1;
	expect_item(&host,
		    "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages: "
		    "50M. Cost: ");
	/* Only the kernel can swap, so that is no advice. */
	set(&host, MEMORY_SWAP_FREE, 500);
	expect_not(&host, ADVICE, "swap:");
}

static void advises_nothing_that_gives_nothing(void **state
					       __attribute__((unused)))
{
	static const enum memory_field caches[] = {
		MEMORY_NR_ACTIVE_FILE, MEMORY_NR_INACTIVE_FILE,
		MEMORY_NR_SLAB_RECLAIMABLE
	};
	struct host host;

	host_init(&host);
	for (size_t i = 0; i < COUNT_OF(caches); i++)
		set(&host, caches[i], 3);
	expect(&host, ADVICE,
	       "- shared memory, tmpfs: delete files in tmpfs; ipcrm.\n");
	set(&host, MEMORY_NR_SHMEM, 3);
	expect(&host, ADVICE,
	       "- nothing: no command here frees as much as 10M (1% of "
	       "memory).\n");
	/* Unknown is not nothing. */
	host_init(&host);
	host.facts.memory.fields = (struct memory_fields){ 0 };
	set(&host, MEMORY_TOTAL, 1000);
	expect(&host, ADVICE, "What drop_caches=1 would free is not known");
	expect_not(&host, ADVICE, "nothing");
}

static void advises_to_drop_the_largest_device(void **state
					       __attribute__((unused)))
{
	struct host host;

	host_init(&host);
	add_device(&host, "sda", 30)->is_ramdisk = true;
	add_device(&host, "vg-a b", 20);
	expect_item(&host, "- bufstat\037drop\037'vg-a\037b': at most 20M. "
			   "Cost: writes what is dirty");
	/* Its pages may be the only good copy. */
	host_init(&host);
	add_device(&host, "sdb", 30);
	sample_set(&host.facts.buffers.devices[0].sample, FIGURE_WRITE_ERROR,
		   5);
	expect_not(&host, ADVICE, "bufstat\037drop");
	host_init(&host);
	add_device(&host, "sdb", 30);
	host.facts.buffers.devices[0].sample.present &=
		~(1U << FIGURE_WRITE_ERROR);
	expect_not(&host, ADVICE, "bufstat\037drop");
	expect_not(&host, ADVICE, "--despite-errors");
	/* Nobody can type it. */
	host_init(&host);
	add_device(&host, "sd\nb", 30);
	expect_not(&host, ADVICE, "bufstat\037drop");
}

static void advises_to_drop_a_filesystem(void **state __attribute__((unused)))
{
	char *place = (char *)"/it's";
	struct host host;

	host_init(&host);
	add_filesystem(&host, &place, "xfs", 120);
	host.filesystem.unevictable = 20 * PAGES_PER_MIB;
	expect_item(&host, "- bufstat\037drop\037'/it'\\''s': at most 100M. ");
	host.filesystem.hides_write_errors = true;
	expect_not(&host, ADVICE, "bufstat\037drop");
	host_init(&host);
	add_filesystem(&host, &place, "tmpfs", 120);
	expect_not(&host, ADVICE, "bufstat\037drop");
	host_init(&host);
	add_filesystem(&host, &place, "overlay", 120);
	expect_not(&host, ADVICE, "bufstat\037drop");
}

static void advises_to_drop_what_the_limit_holds(void **state
						 __attribute__((unused)))
{
	struct host host;

	host_init(&host);
	add_limit(&host);
	expect_item(&host, "- bufstat\037drop\037--cgroup\037'/a\037web': 60M "
			   "to 64M of what the next limit holds. Cost: what "
			   "went is read again when used. What stays: ");
	/* Before Linux 6.9 the kernel may swap instead. */
	set(&host, MEMORY_SWAP_FREE, 500);
	expect_item(&host, "': at most 64M of what");
	/* memory.low below it asks to be spared. */
	set(&host, MEMORY_SWAP_FREE, 0);
	add_cgroup(&host, "/a web/low")->parent = 1;
	cgroup_set(&host.cgroups[2].figures, CGROUP_LOW, MIB);
	expect_item(&host, "': at most 64M of what");
	host.facts.cgroups.cgroups.can_reclaim = false;
	expect_not(&host, ADVICE, "--cgroup");
}

static void orders_the_narrow_first(void **state __attribute__((unused)))
{
	struct explain_advices advices;
	struct host host;

	host_init(&host);
	add_device(&host, "sda", 40);
	add_limit(&host);
	host_finish(&host);
	assert_int_equal(explain_advices_init(&advices, &host.facts), 0);
	assert_int_equal(advices.count, 4);
	assert_string_equal(advices.items[0].key, "drop_cgroup");
	assert_string_equal(advices.items[1].key, "drop_device");
	assert_string_equal(advices.items[2].key, "drop_1");
	assert_string_equal(advices.items[3].key, "drop_2");
	explain_advices_deinit(&advices);
	host_deinit(&host);
}

/* What is dropped with XFS metadata is said of it, before what is not. */
static void drops_xfs_metadata_first(void **state __attribute__((unused)))
{
	struct memory_owner metadata = { .name = (char *)"/srv",
					 .bytes = 95 * MIB };
	struct explain_advices advices;
	struct host host;

	host_init(&host);
	say_available(&host, 600);
	set(&host, MEMORY_ZONE_FREE, 200);
	give(&host, MEMORY_HEADS, MEMORY_OWNER_XFS, &metadata);
	host_finish(&host);
	assert_int_equal(explain_advices_init(&advices, &host.facts), 0);
	assert_string_equal(advices.items[0].key, "drop_2");
	assert_true(advices.items[0].is_of_holder);
	explain_advices_deinit(&advices);
	host_deinit(&host);
}

/* So is what graphics drivers keep. */
static void drops_the_graphics_pool_first(void **state __attribute__((unused)))
{
	struct memory_owner pool = { .name = (char *)"TTM", .bytes = 95 * MIB };
	struct explain_advices advices;
	struct host host;

	host_init(&host);
	say_available(&host, 600);
	set(&host, MEMORY_ZONE_FREE, 200);
	set(&host, MEMORY_TTM_POOL, 95);
	give(&host, MEMORY_HEADS, MEMORY_OWNER_GRAPHICS_POOL, &pool);
	host_finish(&host);
	expect(&host, VERDICT,
	       "The pool of the graphics drivers has 95M, free for their next "
	       "objects. ");
	assert_int_equal(explain_advices_init(&advices, &host.facts), 0);
	assert_string_equal(advices.items[0].key, "drop_2");
	assert_true(advices.items[0].is_of_holder);
	assert_true(advices.items[0].high_bytes >= 95 * MIB);
	explain_advices_deinit(&advices);
	host_deinit(&host);
}

/* The row whose text this is, or NULL. */
static const struct memory_row *find_row(const struct memory_rows *rows,
					 const char *what)
{
	for (size_t i = 0; i < rows->count; i++) {
		if (strcmp(rows->rows[i].what, what) == 0)
			return &rows->rows[i];
	}
	return NULL;
}

static void check_row(const struct memory_rows *rows, const char *what,
		      int64_t bytes, const char *note)
{
	const struct memory_row *row = find_row(rows, what);

	if (!row)
		fail_msg("no row \"%s\"", what);
	assert_true(row->bytes.known);
	assert_int_equal(row->bytes.number, bytes);
	assert_string_equal(row->note, note);
}

static void table_adds_up(void **state __attribute__((unused)))
{
	char *place = (char *)"/mnt";
	struct memory_rows rows;
	struct host host;
	int64_t sum = 0;

	host_init(&host);
	add_device(&host, "sda", 30)->of.names.mountpoints =
		(struct string_list){ &place, 1 };
	add_device(&host, "sdb", 8)->of.names.fstype = (char *)"ext4";
	add_device(&host, "sdc", 4);
	add_device(&host, "sdd", 3);
	add_device(&host, "sde", 2);
	add_filesystem(&host, &place, "ext4", 100);
	set(&host, MEMORY_PERCPU, 4);
	set(&host, MEMORY_NR_ZSPAGES, 6);
	host_finish(&host);
	assert_int_equal(explain_rows_init(&rows, &host.facts), 0);
	for (size_t i = 0; i < rows.count; i++) {
		if (rows.rows[i].what[0] != ' ' &&
		    strcmp(rows.rows[i].key, "total") != 0)
			sum += rows.rows[i].bytes.number;
	}
	assert_int_equal(sum, INT64_C(1000) * MIB);
	check_row(&rows, "file cache", 200 * MIB, "");
	check_row(&rows, "  /mnt", 100 * MIB, "ext4");
	check_row(&rows, "  sda", 30 * MIB, "/mnt");
	check_row(&rows, "  sdb", 8 * MIB, "ext4");
	check_row(&rows, "  sdc", 4 * MIB, "");
	check_row(&rows, "  other devices", 5 * MIB, "");
	check_row(&rows, "  on no device", 3 * MIB, "");
	check_row(&rows, "2 smaller heads", 10 * MIB,
		  "bufstat memory names them");
	/* Not all of them are known to be reclaimable. */
	assert_false(find_row(&rows, "2 smaller heads")->reclaimable.known);
	memory_rows_deinit(&rows);
	host_deinit(&host);
}

/* Nothing can be reclaimed any more, or all; the table is that of a host. */
static void says_what_a_dump_holds(void **state __attribute__((unused)))
{
	struct explanation explanation;
	struct host host;

	host_init(&host);
	set(&host, MEMORY_SWAP_FREE, 2000);
	host.facts.is_dump = host.facts.memory.is_dump = true;
	expect(&host, VERDICT,
	       "The largest part of 1000M is 300M of programs (anonymous)");
	host_init(&host);
	host.facts.is_dump = host.facts.memory.is_dump = true;
	host_finish(&host);
	assert_int_equal(explanation_init(&explanation, &host.facts, 0), 0);
	assert_int_equal(explanation.count, 2);
	assert_non_null(find_row(&explanation.rows, "programs (anonymous)"));
	explanation_deinit(&explanation);
	host_deinit(&host);
}

/* More filesystems than are named, some of them in memory. */
static void table_has_every_filesystem(void **state __attribute__((unused)))
{
	static const struct {
		const char *type;
		uint64_t mib;
	} all[] = {
		{ "ext4", 60 }, { "xfs", 50 },	{ "tmpfs", 35 },
		{ "ext4", 20 }, { "vfat", 10 }, { "ext4", 5 },
	};
	char *places[] = { "/a", "/b", "/c", "/d", "/e", "/f" };
	struct filesystem filesystems[COUNT_OF(all)];
	struct memory_rows rows;
	struct host host;

	host_init(&host);
	for (size_t i = 0; i < COUNT_OF(all); i++) {
		add_filesystem(&host, &places[i], all[i].type, all[i].mib);
		filesystems[i] = host.filesystem;
	}
	host.facts.filesystems.filesystems = filesystems;
	host.facts.filesystems.count = COUNT_OF(all);
	host_finish(&host);
	assert_int_equal(explain_rows_init(&rows, &host.facts), 0);
	check_row(&rows, "  /a", 60 * MIB, "ext4");
	check_row(&rows, "  /d", 20 * MIB, "ext4");
	assert_null(find_row(&rows, "  /e"));
	check_row(&rows, "  other filesystems", 15 * MIB, "");
	/* Below shared memory. */
	check_row(&rows, "  /c", 35 * MIB, "tmpfs");
	assert_true(find_row(&rows, "  /c") < find_row(&rows, "file cache"));
	memory_rows_deinit(&rows);
	host_deinit(&host);
}

static void table_cuts_long_names(void **state __attribute__((unused)))
{
	char name[2 * sizeof(((struct memory_row *)0)->what) + 1] = "";
	struct memory_rows rows;
	struct host host;

	/* Two bytes each, so that a cut may be between them. */
	for (size_t i = 0; i < sizeof(name) / 2; i++)
		strcat(name, "\xc3\xa4");
	host_init(&host);
	add_device(&host, name, 50);
	host_finish(&host);
	assert_int_equal(explain_rows_init(&rows, &host.facts), 0);
	for (size_t i = 0; i < rows.count; i++) {
		const struct memory_row *row = &rows.rows[i];
		size_t length = strlen(row->what);

		if (strcmp(row->key, "device") != 0)
			continue;
		assert_string_equal(row->what + length - 5, "\xc3\xa4...");
		assert_true(length < sizeof(row->what));
	}
	memory_rows_deinit(&rows);
	host_deinit(&host);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_cannot_be_reclaimed),
		cmocka_unit_test(says_what_a_dump_holds),
		cmocka_unit_test(does_not_say_what_is_not_known),
		cmocka_unit_test(says_what_keeps_memory_back),
		cmocka_unit_test(says_what_zfs_gives_back),
		cmocka_unit_test(names_the_owner),
		cmocka_unit_test(names_the_process),
		cmocka_unit_test(says_which_limit_is_next),
		cmocka_unit_test(accuses_nobody_without_need),
		cmocka_unit_test(names_the_setting_that_keeps_most),
		cmocka_unit_test(a_limit_that_may_be_near),
		cmocka_unit_test(names_who_has_shared_memory),
		cmocka_unit_test(does_not_name_who_has_what_is_usual),
		cmocka_unit_test(all_that_is_large_is_said),
		cmocka_unit_test(names_no_device_that_is_usual),
		cmocka_unit_test(what_is_short_is_never_usual),
		cmocka_unit_test(names_who_is_near_a_limit),
		cmocka_unit_test(tells_of_huge_pages),
		cmocka_unit_test(names_who_has_a_bpf_map),
		cmocka_unit_test(names_who_has_what_is_unread),
		cmocka_unit_test(names_who_maps_kernel_memory),
		cmocka_unit_test(per_cpu_memory_is_with_its_lists),
		cmocka_unit_test(names_who_fills_a_cgroup),
		cmocka_unit_test(says_that_names_have_slab),
		cmocka_unit_test(says_that_swap_is_full),
		cmocka_unit_test(says_that_zram_saves_little),
		cmocka_unit_test(says_who_has_huge_pages),
		cmocka_unit_test(counts_that_cannot_be_are_not_fine),
		cmocka_unit_test(advises_to_drop_what_is_clean),
		cmocka_unit_test(advises_nothing_that_gives_nothing),
		cmocka_unit_test(advises_to_drop_the_largest_device),
		cmocka_unit_test(advises_to_drop_a_filesystem),
		cmocka_unit_test(advises_to_drop_what_the_limit_holds),
		cmocka_unit_test(orders_the_narrow_first),
		cmocka_unit_test(drops_xfs_metadata_first),
		cmocka_unit_test(drops_the_graphics_pool_first),
		cmocka_unit_test(table_adds_up),
		cmocka_unit_test(table_has_every_filesystem),
		cmocka_unit_test(table_cuts_long_names),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "cgroups/cgroup_limits.h"
#include "cgroups/cgroups.h"
#include "lib/text_stream.h"
#include "measure/zoneinfo.h"
#include "test.h"

enum { PAGE = 4096, MIB = 1 << 20 };

/* A host of 1000 MiB, of which 700 MiB are available, and up to 8 cgroups. */
struct host {
	struct zone zone;
	struct zone_node node;
	struct zoneinfo zones;
	struct cgroup cgroup[8];
	struct cgroups cgroups;
	struct limits limits;
};

static void init(struct host *host)
{
	*host = (struct host){ 0 };
	host->zone = (struct zone){
		.name = "Normal",
		.managed_pages = 1000 * MIB / PAGE,
		.free_pages = 700 * MIB / PAGE,
		.low_pages = 40 * MIB / PAGE,
	};
	host->zones =
		(struct zoneinfo){ &host->zone, 1, &host->node, 1, false };
	host->cgroups.cgroups = host->cgroup;
	host->cgroups.hierarchy.version = CGROUP_V2;
}

/* Adds a cgroup that has @cache of @current in clean page cache; MiB. */
static struct cgroup *add(struct host *host, size_t parent, const char *path,
			  uint64_t current, uint64_t cache)
{
	struct cgroup *cgroup = &host->cgroup[host->cgroups.count++];

	*cgroup = (struct cgroup){
		.path = (char *)path,
		.parent = parent,
		.is_read = true,
	};
	cgroup_set(&cgroup->figures, CGROUP_CURRENT, current * MIB);
	cgroup_set(&cgroup->figures, CGROUP_INACTIVE_FILE, cache * MIB);
	cgroup_set(&cgroup->figures, CGROUP_ACTIVE_FILE, 0);
	cgroup_set(&cgroup->figures, CGROUP_MAPPED, 0);
	cgroup_set(&cgroup->figures, CGROUP_DIRTY, 0);
	cgroup_set(&cgroup->figures, CGROUP_WRITEBACK, 0);
	if (parent != CGROUP_NONE)
		host->cgroup[parent].has_children = true;
	return cgroup;
}

static void limit(struct cgroup *cgroup, enum cgroup_figure which, uint64_t mib)
{
	cgroup_set(&cgroup->figures, which, mib * MIB);
}

static void compute(struct host *host)
{
	assert_int_equal(limits_init(&host->limits, &host->cgroups,
				     &host->zones, PAGE, -1),
			 0);
}

static void expect_sentence(const struct host *host, const char *expected)
{
	const struct limits_style style = { 0 };
	char *text;
	size_t size;
	FILE *out = text_stream_open(&text, &size);

	assert_non_null(out);
	assert_int_equal(limits_print_next(out, &host->limits, &host->cgroups,
					   PAGE, &style),
			 0);
	assert_int_equal(text_stream_close(out, &text), 0);
	assert_string_equal(text, expected);
	free(text);
}

#define HOST SIZE_MAX

/* @nearest: a cgroup with a limit, or HOST. */
static void expect_left(const struct host *host, size_t index, size_t nearest,
			int64_t mib)
{
	const struct cgroup_limit *found = &host->limits.cgroups[index];

	assert_int_equal(found->nearest.kind,
			 nearest == HOST ? LIMIT_HOST : LIMIT_CGROUP);
	if (nearest != HOST)
		assert_int_equal(found->nearest.cgroup, nearest);
	assert_int_equal(found->nearest_left_bytes, mib * MIB);
}

static void expect_next(const struct host *host, size_t cgroup)
{
	assert_int_equal(host->limits.next.kind, LIMIT_CGROUP);
	assert_int_equal(host->limits.next.cgroup, cgroup);
}

static void the_host_if_nothing_else(void **state __attribute__((unused)))
{
	struct host host;

	init(&host);
	add(&host, CGROUP_NONE, "/", 200, 100);
	compute(&host);
	expect_left(&host, 0, HOST, 700);
	expect_sentence(&host,
			"Next limit: the host: 700M of 1000M are available; no "
			"zone is below its low watermark\n");
	limits_deinit(&host.limits);

	host.zone.free_pages = 39 * MIB / PAGE;
	compute(&host);
	expect_sentence(&host,
			"Next limit: node 0, zone Normal: 39M free, less than "
			"its low watermark of 40M; the host: 39M of 1000M are "
			"available\n");
	limits_deinit(&host.limits);

	/* What is left counts without CMA, what is available with it. */
	host.zone.free_pages = 300 * MIB / PAGE;
	host.zone.cma_pages = 275 * MIB / PAGE;
	host.zone.min_pages = 24 * MIB / PAGE;
	compute(&host);
	expect_sentence(&host,
			"Next limit: node 0, zone Normal: 25M free and not in "
			"CMA, less than its low watermark of 40M; the host: "
			"300M of 1000M are available\n");
	limits_deinit(&host.limits);
	host.zone.min_pages = 30 * MIB / PAGE;
	compute(&host);
	expect_sentence(&host,
			"Next limit: node 0, zone Normal: 25M free and not in "
			"CMA, less than its min watermark of 30M; the host: "
			"300M of 1000M are available\n");
	limits_deinit(&host.limits);

	/* Below min, even if a cgroup's limit is next. */
	limit(add(&host, 0, "/web", 200, 0), CGROUP_MAX, 201);
	compute(&host);
	expect_sentence(&host,
			"Next limit: /web: 100 % of memory.max 201M, 0 of it "
			"can be reclaimed; 1M left; node 0, zone Normal: 25M "
			"free and not in CMA, less than its min watermark of "
			"30M\n");
	limits_deinit(&host.limits);
	host.zone.min_pages = 24 * MIB / PAGE;
	compute(&host);
	expect_sentence(&host, "Next limit: /web: 100 % of memory.max 201M, 0 "
			       "of it can be reclaimed; 1M left\n");
	limits_deinit(&host.limits);
}

static void what_meminfo_says_of_the_host(void **state __attribute__((unused)))
{
	struct host host;

	init(&host);
	add(&host, CGROUP_NONE, "/", 200, 100);
	assert_int_equal(limits_init(&host.limits, &host.cgroups, &host.zones,
				     PAGE, INT64_C(760) * MIB),
			 0);
	assert_int_equal(host.limits.said_available_bytes, 0);
	limits_deinit(&host.limits);
	assert_int_equal(limits_init(&host.limits, &host.cgroups, &host.zones,
				     PAGE, INT64_C(770) * MIB),
			 0);
	expect_left(&host, 0, HOST, 700);
	expect_sentence(&host,
			"Next limit: the host: 700M of 1000M are available by "
			"the zones, and 770M by MemAvailable: these are not "
			"about the same memory; no zone is below its low "
			"watermark\n");
	limits_deinit(&host.limits);

	/* Up to Linux 4.4 the low watermarks are taken off, not the reserve. */
	host.zone.reserve_pages = 80 * MIB / PAGE;
	host.zone.high_pages = 60 * MIB / PAGE;
	zoneinfo_hold_available(&host.zones, 660 * MIB / PAGE);
	assert_int_equal(limits_init(&host.limits, &host.cgroups, &host.zones,
				     PAGE, INT64_C(660) * MIB),
			 0);
	expect_left(&host, 0, HOST, 660);
	assert_int_equal(host.limits.said_available_bytes, 0);
	limits_deinit(&host.limits);
	host.zone.reserve_pages = host.zone.high_pages = 0;
	host.zones.takes_low = false;

	/* A zone that has more CMA than free is not held against anything. */
	host.zone.cma_pages = 701 * MIB / PAGE;
	compute(&host);
	assert_null(host.limits.low_zone);
	limits_deinit(&host.limits);
	host.zone.cma_pages = 0;

	/* Without the lists of the nodes, the zones do not tell. */
	host.node.lacks_lists = true;
	compute(&host);
	assert_int_equal(host.limits.next.kind, LIMIT_NONE);
	limits_deinit(&host.limits);
	assert_int_equal(limits_init(&host.limits, &host.cgroups, &host.zones,
				     PAGE, INT64_C(770) * MIB),
			 0);
	expect_left(&host, 0, HOST, 770);
	limits_deinit(&host.limits);
}

static void what_can_be_reclaimed(void **state __attribute__((unused)))
{
	struct host host;
	struct cgroup *web;

	init(&host);
	add(&host, CGROUP_NONE, "/", 200, 100);
	web = add(&host, 0, "/web", 200, 150);
	limit(web, CGROUP_MAX, 220);
	limit(web, CGROUP_MAPPED, 10);
	limit(web, CGROUP_DIRTY, 7);
	limit(web, CGROUP_WRITEBACK, 3);
	compute(&host);
	assert_int_equal(host.limits.cgroups[1].reclaimable_bytes, 130 * MIB);
	expect_left(&host, 1, 1, 150);
	/* A third of the limit cannot be reclaimed, and the same of the host. */
	limits_deinit(&host.limits);

	limit(web, CGROUP_MAX, 210);
	compute(&host);
	expect_sentence(&host,
			"Next limit: /web: 95 % of memory.max 210M, 130M of it "
			"can be reclaimed; 140M left\n");
	limits_deinit(&host.limits);

	/* More mapped than there is: shared memory. */
	limit(web, CGROUP_MAPPED, 500);
	compute(&host);
	assert_int_equal(host.limits.cgroups[1].reclaimable_bytes, 0);
	expect_left(&host, 1, 1, 10);
	limits_deinit(&host.limits);

	/* Names and inodes can go too, whatever is mapped. */
	limit(web, CGROUP_SLAB_RECLAIMABLE, 25);
	compute(&host);
	assert_int_equal(host.limits.cgroups[1].reclaimable_bytes, 25 * MIB);
	expect_left(&host, 1, 1, 35);
	limits_deinit(&host.limits);

	/* But not more than there is. */
	limit(web, CGROUP_SLAB_RECLAIMABLE, 9000);
	compute(&host);
	assert_int_equal(host.limits.cgroups[1].reclaimable_bytes, 200 * MIB);
	limits_deinit(&host.limits);
}

/* A limit is one even if nobody knows what of it can be reclaimed. */
static void a_limit_without_one_of_the_lines(void **state
					     __attribute__((unused)))
{
	static const enum cgroup_figure lines[] = {
		CGROUP_INACTIVE_FILE, CGROUP_ACTIVE_FILE, CGROUP_MAPPED,
		CGROUP_DIRTY,	      CGROUP_WRITEBACK,
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct host host;
		struct cgroup *web;

		init(&host);
		add(&host, CGROUP_NONE, "/", 200, 100);
		web = add(&host, 0, "/web", 200, 150);
		limit(web, CGROUP_MAX, 210);
		web->figures.present &= ~(UINT64_C(1) << lines[i]);
		compute(&host);
		assert_false(host.limits.cgroups[1].has_reclaimable);
		expect_left(&host, 1, 1, 10);
		expect_sentence(&host,
				"Next limit: /web: 95 % of memory.max 210M; "
				"how much of it can be reclaimed is not known; "
				"at least 10M left\n");
		limits_deinit(&host.limits);

		limit(web, CGROUP_MAX, 199);
		compute(&host);
		expect_sentence(&host,
				"Next limit: /web: 101 % of memory.max 199M; "
				"it is exceeded by 1M; how much of it can be "
				"reclaimed is not known\n");
		limits_deinit(&host.limits);

		limit(web, CGROUP_MAX, 200);
		compute(&host);
		expect_sentence(&host,
				"Next limit: /web: 100 % of memory.max 200M; "
				"how much of it can be reclaimed is not known, "
				"nor what is left\n");
		limits_deinit(&host.limits);
	}
}

/* Memory and swap together, and kernel memory, have limits of their own. */
static void other_limits_of_version_1(void **state __attribute__((unused)))
{
	struct host host;
	struct cgroup *web;

	init(&host);
	host.cgroups.hierarchy.version = CGROUP_V1;
	add(&host, CGROUP_NONE, "/", 300, 0);
	web = add(&host, 0, "/web", 100, 30);
	limit(web, CGROUP_MAX, 200);
	limit(web, CGROUP_MEMSW, 240);
	limit(web, CGROUP_MEMSW_MAX, 250);
	compute(&host);
	expect_left(&host, 1, 1, 40);
	expect_sentence(&host,
			"Next limit: /web: 96 % of memory.memsw.limit_in_bytes "
			"250M, 30M of it can be reclaimed; 40M left\n");
	limits_deinit(&host.limits);

	limit(web, CGROUP_KERNEL, 20);
	limit(web, CGROUP_KERNEL_MAX, 21);
	compute(&host);
	expect_left(&host, 1, 1, 1);
	expect_sentence(&host,
			"Next limit: /web: 95 % of memory.kmem.limit_in_bytes "
			"21M; how much of it can be reclaimed is not known; at "
			"least 1M left\n");
	limits_deinit(&host.limits);

	/* Since Linux 5.16 nothing keeps it below that. */
	limit(web, CGROUP_KERNEL, 24);
	compute(&host);
	expect_left(&host, 1, 1, -3);
	expect_sentence(&host,
			"Next limit: /web: 114 % of memory.kmem.limit_in_bytes "
			"21M; it is exceeded by 3M; how much of it can be "
			"reclaimed is not known\n");
	limits_deinit(&host.limits);

	limit(web, CGROUP_TCP, 9);
	limit(web, CGROUP_TCP_MAX, 5);
	compute(&host);
	expect_sentence(&host,
			"Next limit: /web: 180 % of "
			"memory.kmem.tcp.limit_in_bytes 5M; it is exceeded by "
			"4M; how much of it can be reclaimed is not known\n");
	limits_deinit(&host.limits);
	limit(web, CGROUP_TCP_MAX, 4000);

	/* What is beyond the others is no limit. */
	limit(web, CGROUP_MAX, 110);
	limit(web, CGROUP_KERNEL_MAX, 2000);
	limit(web, CGROUP_MEMSW_MAX, 2000);
	compute(&host);
	expect_sentence(&host,
			"Next limit: /web: 91 % of memory.limit_in_bytes 110M, "
			"30M of it can be reclaimed; 40M left\n");
	limits_deinit(&host.limits);

	/* Without memory.use_hierarchy it does not hold what is below. */
	add(&host, 1, "/web/inner", 90, 0);
	compute(&host);
	expect_left(&host, 2, 1, 40);
	limits_deinit(&host.limits);
	cgroup_set(&web->figures, CGROUP_HIERARCHY, 0);
	compute(&host);
	expect_left(&host, 2, HOST, 700);
	limits_deinit(&host.limits);
}

/* In a container its root is the container, and the pod above has a limit. */
static void a_limit_above_what_is_seen(void **state __attribute__((unused)))
{
	struct host host;
	struct cgroup *root, *web;

	init(&host);
	host.cgroups.hierarchy.version = CGROUP_V1;
	root = add(&host, CGROUP_NONE, "/", 300, 60);
	web = add(&host, 0, "/web", 300, 60);
	limit(root, CGROUP_MAX, 500);
	limit(root, CGROUP_MAX_ABOVE, 320);
	limit(web, CGROUP_MAX_ABOVE, 320);
	compute(&host);
	expect_left(&host, 0, 0, 80);
	expect_left(&host, 1, 0, 80);
	expect_sentence(&host,
			"Next limit: /: at least 94 % of "
			"hierarchical_memory_limit 320M (of a cgroup above it "
			"that cannot be seen), 60M of it can be reclaimed; at "
			"most 80M left\n");
	limits_deinit(&host.limits);

	limit(root, CGROUP_MEMSW, 310);
	limit(root, CGROUP_MEMSW_MAX_ABOVE, 320);
	root->figures.present &= ~(UINT64_C(1) << CGROUP_DIRTY);
	compute(&host);
	expect_sentence(&host,
			"Next limit: /: at least 97 % of "
			"hierarchical_memsw_limit 320M (of a cgroup above it "
			"that cannot be seen); how much of it can be reclaimed "
			"is not known, nor what is left\n");
	limits_deinit(&host.limits);
	limit(root, CGROUP_MEMSW_MAX_ABOVE, 4000);

	/* Its own is as low, or that of a parent that is seen. */
	limit(root, CGROUP_DIRTY, 0);
	limit(root, CGROUP_MAX, 320);
	compute(&host);
	expect_left(&host, 1, 0, 80);
	expect_sentence(&host,
			"Next limit: /: 94 % of memory.limit_in_bytes 320M, "
			"60M of it can be reclaimed; 80M left\n");
	limits_deinit(&host.limits);

	/* Of a parent that could not be read it is all that is known. */
	root->is_read = false;
	root->figures = (struct cgroup_figures){ 0 };
	compute(&host);
	expect_left(&host, 1, 1, 80);
	limits_deinit(&host.limits);
}

static void the_lower_of_both(void **state __attribute__((unused)))
{
	struct host host;
	struct cgroup *web;

	init(&host);
	add(&host, CGROUP_NONE, "/", 200, 0);
	web = add(&host, 0, "/web", 90, 0);
	limit(web, CGROUP_HIGH, 80);
	limit(web, CGROUP_MAX, 120);
	compute(&host);
	expect_left(&host, 1, 1, -10);
	expect_sentence(&host,
			"Next limit: /web: 112 % of memory.high 80M, 0 of it "
			"can be reclaimed; nothing left\n");
	limits_deinit(&host.limits);

	/* It is killed before it could exceed memory.high. */
	limit(web, CGROUP_HIGH, 120);
	compute(&host);
	expect_sentence(&host,
			"Next limit: /web: 75 % of memory.max 120M, 0 of it "
			"can be reclaimed; 30M left\n");
	limits_deinit(&host.limits);

	limit(web, CGROUP_MAX, 0);
	web->container = (char *)"docker:0123456789ab";
	compute(&host);
	expect_sentence(&host,
			"Next limit: /web (docker:0123456789ab): all of "
			"memory.max 0, 0 of it can be reclaimed; nothing "
			"left\n");
	limits_deinit(&host.limits);
}

static void memory_min_is_kept(void **state __attribute__((unused)))
{
	struct host host;
	struct cgroup *child;

	init(&host);
	add(&host, CGROUP_NONE, "/", 300, 200);
	limit(add(&host, 0, "/a", 200, 150), CGROUP_MAX, 250);
	child = add(&host, 1, "/a/kept", 100, 90);
	limit(child, CGROUP_MIN, 70);
	compute(&host);
	/* Of the child, its own limit could take all, that of /a only 30. */
	assert_int_equal(host.limits.cgroups[2].reclaimable_bytes, 90 * MIB);
	assert_int_equal(host.limits.cgroups[1].reclaimable_bytes, 90 * MIB);
	/* And so on upwards. */
	assert_int_equal(host.limits.cgroups[0].reclaimable_bytes, 140 * MIB);
	limits_deinit(&host.limits);

	limit(child, CGROUP_MIN, 10);
	compute(&host);
	assert_int_equal(host.limits.cgroups[1].reclaimable_bytes, 150 * MIB);
	limits_deinit(&host.limits);
}

static void the_nearest_above(void **state __attribute__((unused)))
{
	struct host host;
	struct cgroup *outer, *inner;

	init(&host);
	add(&host, CGROUP_NONE, "/", 300, 0);
	outer = add(&host, 0, "/outer", 100, 0);
	inner = add(&host, 1, "/outer/inner", 20, 0);
	add(&host, 2, "/outer/inner/leaf", 20, 0);
	limit(outer, CGROUP_MAX, 130);
	limit(inner, CGROUP_MAX, 80);
	compute(&host);
	expect_left(&host, 2, 1, 30);
	expect_left(&host, 3, 1, 30);
	expect_next(&host, 1);
	limits_deinit(&host.limits);

	limit(inner, CGROUP_MAX, 40);
	compute(&host);
	expect_left(&host, 2, 2, 20);
	expect_left(&host, 3, 2, 20);
	/*
	 * The outer limit is fuller, but no process can reach it before it
	 * reaches the inner one. So is the host.
	 */
	expect_next(&host, 2);
	limits_deinit(&host.limits);

	/* Another cgroup in it can. */
	add(&host, 1, "/outer/other", 5, 0);
	compute(&host);
	expect_next(&host, 1);
	limits_deinit(&host.limits);

	/* More than the host has. */
	limit(outer, CGROUP_MAX, 5000);
	limit(inner, CGROUP_MAX, 5000);
	compute(&host);
	expect_left(&host, 3, HOST, 700);
	limits_deinit(&host.limits);
}

/* None of them reaches the limit above alone, but all of them together. */
static void children_reach_it_together(void **state __attribute__((unused)))
{
	struct host host;

	init(&host);
	add(&host, CGROUP_NONE, "/", 600, 0);
	limit(add(&host, 0, "/pods", 470, 0), CGROUP_MAX, 500);
	for (size_t i = 0; i < 3; i++)
		limit(add(&host, 1, "/pods/pod", 50, 0), CGROUP_MAX, 60);
	compute(&host);
	expect_left(&host, 2, 2, 10);
	expect_sentence(&host,
			"Next limit: /pods: 94 % of memory.max 500M, 0 of it "
			"can be reclaimed; 30M left\n");
	limits_deinit(&host.limits);

	/* Full as it is, nothing can take the last MiB. */
	limit(&host.cgroup[4], CGROUP_MAX, 59);
	compute(&host);
	expect_next(&host, 4);
	limits_deinit(&host.limits);

	/* Those below count for what has no limit of its own. */
	host.cgroup[4].figures.present &= ~(UINT64_C(1) << CGROUP_MAX);
	limit(add(&host, 4, "/pods/pod/a", 25, 0), CGROUP_MAX, 32);
	limit(add(&host, 4, "/pods/pod/b", 25, 0), CGROUP_MAX, 28);
	compute(&host);
	expect_next(&host, 1);
	limits_deinit(&host.limits);
	limit(&host.cgroup[5], CGROUP_MAX, 31);
	compute(&host);
	expect_next(&host, 6);
	limits_deinit(&host.limits);

	/* It may take all that is left. */
	host.cgroup[2].is_read = false;
	compute(&host);
	expect_next(&host, 1);
	limits_deinit(&host.limits);
}

/* In version 1 a cgroup with others below may have processes of its own. */
static void processes_of_version_1(void **state __attribute__((unused)))
{
	struct host host;

	init(&host);
	add(&host, CGROUP_NONE, "/", 300, 0);
	limit(add(&host, 0, "/outer", 100, 0), CGROUP_MAX, 130);
	limit(add(&host, 1, "/outer/inner", 20, 0), CGROUP_MAX, 40);
	compute(&host);
	expect_next(&host, 2);
	limits_deinit(&host.limits);
	host.cgroups.hierarchy.version = CGROUP_V1;
	compute(&host);
	expect_next(&host, 1);
	expect_sentence(&host,
			"Next limit: /outer: 77 % of memory.limit_in_bytes "
			"130M, 0 of it can be reclaimed; 30M left\n");
	limits_deinit(&host.limits);
}

/* It may have a limit that is nearer than those above it. */
static void what_was_not_read(void **state __attribute__((unused)))
{
	struct host host;

	init(&host);
	add(&host, CGROUP_NONE, "/", 300, 0);
	add(&host, 0, "/unknown", 100, 0)->is_read = false;
	compute(&host);
	assert_int_equal(host.limits.cgroups[1].nearest.kind, LIMIT_NONE);
	assert_int_equal(host.limits.next.kind, LIMIT_HOST);
	limits_deinit(&host.limits);
}

static void without_the_host(void **state __attribute__((unused)))
{
	struct host host;

	init(&host);
	add(&host, CGROUP_NONE, "/", 300, 0);
	assert_int_equal(limits_init(&host.limits, &host.cgroups, &host.zones,
				     0, -1),
			 0);
	assert_int_equal(host.limits.cgroups[0].nearest.kind, LIMIT_NONE);
	expect_sentence(&host, "");
	limits_deinit(&host.limits);
}

/* Two nodes: 1000 MiB of which 700 are available, 500 of which 50 are. */
static void bound_to_a_node(void **state __attribute__((unused)))
{
	struct zone zones[2];
	struct zone_node nodes[2] = { { .node = 0 }, { .node = 1 } };
	struct host host;
	struct cgroup *outer;

	init(&host);
	zones[0] = host.zone;
	zones[1] = host.zone;
	zones[1].node = 1;
	zones[1].managed_pages = 500 * MIB / PAGE;
	zones[1].free_pages = 50 * MIB / PAGE;
	host.zones = (struct zoneinfo){ zones, 2, nodes, 2, false };
	add(&host, CGROUP_NONE, "/", 300, 0);
	outer = add(&host, 0, "/outer", 100, 0);
	cgroup_set(&outer->figures, CGROUP_NODES, 3);
	cgroup_set(&add(&host, 1, "/outer/one", 50, 0)->figures, CGROUP_NODES,
		   2);
	/* Without a list of its own. */
	add(&host, 2, "/outer/one/leaf", 50, 0);
	compute(&host);
	expect_left(&host, 1, HOST, 750);
	assert_int_equal(host.limits.cgroups[3].nearest.kind, LIMIT_NODES);
	assert_int_equal(host.limits.cgroups[3].nearest.cgroup, 2);
	assert_int_equal(host.limits.cgroups[3].nearest_left_bytes, 50 * MIB);
	assert_string_equal(host.limits.cgroups[2].nodes, "node 1");
	expect_sentence(&host,
			"Next limit: NUMA node 1, to which /outer/one is "
			"bound: 50M of 500M are available\n");
	limits_deinit(&host.limits);

	/* A limit that is nearer. */
	limit(outer, CGROUP_MAX, 110);
	compute(&host);
	expect_left(&host, 3, 1, 10);
	limits_deinit(&host.limits);

	/* A node without memory binds to nothing that is known. */
	cgroup_set(&host.cgroup[2].figures, CGROUP_NODES, 4);
	compute(&host);
	assert_false(host.limits.cgroups[2].has_nodes);
	limits_deinit(&host.limits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_host_if_nothing_else),
		cmocka_unit_test(what_meminfo_says_of_the_host),
		cmocka_unit_test(what_can_be_reclaimed),
		cmocka_unit_test(a_limit_without_one_of_the_lines),
		cmocka_unit_test(other_limits_of_version_1),
		cmocka_unit_test(a_limit_above_what_is_seen),
		cmocka_unit_test(the_lower_of_both),
		cmocka_unit_test(memory_min_is_kept),
		cmocka_unit_test(the_nearest_above),
		cmocka_unit_test(children_reach_it_together),
		cmocka_unit_test(processes_of_version_1),
		cmocka_unit_test(bound_to_a_node),
		cmocka_unit_test(what_was_not_read),
		cmocka_unit_test(without_the_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lesser.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/zoneinfo.h"

#define ZONEINFO_PATH "/proc/zoneinfo"
/* A processor takes about 60 bytes in each zone: room for 8192 and 64 nodes. */
#define MAX_SIZE (64U << 20)
/* More than any machine has: bytes of all zones together do not overflow. */
#define MOST_PAGES (UINT64_C(1) << 40)

static const char *skip_spaces(const char *text)
{
	return text + strspn(text, " \t");
}

/* Reads "  NAME   123" where @name may have spaces or a colon in it. */
static bool read_field(const char *line, const char *name, int64_t *value)
{
	size_t length = strlen(name);
	uint64_t number;

	line = skip_spaces(line);
	if (strncmp(line, name, length) != 0 ||
	    (line[length] != ' ' && line[length] != '\t'))
		return false;
	line = skip_spaces(line + length);
	if (!number_scan(&line, MOST_PAGES, &number) || *line)
		return false;
	*value = (int64_t)number;
	return true;
}

/* Reads "Node 0, zone   Normal". */
static bool read_zone_line(const char *line, struct zone *zone)
{
	uint64_t node;

	/* All figures are -1: absent. */
	memset(zone, 0xff, sizeof(*zone));
	if (strncmp(line, "Node ", strlen("Node ")) != 0)
		return false;
	line += strlen("Node ");
	if (!number_scan(&line, INT16_MAX, &node) ||
	    strncmp(line, ", zone", strlen(", zone")) != 0)
		return false;
	line = skip_spaces(line + strlen(", zone"));
	if (!*line || strlen(line) >= sizeof(zone->name))
		return false;
	zone->node = (unsigned int)node;
	strcpy(zone->name, line);
	return true;
}

/*
 * Reads "protection: (0, 1938, 1938)": what must stay free in this zone for an
 * allocation that could use a higher zone. The largest counts.
 */
static void read_protection(const char *line, int64_t *most)
{
	static const char name[] = "protection: (";
	uint64_t number;

	line = skip_spaces(line);
	if (strncmp(line, name, strlen(name)) != 0)
		return;
	line += strlen(name);
	*most = 0;
	while (number_scan(&line, MOST_PAGES, &number)) {
		if ((int64_t)number > *most)
			*most = (int64_t)number;
		line += strspn(line, ", ");
	}
}

static void add(int64_t *sum, int64_t number)
{
	*sum = (*sum < 0 ? 0 : *sum) + number;
}

/* Before Linux 4.8 the lists are not counted by zone. */
static bool read_lru(const char *line, int64_t *sum)
{
	static const char *const names[] = {
		"nr_zone_inactive_anon", "nr_zone_active_anon",
		"nr_zone_inactive_file", "nr_zone_active_file",
		"nr_zone_unevictable",
	};
	int64_t number;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!read_field(line, names[i], &number))
			continue;
		add(sum, number);
		return true;
	}
	return false;
}

/* "high:" is of a processor's list, "high" of the zone. */
static void read_zone_field(const char *line, struct zone *zone)
{
	int64_t number;

	if (read_field(line, "count:", &number))
		add(&zone->cpu_lists_pages, number);
	else if (read_field(line, "vm stats threshold:", &number))
		add(&zone->lag_pages, number);
	else if (!read_field(line, "pages free", &zone->free_pages) &&
		 !read_field(line, "min", &zone->min_pages) &&
		 !read_field(line, "low", &zone->low_pages) &&
		 !read_field(line, "high", &zone->high_pages) &&
		 !read_field(line, "boost", &zone->boost_pages) &&
		 !read_field(line, "spanned", &zone->spanned_pages) &&
		 !read_field(line, "present", &zone->present_pages) &&
		 !read_field(line, "managed", &zone->managed_pages) &&
		 !read_field(line, "nr_free_cma", &zone->cma_pages) &&
		 !read_lru(line, &zone->lru_pages))
		read_protection(line, &zone->reserve_pages);
}

static void read_node_field(const char *line, struct zone_node *node)
{
	int64_t number;

	if (read_field(line, "nr_inactive_file", &number) ||
	    read_field(line, "nr_active_file", &number)) {
		node->file_pages += (uint64_t)number;
		node->lacks_lists = false;
	} else if (read_field(line, "nr_slab_reclaimable", &number) ||
		   read_field(line, "nr_kernel_misc_reclaimable", &number)) {
		node->reclaimable_pages += (uint64_t)number;
	}
}

static struct zone_node *node_of(struct zoneinfo *info, unsigned int number)
{
	for (size_t i = 0; i < info->node_count; i++) {
		if (info->nodes[i].node == number)
			return &info->nodes[i];
	}
	info->nodes[info->node_count] =
		(struct zone_node){ .node = number, .lacks_lists = true };
	return &info->nodes[info->node_count++];
}

/* At least as many as parse() finds. */
static size_t count_zones(const char *text)
{
	size_t count = 0;

	while ((text = strstr(text, "Node "))) {
		count++;
		text++;
	}
	return count;
}

static void parse_lines(struct zoneinfo *info, char *text)
{
	struct zone_node *node = NULL;
	struct zone *zone = NULL, found;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		if (read_zone_line(line, &found)) {
			zone = &info->zones[info->count++];
			*zone = found;
			node = node_of(info, zone->node);
		} else if (zone) {
			read_zone_field(line, zone);
			read_node_field(line, node);
		}
	}
}

int zoneinfo_parse(struct zoneinfo *info, const char *text)
{
	_cleanup_(freep) char *copy = strdup(text);
	size_t room = count_zones(text) + 1;

	*info = (struct zoneinfo){
		.zones = calloc(room, sizeof(*info->zones)),
		.nodes = calloc(room, sizeof(*info->nodes)),
	};
	if (!copy || !info->zones || !info->nodes)
		return -ENOMEM;
	parse_lines(info, copy);
	return 0;
}

int zoneinfo_read(struct zoneinfo *info, const struct sysroot *root,
		  struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	int ret;

	*info = (struct zoneinfo){ 0 };
	ret = sysroot_read(root, ZONEINFO_PATH, MAX_SIZE, &text, NULL);
	if (!ret)
		ret = zoneinfo_parse(info, text);
	if (ret < 0)
		return error_errno(err, -ret, "reading", ZONEINFO_PATH);
	if (!zoneinfo_managed_pages(info, ZONEINFO_ALL_NODES))
		return error_doing(err, EBADMSG, "reading", ZONEINFO_PATH,
				   "no zone in it");
	return 0;
}

void zoneinfo_deinit(struct zoneinfo *info)
{
	free(info->zones);
	free(info->nodes);
	*info = (struct zoneinfo){ 0 };
}

/* What may move while the files are read: this part. */
#define MOVING_PART 16

int64_t zoneinfo_missing_pages(const struct zoneinfo *info, const char *vmstat)
{
	int64_t all = 0, missing, number;

	while (*vmstat) {
		char line[64];
		size_t length = strcspn(vmstat, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)length, vmstat);
		if (read_field(line, "nr_free_pages", &number))
			add(&all, number);
		else
			read_lru(line, &all);
		vmstat += length + (vmstat[length] == '\n');
	}
	missing = all;
	for (size_t i = 0; i < info->count; i++)
		missing -= greater(info->zones[i].free_pages, 0) +
			   greater(info->zones[i].lru_pages, 0);
	return missing > all / MOVING_PART ? missing : 0;
}

/* Zones without memory are in no node. */
static bool is_in(const struct zone *zone, int node)
{
	return zone_has_memory(zone) &&
	       (node == ZONEINFO_ALL_NODES || zone->node == (unsigned int)node);
}

uint64_t zoneinfo_managed_pages(const struct zoneinfo *info, int node)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < info->count; i++) {
		if (is_in(&info->zones[i], node))
			pages += (uint64_t)zone_pages(&info->zones[i]);
	}
	return pages;
}

int64_t zone_reserve_pages(const struct zone *zone)
{
	int64_t boost = zone->boost_pages < 0 ? 0 : zone->boost_pages;
	int64_t pages = zone->reserve_pages + zone->high_pages - boost;

	if (zone->reserve_pages < 0 || zone->high_pages < 0 ||
	    zone_pages(zone) < 0)
		return -1;
	return pages < zone_pages(zone) ? pages : zone_pages(zone);
}

static int64_t kept(int64_t pages, int64_t low_pages)
{
	return pages / 2 < low_pages ? pages / 2 : low_pages;
}

void available_compute(struct available *available, int64_t low_pages)
{
	available->file_kept = kept(available->file, low_pages);
	available->reclaimable_kept = kept(available->reclaimable, low_pages);
	available->result = available->free - available->reserve +
			    available->file - available->file_kept +
			    available->reclaimable -
			    available->reclaimable_kept;
	if (available->result < 0)
		available->result = 0;
	available->low = low_pages;
	available->known = true;
}

bool available_takes_low(const struct available *available, int64_t said)
{
	int64_t more = available->reserve - available->low;

	return available->known &&
	       llabs(said - available->result - more) < more / 4;
}

void zoneinfo_hold_available(struct zoneinfo *info, int64_t said_pages)
{
	struct available available;

	zoneinfo_available(info, ZONEINFO_ALL_NODES, &available);
	info->takes_low = available_takes_low(&available, said_pages);
}

/* Returns false if a figure of the zone is absent. */
static bool add_zone(struct available *sum, int64_t *low_pages,
		     const struct zone *zone)
{
	int64_t reserve = zone_reserve_pages(zone);

	if (zone->free_pages < 0 || zone->low_pages < 0 || reserve < 0)
		return false;
	sum->free += zone->free_pages;
	sum->reserve += reserve;
	*low_pages += zone->low_pages;
	return true;
}

void zoneinfo_available(const struct zoneinfo *info, int node,
			struct available *available)
{
	struct available sum = { 0 };
	int64_t low_pages = 0;

	*available = (struct available){ 0 };
	for (size_t i = 0; i < info->count; i++) {
		if (is_in(&info->zones[i], node) &&
		    !add_zone(&sum, &low_pages, &info->zones[i]))
			return;
	}
	for (size_t i = 0; i < info->node_count; i++) {
		const struct zone_node *of = &info->nodes[i];

		if (node != ZONEINFO_ALL_NODES &&
		    of->node != (unsigned int)node)
			continue;
		if (of->lacks_lists)
			return;
		sum.file += (int64_t)of->file_pages;
		sum.reclaimable += (int64_t)of->reclaimable_pages;
	}
	if (info->takes_low)
		sum.reserve = low_pages;
	available_compute(&sum, low_pages);
	*available = sum;
}

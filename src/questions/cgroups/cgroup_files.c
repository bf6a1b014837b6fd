// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "cgroups/cgroup_files.h"
#include "lib/cleanup.h"
#include "lib/number.h"

/* memory.stat has 60 lines in Linux 7.3, which are 1.5 kB. */
#define TEXT_SIZE 32768

/*
 * No limit: PAGE_COUNTER_MAX pages in version 1, "max" in version 2. The former
 * depends on the page size, so anything that no machine has counts as none.
 */
#define NO_LIMIT (UINT64_C(1) << 62)

/* No counter is above this: sums of some do not overflow. */
#define MOST (UINT64_C(1) << 60)

/* A line of a file, and the figure that it holds. */
struct line {
	const char *name;
	enum cgroup_figure figure;
};

static const struct line stat_v2[] = {
	{ "anon", CGROUP_ANON },
	{ "file", CGROUP_FILE },
	{ "kernel", CGROUP_KERNEL },
	{ "kernel_stack", CGROUP_KERNEL_STACK },
	{ "pagetables", CGROUP_PAGE_TABLES },
	{ "sec_pagetables", CGROUP_SEC_PAGE_TABLES },
	{ "percpu", CGROUP_PERCPU },
	{ "vmalloc", CGROUP_VMALLOC },
	{ "shmem", CGROUP_SHMEM },
	{ "zswap", CGROUP_ZSWAP },
	{ "file_mapped", CGROUP_MAPPED },
	{ "file_dirty", CGROUP_DIRTY },
	{ "file_writeback", CGROUP_WRITEBACK },
	{ "inactive_file", CGROUP_INACTIVE_FILE },
	{ "active_file", CGROUP_ACTIVE_FILE },
	{ "slab", CGROUP_SLAB },
	{ "slab_reclaimable", CGROUP_SLAB_RECLAIMABLE },
	{ "workingset_refault_file", CGROUP_REFAULTS_FILE },
	{ "workingset_refault_anon", CGROUP_REFAULTS_ANON },
	{ "workingset_nodereclaim", CGROUP_FORGOTTEN },
	{ NULL, 0 },
};

/* Without total_, the figures of version 1 are without the cgroups below. */
static const struct line stat_v1[] = {
	{ "total_cache", CGROUP_FILE },
	{ "total_rss", CGROUP_ANON },
	{ "total_shmem", CGROUP_SHMEM },
	{ "total_mapped_file", CGROUP_MAPPED },
	{ "total_dirty", CGROUP_DIRTY },
	{ "total_writeback", CGROUP_WRITEBACK },
	{ "total_inactive_file", CGROUP_INACTIVE_FILE },
	{ "total_active_file", CGROUP_ACTIVE_FILE },
	{ "total_workingset_refault_file", CGROUP_REFAULTS_FILE },
	{ "total_workingset_refault_anon", CGROUP_REFAULTS_ANON },
	{ "total_workingset_nodereclaim", CGROUP_FORGOTTEN },
	{ "total_swap", CGROUP_SWAP },
	{ "hierarchical_memory_limit", CGROUP_MAX_ABOVE },
	{ "hierarchical_memsw_limit", CGROUP_MEMSW_MAX_ABOVE },
	{ NULL, 0 },
};

static const struct line events[] = {
	{ "low", CGROUP_LOW_EVENTS },	  { "high", CGROUP_HIGH_EVENTS },
	{ "max", CGROUP_MAX_EVENTS },	  { "oom", CGROUP_OOM_EVENTS },
	{ "oom_kill", CGROUP_OOM_KILLS }, { NULL, 0 },
};

static const struct line cgroup_stat[] = {
	{ "nr_dying_descendants", CGROUP_DEAD },
	{ NULL, 0 },
};

/* Lines "NAME VALUE". What is not in @known is skipped. */
static void parse_lines(struct cgroup_figures *figures,
			const struct line *known, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, " \n");
		const char *value = text + length + (text[length] == ' ');
		const struct line *line = known;
		uint64_t number;

		while (line->name && (strncmp(line->name, text, length) != 0 ||
				      line->name[length]))
			line++;
		if (line->name && number_scan(&value, MOST, &number))
			cgroup_set(figures, line->figure, number);
		text = value + strcspn(value, "\n");
		text += *text == '\n';
	}
}

void cgroup_parse_stat(struct cgroup_figures *figures,
		       enum cgroup_version version, const char *text)
{
	parse_lines(figures, version == CGROUP_V2 ? stat_v2 : stat_v1, text);
}

void cgroup_parse_events(struct cgroup_figures *figures, const char *text)
{
	parse_lines(figures, events, text);
}

/* "some avg10=1.25 avg60=..." */
static void parse_average(struct cgroup_figures *figures,
			  enum cgroup_figure figure, const char *text,
			  const char *start)
{
	uint64_t whole, part;

	text = strstr(text, start);
	if (!text)
		return;
	text += strlen(start);
	if (!number_scan(&text, 100, &whole) || *text++ != '.' ||
	    !number_scan(&text, 99, &part))
		return;
	cgroup_set(figures, figure, whole * 100 + part);
}

void cgroup_parse_pressure(struct cgroup_figures *figures, const char *text)
{
	parse_average(figures, CGROUP_SOME, text, "some avg10=");
	parse_average(figures, CGROUP_FULL, text, "full avg10=");
}

void cgroup_parse_nodes(struct cgroup_figures *figures, const char *text)
{
	uint64_t first, last, nodes = 0;

	while (number_scan(&text, 63, &first)) {
		last = first;
		if (*text == '-') {
			text++;
			if (!number_scan(&text, 63, &last))
				return;
		}
		for (; first <= last; first++)
			nodes |= UINT64_C(1) << first;
		text += *text == ',';
	}
	if (nodes && (!*text || *text == '\n'))
		cgroup_set(figures, CGROUP_NODES, nodes);
}

/*
 * Returns 1 with the whole file in @text, 0 if there is no such file, or a
 * negative errno. A file of a kernel that has pressure switched off (psi=0) is
 * there and cannot be opened or read: it counts as missing.
 */
static int read_text(int dir, const char *name, char text[TEXT_SIZE])
{
	/* No cgroup has a link, which could lead out of a captured tree. */
	_cleanup_(closep) int fd =
		openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	size_t used = 0;
	ssize_t got;

	if (fd < 0)
		return errno == ENOENT || errno == EOPNOTSUPP ? 0 : -errno;
	do {
		got = read(fd, text + used, TEXT_SIZE - 1 - used);
		if (got < 0 && errno == EOPNOTSUPP)
			return 0;
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0)
			used += (size_t)got;
		if (used == TEXT_SIZE - 1)
			return -EFBIG;
	} while (got);
	text[used] = '\0';
	return 1;
}

/*
 * Sets one figure to @text, unless it says that there is no limit. Returns
 * -EBADMSG if it says neither.
 */
static int parse_single(struct cgroup_figures *figures,
			enum cgroup_figure figure, const char *text)
{
	uint64_t number = NO_LIMIT;

	if (strncmp(text, "max", 3) == 0)
		text += 3;
	else if (!number_scan(&text, UINT64_MAX, &number))
		return -EBADMSG;
	if (text[strspn(text, "\r\n")])
		return -EBADMSG;
	if (number < NO_LIMIT)
		cgroup_set(figures, figure, number);
	return 0;
}

/* A file, and how to read it: its lines, by parse(), or as a single number. */
struct file {
	const char *name;
	const struct line *lines;
	void (*parse)(struct cgroup_figures *figures, const char *text);
	enum cgroup_figure figure;
};

static const struct file files_v2[] = {
	{ "memory.stat", .lines = stat_v2 },
	{ "memory.current", .figure = CGROUP_CURRENT },
	{ "memory.high", .figure = CGROUP_HIGH },
	{ "memory.max", .figure = CGROUP_MAX },
	{ "memory.min", .figure = CGROUP_MIN },
	{ "memory.low", .figure = CGROUP_LOW },
	{ "memory.swap.current", .figure = CGROUP_SWAP },
	{ "memory.events", .parse = cgroup_parse_events },
	{ "cgroup.stat", .lines = cgroup_stat },
	{ "cpuset.mems.effective", .parse = cgroup_parse_nodes },
	{ .name = NULL },
};

static const struct file files_v1[] = {
	{ "memory.stat", .lines = stat_v1 },
	{ "memory.usage_in_bytes", .figure = CGROUP_CURRENT },
	{ "memory.limit_in_bytes", .figure = CGROUP_MAX },
	{ "memory.kmem.usage_in_bytes", .figure = CGROUP_KERNEL },
	{ "memory.memsw.usage_in_bytes", .figure = CGROUP_MEMSW },
	{ "memory.memsw.limit_in_bytes", .figure = CGROUP_MEMSW_MAX },
	{ "memory.kmem.limit_in_bytes", .figure = CGROUP_KERNEL_MAX },
	{ "memory.kmem.tcp.usage_in_bytes", .figure = CGROUP_TCP },
	{ "memory.kmem.tcp.limit_in_bytes", .figure = CGROUP_TCP_MAX },
	{ "memory.use_hierarchy", .figure = CGROUP_HIERARCHY },
	{ "memory.failcnt", .figure = CGROUP_MAX_EVENTS },
	{ "memory.oom_control", .parse = cgroup_parse_events },
	{ .name = NULL },
};

const char *cgroup_file_name(enum cgroup_figure figure,
			     enum cgroup_version version)
{
	const struct file *file = version == CGROUP_V2 ? files_v2 : files_v1;
	const struct line *line = stat_v1;

	while (file->name &&
	       (file->lines || file->parse || file->figure != figure))
		file++;
	if (file->name)
		return file->name;
	while (line->name && line->figure != figure)
		line++;
	return line->name;
}

uint64_t cgroup_file_lists(const struct cgroup_figures *figures)
{
	return cgroup_or_0(figures, CGROUP_ACTIVE_FILE) +
	       cgroup_or_0(figures, CGROUP_INACTIVE_FILE);
}

uint64_t cgroup_clean(const struct cgroup_figures *figures)
{
	uint64_t lists = cgroup_file_lists(figures);
	uint64_t unclean = cgroup_or_0(figures, CGROUP_DIRTY) +
			   cgroup_or_0(figures, CGROUP_WRITEBACK);

	return lists > unclean ? lists - unclean : 0;
}

int cgroup_files_read(struct cgroup_figures *figures,
		      enum cgroup_version version, int dir, int pressure)
{
	const struct file *file = version == CGROUP_V2 ? files_v2 : files_v1;
	char text[TEXT_SIZE];
	int ret;

	*figures = (struct cgroup_figures){ 0 };
	for (; file->name; file++) {
		ret = read_text(dir, file->name, text);
		if (ret > 0 && file->lines)
			parse_lines(figures, file->lines, text);
		else if (ret > 0 && file->parse)
			file->parse(figures, text);
		else if (ret > 0)
			ret = parse_single(figures, file->figure, text);
		if (ret < 0)
			return ret;
	}
	ret = pressure < 0 ? 0 : read_text(pressure, "memory.pressure", text);
	if (ret > 0)
		cgroup_parse_pressure(figures, text);
	return ret < 0 ? ret : 0;
}

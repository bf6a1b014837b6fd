// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "cgroups/hierarchy.h"
#include "explain/explain.h"
#include "explain/explain_facts.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "names/openers.h"
#include "names/processes.h"
#include "top/details.h"
#include "top/tab.h"

/* Processes of a cgroup that are named. */
#define MEMBERS_SHOWN 20
/* More than any of these files has, bytes. */
#define PIDS_MOST (16 << 20)
#define STATUS_MOST 65536
#define COMMAND_LINE_MOST (4 << 20)

static void print_openers(FILE *out, const struct openers *openers,
			  dev_t device)
{
	const struct opener *found;
	size_t count;

	found = openers_find(openers, major(device), minor(device), &count);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%-14s %s(%u)\n", i ? "" : "OPEN-BY",
			found[i].comm, found[i].pid);
	/* A recording has no processes. */
	if (openers->processes && !openers_are_whole(openers))
		fprintf(out, "%-14s not all processes could be asked\n",
			count ? "" : "OPEN-BY");
}

/* The word of explain that a head of memory is about, or NULL. */
static const char *word_of_head(const char *key)
{
	static const struct {
		const char *key, *word;
	} words[] = {
		{ "shared", "shared" }, { "file_cache", "cache" },
		{ "free", "free" },	{ "block_cache", "buffers" },
		{ "total", "total" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(words[i].key, key) == 0)
			return words[i].word;
	}
	return NULL;
}

/* The device number that a key begins with; 0: it has none. */
static dev_t number_of(const char *key)
{
	_cleanup_(freep) char *number = strndup(key, strcspn(key, " "));
	unsigned int major, minor;

	return number && dev_number_parse(number, &major, &minor) ?
		       makedev(major, minor) :
		       0;
}

/* All that explain says about a column of free. */
static void print_column(FILE *out, const struct explain_facts *facts,
			 const char *word)
{
	struct explanation explanation;
	unsigned int columns = 0;

	explain_column_add(&columns, word, NULL);
	if (explanation_init(&explanation, facts, columns) < 0)
		fprintf(out, "%s\n", strerror(ENOMEM));
	else
		for (size_t i = 0; i < explanation.count; i++)
			fprintf(out, "%s%s", i ? "\n" : "",
				explanation.paragraphs[i].text);
	explanation_deinit(&explanation);
}

/* What explain says about a row. */
static void explain(FILE *out, const struct question *tab, const char *key,
		    const struct sysroot *root)
{
	const dev_t device = number_of(key);
	struct explain_facts facts;
	char text[ERROR_TEXT_SIZE];
	struct error err;
	int ret = explain_facts_init(&facts, root, NULL, &err);

	if (!ret && tab == questions[QUESTION_DEVICES] && device)
		print_openers(out, &facts.openers, device);
	putc('\n', out);
	if (ret < 0)
		fprintf(out, "%s\n", error_text(&err, text));
	else if (tab == questions[QUESTION_DEVICES])
		explain_print_device(out, &facts, device);
	else if (tab == questions[QUESTION_FILESYSTEMS])
		explain_print_filesystem(out, &facts, device, strchr(key, ' '));
	else
		print_column(out, &facts, word_of_head(key));
	explain_facts_deinit(&facts);
}

/* Prints "HEADING command(pid)"; the heading only on the first line. */
static void print_process(FILE *out, const char *heading, const char *pid,
			  const struct sysroot *root)
{
	_cleanup_(freep) char *command = NULL;

	process_comm(root, (unsigned int)strtoul(pid, NULL, 10), &command);
	if (command)
		fprintf(out, "%-14s %s(%s)\n", heading, command, pid);
	else
		fprintf(out, "%-14s %s\n", heading, pid);
}

/* The processes in a cgroup, which those below it are not. */
static void print_members(FILE *out, const char *cgroup,
			  const struct sysroot *root)
{
	_cleanup_(freep) char *path = NULL, *pids = NULL;
	struct hierarchy hierarchy;
	size_t count = 0;
	char *rest, *pid;

	if (hierarchy_find(&hierarchy, root, NULL) < 0 ||
	    asprintf(&path, "%s%s/cgroup.procs", hierarchy.mount,
		     strcmp(cgroup, "/") == 0 ? "" : cgroup) < 0 ||
	    sysroot_read(root, path, PIDS_MOST, &pids, NULL) < 0)
		return;
	for (rest = pids; (pid = strsep(&rest, "\n"));) {
		if (*pid && count++ < MEMBERS_SHOWN)
			print_process(out, count == 1 ? "PROCESSES" : "", pid,
				      root);
	}
	if (count > MEMBERS_SHOWN)
		fprintf(out, "%-14s and %zu more\n", "", count - MEMBERS_SHOWN);
}

/* A field of /proc/PID/status. */
static void print_status(FILE *out, const char *status, const char *field,
			 const char *heading)
{
	const char *value = value_of_line(status, field);

	if (value)
		fprintf(out, "%-14s %.*s\n", heading, (int)strcspn(value, "\n"),
			value);
}

/* The arguments have a NUL after each. */
static void print_command_line(FILE *out, unsigned long pid,
			       const struct sysroot *root)
{
	_cleanup_(freep) char *line = NULL;
	size_t size = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%lu/cmdline", pid);
	if (sysroot_read(root, path, COMMAND_LINE_MOST, &line, &size) < 0 ||
	    !size)
		return;
	for (size_t i = 0; i + 1 < size; i++) {
		if (line[i] == '\0' || line[i] == '\n')
			line[i] = ' ';
	}
	fprintf(out, "%-14s %s\n", "COMMAND-LINE", line);
}

/*
 * The key begins with the process, or with 0. Its command line waits for a lock
 * of its memory, which a process that is stuck may hold.
 */
static void print_who(FILE *out, const char *key, const struct sysroot *root)
{
	_cleanup_(freep) char *status = NULL;
	const unsigned long pid = strtoul(key, NULL, 10);
	char path[64];

	/* A recording has no processes. */
	if (!pid || root->is_recorded)
		return;
	snprintf(path, sizeof(path), "/proc/%lu/status", pid);
	if (sysroot_read(root, path, STATUS_MOST, &status, NULL) < 0) {
		fprintf(out, "%-14s it has ended\n", "PROCESS");
		return;
	}
	print_status(out, status, "State:", "STATE");
	print_status(out, status, "PPid:", "PARENT");
	print_status(out, status, "VmRSS:", "RESIDENT");
	fflush(out);
	print_command_line(out, pid, root);
}

void details_print(FILE *out, const struct question *tab, const char *key,
		   const struct sysroot *root)
{
	if (tab == questions[QUESTION_DEVICES] ||
	    tab == questions[QUESTION_FILESYSTEMS] ||
	    (tab == questions[QUESTION_MEMORY] && word_of_head(key)))
		explain(out, tab, key, root);
	else if (tab == questions[QUESTION_CGROUPS])
		print_members(out, key, root);
	else if (tab == questions[QUESTION_WHO])
		print_who(out, key, root);
}

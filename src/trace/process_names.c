// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/sysroot.h"
#include "trace/process_names.h"

struct comm {
	struct perf_event_header header;
	uint32_t process;
	uint32_t thread;
	char command[]; /* with its NUL */
};

/* A start or an end. */
struct life {
	struct perf_event_header header;
	uint32_t process;
	uint32_t parent;
	uint32_t thread;
};

static const struct process_name *find(const struct process_names *names,
				       uint32_t process)
{
	const struct process_name *name =
		&names->names[process % PROCESS_NAMES];

	return name->process == process && *name->command ? name : NULL;
}

static void set(struct process_names *names, uint32_t process,
		const char *command)
{
	struct process_name *name = &names->names[process % PROCESS_NAMES];

	*name = (struct process_name){ .process = process };
	snprintf(name->command, sizeof(name->command), "%s", command);
}

/*
 * Until it becomes another program, a process has its parent's name. If that
 * has come already, from another processor, it stays.
 */
static void begin(struct process_names *names, const struct life *life)
{
	const struct process_name *known = find(names, life->process);
	const struct process_name *parent = find(names, life->parent);
	char command[TRACE_COMMAND];

	if (!parent || (known && !known->has_ended))
		return;
	memcpy(command, parent->command, sizeof(command));
	set(names, life->process, command);
}

static void end(struct process_names *names, uint32_t process)
{
	if (find(names, process))
		names->names[process % PROCESS_NAMES].has_ended = true;
}

void process_names_take(struct process_names *names,
			const struct perf_event_header *record)
{
	const struct comm *comm = (const struct comm *)record;
	const struct life *life = (const struct life *)record;

	if (record->type == PERF_RECORD_COMM && record->size > sizeof(*comm) &&
	    comm->process == comm->thread)
		set(names, comm->process, comm->command);
	/* Those of further threads do not count. */
	if (record->size < sizeof(*life) || life->process != life->thread)
		return;
	if (record->type == PERF_RECORD_FORK)
		begin(names, life);
	else if (record->type == PERF_RECORD_EXIT)
		end(names, life->process);
}

void process_names_find(const struct process_names *names, uint32_t process,
			char command[TRACE_COMMAND])
{
	static const struct sysroot live = { .fd = -1 };
	const struct process_name *name = find(names, process);
	_cleanup_(freep) char *text = NULL;
	char path[64];

	if (name) {
		memcpy(command, name->command, TRACE_COMMAND);
		return;
	}
	snprintf(path, sizeof(path), "/proc/%u/comm", process);
	if (sysroot_read(&live, path, 4096, &text, NULL) < 0)
		return;
	text[strcspn(text, "\n")] = '\0';
	snprintf(command, TRACE_COMMAND, "%s", text);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls/each.h"
#include "lib/array.h"
#include "lib/cleanup.h"

int each_init(struct each *each, uint64_t most, size_t functions)
{
	*each = (struct each){ .most = most, .functions = functions };
	/* The last one is for functions that are not known. */
	each->counts = calloc(functions + 1, sizeof(*each->counts));
	return each->counts ? 0 : -ENOMEM;
}

void each_deinit(struct each *each)
{
	for (size_t i = 0; i < each->count; i++)
		free(each->calls[i].lines);
	free(each->calls);
	free(each->counts);
	*each = (struct each){ 0 };
}

static struct each_count *count_of(const struct each *each, long function)
{
	return &each->counts[function < 0 ? each->functions : (size_t)function];
}

uint64_t each_left_out(const struct each *each, long function)
{
	return count_of(each, function)->left_out;
}

/* The task may have ended, or have become another program. */
static void read_task(uint32_t thread, char task[EACH_TASK])
{
	_cleanup_(closep) int fd = -1;
	char path[32];
	ssize_t got;

	if (!thread) {
		strcpy(task, "swapper");
		return;
	}
	snprintf(path, sizeof(path), "/proc/%u/comm", thread);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : read(fd, task, EACH_TASK - 1);
	task[got > 0 ? got : 0] = '\0';
	task[strcspn(task, "\n")] = '\0';
}

void each_name_tasks(struct each *each, char *saved)
{
	char *line, *name;

	while ((line = strsep(&saved, "\n"))) {
		const unsigned long thread = strtoul(line, &name, 10);

		if (name == line || *name != ' ')
			continue;
		for (size_t i = 0; i < each->count; i++) {
			struct each_call *call = &each->calls[i];

			if (call->thread == thread && !*call->task)
				snprintf(call->task, sizeof(call->task), "%s",
					 name + 1);
		}
	}
}

long each_begin(struct each *each, long function, const struct step *step)
{
	struct each_count *count = count_of(each, function);
	struct each_call *call;

	if (count->kept == each->most || each->lines == EACH_MOST_LINES) {
		count->left_out++;
		return 0;
	}
	if (array_make_room(&each->calls, each->count, &each->capacity) < 0)
		return -ENOMEM;
	call = &each->calls[each->count++];
	*call = (struct each_call){
		.began_ns = step->time_ns,
		.which = ++count->kept,
		.thread = step->thread,
		.processor = step->processor,
		.in_interrupt = step->in_interrupt,
		.in_softirq = step->in_softirq,
	};
	read_task(call->thread, call->task);
	return (long)each->count;
}

long each_enter(struct each *each, long call, long function, uint32_t level)
{
	struct each_call *to;

	if (!call)
		return 0;
	to = &each->calls[call - 1];
	if (to->count == EACH_LINES || each->lines == EACH_MOST_LINES) {
		to->cut++;
		return 0;
	}
	if (array_make_room(&to->lines, to->count, &to->capacity) < 0)
		return -ENOMEM;
	each->lines++;
	to->lines[to->count++] =
		(struct each_line){ .function = function, .level = level };
	return (long)to->count;
}

void each_leave(struct each *each, long call, long line, bool returned,
		uint64_t took_ns)
{
	struct each_call *of;

	if (!call || !line)
		return;
	of = &each->calls[call - 1];
	of->lines[line - 1].returned = returned;
	of->lines[line - 1].took_ns = took_ns;
	of->lines[line - 1].after = (uint32_t)of->count;
}

void each_result(struct each *each, long call, int64_t result)
{
	if (!call)
		return;
	each->calls[call - 1].has_result = true;
	each->calls[call - 1].result = result;
}

void each_work(struct each *each, long call, long line,
	       const struct path_work *work)
{
	if (call && line)
		path_work_add(&each->calls[call - 1].lines[line - 1].work,
			      work);
}

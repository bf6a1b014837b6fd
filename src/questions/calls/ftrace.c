// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls/ftrace.h"
#include "calls/functions.h"
#include "calls/place.h"
#include "calls/ring_buffers.h"
#include "calls/ring_reader.h"
#include "calls/tracing_file.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/string_list.h"

#define DOING "tracing"

/*
 * Of another processor, something as old as this may not be in the buffer yet.
 */
#define MOMENT_NS 2000000

/* System calls of a round with which the time of a record is measured. */
#define TRIES 200
#define ROUNDS 5

#define FILTER_ATTEMPTS 5

struct ftrace {
	struct place place;
	struct functions functions;
	struct ring_reader reader;
	struct ring_buffers buffers;
	int text; /* trace_pipe, or -1 */
	struct step *steps; /* not handed out yet */
	size_t step_count, step_capacity;
	bool out_of_memory;
	uint64_t lost_before; /* what the buffers had lost at the beginning */
	uint64_t lost;
	uint64_t own_records;
	double record_ns;
};

const struct functions *ftrace_functions(const struct ftrace *ftrace)
{
	return &ftrace->functions;
}

bool ftrace_has_instance(const struct ftrace *ftrace)
{
	return ftrace->place.instance[0] != '\0';
}

bool ftrace_changed(const struct ftrace *ftrace)
{
	return place_changed(&ftrace->place);
}

int ftrace_saved_tasks(const struct ftrace *ftrace, char **text)
{
	return tracing_read(ftrace->place.top, "saved_cmdlines", text, NULL);
}

uint64_t ftrace_lost(const struct ftrace *ftrace)
{
	return ftrace->lost;
}

double ftrace_record_ns(const struct ftrace *ftrace)
{
	return ftrace->record_ns;
}

static int set(const struct ftrace *ftrace, const char *path, const char *text,
	       struct error *err)
{
	return tracing_write(ftrace->place.directory, path, text, err);
}

/* The same for a file that not every kernel has. */
static int set_if_any(const struct ftrace *ftrace, const char *path,
		      const char *text, struct error *err)
{
	int ret = set(ftrace, path, text, err);

	return ret == -ENOENT ? 0 : ret;
}

/* ---- what is recorded ---------------------------------------------------- */

static int open_text(struct ftrace *ftrace, struct error *err)
{
	ftrace->text = openat(ftrace->place.directory, "trace_pipe",
			      O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return ftrace->text < 0 ?
		       error_errno(err, errno, "opening", "trace_pipe") :
		       0;
}

static int enable_events(const struct ftrace *ftrace,
			 const struct ftrace_wish *wish, struct error *err)
{
	/* The text is about functions and pages, or one function and below. */
	const int after = !wish->as_text     ? STEP_KINDS :
			  wish->starts.count ? STEP_ADD :
					       STEP_SYSCALL;
	int ret = 0;

	for (int kind = STEP_ADD; !ret && kind < after; kind++) {
		char path[128];

		snprintf(path, sizeof(path), "events/%s/enable",
			 ring_event((enum step_kind)kind));
		ret = ring_event_is_needed((enum step_kind)kind) ?
			      set(ftrace, path, "1", err) :
			      set_if_any(ftrace, path, "1", err);
	}
	return ret;
}

/* Returns the ids with spaces between them; NULL when out of memory. */
static char *list_threads(const pid_t *threads, size_t count)
{
	char *list = malloc(count * 12 + 1);
	char *end = list;

	if (!list)
		return NULL;
	*end = '\0';
	for (size_t i = 0; i < count; i++)
		end += sprintf(end, "%d ", threads[i]);
	return list;
}

static int set_forks(const struct ftrace *ftrace, struct error *err)
{
	int ret = set(ftrace, "options/function-fork", "1", err);

	return ret ? ret : set(ftrace, "options/event-fork", "1", err);
}

/*
 * Threads that have ended are off the lists already. That of the events is
 * never emptied: each time the kernel would patch its scheduler twice. It never
 * has this process, which the other list has while the cost is measured.
 *
 * A function that is entered by who is followed while nothing is recorded is
 * never left again: for the text, which may begin at one function, recording
 * comes first. Until then only the guard is followed, see follow_self().
 */
int ftrace_follow(struct ftrace *ftrace, const pid_t *threads, size_t count,
		  struct error *err)
{
	_cleanup_(freep) char *list = list_threads(threads, count);
	int ret;

	if (!list)
		return error_errno(err, ENOMEM, DOING, "processes");
	ret = tracing_append(ftrace->place.directory, "set_event_pid", list,
			     err);
	if (!ret && ftrace->text >= 0)
		ret = set(ftrace, "tracing_on", "1", err);
	if (!ret)
		ret = set(ftrace, "set_ftrace_pid", list, err);
	return ret ? ret : set(ftrace, "tracing_on", "1", err);
}

/*
 * For measure_cost(). For the text it is the guard, which sleeps: while nothing
 * is recorded, what is followed would be taken to be in the function to begin
 * at.
 */
static int follow_self(const struct ftrace *ftrace, bool as_text,
		       struct error *err)
{
	char self[24];
	int ret = set_forks(ftrace, err);

	snprintf(self, sizeof(self), "%d",
		 as_text ? ftrace->place.guard : getpid());
	return ret ? ret : set(ftrace, "set_ftrace_pid", self, err);
}

/*
 * Without function-fork and event-fork: they would leave out what this process
 * starts, too.
 */
static int leave_out_self(const struct ftrace *ftrace, struct error *err)
{
	char self[24];
	int ret;

	snprintf(self, sizeof(self), "%d", getpid());
	ret = set(ftrace, "set_event_notrace_pid", self, err);
	return ret ? ret : set(ftrace, "set_ftrace_notrace_pid", self, err);
}

static int choose_functions(struct ftrace *ftrace,
			    const struct ftrace_wish *wish, struct error *err)
{
	struct functions *functions = &ftrace->functions;
	const struct function_wish chosen = {
		.patterns = wish->patterns,
		.pattern_count = wish->pattern_count,
		.starts = wish->starts,
		.all = wish->all_functions,
	};
	int ret = functions_init(functions, ftrace->place.top, &chosen, err);

	return ret ?: functions_mark_starts(functions, &wish->starts, err);
}

/* A module that comes or goes moves the places of functions in the list. */
static int set_filter(struct ftrace *ftrace, const struct ftrace_wish *wish,
		      struct error *err)
{
	int ret = -EAGAIN;

	for (int i = 0; ret == -EAGAIN && i < FILTER_ATTEMPTS; i++) {
		if (i) {
			functions_deinit(&ftrace->functions);
			ret = choose_functions(ftrace, wish, err);
			if (ret)
				return ret;
		}
		ret = set(ftrace, "set_ftrace_filter", ftrace->functions.filter,
			  err);
		if (ret == -EINVAL)
			ret = -EAGAIN;
		if (!ret)
			ret = functions_check(&ftrace->functions,
					      ftrace->place.directory, err);
	}
	return ret;
}

/* An instance has no such setting of its own. */
static int set_start(const struct ftrace *ftrace,
		     const struct ftrace_wish *wish, struct error *err)
{
	_cleanup_(freep) char *names = string_list_join(&wish->starts, " ");

	if (!names)
		return error_errno(err, ENOMEM, DOING, "functions");
	return *names && !ftrace_has_instance(ftrace) ?
		       set(ftrace, "set_graph_function", names, err) :
		       0;
}

static int set_up(struct ftrace *ftrace, const struct ftrace_wish *wish,
		  struct error *err)
{
	int ret = set(ftrace, "tracing_on", "0", err);

	/* With the processor's own clock, threads would seem to go back. */
	if (!ret)
		ret = set(ftrace, "trace_clock", "mono", err);
	if (!ret && ftrace->functions.filter)
		ret = set_filter(ftrace, wish, err);
	if (!ret)
		ret = wish->all_threads ?
			      leave_out_self(ftrace, err) :
			      follow_self(ftrace, wish->as_text, err);
	if (!ret)
		ret = enable_events(ftrace, wish, err);
	if (!ret && wish->as_text)
		ret = set_start(ftrace, wish, err);
	return ret ?: set(ftrace, "current_tracer", PLACE_TRACER, err);
}

/* ---- taking what was recorded -------------------------------------------- */

static void keep(void *data, const struct step *step)
{
	struct ftrace *ftrace = data;

	if (array_make_room(&ftrace->steps, ftrace->step_count,
			    &ftrace->step_capacity) < 0)
		ftrace->out_of_memory = true;
	else
		ftrace->steps[ftrace->step_count++] = *step;
}

static void take_page(void *data, uint32_t processor, void *page)
{
	struct ftrace *ftrace = data;

	ring_reader_take(&ftrace->reader, processor, page, keep, ftrace);
}

/* With @all, only while nothing is recorded: else it might never end. */
static void read_buffers(struct ftrace *ftrace, bool all)
{
	ring_buffers_read(&ftrace->buffers, all, take_page, ftrace);
}

static int compare_steps(const void *left, const void *right)
{
	const struct step *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* Hands out the steps up to @until_ns. */
static int hand_out(struct ftrace *ftrace, uint64_t until_ns,
		    int (*take)(void *data, const struct step *step),
		    void *data)
{
	size_t done = 0;
	int ret = ftrace->out_of_memory ? -ENOMEM : 0;

	/* qsort() may change the order of equals. */
	for (size_t i = 0; i < ftrace->step_count; i++)
		ftrace->steps[i].order = (uint32_t)i;
	if (ftrace->step_count)
		qsort(ftrace->steps, ftrace->step_count, sizeof(*ftrace->steps),
		      compare_steps);
	while (!ret && done < ftrace->step_count &&
	       ftrace->steps[done].time_ns <= until_ns)
		ret = take(data, &ftrace->steps[done++]);
	ftrace->step_count -= done;
	memmove(ftrace->steps, ftrace->steps + done,
		ftrace->step_count * sizeof(*ftrace->steps));
	return ret;
}

int ftrace_serve(struct ftrace *ftrace,
		 int (*take)(void *data, const struct step *step), void *data)
{
	const int64_t now = monotonic_ns();

	read_buffers(ftrace, false);
	return hand_out(ftrace, (uint64_t)(now - MOMENT_NS), take, data);
}

/* What was lost is known, or the trace has failed. */
static int count_lost(struct ftrace *ftrace)
{
	uint64_t lost;
	int ret = ring_buffers_lost(&ftrace->buffers, &lost);

	if (!ret && lost < ftrace->lost_before)
		ret = -EIO;
	if (!ret)
		ftrace->lost = lost - ftrace->lost_before;
	return ret;
}

int ftrace_stop(struct ftrace *ftrace,
		int (*take)(void *data, const struct step *step), void *data)
{
	int ret = set(ftrace, "tracing_on", "0", NULL);

	read_buffers(ftrace, true);
	if (!ret)
		ret = count_lost(ftrace);
	return ret ?: hand_out(ftrace, UINT64_MAX, take, data);
}

int ftrace_copy_text(struct ftrace *ftrace, bool stops)
{
	char text[65536];
	ssize_t got;
	int ret = stops ? set(ftrace, "tracing_on", "0", NULL) : 0;

	while (!ret && (got = read(ftrace->text, text, sizeof(text))) > 0) {
		if (fwrite(text, 1, (size_t)got, stdout) != (size_t)got)
			ret = -EIO;
	}
	return !ret && stops ? count_lost(ftrace) : ret;
}

/* ---- what a record costs ------------------------------------------------- */

/*
 * Returns how many ns the shortest of ROUNDS takes, because on a busy host
 * others run in between; or -1.
 */
static int64_t time_tries(int fd)
{
	int64_t shortest = INT64_MAX;
	char byte;

	for (int round = 0; round < ROUNDS; round++) {
		const int64_t began = monotonic_ns();
		int64_t took;

		for (int i = 0; i < TRIES; i++) {
			if (pread(fd, &byte, 1, 0) < 0)
				return -1;
		}
		took = monotonic_ns() - began;
		if (took < shortest)
			shortest = took;
	}
	return shortest;
}

static int count_own(void *data, const struct step *step)
{
	struct ftrace *ftrace = data;

	ftrace->own_records += step->thread == (uint32_t)getpid();
	return 0;
}

/*
 * Reads from /dev/null, which asks nobody, while this process is traced. The
 * buffers are read while it is not, or that would be recorded, too.
 */
static void measure_cost(struct ftrace *ftrace, int64_t untraced_ns, int fd)
{
	int64_t traced_ns;

	if (set(ftrace, "tracing_on", "1", NULL) < 0)
		return;
	traced_ns = time_tries(fd);
	if (set(ftrace, "tracing_on", "0", NULL) < 0)
		return;
	read_buffers(ftrace, true);
	if (hand_out(ftrace, UINT64_MAX, count_own, ftrace) < 0 ||
	    traced_ns <= untraced_ns || !ftrace->own_records)
		return;
	ftrace->record_ns = (double)(traced_ns - untraced_ns) * ROUNDS /
			    (double)ftrace->own_records;
}

static int begin(struct ftrace *ftrace, const struct ftrace_wish *wish,
		 struct error *err)
{
	_cleanup_(closep) int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int64_t untraced_ns = null < 0 ? 0 : time_tries(null);
	int ret = set_up(ftrace, wish, err);

	if (!ret)
		ret = wish->as_text ? open_text(ftrace, err) :
				      ring_buffers_open(&ftrace->buffers, err);
	if (!ret && !wish->as_text && !wish->all_threads && null >= 0)
		measure_cost(ftrace, untraced_ns, null);
	if (!ret) {
		ret = ring_buffers_lost(&ftrace->buffers, &ftrace->lost_before);
		if (ret < 0)
			error_errno(err, -ret, DOING, "per_cpu/cpu*/stats");
	}
	/* Not before: what the cost is measured with is another function. */
	if (!ret && !wish->as_text)
		ret = set_start(ftrace, wish, err);
	if (!ret) {
		ret = place_mark(&ftrace->place);
		if (ret < 0)
			error_errno(err, -ret, DOING, "settings of tracefs");
	}
	if (!ret && wish->all_threads)
		ret = set(ftrace, "tracing_on", "1", err);
	return ret;
}

int ftrace_open(struct ftrace **ftrace, const struct sysroot *root,
		const struct ftrace_wish *wish, struct error *err)
{
	struct ftrace *made = calloc(1, sizeof(*made));
	int ret;

	*ftrace = NULL;
	if (!made)
		return error_errno(err, ENOMEM, DOING, NULL);
	made->text = -1;
	ret = place_open(&made->place, root,
			 wish->as_text && wish->starts.count, err);
	ring_buffers_init(&made->buffers, made->place.directory);
	/* The formats of events are in an instance, too, but not all. */
	if (!ret)
		ret = ring_reader_init(&made->reader, made->place.top, err);
	if (!ret)
		ret = choose_functions(made, wish, err);
	/* At the top it could not be put back: they stay as large as they are. */
	if (!ret && ftrace_has_instance(made))
		ret = ring_buffers_set_size(&made->buffers, err);
	if (!ret)
		ret = begin(made, wish, err);
	if (ret)
		ftrace_close(made, NULL);
	else
		*ftrace = made;
	return ret;
}

int ftrace_look(const struct sysroot *root, struct error *err)
{
	struct ring_reader reader = { 0 };
	struct place place;
	int ret = place_look(&place, root, err), closed;

	if (!ret)
		ret = ring_reader_init(&reader, place.top, err);
	if (!ret)
		ret = functions_look(place.top, err);
	ring_reader_deinit(&reader);
	closed = place_close(&place, ret ? NULL : err);
	return ret ? ret : closed;
}

int ftrace_close(struct ftrace *ftrace, struct error *err)
{
	int ret;

	if (!ftrace)
		return 0;
	ring_buffers_deinit(&ftrace->buffers);
	closep(&ftrace->text);
	ret = place_close(&ftrace->place, err);
	ring_reader_deinit(&ftrace->reader);
	functions_deinit(&ftrace->functions);
	free(ftrace->steps);
	free(ftrace);
	return ret;
}

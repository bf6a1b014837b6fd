// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls/place.h"
#include "calls/top_settings.h"
#include "calls/tracing_file.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/monotonic.h"
#include "lib/sysroot.h"
#include "names/pid_namespace.h"
#include "trace/tracefs.h"
#include "worker/worker.h"

#define TRACING "tracing"
#define INSTANCES "instances"
#define PREFIX "bufstat-path."

/* An instance cannot be removed while somebody reads from it. */
#define REMOVE_ATTEMPTS 40
#define REMOVE_WAIT_NS 50000000 /* two seconds in all */
/* It puts back settings too, for which the kernel may take seconds. */
#define GUARD_NS INT64_C(10000000000)

static const char still_read[] =
	"somebody reads its trace; it is switched off, and the next bufstat "
	"path or record removes it";
static const char still_locked[] =
	"a process holds its lock; the next bufstat path or record removes it";

int place_mark(struct place *place)
{
	return place->marks ? top_mark(place->marks, place->top) : 0;
}

bool place_changed(const struct place *place)
{
	return place->marks && top_changed(place->marks, place->top);
}

/* ---- putting back -------------------------------------------------------- */

/*
 * Before Linux 6.7, who sets a tracer or an event, even to what it is, in an
 * instance that is not used yet, keeps the top's buffers as small as they are.
 */
static int set_unless(int instance, const char *path, const char *text)
{
	return tracing_says(instance, path, text) ?
		       0 :
		       tracing_write(instance, path, text, NULL);
}

/* Stops an instance that a program may have left. */
static void stop_instance(int instance)
{
	tracing_write(instance, "tracing_on", "0", NULL);
	if (set_unless(instance, "current_tracer", "nop") < 0)
		tracing_hardly(instance);
	else
		tracing_write(instance, "set_ftrace_filter", "", NULL);
	set_unless(instance, "events/enable", "0");
}

/* Who has made an instance holds its lock for as long as he lives. */
static bool lock(int instance)
{
	return flock(instance, LOCK_EX | LOCK_NB) == 0;
}

/* Another run that uses the probe keeps it: then the kernel refuses. */
static void remove_probe(int top)
{
	tracing_append(top, "kprobe_events", "-:" PLACE_PROBE, NULL);
}

/*
 * Leaves one that somebody else made under this name. Returns -EBUSY if somebody
 * reads from it, and -EWOULDBLOCK if a process that lives has locked it.
 */
static int remove_instance(int top, const char *instance)
{
	const struct timespec pause = { .tv_nsec = REMOVE_WAIT_NS };
	int ret = 0;

	for (int i = 0; i < REMOVE_ATTEMPTS; i++) {
		_cleanup_(closep) int fd = openat(
			top, instance, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd < 0)
			return errno == ENOENT ? 0 : -errno;
		ret = -EWOULDBLOCK;
		if (lock(fd)) {
			stop_instance(fd);
			if (unlinkat(top, instance, AT_REMOVEDIR) == 0)
				return 0;
			ret = -errno;
			if (ret != -EBUSY)
				return ret;
		}
		nanosleep(&pause, NULL);
	}
	return ret;
}

static int put_back_settings(const struct place *place)
{
	if (place->instance[0])
		return remove_instance(place->top, place->instance);
	/* Else nothing was set yet. */
	return place->marks ? top_put_back(place->marks, place->top) : 0;
}

static int put_back(const struct place *place)
{
	int ret = put_back_settings(place);

	remove_probe(place->top);
	return ret;
}

/* The guard. Waits until the program closes the pipe or ends. */
__attribute__((noreturn)) static void guard(struct place *place)
{
	struct pollfd program = { .fd = WORKER_PIPE };
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	while (poll(&program, 1, -1) < 0 && errno == EINTR)
		;
	place->top = WORKER_KEPT;
	_exit(-put_back(place));
}

static int guard_start(struct place *place, struct error *err)
{
	const pid_t pid = worker_start(place->top, true, &place->guard_pipe);

	if (pid == 0)
		guard(place);
	if (pid < 0)
		return error_errno(err, -pid, "starting", "a process");
	place->guard = pid;
	return 0;
}

/* Returns 0, or the negative errno that the guard ended with. */
static int guard_end(struct place *place)
{
	int status;
	bool ended;

	if (!place->guard)
		return 0;
	close(place->guard_pipe);
	ended = worker_reap_status(place->guard, monotonic_ns() + GUARD_NS,
				   &status);
	/* It may be stopped. */
	if (!ended)
		kill(place->guard, SIGKILL);
	place->guard = 0;
	/* One that was killed: somebody has to do its work. */
	return ended && WIFEXITED(status) ? -WEXITSTATUS(status) :
					    put_back(place);
}

/* ---- an instance --------------------------------------------------------- */

/*
 * Whether this process's number is a bufstat's: one that makes its instance at
 * the moment, or an older version, holds no lock.
 */
static bool is_bufstat(long pid)
{
	static const struct sysroot live = { .fd = -1 };
	_cleanup_(freep) char *name = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
	return pid != getpid() &&
	       sysroot_read(&live, path, 16, &name, NULL) == 0 &&
	       strncmp(name, "bufstat", 7) == 0;
}

/*
 * Stops and removes the instances of programs that were killed together with
 * the guard. Returns 0, or -EBUSY with the name of one that somebody reads.
 */
static int remove_dead(int top, struct error *err)
{
	_cleanup_(closep) int fd =
		openat(top, INSTANCES, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_(closedirp) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const char *name;
	int ret = 0;

	if (!dir)
		return 0;
	steal_fd(&fd);
	while (sysroot_next_name(dir, &name) > 0) {
		_cleanup_(closep) int left = -1;

		if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 ||
		    is_bufstat(strtol(name + strlen(PREFIX), NULL, 10)))
			continue;
		left = openat(dirfd(dir), name,
			      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (left < 0 || !lock(left))
			continue;
		stop_instance(left);
		if (unlinkat(dirfd(dir), name, AT_REMOVEDIR) == 0)
			remove_probe(top);
		else if (errno == EBUSY)
			ret = error_remedy(
				err, error_errno(err, EBUSY, "removing", name),
				still_read);
	}
	return ret;
}

static void recover(int top)
{
	if (top_recover(top))
		remove_probe(top);
}

int place_clean(const struct sysroot *root, struct error *err)
{
	struct error unused;
	_cleanup_(closep) int top = tracefs_open(root, &unused);

	/* In a PID namespace one that lives cannot be told from a dead one. */
	if (top < 0 || pid_namespace_here().is_foreign)
		return 0;
	recover(top);
	return remove_dead(top, err);
}

/*
 * Returns 1 if function_graph can be used in @directory, 0 if not, or a
 * negative errno.
 */
static int has_tracer(int directory, struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	int ret = tracing_read(directory, "available_tracers", &text, err);
	char *rest = text;

	if (ret < 0)
		return ret;
	for (char *item; (item = strsep(&rest, " \n"));) {
		if (strcmp(item, PLACE_TRACER) == 0)
			return 1;
	}
	return 0;
}

/* Says that @instance stays, and until when. @ret: what guard_end() returned. */
static void instance_stays(const char *instance, int ret, struct error *err)
{
	error_remedy(err, error_errno(err, -ret, "removing", instance),
		     ret == -EBUSY	 ? still_read :
		     ret == -EWOULDBLOCK ? still_locked :
					   "rmdir it in "
					   "/sys/kernel/tracing");
}

/*
 * Makes the instance. Returns 1, 0 if it cannot have function_graph, or a
 * negative errno.
 */
static int make_instance(struct place *place, struct error *err)
{
	struct error unused;
	int ret;

	remove_dead(place->top, &unused);
	/* Somebody may read what is left of one, or be this in a container. */
	for (int i = 0;
	     !i || faccessat(place->top, place->instance, F_OK, 0) == 0; i++)
		snprintf(place->instance, sizeof(place->instance),
			 INSTANCES "/" PREFIX "%d.%d", getpid(), i);
	ret = guard_start(place, err);
	if (ret < 0)
		return ret;
	if (mkdirat(place->top, place->instance, 0700) < 0) {
		ret = -errno;
		place->instance[0] = '\0';
		guard_end(place);
		/* There are none to be made, or not by us. */
		return ret == -ENOENT || ret == -EOPNOTSUPP ?
			       0 :
			       error_errno(err, -ret, "making",
					   "an instance of tracefs");
	}
	place->directory = openat(place->top, place->instance,
				  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place->directory < 0)
		return error_errno(err, errno, "opening", place->instance);
	if (!lock(place->directory))
		return error_errno(err, errno, "locking", place->instance);
	ret = has_tracer(place->directory, err);
	if (ret)
		return ret;
	closep(&place->directory);
	place->directory = -1;
	ret = guard_end(place);
	if (ret < 0)
		instance_stays(place->instance, ret, err);
	place->instance[0] = '\0';
	return ret;
}

/* ---- the top ------------------------------------------------------------- */

static int take_top(struct place *place, enum lack lack, struct error *err)
{
	int ret = top_take(&place->marks, &place->lock, place->top, lack, err);

	if (!ret)
		ret = guard_start(place, err);
	if (ret < 0)
		return ret;
	place->directory =
		openat(place->top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return place->directory < 0 ?
		       error_errno(err, errno, "opening", "tracefs") :
		       0;
}

int place_check(const struct sysroot *root, int top, struct error *err)
{
	_cleanup_(freep) char *enabled = NULL;
	int ret;

	if (sysroot_read(root, "/proc/sys/kernel/ftrace_enabled", 16, &enabled,
			 NULL) == 0 &&
	    enabled[0] == '0')
		return lack_doing(err, LACK_TRACED_FUNCTIONS, NULL, TRACING,
				  NULL);
	ret = has_tracer(top, err);
	if (ret)
		return ret < 0 ? ret : 0;
	return lack_doing(err, LACK_GRAPH_TRACER, NULL, TRACING, NULL);
}

static int open_top(struct place *place, const struct sysroot *root,
		    struct error *err)
{
	*place = (struct place){ .top = -1, .directory = -1, .lock = -1 };
	if (pid_namespace_here().is_foreign)
		return lack_doing(err, LACK_FIRST_PIDS,
				  "other processes would be followed", TRACING,
				  NULL);
	place->top = tracefs_open(root, err);
	return place->top < 0 ? place->top : place_check(root, place->top, err);
}

int place_open(struct place *place, const struct sysroot *root, bool needs_top,
	       struct error *err)
{
	int ret = open_top(place, root, err);

	if (!ret)
		recover(place->top);
	if (!ret && !needs_top)
		ret = make_instance(place, err);
	if (!ret)
		ret = take_top(place, needs_top ? LACK_TOP_TRACER : LACK_TRACER,
			       err);
	if (ret < 0)
		return ret;
	/* Without it a run is as good, but for what came of AIO. */
	tracing_append(place->top, "kprobe_events",
		       "p:" PLACE_PROBE " aio_complete_rw res=$arg2:s64\n",
		       NULL);
	return 0;
}

int place_look(struct place *place, const struct sysroot *root,
	       struct error *err)
{
	int ret = open_top(place, root, err);
	struct error unused;

	if (ret)
		return ret;
	ret = top_check(place->top, LACK_TRACER, err);
	/* Who has an instance does not need the top. */
	return ret == -EOPNOTSUPP && make_instance(place, &unused) > 0 ? 0 :
									 ret;
}

int place_close(struct place *place, struct error *err)
{
	int ret;

	closep(&place->directory);
	ret = guard_end(place);
	if (ret < 0 && place->instance[0])
		instance_stays(place->instance, ret, err);
	else if (ret == -ESTALE)
		error_doing(err, ERROR_PARTIAL, "putting back",
			    "settings of tracefs",
			    "somebody else changed some meanwhile: these stay "
			    "as he set them, and the answer may be wrong");
	else if (ret < 0)
		error_errno(err, -ret, "putting back", "settings of tracefs");
	closep(&place->top);
	top_release(place->marks, &place->lock);
	*place = (struct place){ .top = -1, .directory = -1, .lock = -1 };
	return ret;
}

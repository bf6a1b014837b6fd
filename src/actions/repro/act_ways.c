// SPDX-License-Identifier: GPL-2.0-or-later
/* Goes each way of a scenario in a process of its own and traces its path. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls/ftrace.h"
#include "calls/function_roles.h"
#include "calls/path_tree.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sentence.h"
#include "repro/actions.h"
#include "repro/child.h"
#include "repro/ways.h"

struct walk {
	struct experiment *experiment;
	const struct way *way;
	struct ftrace *ftrace;
	struct path_tree tree;
	struct sentence astray;
	int failed; /* 0, or why what was recorded could not be taken */
};

static int take(void *data, const struct step *step)
{
	struct walk *walk = data;

	return path_tree_take(&walk->tree, step);
}

static int ready(void *data, pid_t child, struct error *err)
{
	const struct walk *walk = data;

	return ftrace_follow(walk->ftrace, &child, 1, err);
}

static void serve(void *data)
{
	struct walk *walk = data;
	int ret = ftrace_serve(walk->ftrace, take, walk);

	if (!walk->failed)
		walk->failed = ret;
}

static int go(void *data)
{
	const struct walk *walk = data;
	struct error err;

	return walk->way->act(walk->experiment, &err);
}

/* Whether one of the names is on the way. */
static bool is_there(const struct path_tree *tree, const char *names)
{
	for (size_t i = 1; i < tree->node_count; i++) {
		const char *name =
			path_function_name(tree, tree->nodes[i].function);
		const char *syscall = function_syscall(name);
		const char *wanted = names;

		name = syscall ? syscall : name;
		while (*wanted) {
			const size_t length = strcspn(wanted, "|");

			if (strlen(name) == length &&
			    strncmp(name, wanted, length) == 0)
				return true;
			wanted += length;
			wanted += *wanted == '|';
		}
	}
	return false;
}

static void check_functions(struct walk *walk)
{
	struct ways_sum *sum = &walk->experiment->ways;
	const struct way *way = walk->way;

	for (size_t i = 0; i < WAY_FUNCTIONS; i++) {
		if (way->must[i] && !is_there(&walk->tree, way->must[i])) {
			say(&walk->astray, "%s%s without %s",
			    sum->astray ? ", " : "", way->name, way->must[i]);
			sum->astray++;
		}
		if (way->must_not[i] &&
		    is_there(&walk->tree, way->must_not[i])) {
			say(&walk->astray, "%s%s with %s",
			    sum->astray ? ", " : "", way->name,
			    way->must_not[i]);
			sum->astray++;
		}
	}
}

static void count_pages(const struct walk *walk)
{
	struct ways_sum *sum = &walk->experiment->ways;
	const int64_t pages = (int64_t)walk->tree.nodes[0].work.pages_added;

	if (walk->way->through && (sum->through < 0 || pages < sum->through))
		sum->through = pages;
	if (!walk->way->through && pages > sum->past)
		sum->past = pages;
}

/* What is cached already would not be added. */
static int drop_pages(struct experiment *experiment, struct error *err)
{
	int ret = experiment->file ? act_drop_file(experiment, err) : 0;

	return ret ? ret : act_drop_device(experiment, err);
}

static int go_way(struct walk *walk, struct error *err)
{
	struct experiment *experiment = walk->experiment;
	const struct child_company company = { ready, serve, walk };
	int ret = drop_pages(experiment, err);

	if (!ret &&
	    path_tree_init(&walk->tree, ftrace_functions(walk->ftrace)) < 0)
		ret = error_errno(err, ENOMEM, "tracing", walk->way->name);
	walk->tree.skipped_thread = (uint32_t)getpid();
	if (!ret)
		ret = child_call(experiment->stop, experiment->progress,
				 &company, go, walk, walk->way->name, err);
	if (ret == -EPERM && walk->way->act == act_read_uring)
		error_remedy(err, ret, URING_REMEDY);
	if (!ret) {
		ret = ftrace_stop(walk->ftrace, take, walk);
		ret = ret ? ret : walk->failed;
		if (!ret)
			ret = path_tree_end(&walk->tree);
		if (ret)
			error_errno(err, -ret, "tracing", walk->way->name);
	}
	if (!ret) {
		check_functions(walk);
		count_pages(walk);
		experiment->ways.is_known &= !ftrace_lost(walk->ftrace);
	}
	path_tree_deinit(&walk->tree);
	return ret;
}

static int go_ways(struct walk *walk, struct error *err)
{
	struct outcome *outcome = walk->experiment->outcome;
	int ret = 0;

	free(outcome->astray);
	sentence_begin(&walk->astray);
	for (walk->way = walk->experiment->scenario->ways;
	     !ret && walk->way->name; walk->way++)
		ret = go_way(walk, err);
	if (sentence_end(&walk->astray, &outcome->astray) < 0 && !ret)
		ret = error_errno(err, ENOMEM, "tracing", "ways");
	if (!walk->experiment->ways.astray) {
		free(outcome->astray);
		outcome->astray = NULL;
	}
	return ret;
}

int act_ways(struct experiment *experiment, struct error *err)
{
	const struct ftrace_wish wish = { 0 };
	struct walk walk = { .experiment = experiment };
	struct error passed;
	int ret = ftrace_open(&walk.ftrace, experiment->root, &wish, err);
	int closed;

	if (ret < 0)
		return ret;
	experiment->ways = (struct ways_sum){ .is_known = true, .through = -1 };
	ret = go_ways(&walk, err);
	closed = ftrace_close(walk.ftrace, &passed);
	if (!ret && closed) {
		*err = passed;
		ret = closed;
	}
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top/job.h"
#include "top/model.h"

static void say(struct model *model, const char *text)
{
	snprintf(model->message, sizeof(model->message), "%.*s",
		 (int)strcspn(text, "\n"), text);
}

static bool may_start(struct job *job, struct model *model)
{
	if (feed_is_busy(&job->feed) && job->is_drop) {
		model->mode = MODE_TABLE;
		say(model, "a drop is still at work");
		return false;
	}
	feed_stop(&job->feed);
	return true;
}

static int ask_details(struct job *job, const struct model *model,
		       const struct tab_asking *question,
		       const struct replay *replay)
{
	const struct view *view = &model->views[model->tab];

	return feed_details(&job->feed, view->tab,
			    view_row_key(view_selected(view)), question,
			    replay);
}

void job_start(struct job *job, struct model *model, enum action action,
	       const struct tab_asking *question, const struct replay *replay,
	       int epoll, uint32_t id)
{
	int ret;

	if (!may_start(job, model))
		return;
	job->is_drop = action == ACTION_DROP;
	if (action == ACTION_DETAILS)
		ret = ask_details(job, model, question, replay);
	else
		ret = feed_drop(&job->feed, &model->drop_words,
				action == ACTION_VERDICT);
	if (!ret)
		ret = feed_watch(&job->feed, epoll, id);
	model->text_waits = !ret;
	if (ret < 0)
		say(model, strerror(-ret));
}

static bool is_shown(const struct model *model)
{
	return model->mode == MODE_TEXT || model->mode == MODE_DROP;
}

/* What is known is shown, whatever the rest waits for. */
static void show_lines(struct job *job, struct model *model)
{
	char *line;

	while ((line = feed_line(&job->feed))) {
		model_add_line(model, line);
		free(line);
	}
}

void job_read(struct job *job, struct model *model)
{
	int ret = feed_read(&job->feed);
	const char *rest = ret < 0 ? strerror(-ret) : job->feed.frames.bytes;

	if (is_shown(model))
		show_lines(job, model);
	if (!ret)
		return;
	feed_end(&job->feed);
	model->text_waits = false;
	if (is_shown(model) && job->feed.frames.used)
		model_add_line(model, rest);
	/* What a drop did is said, even to a user who does not wait for it. */
	else if (!is_shown(model) && job->is_drop)
		say(model, rest);
	feed_stop(&job->feed);
}

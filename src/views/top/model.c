// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "table/cell.h"
#include "table/table_style.h"
#include "top/model.h"

/* Late by so much, a measurement is said to be. */
#define LATE_NS INT64_C(2000000000)
/* So many times the usual time between two readings is a gap. */
#define GAP_STEPS 3

void model_init(struct model *model)
{
	*model = (struct model){ .seconds = 1, .width = 80, .height = 24 };
	for (enum question_id id = 0; id < QUESTION_TABS; id++)
		view_init(&model->views[id], questions[id]);
}

void model_deinit(struct model *model)
{
	for (enum question_id id = 0; id < QUESTION_TABS; id++)
		view_deinit(&model->views[id]);
	string_list_deinit(&model->text);
	string_list_deinit(&model->drop_words);
	past_steps_deinit(&model->steps);
}

bool model_is_stale(const struct model *model, enum question_id tab)
{
	int64_t late_ns = LATE_NS;

	/* It reports once in every interval. */
	if (tab_more(questions[tab])->follow)
		late_ns += (int64_t)(model->seconds * 1e9);
	return model->busy[tab] &&
	       model->now_ns - model->asked_ns[tab] > late_ns;
}

void model_add_line(struct model *model, const char *line)
{
	/* Out of memory: there is less text. */
	string_list_add(&model->text, line);
}

static void add_field(struct model *model, const char *heading,
		      const char *value)
{
	_cleanup_(freep) char *line = NULL;

	for (bool is_first = true; is_first || *value; is_first = false) {
		size_t length = strcspn(value, "\n");

		if (asprintf(&line, "%-14s %.*s", is_first ? heading : "",
			     (int)length, value) < 0)
			return;
		model_add_line(model, line);
		free(steal_ptr(line));
		value += length + (value[length] == '\n');
	}
}

int model_set_details(struct model *model)
{
	static const struct table_style style = { 0 };
	struct view *view = model_view(model);
	const struct view_row *row = view_selected(view);
	struct column_choice choice;
	int ret = 0;

	string_list_deinit(&model->text);
	column_choice_all(&choice, view->tab->columns);
	if (!view->is_single && !view->tab->is_flow)
		choice.columns[choice.count++] = &view_rate_column;
	for (size_t i = 0; row && !ret && i < choice.count; i++) {
		const struct column_value value =
			view_value(view, row, choice.columns[i]);
		_cleanup_(freep) char *text = NULL;

		ret = cell_value_text(choice.columns[i]->kind, &value, &style,
				      &text);
		if (text)
			add_field(model, choice.columns[i]->heading, text);
	}
	return ret;
}

void model_seek(struct model *model, int64_t at_ms)
{
	const struct past_step *step;

	model->step = past_steps_find(&model->steps, at_ms);
	step = &model->steps.steps[model->step];
	if (past_step_is_of(step, at_ms))
		return;
	snprintf(model->message, sizeof(model->message),
		 "nothing was recorded then: this is the %s reading",
		 step->real_ms > at_ms ? "first" : "last earlier");
}

const struct past_step *model_step(const struct model *model)
{
	return model->step < model->steps.count ?
		       &model->steps.steps[model->step] :
		       NULL;
}

/*
 * The usual time between two readings is taken to be the lesser one of those
 * before and after.
 */
int64_t model_missing_ms(const struct model *model)
{
	const struct past_step *step = model_step(model);
	int64_t before_ms, usual_ms = INT64_MAX;

	if (!step || !model->step)
		return 0;
	before_ms = step->real_ms - step[-1].real_ms;
	if (before_ms < 0)
		return before_ms;
	if (model->step + 1 < model->steps.count)
		usual_ms = step[1].real_ms - step->real_ms;
	if (model->step > 1 && step[-1].real_ms - step[-2].real_ms < usual_ms)
		usual_ms = step[-1].real_ms - step[-2].real_ms;
	return usual_ms > 0 && before_ms / GAP_STEPS > usual_ms ? before_ms : 0;
}

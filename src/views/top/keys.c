// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "cli/moment.h"
#include "top/keys.h"
#include "top/model.h"
#include "top/request.h"
#include "top/screen.h"

#define HOUR_MS INT64_C(3600000)

static enum action say(struct model *model, const char *text)
{
	snprintf(model->message, sizeof(model->message), "%s", text);
	return ACTION_NONE;
}

static size_t page(const struct model *model)
{
	struct layout layout;

	screen_layout(model, &layout);
	return layout.areas[AREA_ROWS].lines ?: 1;
}

static void move(struct model *model, enum request request)
{
	struct view *view = model_view(model);
	const size_t at = view->selected, lines = page(model);

	switch (request) {
	case REQUEST_UP:
		view_select(view, at ? at - 1 : 0);
		break;
	case REQUEST_DOWN:
		view_select(view, at + 1);
		break;
	case REQUEST_PAGE_UP:
		view_select(view, at > lines ? at - lines : 0);
		break;
	case REQUEST_PAGE_DOWN:
		view_select(view, at + lines);
		break;
	case REQUEST_FIRST:
		view_select(view, 0);
		break;
	default:
		view_select(view, SIZE_MAX);
		break;
	}
	view_scroll(view, lines);
}

static enum action search(struct model *model, bool backwards)
{
	struct view *view = model_view(model);
	const size_t count = view->count;

	if (!*model->search)
		return say(model, "nothing was searched yet: / searches");
	for (size_t step = 1; step <= count; step++) {
		size_t place = backwards ? view->selected + count - step :
					   view->selected + step;

		if (!view_row_has(view, &view->rows[place % count],
				  model->search))
			continue;
		view_select(view, place % count);
		view_scroll(view, page(model));
		return ACTION_NONE;
	}
	snprintf(model->message, sizeof(model->message),
		 "no row has \"%.200s\"", model->search);
	return ACTION_NONE;
}

static enum action arranged(struct model *model, int ret)
{
	view_scroll(model_view(model), page(model));
	return ret < 0 ? say(model, strerror(-ret)) : ACTION_NONE;
}

/* A new column sorts numbers from the largest and texts from A. */
static enum action sort(struct model *model, bool left)
{
	struct view *view = model_view(model);
	struct column_choice choice;
	size_t at = 0;

	if (view->tab->is_fixed)
		return say(model, "this table has only one order");
	view_columns(view, &choice);
	if (!view->is_single)
		choice.count--; /* a trend is nothing to sort by */
	while (at < choice.count && choice.columns[at] != view->sorted_by)
		at++;
	if (at == choice.count)
		at = left ? choice.count - 1 : 0;
	else if (left)
		at = at ? at - 1 : choice.count - 1;
	else
		at = (at + 1) % choice.count;
	view->sorted_by = choice.columns[at];
	view->ascends = !column_is_number(view->sorted_by);
	return arranged(model, view_arrange(view));
}

static enum action reverse(struct model *model)
{
	struct view *view = model_view(model);

	if (!view->sorted_by)
		return say(model, "< and > choose a column to sort by first");
	view->ascends = !view->ascends;
	return arranged(model, view_arrange(view));
}

/* A list that is sorted becomes a tree in the tree's own order. */
static enum action tree(struct model *model)
{
	struct view *view = model_view(model);

	if (!view->tab->can_be_tree || model->is_replay)
		return say(model, "these rows are no tree");
	if (view->sorted_by)
		view->is_tree = true;
	else
		view->is_tree = !view->is_tree;
	view->sorted_by = NULL;
	return ACTION_TREE;
}

static enum action show_tab(struct model *model, size_t tab)
{
	model->tab = tab % QUESTION_TABS;
	view_scroll(model_view(model), page(model));
	return ACTION_MEASURE;
}

static void show_text(struct model *model, enum mode mode)
{
	model->mode = mode;
	model->text_first = 0;
	*model->prompt = '\0';
}

static enum action details(struct model *model)
{
	if (!view_selected(model_view(model)))
		return say(model, "there is no row");
	if (model_set_details(model) < 0)
		return say(model, strerror(ENOMEM));
	show_text(model, MODE_TEXT);
	return ACTION_DETAILS;
}

/* The operands of bufstat drop for a row; -EINVAL: there are none. */
static int find_drop_words(const struct question *question,
			   const struct sheet_row *row,
			   struct string_list *words)
{
	const struct column_set *set = question->columns;
	const struct column_value *value;
	const char *text;
	size_t column;

	if (row->is_last || (!question->drop_option && !question->drop_column))
		return -EINVAL;
	if (question->drop_option)
		return string_list_add(words, question->drop_option) ?:
			       string_list_add(words, row->key);
	column = sheet_column(set, question->drop_column);
	value = &row->values[column];
	if (!value->known)
		return -EINVAL;
	if (set->columns[column].kind != COLUMN_LIST)
		text = value->text;
	else
		text = value->list->count ? value->list->strings[0] : NULL;
	/* A file may have no more than a name. */
	if (!text || (set->columns[column].kind == COLUMN_PATH && *text != '/'))
		return -EINVAL;
	return string_list_add(words, text);
}

static enum action ask_drop(struct model *model)
{
	struct view *view = model_view(model);
	const struct view_row *row = view_selected(view);

	if (!model->is_live)
		return say(model,
			   model->is_replay ?
				   "nothing can be dropped in a recording" :
				   "nothing can be dropped of a captured "
				   "host");
	string_list_deinit(&model->drop_words);
	if (!row || !row->row ||
	    find_drop_words(view->tab, row->row, &model->drop_words) < 0)
		return say(model, "drop releases the pages of devices, files, "
				  "filesystems and cgroups");
	string_list_deinit(&model->text);
	snprintf(model->target, sizeof(model->target), "%s",
		 view_row_name(view, row));
	show_text(model, MODE_DROP);
	return ACTION_VERDICT;
}

static enum action prompt(struct model *model, enum mode mode)
{
	model->mode = mode;
	*model->prompt = '\0';
	return ACTION_NONE;
}

static enum action go_to(struct model *model, size_t step)
{
	if (step == model->step)
		return ACTION_NONE;
	model->step = step;
	return ACTION_STEP;
}

/* By an hour, or where nothing is recorded, at least by one reading. */
static enum action move_step(struct model *model, enum request request)
{
	const struct past_step *shown = model_step(model);
	const bool before = request == REQUEST_STEP_BEFORE ||
			    request == REQUEST_HOUR_BEFORE;
	size_t next = before ? model->step - 1 : model->step + 1, place = next;

	if (!shown)
		return ACTION_NONE;
	if (before && !model->step)
		return say(model, "the recording begins here");
	if (next == model->steps.count)
		return say(model, "the recording ends here");
	if (request == REQUEST_HOUR_BEFORE)
		place = past_steps_find(&model->steps,
					shown->real_ms - HOUR_MS);
	else if (request == REQUEST_HOUR_AFTER)
		place = past_steps_find(&model->steps,
					shown->real_ms + HOUR_MS);
	return go_to(model,
		     (before ? place < next : place > next) ? place : next);
}

static enum action not_live(struct model *model)
{
	return say(model, "a recording does not go on by itself: Right does");
}

static enum action table_key(struct model *model, int key)
{
	enum request request = request_of(key, model->is_replay);

	switch (request) {
	case REQUEST_UP:
	case REQUEST_DOWN:
	case REQUEST_PAGE_UP:
	case REQUEST_PAGE_DOWN:
	case REQUEST_FIRST:
	case REQUEST_LAST:
		move(model, request);
		break;
	case REQUEST_NEXT_TAB:
		return show_tab(model, model->tab + 1);
	case REQUEST_TAB_BEFORE:
		return show_tab(model, model->tab + QUESTION_TABS - 1);
	case REQUEST_TAB:
		return show_tab(model, (size_t)(key - '1'));
	case REQUEST_SEARCH:
		return prompt(model, MODE_SEARCH);
	case REQUEST_SEARCH_NEXT:
	case REQUEST_SEARCH_BEFORE:
		return search(model, request == REQUEST_SEARCH_BEFORE);
	case REQUEST_SORT_LEFT:
	case REQUEST_SORT_RIGHT:
		return sort(model, request == REQUEST_SORT_LEFT);
	case REQUEST_REVERSE:
		return reverse(model);
	case REQUEST_TREE:
		return tree(model);
	case REQUEST_DETAILS:
		return details(model);
	case REQUEST_DROP:
		return ask_drop(model);
	case REQUEST_STEP_BEFORE:
	case REQUEST_STEP_AFTER:
	case REQUEST_HOUR_BEFORE:
	case REQUEST_HOUR_AFTER:
		return move_step(model, request);
	case REQUEST_MOMENT:
		return prompt(model, MODE_MOMENT);
	case REQUEST_PAUSE:
		if (model->is_replay)
			return not_live(model);
		model->paused = !model->paused;
		return model->paused ? ACTION_NONE : ACTION_MEASURE;
	case REQUEST_INTERVAL:
		if (model->is_replay)
			return not_live(model);
		return prompt(model, MODE_INTERVAL);
	case REQUEST_MEASURE:
		return ACTION_REDRAW;
	case REQUEST_HELP:
		show_text(model, MODE_HELP);
		break;
	case REQUEST_QUIT:
		return ACTION_QUIT;
	case REQUEST_NONE:
		break;
	}
	return ACTION_NONE;
}

static void text_move(struct model *model, enum request request)
{
	const size_t lines = model->height > 2 ? model->height - 2 : 1;
	const size_t all = screen_text_lines(model);
	const size_t most = all > lines ? all - lines : 0;
	size_t first = model->text_first;

	if (request == REQUEST_UP)
		first -= first > 0;
	else if (request == REQUEST_DOWN)
		first++;
	else if (request == REQUEST_PAGE_UP)
		first = first > lines ? first - lines : 0;
	else if (request == REQUEST_PAGE_DOWN)
		first += lines;
	else if (request == REQUEST_FIRST)
		first = 0;
	else if (request == REQUEST_LAST)
		first = most;
	model->text_first = first < most ? first : most;
}

static enum action leave(struct model *model)
{
	model->mode = MODE_TABLE;
	model->text_waits = false;
	return ACTION_NONE;
}

/* Help and details: any key that does not scroll goes back. */
static enum action text_key(struct model *model, int key)
{
	enum request request = request_of(key, model->is_replay);

	if (request >= REQUEST_UP && request <= REQUEST_LAST) {
		text_move(model, request);
		return ACTION_NONE;
	}
	return leave(model);
}

static enum action finish_search(struct model *model)
{
	model->mode = MODE_TABLE;
	if (*model->prompt)
		strcpy(model->search, model->prompt);
	return search(model, false);
}

static enum action finish_interval(struct model *model)
{
	char *end;
	double seconds = strtod(model->prompt, &end);

	model->mode = MODE_TABLE;
	if (!*model->prompt)
		return ACTION_NONE;
	if (*end || !(seconds >= 0.1) || seconds > 86400)
		return say(model, "not a number of seconds from 0.1 to 86400");
	model->seconds = seconds;
	return ACTION_INTERVAL;
}

/* A time without a date is the last one before the end of the recording. */
static enum action finish_moment(struct model *model)
{
	const size_t count = model->steps.count, before = model->step;
	struct moment moment;
	time_t end;

	model->mode = MODE_TABLE;
	if (!*model->prompt || !count)
		return ACTION_NONE;
	end = (time_t)(model->steps.steps[count - 1].real_ms / 1000) + 1;
	if (moment_parse(&moment, model->prompt, end) < 0)
		return say(model,
			   "not a time: use 02:12, 2am, yesterday 02:12, "
			   "-30m");
	model_seek(model, moment.ms[moment.count - 1] + MOMENT_LAST_MS);
	return model->step == before ? ACTION_NONE : ACTION_STEP;
}

static enum action finish_drop(struct model *model)
{
	if (strcmp(model->prompt, model->target) != 0) {
		leave(model);
		return say(model, "that is not its name: nothing was dropped");
	}
	string_list_deinit(&model->text);
	show_text(model, MODE_TEXT);
	return ACTION_DROP;
}

static enum action finish(struct model *model)
{
	switch (model->mode) {
	case MODE_SEARCH:
		return finish_search(model);
	case MODE_INTERVAL:
		return finish_interval(model);
	case MODE_MOMENT:
		return finish_moment(model);
	case MODE_DROP:
		return finish_drop(model);
	default:
		return leave(model);
	}
}

/* Takes the last character off, whose bytes may be several. */
static void erase(char *text)
{
	size_t length = strlen(text);

	while (length && (text[--length] & 0xc0) == 0x80)
		;
	text[length] = '\0';
}

static void type(char text[MODEL_TEXT], int key)
{
	size_t length = strlen(text), size;
	char bytes[MB_LEN_MAX];
	mbstate_t state = { 0 };

	size = wcrtomb(bytes, (wchar_t)key, &state);
	if (size == (size_t)-1 || length + size >= MODEL_TEXT)
		return;
	memcpy(text + length, bytes, size);
	text[length + size] = '\0';
}

static enum action prompt_key(struct model *model, int key)
{
	if (key == KEY_ESCAPE || key == KEY_CTRL('C') || key == KEY_CTRL('G'))
		return leave(model);
	if (key == '\r' || key == '\n')
		return finish(model);
	if (key == KEY_BACKSPACE || key == 127 || key == '\b') {
		if (!*model->prompt)
			return leave(model);
		erase(model->prompt);
	} else if (key == KEY_CTRL('U')) {
		*model->prompt = '\0';
	} else if (key_is_text(key)) {
		type(model->prompt, key);
	} else if (model->mode == MODE_DROP) {
		enum request request = request_of(key, model->is_replay);

		/* The verdict may be longer than the screen. */
		if (request >= REQUEST_UP && request <= REQUEST_LAST)
			text_move(model, request);
	}
	return ACTION_NONE;
}

enum action model_key(struct model *model, int key)
{
	*model->message = '\0';
	switch (model->mode) {
	case MODE_TABLE:
		return table_key(model, key);
	case MODE_HELP:
	case MODE_TEXT:
		return text_key(model, key);
	case MODE_SEARCH:
	case MODE_INTERVAL:
	case MODE_MOMENT:
	case MODE_DROP:
		break;
	}
	return prompt_key(model, key);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/moment.h"
#include "lib/cleanup.h"
#include "lib/terminal.h"
#include "lib/wrap.h"
#include "top/bar.h"
#include "top/model.h"
#include "top/request.h"
#include "top/screen.h"
#include "top/screen_table.h"

#define ROWS_LEAST 2
#define SENTENCE_MOST 2
/* Lines of a screen that is not low. */
#define LOW 30
/* Columns between two hints, and of a screen with room for long ones. */
#define HINT_GAP 2
#define WIDE_HINT 40
/* Columns of the keys in the help, and of a screen that has room for both. */
#define HELP_KEYS 17
#define HELP_WIDE 50
#define HELP_INDENT 2
/* Room for the name of a tab with its number, and the columns after it. */
#define TAB_TEXT 32
#define TAB_GAP 2

/* The clock time, without the date. */
static const char *clock_of(int64_t real_ms, char text[MOMENT_TEXT_SIZE])
{
	const char *space = strchr(moment_text(real_ms, text), ' ');

	return space ? space + 1 : text;
}

static const char *span_text(int64_t ms, char text[MOMENT_TEXT_SIZE])
{
	const int64_t seconds = ms / 1000;

	snprintf(text, MOMENT_TEXT_SIZE, "%" PRId64 ":%02d:%02d",
		 seconds / 3600, (int)(seconds / 60 % 60), (int)(seconds % 60));
	return text;
}

/* The sentence about the limit that is next, or "". */
static const char *limit_of(const struct model *model)
{
	const struct string_list *notes =
		&model->views[QUESTION_CGROUPS].sheet.notes;

	return notes->count ? notes->strings[0] : "";
}

/* Adds @text to @lines, wrapped, with @indent spaces before each line. */
static int add_wrapped(struct string_list *lines, const char *text,
		       size_t indent, size_t width)
{
	_cleanup_(freep) char *wrapped = wrap_lines(text, width - indent);
	int ret = wrapped ? 0 : -ENOMEM;

	for (const char *line = wrapped; !ret && line;) {
		const int length = (int)strcspn(line, "\n");
		_cleanup_(freep) char *whole = NULL;

		if (asprintf(&whole, "%*s%.*s", (int)indent, "", length, line) <
		    0)
			return -ENOMEM;
		ret = string_list_add(lines, whole);
		line = line[length] ? line + length + 1 : NULL;
	}
	return ret;
}

/* The sentence about who has what is large or near, or "". */
static const char *holder_of(const struct model *model)
{
	return model->views[QUESTION_MEMORY].sheet.holder ?: "";
}

static size_t sentence_lines(const struct model *model, const char *text)
{
	size_t width = text_width(text, strlen(text));
	size_t lines = (width + model->width - 1) / model->width;

	/* Words do not fill a line. */
	return lines > 1 ? SENTENCE_MOST : lines;
}

static size_t legend_lines(const struct model *model)
{
	return bar_draw_legend(&model->views[QUESTION_MEMORY].sheet.bar, NULL,
			       model->width, 0, 0, model->height < LOW);
}

static void give(struct layout *layout, enum area area, size_t wanted,
		 size_t *left)
{
	size_t lines = wanted < *left ? wanted : *left;

	layout->areas[area].lines = lines;
	*left -= lines;
}

void screen_layout(const struct model *model, struct layout *layout)
{
	const size_t fixed = 2; /* headings, status */
	const size_t legend = legend_lines(model);
	size_t rows = model->height / 4, left, y = 0;

	if (rows < ROWS_LEAST)
		rows = ROWS_LEAST;
	*layout = (struct layout){ 0 };
	layout->areas[AREA_HEADING].lines = 1;
	layout->areas[AREA_STATUS].lines = 1;
	left = model->height > fixed + rows ? model->height - fixed - rows : 0;
	/* What matters most comes first. */
	give(layout, AREA_TABS, 1, &left);
	give(layout, AREA_BAR, 1, &left);
	give(layout, AREA_TITLE, 1, &left);
	/* A part of memory that is left out would be hidden. */
	give(layout, AREA_LEGEND, legend <= left ? legend : 0, &left);
	give(layout, AREA_HOLDER, sentence_lines(model, holder_of(model)),
	     &left);
	give(layout, AREA_LIMIT, sentence_lines(model, limit_of(model)), &left);
	layout->areas[AREA_ROWS].lines = rows + left;
	for (enum area area = 0; area < AREAS; area++) {
		layout->areas[area].y = y;
		y += layout->areas[area].lines;
	}
}

/* How often is measured, or which reading of a recording this is. */
static void write_pace(const struct model *model, char *text, size_t size)
{
	const struct sheet *memory = &model->views[QUESTION_MEMORY].sheet;
	const struct past_step *step = model_step(model);
	char when[MOMENT_TEXT_SIZE];
	size_t length;

	*text = '\0';
	if (model->is_live && model->paused)
		snprintf(text, size, "  paused");
	else if (model->is_live)
		snprintf(text, size, "  every %gs", model->seconds);
	if (!step)
		return;
	length = (size_t)snprintf(text, size, "  %zu of %zu", model->step + 1,
				  model->steps.count);
	/* Memory is recorded less often. */
	if (memory->recorded_ms && memory->recorded_ms < step->real_ms - 1000)
		snprintf(text + length, size - length, "  memory at %s",
			 clock_of(memory->recorded_ms, when));
}

static void draw_title(const struct model *model, struct cells *cells, size_t y)
{
	char pace[MODEL_TEXT], right[2 * MODEL_TEXT];
	size_t width, left;

	write_pace(model, pace, sizeof(pace));
	cells_paint(cells, y, 0, SIZE_MAX, STYLE_TITLE);
	left = cells_put(cells, y, 0, SIZE_MAX, STYLE_TITLE, model->clock);
	if (left + text_width(pace, strlen(pace)) <= cells->width)
		left += cells_put(cells, y, left, SIZE_MAX, STYLE_TITLE, pace);
	snprintf(right, sizeof(right), "  %s", model->host);
	width = text_width(right, strlen(right));
	if (left + width <= cells->width)
		cells_put(cells, y, cells->width - width, width, STYLE_TITLE,
			  right);
}

/* Writes the name of a tab as the screen has it. Returns its columns. */
static size_t write_tab(enum question_id id, char text[TAB_TEXT])
{
	return (size_t)snprintf(text, TAB_TEXT, "%d %s", id + 1,
				questions[id]->name);
}

/*
 * The tab that is shown is always on the screen, with as many around it as
 * there is room for whole names.
 */
static void draw_tabs(const struct model *model, struct cells *cells, size_t y)
{
	char text[TAB_TEXT];
	size_t first = 0, x = 0;

	for (enum question_id id = 0; id <= model->tab; id++)
		x += write_tab(id, text) + TAB_GAP;
	while (x > cells->width + TAB_GAP && first < model->tab)
		x -= write_tab(first++, text) + TAB_GAP;
	x = 0;
	for (enum question_id id = first; id < QUESTION_TABS; id++) {
		if (x + write_tab(id, text) > cells->width && x)
			break;
		x += cells_put(cells, y, x, SIZE_MAX,
			       id == model->tab ? STYLE_TAB_SHOWN : STYLE_PLAIN,
			       text);
		x += TAB_GAP;
	}
}

static int put_wrapped(struct cells *cells, size_t y, size_t lines,
		       enum style style, const char *text)
{
	_cleanup_(string_list_deinit) struct string_list list = { 0 };
	int ret = add_wrapped(&list, text, 0, cells->width);

	for (size_t i = 0; !ret && i < lines && i < list.count; i++)
		cells_put(cells, y + i, 0, SIZE_MAX, style, list.strings[i]);
	return ret;
}

/* How long the tab has been waited for. */
static int seconds_busy(const struct model *model)
{
	return (int)((model->now_ns - model->asked_ns[model->tab]) /
		     1000000000);
}

/* What is in place of the rows as long as there is no sheet. */
static int draw_empty(const struct model *model, struct cells *cells,
		      const struct layout *layout)
{
	const struct view *view = &model->views[model->tab];
	char text[ERROR_TEXT_SIZE];

	if (error_is_set(&view->err))
		error_text(&view->err, text);
	else if (model->is_replay && !model->steps.count)
		snprintf(text, sizeof(text), "reading the recording ...");
	else if (model_is_stale(model, model->tab))
		snprintf(text, sizeof(text), "measuring, for %d s already",
			 seconds_busy(model));
	else
		snprintf(text, sizeof(text), "measuring ...");
	return put_wrapped(cells, layout->areas[AREA_ROWS].y,
			   layout->areas[AREA_ROWS].lines, STYLE_STALE, text);
}

/* Where a recording has nothing, or where its readings are from. */
static void write_moment(const struct model *model, char *text, size_t size)
{
	const struct sheet *sheet = &model->views[model->tab].sheet;
	const struct past_step *step = model_step(model);
	int64_t missing_ms = model_missing_ms(model);
	char when[MOMENT_TEXT_SIZE];

	*text = '\0';
	if (missing_ms > 0)
		snprintf(text, size,
			 "nothing was recorded for %s before this: bufstat "
			 "history says why",
			 span_text(missing_ms, when));
	else if (missing_ms < 0)
		snprintf(text, size, "the clock was set back by %s",
			 span_text(-missing_ms, when));
	else if (step && sheet->recorded_ms &&
		 (sheet->recorded_ms < step->real_ms - 1000 ||
		  sheet->recorded_ms > step->real_ms + 1000))
		snprintf(text, size, "as recorded at %s",
			 clock_of(sheet->recorded_ms, when));
}

/* Of when they are, if that is not the moment, and what they lack. */
static void write_note(const struct model *model, char *text, size_t size)
{
	const struct string_list *notes = &model->views[model->tab].sheet.notes;
	const size_t first = model->tab == QUESTION_CGROUPS;
	size_t used;

	write_moment(model, text, size);
	used = strlen(text);
	if (notes->count > first)
		used += (size_t)snprintf(text + used, size - used, "%s",
					 used ? "; " : "");
	if (notes->count > first + 1)
		used += (size_t)snprintf(text + used, size - used,
					 "1 of %zu: ", notes->count - first);
	if (notes->count > first)
		snprintf(text + used, size - used, "%s", notes->strings[first]);
}

/* What is wrong with the figures that are shown, or "". */
static void write_warning(const struct model *model, char *text, size_t size)
{
	const struct view *view = &model->views[model->tab];
	char reason[ERROR_TEXT_SIZE];

	*text = '\0';
	if (model_is_stale(model, model->tab) && view->has_sheet)
		snprintf(text, size,
			 "old figures: measuring takes %d s already",
			 seconds_busy(model));
	else if (model_is_stale(model, QUESTION_MEMORY))
		snprintf(text, size, "old figures of memory");
	else if (error_is_set(&view->err) && view->has_sheet)
		snprintf(text, size, "old figures: %s",
			 error_text(&view->err, reason));
	else
		write_note(model, text, size);
}

/* What is typed, or what the keys do now. Returns whether it is a prompt. */
static bool write_prompt(const struct model *model, char *text, size_t size)
{
	switch (model->mode) {
	case MODE_SEARCH:
		snprintf(text, size, "Search: %s_", model->prompt);
		return true;
	case MODE_INTERVAL:
		snprintf(text, size, "Seconds: %s_", model->prompt);
		return true;
	case MODE_MOMENT:
		snprintf(text, size, "Time: %s_", model->prompt);
		return true;
	case MODE_DROP:
		snprintf(text, size, "Type %s to drop: %s_", model->target,
			 model->prompt);
		return true;
	case MODE_HELP:
	case MODE_TEXT:
		snprintf(text, size,
			 model->width < WIDE_HINT ? "Up, Down  q: back%s" :
						    "Up, Down: scroll  q: back"
						    "%s",
			 model->text_waits ? "  (more follows)" : "");
		return true;
	case MODE_TABLE:
		break;
	}
	return false;
}

/* The end of a prompt is where the user types. */
static void draw_prompt(struct cells *cells, size_t y, const char *text)
{
	size_t width = text_width(text, strlen(text)), skip = 0;

	while (width - skip > cells->width)
		skip++;
	cells_put(cells, y, 0, SIZE_MAX, STYLE_PLAIN,
		  text + text_fit(text, skip));
}

/* Whole hints, as many as there is room for, the most needed first. */
static void draw_hints(const struct model *model, struct cells *cells, size_t y)
{
	const struct view *view = &model->views[model->tab];
	const struct question *question = view->tab;
	const bool can_drop = model->is_live &&
			      (question->drop_option || question->drop_column);
	char sorted[64] = "";
	const char *const hints[] = {
		"?: help",
		"q: quit",
		model->is_replay ? "Left, Right: step" : "",
		sorted,
		"Enter: details",
		"Tab: next tab",
		"/: search",
		model->is_replay ? "@: time" : "",
		can_drop ? "D: drop" : "",
	};
	size_t x = 0;

	if (view->sorted_by)
		snprintf(sorted, sizeof(sorted), "by %s, %s",
			 view->sorted_by->heading,
			 view->ascends ? "ascending" : "descending");
	for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++) {
		size_t width = text_width(hints[i], strlen(hints[i]));

		if (!width || x + width > cells->width)
			continue;
		cells_put(cells, y, x, width, STYLE_PLAIN, hints[i]);
		x += width + HINT_GAP;
	}
}

static void draw_status(const struct model *model, struct cells *cells,
			size_t y)
{
	char text[ERROR_TEXT_SIZE];

	if (write_prompt(model, text, sizeof(text))) {
		draw_prompt(cells, y, text);
		return;
	}
	write_warning(model, text, sizeof(text));
	if (*model->message)
		snprintf(text, sizeof(text), "%s", model->message);
	if (*text)
		cells_put(cells, y, 0, SIZE_MAX, STYLE_STALE, text);
	else
		draw_hints(model, cells, y);
}

/* Where a line has no room for both, the keys are above what they do. */
static int add_help(struct string_list *lines, const struct request_row *row,
		    size_t width)
{
	char line[128];
	int ret;

	if (width >= HELP_WIDE) {
		snprintf(line, sizeof(line), "%-*s%s", HELP_KEYS, row->names,
			 row->help);
		return string_list_add(lines, line);
	}
	ret = string_list_add(lines, row->names);
	return ret ?: add_wrapped(lines, row->help, HELP_INDENT, width);
}

static int help_text(const struct model *model, struct string_list *lines)
{
	const struct request_row *row;
	int ret = 0;

	for (size_t i = 0; !ret && (row = request_at(i)); i++) {
		if (row->names &&
		    (model->is_replay || !request_is_of_replay(row->request)))
			ret = add_help(lines, row, model->width);
	}
	return ret;
}

/* The lines of what is shown in place of the screen. */
static int text_lines(const struct model *model, struct string_list *lines)
{
	int ret = 0;

	if (model->mode == MODE_HELP)
		return help_text(model, lines);
	for (size_t i = 0; !ret && i < model->text.count; i++)
		ret = add_wrapped(lines, model->text.strings[i], 0,
				  model->width);
	return ret;
}

size_t screen_text_lines(const struct model *model)
{
	_cleanup_(string_list_deinit) struct string_list lines = { 0 };

	text_lines(model, &lines);
	return lines.count;
}

static int draw_text(const struct model *model, struct cells *cells)
{
	_cleanup_(string_list_deinit) struct string_list lines = { 0 };
	const struct view *view = &model->views[model->tab];
	char title[2 * MODEL_TEXT] = "Keys";
	int ret = text_lines(model, &lines);

	if (model->mode != MODE_HELP)
		snprintf(title, sizeof(title), "%s: %s", view->tab->name,
			 view_selected(view) ?
				 view_row_name(view, view_selected(view)) :
				 "");
	cells_paint(cells, 0, 0, SIZE_MAX, STYLE_TITLE);
	cells_put(cells, 0, 0, SIZE_MAX, STYLE_TITLE, title);
	for (size_t i = 0; !ret && i + 2 < cells->height; i++) {
		if (model->text_first + i < lines.count)
			cells_put(cells, i + 1, 0, SIZE_MAX, STYLE_PLAIN,
				  lines.strings[model->text_first + i]);
	}
	draw_status(model, cells, cells->height - 1);
	return ret;
}

static int draw_top(const struct model *model, struct cells *cells,
		    const struct layout *layout)
{
	const struct bar *bar = &model->views[QUESTION_MEMORY].sheet.bar;
	int ret;

	if (layout->areas[AREA_TITLE].lines)
		draw_title(model, cells, layout->areas[AREA_TITLE].y);
	if (layout->areas[AREA_BAR].lines)
		bar_draw(bar, cells, layout->areas[AREA_BAR].y);
	bar_draw_legend(bar, cells, cells->width, layout->areas[AREA_LEGEND].y,
			layout->areas[AREA_LEGEND].lines, cells->height < LOW);
	if (layout->areas[AREA_TABS].lines)
		draw_tabs(model, cells, layout->areas[AREA_TABS].y);
	ret = put_wrapped(cells, layout->areas[AREA_HOLDER].y,
			  layout->areas[AREA_HOLDER].lines, STYLE_STALE,
			  holder_of(model));
	if (!ret)
		ret = put_wrapped(cells, layout->areas[AREA_LIMIT].y,
				  layout->areas[AREA_LIMIT].lines, STYLE_PLAIN,
				  limit_of(model));
	return ret;
}

int screen_draw(const struct model *model, struct cells *cells)
{
	const struct view *view = &model->views[model->tab];
	struct layout layout;
	int ret;

	if (cells->width < SCREEN_LEAST_WIDTH ||
	    cells->height < SCREEN_LEAST_HEIGHT) {
		cells_put(cells, 0, 0, SIZE_MAX, STYLE_STALE, "20x5 at least");
		return 0;
	}
	if (model->mode == MODE_HELP || model->mode == MODE_TEXT ||
	    model->mode == MODE_DROP)
		return draw_text(model, cells);
	screen_layout(model, &layout);
	ret = draw_top(model, cells, &layout);
	if (!ret)
		ret = view->has_sheet ?
			      screen_table_draw(view, cells,
						layout.areas[AREA_HEADING].y,
						layout.areas[AREA_ROWS].y,
						layout.areas[AREA_ROWS].lines,
						model->utf8) :
			      draw_empty(model, cells, &layout);
	draw_status(model, cells, layout.areas[AREA_STATUS].y);
	return ret;
}

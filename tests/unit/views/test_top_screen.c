// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Screens, drawn from captured hosts without a terminal, compared with files in
 * tests/fixtures/screens. With UPDATE_SCREENS=1 the files are written: read the
 * difference.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "lib/cleanup.h"
#include "lib/sysroot.h"
#include "test.h"
#include "top/bar.h"
#include "top/keys.h"
#include "top/model.h"
#include "top/request.h"
#include "top/screen.h"
#include "top/sheet.h"
#include "top/tab.h"
#include "who/who_rows.h"

#define SECOND_NS INT64_C(1000000000)

/* Measures a tab of a captured host, as a process of the screen would. */
static void feed(struct model *model, enum question_id id, const char *host,
		 int64_t second)
{
	const struct question *tab = questions[id];
	struct tab_rows rows = { 0 };
	struct sysroot root;
	struct sheet sheet;
	struct error err = { 0 };
	char path[256], *data;
	size_t size;
	int ret;

	snprintf(path, sizeof(path), FIXTURES "/%s", host);
	assert_int_equal(sysroot_init(&root, path, &err), 0);
	ret = tab_take(tab,
		       &(struct tab_asking){ .root = &root,
					     .tree = model->views[id].is_tree },
		       &rows, &err);
	if (ret < 0) {
		model->views[id].err = err;
	} else {
		assert_int_equal(sheet_pack(tab, &rows, &data, &size), 0);
		assert_int_equal(sheet_unpack(&sheet, tab, data, size, &err),
				 0);
		sheet.taken_ns = second * SECOND_NS;
		assert_int_equal(view_take(&model->views[id], &sheet), 0);
		sheet_deinit(&sheet);
	}
	tab_release(tab, &rows);
	string_list_deinit(&rows.notes);
	sysroot_deinit(&root);
}

static void begin(struct model *model, const char *host)
{
	model_init(model);
	model->utf8 = true;
	strcpy(model->clock, "2026-11-23 03:00:00");
	strcpy(model->host, host);
	feed(model, QUESTION_MEMORY, host, 1);
	feed(model, QUESTION_CGROUPS, host, 1);
	feed(model, QUESTION_DEVICES, host, 1);
}

/* The characters, then the letter of the style of each that is not plain. */
static void print_cells(FILE *out, const struct cells *cells)
{
	static const char letters[STYLES + 1] = " thsSngGwT0123456789";
	bool has_style;

	for (size_t y = 0; y < cells->height; y++) {
		size_t end = cells->width;

		while (end && cells_at(cells, y, end - 1)->character == L' ')
			end--;
		for (size_t x = 0; x < end; x++) {
			wchar_t c = cells_at(cells, y, x)->character;

			if (c)
				fprintf(out, "%lc", (wint_t)c);
		}
		fputs("|\n", out);
		has_style = false;
		for (size_t x = 0; x < cells->width; x++)
			has_style |= cells_at(cells, y, x)->style !=
				     STYLE_PLAIN;
		for (size_t x = 0; has_style && x < cells->width; x++)
			putc(letters[cells_at(cells, y, x)->style], out);
		if (has_style)
			putc('\n', out);
	}
}

static char *read_all(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		return strdup("(no such file)");
	if (getdelim(&text, &size, '\0', file) < 0)
		text[0] = '\0';
	fclose(file);
	return text;
}

static void expect_screen(struct model *model, size_t width, size_t height,
			  const char *name)
{
	_cleanup_(freep) char *drawn = NULL;
	_cleanup_(freep) char *expected = NULL;
	struct layout layout;
	struct cells cells;
	char path[512];
	size_t size;
	FILE *out = open_memstream(&drawn, &size);

	model->width = width;
	model->height = height;
	screen_layout(model, &layout);
	view_scroll(model_view(model), layout.areas[AREA_ROWS].lines);
	assert_int_equal(cells_init(&cells, width, height), 0);
	assert_int_equal(screen_draw(model, &cells), 0);
	print_cells(out, &cells);
	fclose(out);
	cells_deinit(&cells);
	snprintf(path, sizeof(path), FIXTURES "/screens/%s-%zux%zu", name,
		 width, height);
	if (getenv("UPDATE_SCREENS")) {
		out = fopen(path, "w");
		fputs(drawn, out);
		fclose(out);
	}
	expected = read_all(path);
	if (strcmp(drawn, expected) != 0)
		fail_msg("%s:\n%s", path, drawn);
}

static void press(struct model *model, const char *keys)
{
	for (; *keys; keys++)
		model_key(model, (unsigned char)*keys);
}

static void devices(void **state __attribute__((unused)))
{
	static const struct {
		size_t width, height;
	} sizes[] = { { 20, 5 }, { 40, 12 }, { 80, 24 }, { 200, 50 } };
	struct model model;

	begin(&model, "debian-ext4");
	for (size_t i = 0; i < COUNT_OF(sizes); i++)
		expect_screen(&model, sizes[i].width, sizes[i].height,
			      "devices");
	model.utf8 = false;
	press(&model, "t");
	model_deinit(&model);
}

/* Every row of the second measurement is new, and all others are gone. */
static void new_and_gone(void **state __attribute__((unused)))
{
	struct model model;

	begin(&model, "article");
	feed(&model, QUESTION_DEVICES, "rhel-xfs", 2);
	expect_screen(&model, 100, 24, "new-and-gone");
	feed(&model, QUESTION_DEVICES, "rhel-xfs", 3);
	press(&model, ">>>>j");
	expect_screen(&model, 100, 24, "sorted");
	press(&model, "rG");
	assert_string_equal(view_row_name(model_view(&model),
					  view_selected(model_view(&model))),
			    "unattributed");
	model_deinit(&model);
}

static void cgroups(void **state __attribute__((unused)))
{
	struct model model;

	begin(&model, "cgroups-v2");
	press(&model, "5j");
	expect_screen(&model, 90, 24, "cgroups");
	model.utf8 = false;
	expect_screen(&model, 40, 15, "cgroups-ascii");
	model_deinit(&model);
}

/* The sentence of plain bufstat, where there is room for it. */
static void names_a_holder(void **state __attribute__((unused)))
{
	struct model model;

	begin(&model, "debian-ext4");
	model.views[QUESTION_MEMORY].sheet.holder =
		"logger (605) holds 250M in /mnt/app.log, a deleted file on "
		"tmpfs. 61M of 965M are available. ";
	expect_screen(&model, 60, 16, "holder");
	expect_screen(&model, 40, 8, "holder-low");
	model_deinit(&model);
}

static void texts(void **state __attribute__((unused)))
{
	struct model model;

	begin(&model, "debian-ext4");
	press(&model, "?");
	expect_screen(&model, 60, 30, "help");
	press(&model, "G");
	expect_screen(&model, 40, 10, "help-scrolled");
	press(&model, "x\n");
	expect_screen(&model, 70, 24, "details");
	press(&model, "x/vda15");
	expect_screen(&model, 70, 24, "search");
	model_deinit(&model);
}

/* What could not be measured, and what is taking long. */
static void without_figures(void **state __attribute__((unused)))
{
	struct model model;

	begin(&model, "debian-ext4");
	feed(&model, QUESTION_SLAB, "debian-ext4", 1);
	press(&model, "6");
	expect_screen(&model, 60, 16, "slab-error");
	press(&model, "3");
	expect_screen(&model, 60, 16, "measuring");
	press(&model, "1");
	model.busy[QUESTION_DEVICES] = true;
	model.now_ns = 8 * SECOND_NS;
	expect_screen(&model, 60, 16, "stale");
	model_deinit(&model);
}

/*
 * Areas follow each other from the first line of the screen to the last. Of
 * the legend, all parts are there or none.
 */
static void check_layout(const struct model *model, size_t legend)
{
	struct layout layout;
	size_t y = 0;

	screen_layout(model, &layout);
	for (enum area area = 0; area < AREAS; area++) {
		assert_int_equal(layout.areas[area].y, y);
		y += layout.areas[area].lines;
	}
	assert_int_equal(y, model->height);
	assert_int_equal(layout.areas[AREA_HEADING].lines, 1);
	assert_int_equal(layout.areas[AREA_STATUS].lines, 1);
	assert_true(layout.areas[AREA_ROWS].lines >= 2);
	assert_true(layout.areas[AREA_ROWS].lines * 4 + 3 >= model->height);
	assert_true(layout.areas[AREA_LEGEND].lines == 0 ||
		    layout.areas[AREA_LEGEND].lines == legend);
}

static void every_layout(void **state __attribute__((unused)))
{
	struct model model;
	const struct bar *bar = &model.views[QUESTION_MEMORY].sheet.bar;

	begin(&model, "lvm-many");
	for (model.width = SCREEN_LEAST_WIDTH; model.width <= 300;
	     model.width++) {
		for (model.height = SCREEN_LEAST_HEIGHT; model.height <= 100;
		     model.height++)
			check_layout(&model,
				     bar_draw_legend(bar, NULL, model.width, 0,
						     0, model.height < 30));
	}
	model_deinit(&model);
}

/* On the smallest usual terminal there is room for rows, and for all the help. */
static void usual_terminal(void **state __attribute__((unused)))
{
	static const char *const hosts[] = { "debian-ext4", "lvm-many",
					     "cgroups-v2", "rhel-xfs" };
	struct layout layout;
	struct model model;

	for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
		begin(&model, hosts[i]);
		model.width = 80;
		model.height = 24;
		screen_layout(&model, &layout);
		assert_in_range(layout.areas[AREA_ROWS].y, 4, 7);
		model.mode = MODE_HELP;
		for (int replay = 0; replay < 2; replay++) {
			model.is_replay = replay;
			/* A title is above it, and a hint below. */
			assert_in_range(screen_text_lines(&model), 10, 22);
		}
		model_deinit(&model);
	}
}

/* Whether a text is a word of the screen's line @y. */
static bool has_word(const struct cells *cells, size_t y, const char *word)
{
	const size_t length = strlen(word);

	for (size_t x = 0; x + length <= cells->width; x++) {
		size_t i = 0;

		while (i < length &&
		       cells_at(cells, y, x + i)->character == (wchar_t)word[i])
			i++;
		if (i == length &&
		    (!x || cells_at(cells, y, x - 1)->character == L' ') &&
		    (x + i == cells->width ||
		     cells_at(cells, y, x + i)->character == L' '))
			return true;
	}
	return false;
}

/* Digits are never cut: at every width, Buffers of a row is there whole. */
static void every_size(void **state __attribute__((unused)))
{
	struct model model;

	begin(&model, "lvm-many");
	for (size_t width = SCREEN_LEAST_WIDTH; width <= 300; width += 7) {
		for (size_t height = SCREEN_LEAST_HEIGHT; height <= 100;
		     height += 19) {
			struct layout layout;
			struct cells cells;

			model.width = width;
			model.height = height;
			screen_layout(&model, &layout);
			assert_int_equal(cells_init(&cells, width, height), 0);
			assert_int_equal(screen_draw(&model, &cells), 0);
			assert_true(has_word(&cells,
					     layout.areas[AREA_ROWS].y + 1,
					     "55.6M"));
			cells_deinit(&cells);
		}
	}
	model_deinit(&model);
}

/* Columns that are never left out do not fit a narrow screen either. */
static void figures_fit_everywhere(void **state __attribute__((unused)))
{
	struct who_cache cache = { .name = "/var/lib/postgresql/data",
				   .number = "8:1" };
	struct trace_fill fill = { .process = 1234567,
				   .command = "postgres-worker",
				   .in[FILL_READ] = 1049,
				   .out = 2 };
	const struct who_row row = {
		.cache = &cache,
		.fill = &fill,
		.cgroup = "/system.slice/db.service",
		.page_size = 4096,
		.knows_how = true,
		.how = "read",
	};
	const struct tab_rows rows = { .table = TABLE_ROWS(&row, 1) };
	struct sheet sheet;
	struct model model;
	struct error err;
	char *data;
	size_t size;

	begin(&model, "debian-ext4");
	model.tab = QUESTION_WHO;
	assert_int_equal(
		sheet_pack(questions[QUESTION_WHO], &rows, &data, &size), 0);
	assert_int_equal(sheet_unpack(&sheet, questions[QUESTION_WHO], data,
				      size, &err),
			 0);
	assert_int_equal(view_take(&model.views[QUESTION_WHO], &sheet), 0);
	sheet_deinit(&sheet);
	for (model.width = SCREEN_LEAST_WIDTH; model.width <= 150;
	     model.width++) {
		struct layout layout;
		struct cells cells;

		screen_layout(&model, &layout);
		assert_int_equal(cells_init(&cells, model.width, model.height),
				 0);
		assert_int_equal(screen_draw(&model, &cells), 0);
		if (!has_word(&cells, layout.areas[AREA_ROWS].y, "4.1M"))
			fail_msg("%zu columns: no figure", model.width);
		cells_deinit(&cells);
	}
	model_deinit(&model);
}

/* The parts and what is unaccounted add up to MemTotal. */
static void bar_adds_up(void **state __attribute__((unused)))
{
	static const char *const hosts[] = { "debian-ext4", "cgroups-v2",
					     "rhel-xfs" };

	for (size_t i = 0; i < COUNT_OF(hosts); i++) {
		struct model model;
		const struct bar *bar = &model.views[QUESTION_MEMORY].sheet.bar;
		int64_t sum = 0;

		begin(&model, hosts[i]);
		assert_true(bar->has_total);
		for (enum bar_part_id id = 0; id < BAR_PARTS; id++)
			sum += bar->parts[id].bytes;
		if (bar->parts[BAR_UNACCOUNTED].known)
			assert_int_equal(sum, bar->total_bytes);
		model_deinit(&model);
	}
}

/* Also columns that are neither texts nor numbers, as CONFIDENT. */
static void search_looks_at_all_columns(void **state __attribute__((unused)))
{
	struct model model;
	const struct view *view;

	begin(&model, "debian-ext4");
	view = &model.views[QUESTION_DEVICES];
	assert_true(view->count);
	for (size_t i = 0; i < view->count; i++)
		assert_false(view_row_has(view, &view->rows[i], "no such"));
	assert_true(view_row_has(view, &view->rows[0], "ext4"));
	model_deinit(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices),
		cmocka_unit_test(new_and_gone),
		cmocka_unit_test(cgroups),
		cmocka_unit_test(names_a_holder),
		cmocka_unit_test(texts),
		cmocka_unit_test(without_figures),
		cmocka_unit_test(every_layout),
		cmocka_unit_test(usual_terminal),
		cmocka_unit_test(every_size),
		cmocka_unit_test(figures_fit_everywhere),
		cmocka_unit_test(bar_adds_up),
		cmocka_unit_test(search_looks_at_all_columns),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

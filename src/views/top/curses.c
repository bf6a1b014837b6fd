// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/library.h"
#include "top/curses.h"
#include "top/ncurses_abi.h"
#include "top/request.h"

struct curses_library {
	void *handle;
	void **stdscr;
	void *(*newterm)(const char *type, FILE *out, FILE *in);
	int (*setupterm)(const char *type, int fd, int *found);
	void (*delscreen)(void *screen);
	int (*endwin)(void);
	int (*cbreak)(void);
	int (*noecho)(void);
	int (*nonl)(void);
	int (*keypad)(void *window, bool on);
	int (*keyok)(int key, bool on);
	int (*nodelay)(void *window, bool on);
	int (*set_escdelay)(int ms);
	int (*curs_set)(int visible);
	bool (*has_colors)(void);
	int (*start_color)(void);
	int (*use_default_colors)(void);
	int (*init_pair)(short pair, short front, short back);
	int (*wmove)(void *window, int y, int x);
	int (*wattr_set)(void *window, uint32_t attributes, short pair,
			 void *options);
	int (*waddnwstr)(void *window, const wchar_t *text, int length);
	int (*wrefresh)(void *window);
	int (*clearok)(void *window, bool on);
	int (*wget_wch)(void *window, wint_t *key);
	int (*resizeterm)(int lines, int columns);
	int (*win_wch)(void *window, void *complex);
	int (*getcchar)(const void *complex, wchar_t *text,
			uint32_t *attributes, short *pair, void *options);
	char *(*tigetstr)(const char *name);
};

/* Colours are numbers of the terminal; -1 is its own. */
struct look {
	uint32_t attributes; /* with colours */
	short front, back;
	uint32_t plain; /* without */
};

enum { BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE };

static const struct look looks[STYLES] = {
	[STYLE_PLAIN] = { 0, -1, -1, 0 },
	[STYLE_TITLE] = { ABI_BOLD, -1, -1, ABI_BOLD },
	[STYLE_HEADING] = { 0, BLACK, GREEN, ABI_REVERSE },
	[STYLE_SORTED] = { 0, BLACK, CYAN, ABI_BOLD | ABI_UNDERLINE },
	[STYLE_SELECTED] = { 0, BLACK, CYAN, ABI_REVERSE },
	[STYLE_NEW] = { ABI_BOLD, GREEN, -1, ABI_BOLD },
	[STYLE_GONE] = { 0, RED, -1, ABI_DIM },
	[STYLE_GREW] = { ABI_BOLD, -1, -1, ABI_BOLD },
	[STYLE_STALE] = { ABI_BOLD, YELLOW, -1, ABI_BOLD },
	[STYLE_TAB_SHOWN] = { 0, BLACK, CYAN, ABI_REVERSE },
	/* As enum bar_part_id. Without colours every other one is reversed. */
	[STYLE_BAR + 0] = { 0, BLACK, GREEN, ABI_REVERSE },
	[STYLE_BAR + 1] = { 0, BLACK, MAGENTA, 0 },
	[STYLE_BAR + 2] = { 0, BLACK, CYAN, ABI_REVERSE },
	[STYLE_BAR + 3] = { 0, WHITE, RED, 0 },
	[STYLE_BAR + 4] = { 0, WHITE, BLUE, ABI_REVERSE },
	[STYLE_BAR + 5] = { 0, BLACK, YELLOW, 0 },
	[STYLE_BAR + 6] = { 0, BLACK, WHITE, ABI_REVERSE },
	[STYLE_BAR + 7] = { 0, GREEN, WHITE, 0 },
	[STYLE_BAR + 8] = { 0, -1, -1, 0 },
	[STYLE_BAR + 9] = { ABI_BOLD, RED, -1, ABI_BOLD },
};

/*
 * For the handler below, which has no other way to know: the terminal's
 * settings before the screen, and what leaves the screen. Set while one is
 * open.
 */
static struct termios before;
static char leaving[128];
#define BRACKETS "\033[?2004" /* marks of what is pasted; "h": on, "l": off */

static void send(const char *text)
{
	ssize_t ignored = write(STDOUT_FILENO, text, strlen(text));

	(void)ignored;
}

/* A crash must not leave a terminal in which nobody sees what is typed. */
static void give_back(int signal)
{
	send(leaving);
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
	/* The handler was for one time: now the signal ends the program. */
	raise(signal);
}

static void watch_crashes(bool on)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL,
				       SIGABRT, SIGSYS, SIGTRAP };
	struct sigaction action = {
		.sa_handler = on ? give_back : SIG_DFL,
		.sa_flags = (int)SA_RESETHAND,
	};

	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		sigaction(crashes[i], &action, NULL);
}

static int or_batch(struct error *err, int ret)
{
	char remedy[sizeof(err->remedy)];

	memcpy(remedy, err->remedy, sizeof(remedy));
	return error_remedy(err, ret, "%s%suse --batch", remedy,
			    *remedy ? ", or " : "");
}

static int load(struct curses_library *library, struct error *err)
{
	const struct library_symbol symbols[] = {
		{ "stdscr", &library->stdscr },
		{ "newterm", &library->newterm },
		{ "setupterm", &library->setupterm },
		{ "delscreen", &library->delscreen },
		{ "endwin", &library->endwin },
		{ "cbreak", &library->cbreak },
		{ "noecho", &library->noecho },
		{ "nonl", &library->nonl },
		{ "keypad", &library->keypad },
		{ "keyok", &library->keyok },
		{ "nodelay", &library->nodelay },
		{ "set_escdelay", &library->set_escdelay },
		{ "curs_set", &library->curs_set },
		{ "has_colors", &library->has_colors },
		{ "start_color", &library->start_color },
		{ "use_default_colors", &library->use_default_colors },
		{ "init_pair", &library->init_pair },
		{ "wmove", &library->wmove },
		{ "wattr_set", &library->wattr_set },
		{ "waddnwstr", &library->waddnwstr },
		{ "wrefresh", &library->wrefresh },
		{ "clearok", &library->clearok },
		{ "wget_wch", &library->wget_wch },
		{ "resizeterm", &library->resizeterm },
		{ "win_wch", &library->win_wch },
		{ "getcchar", &library->getcchar },
		{ "tigetstr", &library->tigetstr },
	};
	int ret = library_open(LIBRARY_NCURSESW, symbols,
			       sizeof(symbols) / sizeof(*symbols),
			       &library->handle, err);

	return ret < 0 ? or_batch(err, ret) : 0;
}

static int refuse(struct error *err, const char *object, const char *reason)
{
	return error_advise(err, ERROR_FAILED, "showing a screen", object,
			    "use --batch", "%s", reason);
}

static int check_terminal(struct error *err)
{
	const char *type = getenv("TERM");

	if (!isatty(STDOUT_FILENO))
		return refuse(err, "standard output", "not a terminal");
	if (!isatty(STDIN_FILENO))
		return refuse(err, "standard input", "not a terminal");
	if (!type || !*type)
		return refuse(err, "TERM", "not set");
	if (strcmp(type, "dumb") == 0)
		return refuse(err, "TERM=dumb",
			      "this terminal cannot move its cursor");
	if (tcgetattr(STDIN_FILENO, &before) < 0)
		return error_errno(err, errno, "showing a screen",
				   "standard input");
	return 0;
}

static void set_colours(struct curses *curses)
{
	const struct curses_library *library = curses->library;
	const char *no_colour = getenv("NO_COLOR");

	curses->has_colours = !(no_colour && *no_colour) &&
			      library->has_colors() &&
			      library->start_color() == 0 &&
			      library->use_default_colors() == 0;
	for (short i = 1; curses->has_colours && i < STYLES; i++)
		library->init_pair(i, looks[i].front, looks[i].back);
}

/* What the terminal says leaves a screen; delays in it are left out. */
static void add_leaving(const struct curses_library *library, const char *name)
{
	const char *text = library->tigetstr(name);

	/* Absent is NULL, or -1 if it is no string. */
	if (text && (intptr_t)text != -1 &&
	    strlen(leaving) + strlen(text) < sizeof(leaving))
		strcat(leaving, text);
}

/* ECMA-48: a mode that a terminal does not know is ignored. */
static void set_brackets(struct curses *curses, bool on)
{
	if (!curses->nothing && curses->brackets != on)
		send(on ? BRACKETS "h" : BRACKETS "l");
	curses->brackets = on;
}

/* Begins a screen on the terminal, or on /dev/null. */
static int begin(struct curses *curses, bool on_nothing, struct error *err)
{
	struct curses_library *library = curses->library;

	if (on_nothing) {
		curses->nothing = fopen("/dev/null", "r+e");
		if (!curses->nothing)
			return error_errno(err, errno, "showing a screen",
					   "/dev/null");
	}
	curses->screen = library->newterm(NULL, curses->nothing ?: stdout,
					  curses->nothing ?: stdin);
	if (!curses->screen) {
		int found = 0;

		library->setupterm(NULL, STDOUT_FILENO, &found);
		return refuse(err, getenv("TERM"),
			      found == 1 ?
				      "libncurses makes no screen of it, as of "
				      "more than 32,767 columns or lines" :
				      "nothing is known of this terminal");
	}
	if (on_nothing)
		return 0;
	strcpy(leaving, BRACKETS "l");
	add_leaving(library, "sgr0");
	add_leaving(library, "cnorm");
	add_leaving(library, "rmcup");
	watch_crashes(true);
	return 0;
}

int curses_open(struct curses *curses, bool on_nothing, struct error *err)
{
	struct curses_library *library;
	int ret = on_nothing ? 0 : check_terminal(err);

	*curses = (struct curses){ 0 };
	if (ret < 0)
		return ret;
	library = calloc(1, sizeof(*library));
	if (!library)
		return error_errno(err, ENOMEM, "showing a screen", NULL);
	curses->library = library;
	ret = load(library, err) ?: begin(curses, on_nothing, err);
	if (ret < 0)
		return ret;
	library->cbreak();
	library->noecho();
	library->nonl();
	library->keypad(*library->stdscr, true);
	/* Else only the beginning of a report is taken for a key. */
	library->keyok(ABI_KEY_MOUSE, false);
	library->nodelay(*library->stdscr, true);
	/* A key that begins with Escape comes in one piece, even by ssh. */
	library->set_escdelay(50);
	library->curs_set(0);
	set_colours(curses);
	return 0;
}

void curses_close(struct curses *curses)
{
	if (curses->screen) {
		set_brackets(curses, false);
		curses->library->curs_set(1);
		curses->library->endwin();
		if (!curses->nothing)
			watch_crashes(false);
		curses->library->delscreen(curses->screen);
	}
	if (curses->nothing)
		fclose(curses->nothing);
	/* The library stays: it keeps memory that only it knows of. */
	free(curses->library);
	cells_deinit(&curses->shown);
	*curses = (struct curses){ 0 };
}

static void put_run(struct curses *curses, const struct cell *cells,
		    size_t count)
{
	const struct curses_library *library = curses->library;
	const struct look *look = &looks[cells->style];
	uint32_t attributes = look->plain;
	short pair = 0;

	if (curses->has_colours) {
		attributes = look->attributes;
		pair = (short)cells->style;
	}
	library->wattr_set(*library->stdscr, attributes, pair, NULL);
	for (size_t i = 0; i < count; i++) {
		if (cells[i].character)
			library->waddnwstr(*library->stdscr,
					   &cells[i].character, 1);
	}
}

static void put_line(struct curses *curses, const struct cells *cells, size_t y)
{
	size_t x = 0;

	curses->library->wmove(*curses->library->stdscr, (int)y, 0);
	while (x < cells->width) {
		const struct cell *first = cells_at(cells, y, x);
		size_t count = 1;

		while (x + count < cells->width &&
		       first[count].style == first->style)
			count++;
		put_run(curses, first, count);
		x += count;
	}
}

static bool is_shown(const struct curses *curses, const struct cells *cells,
		     size_t y)
{
	const struct cells *shown = &curses->shown;

	return shown->cells && shown->width == cells->width &&
	       shown->height == cells->height &&
	       memcmp(cells_at(shown, y, 0), cells_at(cells, y, 0),
		      cells->width * sizeof(struct cell)) == 0;
}

void curses_draw(struct curses *curses, struct cells *cells)
{
	for (size_t y = 0; y < cells->height; y++) {
		if (!is_shown(curses, cells, y))
			put_line(curses, cells, y);
	}
	cells_deinit(&curses->shown);
	curses->shown = *cells;
	*cells = (struct cells){ 0 };
	set_brackets(curses, true);
	curses->library->wrefresh(*curses->library->stdscr);
}

/* A letter for how a character looks; with colours, that of its style. */
static char style_letter(const struct curses *curses, uint32_t attributes,
			 short pair)
{
	/* The last one stands for a pair that is no style. */
	static const char letters[] = " thsSngGwT0123456789!";

	if (curses->has_colours)
		return letters[pair >= 0 && pair < STYLES ? pair : STYLES];
	if (attributes & ABI_REVERSE)
		return 'r';
	if (attributes & ABI_UNDERLINE)
		return 'u';
	if (attributes & ABI_DIM)
		return 'd';
	return attributes & ABI_BOLD ? 'b' : ' ';
}

/* Reads the character at a place. Returns the columns that it takes. */
static size_t read_cell(const struct curses *curses, size_t y, size_t x,
			wchar_t *character, char *letter)
{
	const struct curses_library *library = curses->library;
	max_align_t complex[ABI_CCHAR_SIZE / sizeof(max_align_t)];
	wchar_t text[ABI_CCHAR_TEXT] = { 0 };
	uint32_t attributes = 0;
	short pair = 0;
	int width;

	library->wmove(*library->stdscr, (int)y, (int)x);
	library->win_wch(*library->stdscr, complex);
	library->getcchar(complex, text, &attributes, &pair, NULL);
	*character = *text;
	*letter = style_letter(curses, attributes, pair);
	width = wcwidth(*text);
	return width > 1 ? (size_t)width : 1;
}

static void save_line(const struct curses *curses, size_t y, wchar_t *text,
		      char *letters, FILE *out)
{
	const size_t width = curses->shown.width;
	size_t length = 0;

	for (size_t x = 0; x < width;) {
		size_t columns =
			read_cell(curses, y, x, &text[length++], &letters[x]);

		for (size_t i = 1; i < columns && x + i < width; i++)
			letters[x + i] = letters[x];
		x += columns;
	}
	while (length && text[length - 1] == L' ')
		length--;
	text[length] = L'\0';
	letters[width] = '\0';
	fprintf(out, "%ls|\n", text);
	if (strspn(letters, " ") < width)
		fprintf(out, "%s\n", letters);
}

void curses_save(struct curses *curses, FILE *out)
{
	const size_t width = curses->shown.width;
	_cleanup_(freep) wchar_t *text = calloc(width + 1, sizeof(*text));
	_cleanup_(freep) char *letters = calloc(width + 1, 1);

	for (size_t y = 0; text && letters && y < curses->shown.height; y++)
		save_line(curses, y, text, letters, out);
}

void curses_forget(struct curses *curses)
{
	cells_deinit(&curses->shown);
	curses->library->clearok(*curses->library->stdscr, true);
}

void curses_resize(struct curses *curses, size_t width, size_t height)
{
	curses->library->resizeterm((int)height, (int)width);
	curses_forget(curses);
}

void curses_suspend(struct curses *curses)
{
	set_brackets(curses, false);
	curses->library->endwin();
	curses_forget(curses);
}

int curses_key(struct curses *curses)
{
	wint_t key;
	int ret = curses->library->wget_wch(*curses->library->stdscr, &key);

	if (ret == ABI_ERR)
		return KEY_NONE;
	if (ret != ABI_KEY_CODE_YES)
		return (int)key;
	return key == ABI_KEY_ENTER ? '\n' : KEY_NONE + (int)key;
}

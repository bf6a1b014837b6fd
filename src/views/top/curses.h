/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal, by ncursesw, which is loaded only here: plain bufstat has to
 * start as fast as free. Only one screen can be open at a time.
 */
#ifndef BUFSTAT_CURSES_H
#define BUFSTAT_CURSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "top/cells.h"

struct error;
struct curses_library;

struct curses {
	struct curses_library *library;
	void *screen;
	FILE *nothing; /* in place of a terminal, or NULL */
	bool has_colours;
	bool brackets; /* the terminal marks what is pasted */
	struct cells shown; /* what was drawn last, or empty */
};

/*
 * Takes over the terminal on stdin and stdout. From then on, a signal that the
 * program cannot go on after restores it first. Returns 0; -EOPNOTSUPP if the
 * terminal cannot show a screen; -ENOENT if the library is missing; -ENOMEM.
 * The caller closes @curses in any case. With @on_nothing there is no terminal,
 * only what it would show (curses_save()).
 */
int curses_open(struct curses *curses, bool on_nothing, struct error *err);

/* Gives the terminal back as it was. */
void curses_close(struct curses *curses);

/* Sends what has changed. Takes @cells. */
void curses_draw(struct curses *curses, struct cells *cells);

/*
 * Writes what the screen shows to @out: each line, with "|" at its end, and
 * below those that have them a line with a letter for each style.
 */
void curses_save(struct curses *curses, FILE *out);

/* Sends everything with the next drawing: the terminal shows something else. */
void curses_forget(struct curses *curses);

/* The terminal has another size now. */
void curses_resize(struct curses *curses, size_t width, size_t height);

/* Gives the terminal back until the next drawing, as for Ctrl-Z. */
void curses_suspend(struct curses *curses);

/* The next key that was pressed, a character or an enum key; or KEY_NONE. */
int curses_key(struct curses *curses);

#endif

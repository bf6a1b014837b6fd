/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Constants of <ncurses.h> (6.0 to 6.5, with wide characters), which may not be
 * installed where bufstat is built. A unit test compares them with it.
 */
#ifndef BUFSTAT_NCURSES_ABI_H
#define BUFSTAT_NCURSES_ABI_H

#define ABI_ERR (-1)

/* At least as large as cchar_t, bytes; characters that it may have, and a NUL. */
#define ABI_CCHAR_SIZE 64
#define ABI_CCHAR_TEXT 8

#define ABI_UNDERLINE (1U << 17)
#define ABI_REVERSE (1U << 18)
#define ABI_DIM (1U << 20)
#define ABI_BOLD (1U << 21)

enum {
	ABI_KEY_CODE_YES = 0400,
	ABI_KEY_DOWN = 0402,
	ABI_KEY_UP = 0403,
	ABI_KEY_LEFT = 0404,
	ABI_KEY_RIGHT = 0405,
	ABI_KEY_HOME = 0406,
	ABI_KEY_BACKSPACE = 0407,
	ABI_KEY_F1 = 0411,
	ABI_KEY_F3 = 0413,
	ABI_KEY_F5 = 0415,
	ABI_KEY_F6 = 0416,
	ABI_KEY_F10 = 0422,
	ABI_KEY_NPAGE = 0522,
	ABI_KEY_PPAGE = 0523,
	ABI_KEY_BTAB = 0541,
	ABI_KEY_ENTER = 0527,
	ABI_KEY_END = 0550,
	ABI_KEY_MOUSE = 0631,
};

#endif

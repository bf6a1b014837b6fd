// SPDX-License-Identifier: GPL-2.0-or-later
/* What the tool knows of ncurses without its header is what the header says. */
#define NCURSES_WIDECHAR 1
#include <ncurses.h>

#include "test.h"
#include "top/ncurses_abi.h"

static void constants(void **state __attribute__((unused)))
{
	assert_int_equal(ABI_ERR, ERR);
	assert_int_equal(ABI_UNDERLINE, A_UNDERLINE);
	assert_int_equal(ABI_REVERSE, A_REVERSE);
	assert_int_equal(ABI_DIM, A_DIM);
	assert_int_equal(ABI_BOLD, A_BOLD);
	assert_int_equal(ABI_KEY_CODE_YES, KEY_CODE_YES);
	assert_int_equal(ABI_KEY_DOWN, KEY_DOWN);
	assert_int_equal(ABI_KEY_UP, KEY_UP);
	assert_int_equal(ABI_KEY_LEFT, KEY_LEFT);
	assert_int_equal(ABI_KEY_RIGHT, KEY_RIGHT);
	assert_int_equal(ABI_KEY_HOME, KEY_HOME);
	assert_int_equal(ABI_KEY_BACKSPACE, KEY_BACKSPACE);
	assert_int_equal(ABI_KEY_F1, KEY_F(1));
	assert_int_equal(ABI_KEY_F3, KEY_F(3));
	assert_int_equal(ABI_KEY_F5, KEY_F(5));
	assert_int_equal(ABI_KEY_F6, KEY_F(6));
	assert_int_equal(ABI_KEY_F10, KEY_F(10));
	assert_int_equal(ABI_KEY_NPAGE, KEY_NPAGE);
	assert_int_equal(ABI_KEY_PPAGE, KEY_PPAGE);
	assert_int_equal(ABI_KEY_BTAB, KEY_BTAB);
	assert_int_equal(ABI_KEY_ENTER, KEY_ENTER);
	assert_int_equal(ABI_KEY_END, KEY_END);
	assert_int_equal(ABI_KEY_MOUSE, KEY_MOUSE);
	assert_true(ABI_CCHAR_SIZE >= sizeof(cchar_t));
	assert_true(ABI_CCHAR_TEXT > CCHARW_MAX);
	/* attr_t and short, as wattr_set() takes them. */
	assert_int_equal(sizeof(attr_t), sizeof(uint32_t));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

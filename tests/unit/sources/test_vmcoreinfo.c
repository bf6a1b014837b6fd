// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/vmcoreinfo.h"
#include "test.h"

/* Lines of VMCOREINFO of Debian's 6.1. */
static const char text[] = "OSRELEASE=6.1.0-56-amd64\n"
			   "BUILD-ID=0f3a\n"
			   "PAGESIZE=4096\n"
			   "SYMBOL(_stext)=ffffffffb3e00000\n"
			   "SYMBOL(_stext_not)=1\n"
			   "NUMBER(phys_base)=-17825792\n"
			   "NUMBER(pgtable_l5_enabled)=1\n"
			   "NUMBER(MAX)=18446744073709551615\n"
			   "SYMBOL(bad)=0x12\n"
			   "SYMBOL(long)=ffffffffb3e000001\n"
			   "SYMBOL(empty)=\n"
			   "NUMBER(bad)=12x\n"
			   "NUMBER(minus)=-\n"
			   "NUMBER(low)=-9223372036854775808\n"
			   "NUMBER(long)=123456789012345678901234567890\n"
			   /* Of arm64's. */
			   "NUMBER(kimage_voffset)=0xffffb3e7a0000000\n"
			   "NUMBER(hex)=0x\n"
			   "NUMBER(long_hex)=0x10000000000000000\n"
			   "escape=a\033b\n"
			   "last=one";

static void symbols(void **state __attribute__((unused)))
{
	static const char *const bad[] = { "bad",   "long", "empty",	"_ste",
					   "stext", "",	    "phys_base" };
	uint64_t address = 1;

	assert_true(vmcoreinfo_symbol(text, "_stext", &address));
	assert_true(address == 0xffffffffb3e00000);
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(vmcoreinfo_symbol(text, bad[i], &address));
	assert_false(vmcoreinfo_symbol("", "_stext", &address));
}

static void numbers(void **state __attribute__((unused)))
{
	static const char *const bad[] = { "bad", "minus",    "low",   "long",
					   "hex", "long_hex", "_stext" };
	uint64_t number;

	assert_true(vmcoreinfo_number(text, "phys_base", &number));
	assert_true((int64_t)number == -17825792);
	assert_true(vmcoreinfo_number(text, "pgtable_l5_enabled", &number));
	assert_true(number == 1);
	assert_true(vmcoreinfo_number(text, "MAX", &number));
	assert_true(number == UINT64_MAX);
	assert_true(vmcoreinfo_number(text, "kimage_voffset", &number));
	assert_true(number == 0xffffb3e7a0000000);
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(vmcoreinfo_number(text, bad[i], &number));
}

static void strings(void **state __attribute__((unused)))
{
	char value[17];
	size_t length;

	assert_true(vmcoreinfo_string(text, "OSRELEASE", value, sizeof(value)));
	assert_string_equal(value, "6.1.0-56-amd64");
	assert_false(vmcoreinfo_string(text, "OSRELEASE", value, 14));
	assert_false(vmcoreinfo_string(text, "escape", value, sizeof(value)));
	assert_true(vmcoreinfo_string(text, "last", value, sizeof(value)));
	assert_string_equal(value, "one");
	assert_null(vmcoreinfo_find(text, "RELEASE", &length));
	assert_null(vmcoreinfo_find(text, "OSRELEAS", &length));
}

static void page_sizes(void **state __attribute__((unused)))
{
	static const struct {
		const char *text;
		uint64_t bytes; /* 0: refused */
	} cases[] = {
		{ "PAGESIZE=4096\n", 4096 },	{ "PAGESIZE=65536", 65536 },
		{ "PAGESIZE=0\n", 0 },		{ "PAGESIZE=1024\n", 0 },
		{ "PAGESIZE=5000\n", 0 },	{ "PAGESIZE=-4096\n", 0 },
		{ "PAGESIZE=4294967296\n", 0 }, { "", 0 },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint64_t bytes = 0;

		assert_int_equal(vmcoreinfo_page_size(cases[i].text, &bytes),
				 cases[i].bytes != 0);
		if (cases[i].bytes)
			assert_true(bytes == cases[i].bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols),
		cmocka_unit_test(numbers),
		cmocka_unit_test(strings),
		cmocka_unit_test(page_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The beginnings of nr_blockdev_pages() in real kernels, and broken code. */
#include <elf.h>
#include <string.h>

#include "kernel/pointer_loads.h"
#include "test.h"

static const struct {
	const char *name;
	unsigned int machine;
	uint64_t superblock; /* address of blockdev_superblock */
	uint64_t function;
	const char *text;
} kernels[] = {
	{ "Debian's 5.10", EM_X86_64, 0xffffffff82876af8, 0xffffffff8132d3c0,
	  "\x66\x66\x66\x66\x90\x48\x8b\x05\x2c\x97\x54\x01\x48\x8d\xb8\x40"
	  "\x05\x00\x00\xe8\x08\xe3\x5e\x00\x48\x8b\x3d\x19\x97\x54\x01\x45" },
	{ "6.1", EM_X86_64, 0xffffffff82c42850, 0xffffffff814d2430,
	  "\x0f\x1f\x44\x00\x00\x48\x8b\x05\x14\x04\x77\x01\x53\x48\x8d\xb8"
	  "\x80\x05\x00\x00\xe8\xb7\x7b\x58\x00\x48\x8b\x3d\x00\x04\x77\x01" },
	{ "6.12", EM_X86_64, 0xffffffff826187d8, 0xffffffff81634090,
	  "\x66\x0f\x1f\x00\x0f\x1f\x44\x00\x00\x48\x8b\x05\x38\x47\xfe\x00"
	  "\x53\x48\x8d\xb8\x40\x05\x00\x00\xe8\x43\x07\x6c\x00\x48\x8b\x3d" },
	{ "7.3", EM_X86_64, 0xffffffff82a0da78, 0xffffffff819e7a30,
	  "\x0f\x1f\x40\xd6\x0f\x1f\x44\x00\x00\x48\x8b\x05\x38\x60\x02\x01"
	  "\x53\x48\x8d\xb8\x40\x05\x00\x00\xe8\x03\x2b\x7e\x00\x48\x8b\x3d" },
	/* An "add" to where the file's variables are, and a "ldr". */
	{ "Debian's 5.10 for arm64", EM_AARCH64, 0xffff8000097dd188,
	  0xffff8000083a9100,
	  "\x1f\x20\x03\xd5\x1f\x20\x03\xd5\x3f\x23\x03\xd5\xfd\x7b\xbe\xa9"
	  "\xfd\x03\x00\x91\xf3\x0b\x00\xf9\xb3\xa1\x00\x90\x73\x02\x06\x91"
	  "\x63\x06\x40\xf9\x64\x00\x15\x91\x1e\x00\x00\x14\x1d\x00\x00\x14" },
	{ "6.1 for arm64", EM_AARCH64, 0xffff800009cc1c58, 0xffff800008543ba0,
	  "\x1f\x20\x03\xd5\x1f\x20\x03\xd5\x3f\x23\x03\xd5\xfd\x7b\xbe\xa9"
	  "\xfd\x03\x00\x91\xf3\x0b\x00\xf9\xf3\xbb\x00\xd0\x73\x42\x31\x91"
	  "\x63\x06\x40\xf9\x64\x00\x16\x91\x1e\x00\x00\x14\xe0\x03\x04\xaa" },
	{ "6.12 for arm64, 16 KiB pages", EM_AARCH64, 0xffff80000970b030,
	  0xffff80000864e210,
	  "\x1f\x20\x03\xd5\x1f\x20\x03\xd5\x3f\x23\x03\xd5\xfd\x7b\xbe\xa9"
	  "\xfd\x03\x00\x91\xf3\x0b\x00\xf9\xf3\x85\x00\xb0\x73\x82\x00\x91"
	  "\x62\x0a\x40\xf9\x40\x00\x15\x91\x19\x00\x00\x14\x01\x00\x80\x52" },
	/* Without "add". */
	{ "bdev_alloc() of the same", EM_AARCH64, 0xffff80000970b030,
	  0xffff80000864df08,
	  "\x1f\x20\x03\xd5\x1f\x20\x03\xd5\x3f\x23\x03\xd5\xfd\x7b\xbc\xa9"
	  "\xe2\x85\x00\xd0\xfd\x03\x00\x91\xf5\x5b\x02\xa9\xf5\x03\x00\xaa"
	  "\x40\x18\x40\xf9\xf7\x63\x03\xa9\x38\x1c\x00\x12\x01\xb6\xf8\x97" },
};

/* Of each, to where nothing has been loaded yet. */
#define TOO_SHORT 11

static void real_kernels(void **state __attribute__((unused)))
{
	for (size_t i = 0; i < COUNT_OF(kernels); i++) {
		const unsigned char *text =
			(const unsigned char *)kernels[i].text;
		size_t size = kernels[i].machine == EM_X86_64 ? 32 : 48;
		uint64_t found[4];

		/* Some load it twice, or are cut off before they do. */
		if (pointer_loads_find(kernels[i].machine, text, size,
				       kernels[i].function, found, 4) != 1 ||
		    found[0] != kernels[i].superblock)
			fail_msg("%s", kernels[i].name);
		assert_int_equal(
			pointer_loads_find(kernels[i].machine, text, TOO_SHORT,
					   kernels[i].function, found, 4),
			0);
		assert_int_equal(pointer_loads_find(EM_S390, text, size,
						    kernels[i].function, found,
						    4),
				 0);
	}
}

static void put(unsigned char *text, size_t at, uint32_t instruction)
{
	for (int i = 0; i < 4; i++)
		text[4 * at + i] = (unsigned char)(instruction >> 8 * i);
}

static size_t find_arm64(const unsigned char *text, size_t count,
			 uint64_t *found, size_t room)
{
	return pointer_loads_find(EM_AARCH64, text, 4 * count,
				  0xffff800010000ffc, found, room);
}

static void registers_of_arm64(void **state __attribute__((unused)))
{
	unsigned char text[32];
	uint64_t found[4];

	/* adrp x1, one page back; ldr x2, [x1, #0x7ff8]; ldr x3, [x2]. */
	put(text, 0, 0xf0ffffe1);
	put(text, 1, 0xf97ffc22);
	put(text, 2, 0xf9400043);
	assert_int_equal(find_arm64(text, 3, found, 4), 1);
	assert_true(found[0] == 0xffff800010006ff8);
	/* add x1, x1, #0x1000 (shifted); ldr x2, [x1]. */
	put(text, 1, 0x91400421);
	put(text, 2, 0xf9400022);
	assert_int_equal(find_arm64(text, 3, found, 4), 1);
	assert_true(found[0] == 0xffff800010000000);
	/* The load overwrites the register: what follows is not known. */
	put(text, 1, 0xf9400021);
	put(text, 2, 0xf9400422);
	assert_int_equal(find_arm64(text, 3, found, 4), 1);
	/* An add to a register that is not known. */
	put(text, 1, 0x91000441);
	put(text, 2, 0xf9400022);
	assert_int_equal(find_arm64(text, 3, found, 4), 0);
	/* No room. */
	put(text, 1, 0xf9400022);
	put(text, 2, 0xf9400423);
	assert_int_equal(find_arm64(text, 3, found, 4), 2);
	assert_int_equal(find_arm64(text, 3, found, 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_kernels),
		cmocka_unit_test(registers_of_arm64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads a kernel's list of filesystems, also of a dump that lacks some. */
#include <errno.h>
#include <stdlib.h>

#include "fake_fs.h"
#include "kernel/kmem.h"
#include "kernel/superblocks.h"
#include "lib/error.h"
#include "test.h"

#define BASE 0xffff888000100000ULL
#define IMAGE 0xffffffff81000000ULL
#define HEAD (IMAGE + 0x1000)
#define SPACING 0x100
#define COUNT 6
#define ANY 2 /* the superblock whose address is known */
#define TYPE (BASE + 0x1000)
#define TYPE_NAME (BASE + 0x1100)

static unsigned char data[0x2000], image[0x2000];
static struct memory memory = { BASE, data, sizeof(data) };
static struct memory image_memory = { IMAGE, image, sizeof(image) };
static bool is_lost[COUNT];
static uint64_t head, in_image;

static uint64_t superblock(size_t i)
{
	return BASE + i * SPACING;
}

static int read_both(void *unused __attribute__((unused)), uint64_t address,
		     void *buffer, size_t size)
{
	for (size_t i = 0; i < COUNT; i++) {
		if (is_lost[i] && address >= superblock(i) &&
		    address < superblock(i + 1))
			return -ENODATA;
	}
	return memory_read(address >= IMAGE ? &image_memory : &memory, address,
			   buffer, size);
}

static void put(uint64_t address, uint64_t word)
{
	memory_put_word(address >= IMAGE ? &image_memory : &memory, address,
			word);
}

static void link_all(void)
{
	memset(data, 0, sizeof(data));
	memset(image, 0, sizeof(image));
	memset(is_lost, 0, sizeof(is_lost));
	put(TYPE, TYPE_NAME);
	memory_put(&memory, TYPE_NAME, "ext4", 5);
	for (size_t i = 0; i < COUNT; i++) {
		fake_link(&memory, superblock(i), i ? superblock(i - 1) : head,
			  i + 1 < COUNT ? superblock(i + 1) : head);
		fake_put_superblock(&memory, superblock(i),
				    254U << 20 | (uint32_t)i, TYPE, "vda");
	}
	put(head, superblock(0));
	put(head + 8, superblock(COUNT - 1));
}

static int make_kernel(void **state __attribute__((unused)))
{
	head = HEAD;
	in_image = IMAGE;
	link_all();
	return 0;
}

static int read_list(struct superblocks *list, struct error *err)
{
	const struct kmem kmem = { read_both, NULL };

	*list = (struct superblocks){ 0 };
	return superblocks_read(list, &kmem, &fake_layout, superblock(ANY),
				in_image, err);
}

static void whole(void **state __attribute__((unused)))
{
	struct superblocks list;
	struct error err;

	assert_int_equal(read_list(&list, &err), 0);
	assert_int_equal(list.count, COUNT);
	assert_int_equal(list.lost, 0);
	for (unsigned int i = 0; i < COUNT; i++) {
		assert_true(list.list[i].address == superblock(i));
		assert_int_equal(superblock_major(&list.list[i]), 254);
		assert_int_equal(superblock_minor(&list.list[i]), i);
		assert_string_equal(list.list[i].type, "ext4");
		assert_string_equal(list.list[i].id, "vda");
	}
	superblocks_deinit(&list);
}

/* ppc64 maps the image with all memory, so allocated memory is near. */
static void near_the_image(void **state __attribute__((unused)))
{
	struct superblocks list;
	struct error err;

	head = BASE + sizeof(data) - 16;
	in_image = BASE;
	link_all();
	assert_int_equal(read_list(&list, &err), 0);
	assert_int_equal(list.count, COUNT);
	assert_true(list.list[0].address == superblock(0));
	superblocks_deinit(&list);
}

/* If any superblock but ANY is lost, all others are found. */
static void lost(void **state)
{
	struct superblocks list;
	struct error err;

	for (size_t i = 0; i < COUNT; i++) {
		if (i == ANY)
			continue;
		make_kernel(state);
		is_lost[i] = true;
		assert_int_equal(read_list(&list, &err), 0);
		assert_int_equal(list.count, COUNT - 1);
		assert_int_equal(list.lost, 1);
		for (size_t j = 0; j < list.count; j++)
			assert_true(list.list[j].address != superblock(i));
		superblocks_deinit(&list);
	}
	make_kernel(state);
	is_lost[3] = is_lost[5] = true;
	assert_int_equal(read_list(&list, &err), 0);
	assert_int_equal(list.count, 3);
	assert_int_equal(list.lost, 2);
	superblocks_deinit(&list);
	/* Neither direction leads to the head. */
	is_lost[1] = true;
	assert_int_equal(read_list(&list, &err), -ENODATA);
	superblocks_deinit(&list);
}

static void damaged(void **state)
{
	struct superblocks list;
	struct error err;

	put(superblock(ANY) + 8, superblock(ANY));
	assert_int_equal(read_list(&list, &err), -EBADMSG);
	superblocks_deinit(&list);
	make_kernel(state);
	put(superblock(4) + 40, 0);
	assert_int_equal(read_list(&list, &err), -EAGAIN);
	superblocks_deinit(&list);
	make_kernel(state);
	put(TYPE, 0);
	assert_int_equal(read_list(&list, &err), 0);
	assert_string_equal(list.list[0].type, "");
	superblocks_deinit(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(whole, make_kernel),
		cmocka_unit_test_setup(near_the_image, make_kernel),
		cmocka_unit_test_setup(lost, make_kernel),
		cmocka_unit_test_setup(damaged, make_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

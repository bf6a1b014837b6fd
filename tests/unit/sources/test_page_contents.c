// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is in cached pages: struct pages, buffer heads and contents, sound,
 * damaged, and changed between the two looks.
 */
#include <errno.h>
#include <string.h>

#include "kernel/page_contents.h"
#include "memory.h"
#include "test.h"

#define BASE 0xffff888000000000ULL
#define SIZE (1U << 20)
#define PAGE 4096U
/* Struct pages from here on; their contents are after them. */
#define VMEMMAP (BASE + 0x1000)
#define BUFFERS (BASE + 0x8000)
#define CONTENTS (BASE + 0x10000)
#define MAPPING 0xffff888012345678ULL
#define DEVICE 0xffff888087654320ULL
#define UPTODATE 8U
#define POISONED 64U

static unsigned char data[SIZE];
static struct memory memory = { BASE, data, SIZE };
/* Called before the contents are read. */
static void (*meanwhile)(void);

static int read_memory(void *from, uint64_t address, void *buffer, size_t size)
{
	int ret = memory_read(from, address, buffer, size);

	if (meanwhile && size == PAGE)
		meanwhile();
	return ret;
}

static const struct kmem kmem = { read_memory, &memory };

/* The places of Debian's 6.12. */
static const struct page_contents contents = {
	.kmem = &kmem,
	.offset = { [CONTENTS_PAGE_FLAGS] = 0,
		    [CONTENTS_PAGE_MAPPING] = 24,
		    [CONTENTS_PAGE_INDEX] = 32,
		    [CONTENTS_PAGE_PRIVATE] = 40,
		    [CONTENTS_BUFFER_STATE] = 0,
		    [CONTENTS_BUFFER_NEXT] = 8,
		    [CONTENTS_BUFFER_PAGE] = 16,
		    [CONTENTS_BUFFER_BLOCK] = 24,
		    [CONTENTS_BUFFER_SIZE] = 32,
		    [CONTENTS_BUFFER_DATA] = 40,
		    [CONTENTS_BUFFER_DEVICE] = 48 },
	.page_struct = 64,
	.buffer_head = 104,
	.uptodate = UPTODATE,
	.poisoned = POISONED,
	.buffer_uptodate = 1,
	.known_page = VMEMMAP,
	.known_contents = CONTENTS,
	.page_size = PAGE,
	.mapping = MAPPING,
	.device = DEVICE,
};

static uint64_t page_at(unsigned int frame)
{
	return VMEMMAP + frame * 64ULL;
}

static void make_page(unsigned int frame, uint64_t index, uint64_t flags)
{
	memory_put_word(&memory, page_at(frame), flags);
	memory_put_word(&memory, page_at(frame) + 24, MAPPING);
	memory_put_word(&memory, page_at(frame) + 32, index);
	memory_put_word(&memory, page_at(frame) + 40, 0);
}

static uint64_t buffer_at(unsigned int frame, unsigned int part)
{
	return BUFFERS + frame * 512ULL + part * 104ULL;
}

/* Four buffers of 1 KiB; a bit of @read for each that was read. */
static void make_buffers(unsigned int frame, uint64_t index, unsigned int read)
{
	memory_put_word(&memory, page_at(frame) + 40, buffer_at(frame, 0));
	for (unsigned int i = 0; i < 4; i++) {
		uint64_t head = buffer_at(frame, i);

		memory_put_word(&memory, head, read >> i & 1);
		memory_put_word(&memory, head + 8,
				buffer_at(frame, (i + 1) % 4));
		memory_put_word(&memory, head + 16, page_at(frame));
		memory_put_word(&memory, head + 24, index * 4 + i);
		memory_put_word(&memory, head + 32, 1024);
		memory_put_word(&memory, head + 40,
				CONTENTS + frame * (uint64_t)PAGE + i * 1024);
		memory_put_word(&memory, head + 48, DEVICE);
	}
}

static int set_up(void **state __attribute__((unused)))
{
	memset(data, 0, sizeof(data));
	memset(data + (CONTENTS - BASE), 'x', SIZE - (CONTENTS - BASE));
	meanwhile = NULL;
	return 0;
}

/* Reads the page in @frame, which should be page 100 of the device. */
static int read_frame(unsigned int frame, uint64_t *valid)
{
	const struct cached_page page = { .page = page_at(frame),
					  .place = 100 << 8 };
	unsigned char bytes[PAGE] = { 0 };
	int ret = page_contents_read(&contents, &page, bytes, valid);

	if (!ret)
		assert_int_equal(bytes[PAGE - 1], 'x');
	return ret;
}

static void test_read(void **state __attribute__((unused)))
{
	uint64_t valid;

	make_page(1, 100, UPTODATE);
	assert_int_equal(read_frame(1, &valid), 0);
	assert_int_equal(valid & 0xf, 0xf);
	/* Read by parts, and then not marked as read. */
	make_page(1, 100, 0);
	make_buffers(1, 100, 5);
	assert_int_equal(read_frame(1, &valid), 0);
	assert_int_equal(valid & 0xf, 5);
	/* Nothing was read yet. */
	make_page(1, 100, 0);
	assert_int_equal(read_frame(1, &valid), 0);
	assert_int_equal(valid & 0xf, 0);
}

static void test_not_it(void **state __attribute__((unused)))
{
	uint64_t valid;

	make_page(1, 99, UPTODATE);
	assert_int_equal(read_frame(1, &valid), -ESTALE);
	make_page(1, 100, UPTODATE);
	memory_put_word(&memory, page_at(1) + 24, MAPPING + 8);
	assert_int_equal(read_frame(1, &valid), -ESTALE);
	make_page(1, 100, UPTODATE | POISONED);
	assert_int_equal(read_frame(1, &valid), -ESTALE);
	/* A struct page that is none. */
	assert_int_equal(page_contents_read(
				 &contents,
				 &(struct cached_page){ .page = page_at(1) + 8,
							.place = 100 << 8 },
				 data, &valid),
			 -ESTALE);
}

/* A word of a buffer that is not what it should be. */
static void test_damaged_buffers(void **state __attribute__((unused)))
{
	static const unsigned int members[] = { 8, 16, 24, 32, 40, 48 };
	uint64_t valid;

	for (size_t i = 0; i < COUNT_OF(members); i++) {
		make_page(1, 100, 0);
		make_buffers(1, 100, 15);
		assert_int_equal(read_frame(1, &valid), 0);
		assert_int_equal(valid & 0xf, 15);
		memory_put_word(&memory, buffer_at(1, 3) + members[i], 7);
		assert_int_equal(read_frame(1, &valid), -ESTALE);
	}
}

static void leaves(void)
{
	memory_put_word(&memory, page_at(1) + 24, 0);
}

static void is_used_for_another_place(void)
{
	memory_put_word(&memory, page_at(1) + 32, 101);
}

static void is_emptied(void)
{
	memory_put_word(&memory, page_at(1), 0);
}

static void test_second_look(void **state __attribute__((unused)))
{
	uint64_t valid;

	make_page(1, 100, UPTODATE);
	meanwhile = leaves;
	assert_int_equal(read_frame(1, &valid), -ESTALE);
	make_page(1, 100, UPTODATE);
	meanwhile = is_used_for_another_place;
	assert_int_equal(read_frame(1, &valid), -ESTALE);
	make_page(1, 100, UPTODATE);
	meanwhile = is_emptied;
	assert_int_equal(read_frame(1, &valid), 0);
	assert_int_equal(valid & 0xf, 0);
}

struct seen {
	unsigned int gone, unread;
	uint64_t bytes;
	size_t last;
};

static void see_gone(void *from, size_t which)
{
	struct seen *seen = from;

	seen->gone++;
	seen->last = which;
}

static void see_unread(void *from, size_t which, uint64_t offset, uint64_t size)
{
	struct seen *seen = from;

	seen->unread++;
	seen->bytes += size;
	seen->last = which;
	assert_true(offset + size <= PAGE);
}

/* A folio of four pages, of which the third was not read; and two others. */
static void test_look(void **state __attribute__((unused)))
{
	struct seen seen = { 0 };
	const struct page_look look = { see_gone, see_unread, &seen };
	struct cached_page pages[6];

	for (unsigned int i = 0; i < 4; i++)
		pages[i] = (struct cached_page){
			.page = page_at(4 + i),
			.place = (uint64_t)(8 + i) << 8 | 2,
		};
	pages[4] = (struct cached_page){ page_at(2), 20 << 8 };
	pages[5] = (struct cached_page){ page_at(3), 21 << 8 };
	make_page(4, 8, 0);
	make_page(2, 20, UPTODATE);
	make_page(3, 99, UPTODATE);
	memory_put_word(&memory, page_at(4) + 40, buffer_at(0, 0));
	for (unsigned int i = 0; i < 4; i++) {
		uint64_t head = buffer_at(0, i);

		memory_put_word(&memory, head, i != 2);
		memory_put_word(&memory, head + 8, buffer_at(0, (i + 1) % 4));
		memory_put_word(&memory, head + 16, page_at(4));
		memory_put_word(&memory, head + 24, 8 + i);
		memory_put_word(&memory, head + 32, PAGE);
		memory_put_word(&memory, head + 40,
				CONTENTS + (4 + i) * (uint64_t)PAGE);
		memory_put_word(&memory, head + 48, DEVICE);
	}
	assert_int_equal(page_contents_look(&contents, pages, 0, 4, &look), 0);
	assert_int_equal(seen.gone, 0);
	assert_int_equal(seen.unread, 1);
	assert_int_equal(seen.bytes, PAGE);
	assert_int_equal(seen.last, 2);
	assert_int_equal(page_contents_look(&contents, pages, 4, 2, &look), 0);
	assert_int_equal(seen.gone, 1);
	assert_int_equal(seen.last, 5);
}

/* A base that the structs are not at says nothing, and no buffer head helps. */
static void test_no_array(void **state __attribute__((unused)))
{
	const struct cached_page pages[] = { { page_at(1), 100 << 8 },
					     { page_at(2), 101 << 8 } };
	struct page_contents wrong = contents;

	wrong.is_base = true;
	assert_true(page_contents_learn(&wrong, pages, 2));
	wrong.known_page = page_at(1) + 1;
	make_page(1, 100, UPTODATE);
	make_page(2, 101, UPTODATE);
	make_buffers(1, 100, 15);
	make_buffers(2, 101, 15);
	for (int i = 0; i < 2; i++)
		assert_false(page_contents_learn(&wrong, pages, 2));
}

/* What a kernel does not say where it is, two buffer heads tell. */
static void test_learn(void **state __attribute__((unused)))
{
	const struct cached_page pages[] = { { page_at(1), 100 << 8 },
					     { page_at(2), 101 << 8 },
					     { page_at(3), 102 << 8 },
					     { page_at(5), 104 << 8 } };
	struct page_contents learned = contents;

	learned.known_page = learned.known_contents = 0;
	for (unsigned int i = 0; i < 4; i++)
		make_page(i < 3 ? i + 1 : 5, 100 + (i < 3 ? i : 4), UPTODATE);
	assert_false(page_contents_learn(&learned, pages, 4));
	/* One could be torn. */
	make_buffers(2, 101, 15);
	assert_false(page_contents_learn(&learned, pages, 4));
	/* Another device's. */
	make_buffers(3, 102, 15);
	memory_put_word(&memory, buffer_at(3, 0) + 48, DEVICE + 8);
	assert_false(page_contents_learn(&learned, pages, 4));
	/* Two that do not agree. */
	make_buffers(3, 102, 15);
	memory_put_word(&memory, buffer_at(3, 0) + 40, CONTENTS);
	assert_false(page_contents_learn(&learned, pages, 4));
	make_buffers(5, 104, 15);
	make_buffers(3, 102, 15);
	assert_true(page_contents_learn(&learned, pages, 4));
	for (unsigned int i = 0; i < 4; i++) {
		unsigned char bytes[PAGE];
		uint64_t valid;

		memset(data + (CONTENTS - BASE) +
			       (pages[i].page - VMEMMAP) / 64 * PAGE,
		       'a' + (int)i, PAGE);
		assert_int_equal(page_contents_read(&learned, &pages[i], bytes,
						    &valid),
				 0);
		assert_int_equal(bytes[PAGE - 1], 'a' + i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_read, set_up),
		cmocka_unit_test_setup(test_not_it, set_up),
		cmocka_unit_test_setup(test_damaged_buffers, set_up),
		cmocka_unit_test_setup(test_second_look, set_up),
		cmocka_unit_test_setup(test_look, set_up),
		cmocka_unit_test_setup(test_no_array, set_up),
		cmocka_unit_test_setup(test_learn, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

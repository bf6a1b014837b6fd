// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks of a kernel's list, also one that changes during the walk. */
#include <errno.h>
#include <stdlib.h>

#include "kernel/kmem.h"
#include "kernel/ring.h"
#include "lib/error.h"
#include "memory.h"
#include "test.h"

#define BASE 0xffff888000100000ULL
#define SLOTS 64
#define SLOT_SIZE 64
#define LINKS 16
#define MAGIC 0x1234567800000000ULL

static unsigned char data[(SLOTS + 1) * SLOT_SIZE];
static struct memory memory = { BASE, data, sizeof(data) };

/* Called before each read with its number, which starts at 1. */
static void (*before_read)(unsigned int number);
static unsigned int reads;

static unsigned int visits[SLOTS];
static size_t order[SLOTS * 4];
static size_t visited;

/* Returns the address of a slot's node; slot SLOTS has the head. */
static uint64_t node(size_t slot)
{
	return BASE + slot * SLOT_SIZE + LINKS;
}

static uint64_t word(uint64_t address)
{
	uint64_t value;

	memcpy(&value, data + (address - BASE), sizeof(value));
	return value;
}

static uint64_t head(void)
{
	return node(SLOTS);
}

static void link_nodes(uint64_t first, uint64_t second)
{
	memory_put_word(&memory, first, second);
	memory_put_word(&memory, second + 8, first);
}

static bool is_linked(size_t slot)
{
	return word(node(slot)) && word(node(slot)) != node(slot);
}

/* list_del_init() */
static void remove_slot(size_t slot)
{
	link_nodes(word(node(slot) + 8), word(node(slot)));
	link_nodes(node(slot), node(slot));
}

static void insert(size_t slot, uint64_t previous)
{
	uint64_t next = word(previous);

	memory_put_word(&memory, node(slot) - LINKS, MAGIC);
	link_nodes(node(slot), next);
	link_nodes(previous, node(slot));
}

/* list_add(), as the kernel adds an inode */
static void insert_first(size_t slot)
{
	insert(slot, head());
}

/* Makes a list of the first @count slots, in order. */
static void make_list(size_t count)
{
	memset(data, 0, sizeof(data));
	memset(visits, 0, sizeof(visits));
	visited = 0;
	reads = 0;
	before_read = NULL;
	link_nodes(head(), head());
	for (size_t i = count; i-- > 0;)
		insert_first(i);
}

static int read_hooked(void *from, uint64_t address, void *buffer, size_t size)
{
	reads++;
	if (before_read)
		before_read(reads);
	return memory_read(from, address, buffer, size);
}

static const char *check_magic(void *unused __attribute__((unused)),
			       const unsigned char *object,
			       uint64_t address __attribute__((unused)))
{
	uint64_t magic;

	memcpy(&magic, object, sizeof(magic));
	return magic == MAGIC ? NULL : "no object";
}

static int note(void *unused __attribute__((unused)),
		const unsigned char *object __attribute__((unused)),
		uint64_t address, struct error *err)
{
	size_t slot = (address - BASE) / SLOT_SIZE;

	if (visited == COUNT_OF(order))
		return error_set(err, E2BIG, "too many visits");
	order[visited++] = slot;
	visits[slot]++;
	return 0;
}

static int walk(unsigned int resyncs, struct error *err)
{
	const struct kmem kmem = { read_hooked, &memory };
	const struct ring ring = {
		.what = "objects",
		.head = head(),
		.links = LINKS,
		.size = SLOT_SIZE,
		.most = SLOTS,
		.resyncs = resyncs,
		.check = check_magic,
		.visit = note,
	};

	return ring_walk(&ring, &kmem, err);
}

static void whole(void **state __attribute__((unused)))
{
	struct error err;

	for (unsigned int resyncs = 0; resyncs < 2; resyncs++) {
		make_list(10);
		assert_int_equal(walk(resyncs, &err), 0);
		assert_int_equal(visited, 10);
		for (size_t i = 0; i < visited; i++)
			assert_int_equal(order[i], i);
		make_list(0);
		assert_int_equal(walk(resyncs, &err), 0);
		assert_int_equal(visited, 0);
	}
}

/* Read 1 is of the head, so read 5 is of the fourth object, slot 3. */
static void remove_next(unsigned int number)
{
	if (number == 5)
		remove_slot(3);
}

static void remove_before(unsigned int number)
{
	if (number == 5)
		remove_slot(2);
}

static void remove_all_before(unsigned int number)
{
	for (size_t i = 0; number == 5 && i < 3; i++)
		remove_slot(i);
}

/* Puts two new objects in their place. */
static void replace_all_before(unsigned int number)
{
	remove_all_before(number);
	for (size_t i = 20; number == 5 && i < 22; i++)
		insert_first(i);
}

static void move_to_front(unsigned int number)
{
	if (number != 5)
		return;
	remove_slot(3);
	insert_first(3);
}

/* None of these changes moves slots 4 to 9. */
static void goes_on(void **state __attribute__((unused)))
{
	void (*const changes[])(unsigned int) = {
		remove_next,	    remove_before, remove_all_before,
		replace_all_before, move_to_front,
	};
	struct error err;

	for (size_t i = 0; i < COUNT_OF(changes); i++) {
		make_list(10);
		before_read = changes[i];
		assert_int_equal(walk(100, &err), 0);
		for (size_t slot = 0; slot < SLOTS; slot++)
			assert_true(visits[slot] <= 1);
		for (size_t slot = 4; slot < 10; slot++)
			assert_int_equal(visits[slot], 1);
		/* Without resyncs, the walk notices the change. */
		make_list(10);
		before_read = changes[i];
		assert_int_equal(walk(0, &err), -EAGAIN);
		assert_non_null(strstr(text_of(&err),
				       "objects is damaged, or changed"));
	}
}

/* Objects that are on the list all the time are visited once. */
static unsigned int seed;
static bool stays[SLOTS];

static unsigned int next_random(unsigned int below)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % below;
}

static void change_at_random(unsigned int number __attribute__((unused)))
{
	size_t slot = next_random(SLOTS);

	if (next_random(3))
		return;
	if (!is_linked(slot)) {
		insert_first(slot);
	} else if (!stays[slot]) {
		remove_slot(slot);
	}
}

static void at_random(void **state __attribute__((unused)))
{
	unsigned int refused = 0, walks = 20000;
	struct error err;

	for (unsigned int i = 0; i < walks; i++) {
		seed = i;
		make_list(SLOTS / 2);
		for (size_t slot = 0; slot < SLOTS; slot++)
			stays[slot] = slot < SLOTS / 2 && next_random(2);
		before_read = change_at_random;
		if (walk(1000, &err) < 0) {
			refused++;
			continue;
		}
		for (size_t slot = 0; slot < SLOTS; slot++) {
			if (visits[slot] > 1 || (stays[slot] && !visits[slot]))
				fail_msg("seed %u: slot %zu: %u visits", i,
					 slot, visits[slot]);
		}
	}
	/* Something may change at one read in three. */
	assert_true(refused < walks / 100);
}

static void damaged(void **state __attribute__((unused)))
{
	struct error err;

	/* A sound ring that does not lead back to the head. */
	make_list(10);
	memory_put_word(&memory, node(9), node(5));
	assert_int_equal(walk(100, &err), -EAGAIN);
	/* A node outside memory. */
	make_list(10);
	memory_put_word(&memory, node(4), BASE - 4096);
	assert_int_equal(walk(100, &err), -EAGAIN);
	assert_non_null(strstr(text_of(&err), "outside memory"));
	make_list(10);
	memory_put_word(&memory, node(4) - LINKS, 0);
	assert_int_equal(walk(100, &err), -EAGAIN);
	assert_non_null(strstr(text_of(&err), "no object"));
	make_list(10);
	memory_put_word(&memory, node(4), node(5) + 1);
	assert_int_equal(walk(100, &err), -EAGAIN);
	assert_non_null(strstr(text_of(&err), "that is none"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(goes_on),
		cmocka_unit_test(at_random),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

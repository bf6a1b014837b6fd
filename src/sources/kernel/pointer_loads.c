// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
#include <stdbool.h>

#include "kernel/pointer_loads.h"
#include "lib/byte_order.h"

struct found {
	uint64_t *addresses;
	size_t count;
	size_t room;
};

static void add(struct found *found, uint64_t address)
{
	for (size_t i = 0; i < found->count; i++) {
		if (found->addresses[i] == address)
			return;
	}
	if (found->count < found->room)
		found->addresses[found->count++] = address;
}

/* Bytes: REX.W (and .R), MOV r64, r/m64, ModRM for disp32(%rip), disp32. */
#define X86_LENGTH 7

static bool is_x86_load(const unsigned char *text)
{
	return (text[0] == 0x48 || text[0] == 0x4c) && text[1] == 0x8b &&
	       (text[2] & 0xc7) == 0x05;
}

/* Instructions differ in length, so one may begin at any byte. */
static void find_x86(struct found *found, const unsigned char *text,
		     size_t size, uint64_t address)
{
	for (size_t i = 0; i + X86_LENGTH <= size; i++) {
		int32_t offset;

		if (!is_x86_load(text + i))
			continue;
		offset = (int32_t)le32_at(text + i + 3);
		add(found,
		    address + i + X86_LENGTH + (uint64_t)(int64_t)offset);
	}
}

/* What the code has put into the registers of arm64, as far as is known. */
struct registers {
	uint64_t value[32];
	uint32_t known; /* a bit for each */
};

static void set(struct registers *registers, unsigned int which, uint64_t value)
{
	registers->value[which] = value;
	registers->known |= 1U << which;
}

/* The address of the page: 21 bits with a sign, in pages of 4 KiB. */
static uint64_t adrp_target(uint32_t instruction, uint64_t address)
{
	uint64_t pages = (uint64_t)(instruction >> 5 & 0x7ffff) << 2 |
			 (instruction >> 29 & 3);

	if (pages & 1U << 20)
		pages -= 1U << 21;
	return (address & ~0xfffULL) + (pages << 12);
}

/* Arm's manual, C4.1: data processing with immediates; loads, "unsigned". */
static void step_arm64(struct registers *registers, uint32_t instruction,
		       uint64_t address, struct found *found)
{
	unsigned int to = instruction & 31, from = instruction >> 5 & 31;
	uint64_t immediate = instruction >> 10 & 0xfff;
	bool known = registers->known >> from & 1;

	if ((instruction & 0x9f000000) == 0x90000000) { /* adrp */
		set(registers, to, adrp_target(instruction, address));
	} else if ((instruction & 0xff800000) ==
		   0x91000000) { /* add, 64 bits */
		registers->known &= ~(1U << to);
		if (instruction & 1U << 22)
			immediate <<= 12;
		if (known)
			set(registers, to, registers->value[from] + immediate);
	} else if ((instruction & 0xffc00000) ==
		   0xf9400000) { /* ldr, 64 bits */
		registers->known &= ~(1U << to);
		if (known)
			add(found, registers->value[from] + immediate * 8);
	}
}

/* Instructions are little-endian in a big-endian kernel too. */
static void find_arm64(struct found *found, const unsigned char *text,
		       size_t size, uint64_t address)
{
	struct registers registers = { .known = 0 };

	for (size_t i = 0; i + 4 <= size; i += 4)
		step_arm64(&registers, le32_at(text + i), address + i, found);
}

size_t pointer_loads_find(unsigned int machine, const unsigned char *text,
			  size_t size, uint64_t address, uint64_t *addresses,
			  size_t room)
{
	struct found found = { .room = room };

	found.addresses = addresses;
	if (machine == EM_X86_64)
		find_x86(&found, text, size, address);
	else if (machine == EM_AARCH64)
		find_arm64(&found, text, size, address);
	return found.count;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any words as page tables. The first two are an address and VMCOREINFO's
 * figures. Then come pairs of an entry's physical address and the entry.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "kernel/pagetable.h"
#include "lib/error.h"

struct words {
	const uint8_t *data;
	size_t count;
};

static uint64_t word_at(const struct words *words, size_t i)
{
	uint64_t word;

	memcpy(&word, words->data + i * sizeof(word), sizeof(word));
	return word;
}

/* Entries are where the pairs say; all else up to 1 TiB is zero. */
static int read_physical(void *memory, uint64_t address, void *buffer,
			 size_t size)
{
	const struct words *words = memory;
	uint64_t entry;

	if (address > 1ULL << 40 || size > 4096)
		return -EFAULT;
	memset(buffer, 0, size);
	for (size_t i = 5; size == 8 && i + 1 < words->count; i += 2) {
		entry = word_at(words, i + 1);
		if (word_at(words, i) == address) {
			memcpy(buffer, &entry, sizeof(entry));
			break;
		}
	}
	return 0;
}

static void write_x86(char *text, size_t size, const struct words *words)
{
	snprintf(text, size,
		 "SYMBOL(swapper_pg_dir)=%llx\nNUMBER(phys_base)=%lld\n"
		 "NUMBER(sme_mask)=%lld\nNUMBER(pgtable_l5_enabled)=%d\n",
		 (unsigned long long)word_at(words, 2),
		 (long long)word_at(words, 3),
		 (long long)(word_at(words, 4) & ~3ULL),
		 (int)(word_at(words, 4) & 1));
}

static void write_arm(char *text, size_t size, const struct words *words)
{
	uint64_t word = word_at(words, 4);

	snprintf(text, size,
		 "SYMBOL(swapper_pg_dir)=%llx\nNUMBER(kimage_voffset)=0x%llx\n"
		 "NUMBER(VA_BITS)=%d\nNUMBER(TCR_EL1_T1SZ)=0x%x\nPAGESIZE=%d\n",
		 (unsigned long long)word_at(words, 2),
		 (unsigned long long)word_at(words, 3), (int)(word >> 8 & 63),
		 (unsigned int)(word >> 16 & 63), 4096 << (word >> 24 & 7));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct words words = { data, size / sizeof(uint64_t) };
	const struct physmem physical = { read_physical, &words };
	struct pagetable table;
	char text[512], buffer[4096];
	struct error err;

	if (words.count < 5)
		return 0;
	if (word_at(&words, 4) & 2)
		write_arm(text, sizeof(text), &words);
	else
		write_x86(text, sizeof(text), &words);
	if (pagetable_init(&table, &physical, text, &err) < 0)
		return 0;
	for (size_t i = 0; i < 2; i++) {
		pagetable_read(&table, word_at(&words, i), buffer, 8);
		pagetable_read(&table, word_at(&words, i), buffer,
			       sizeof(buffer));
		fuzz_require(table.size <= 1ULL << 30);
	}
	return 0;
}

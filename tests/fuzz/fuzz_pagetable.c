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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct words words = { data, size / sizeof(uint64_t) };
	const struct physmem physical = { read_physical, &words };
	struct pagetable table;
	char text[512], buffer[4096];
	struct error err;

	if (words.count < 5)
		return 0;
	snprintf(text, sizeof(text),
		 "SYMBOL(swapper_pg_dir)=%llx\nNUMBER(phys_base)=%lld\n"
		 "NUMBER(sme_mask)=%lld\nNUMBER(pgtable_l5_enabled)=%d\n",
		 (unsigned long long)word_at(&words, 2),
		 (long long)word_at(&words, 3),
		 (long long)(word_at(&words, 4) & ~1ULL),
		 (int)(word_at(&words, 4) & 1));
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

// SPDX-License-Identifier: GPL-2.0-or-later
/* The source kcore on a tree with all its files: a kernel with two devices. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/elf_core.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/snapshot.h"
#include "measure/source.h"
#include "memory.h"
#include "seeds.h"
#include "source_list/source_rows.h"
#include "test.h"
#include "tree.h"

#define BASE 0xffff888000100000ULL
#define SYMBOL BASE
#define SUPERBLOCK (BASE + 0x100)
#define TYPE (BASE + 0x1000)
#define TYPE_NAME (BASE + 0x1100)
#define DEVICE(i) (BASE + 0x2000 + (i)*0x800ULL)

/* The offsets of Debian's 6.1; see test_btf.c. */
#define HEAD (SUPERBLOCK + 1416)
#define INODE(i) (DEVICE(i) + 928)
#define NODE(i) (INODE(i) + 280)
#define MAPPING(i) (INODE(i) + 340)

struct core {
	Elf64_Ehdr header;
	Elf64_Phdr load;
	unsigned char data[0x4000];
};

static int by_number(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;

	return dev_number_compare(a->major, a->minor, b->major, b->minor);
}

static void put_device(struct memory *memory, int i, uint64_t next,
		       uint64_t previous, uint64_t pages)
{
	uint32_t dev = 254U << 20 | (uint32_t)i;

	memory_put_word(memory, NODE(i), next);
	memory_put_word(memory, NODE(i) + 8, previous);
	memory_put_word(memory, INODE(i) + 40, SUPERBLOCK);
	memory_put_word(memory, INODE(i) + 48, MAPPING(i));
	memory_put_half(memory, INODE(i) + 76, dev);
	memory_put_half(memory, DEVICE(i) + 36, dev);
	memory_put_word(memory, MAPPING(i), INODE(i));
	memory_put_word(memory, MAPPING(i) + 128, pages);
}

static void make_core(struct core *core)
{
	struct memory memory = { BASE, core->data, sizeof(core->data) };

	*core = (struct core){
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
					 ELFCLASS64, ELF_OWN_BYTE_ORDER },
			    .e_type = ET_CORE,
			    .e_machine = EM_X86_64,
			    .e_phoff = sizeof(Elf64_Ehdr),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 1 },
		.load = { .p_type = PT_LOAD,
			  .p_offset = offsetof(struct core, data),
			  .p_vaddr = BASE,
			  .p_filesz = sizeof(core->data) },
	};
	memory_put_word(&memory, SYMBOL, SUPERBLOCK);
	memory_put_word(&memory, SUPERBLOCK + 40, TYPE);
	memory_put_word(&memory, TYPE, TYPE_NAME);
	memory_put(&memory, TYPE_NAME, "bdev", 5);
	memory_put_word(&memory, HEAD, NODE(0));
	memory_put_word(&memory, HEAD + 8, NODE(1));
	put_device(&memory, 0, NODE(1), HEAD, 20);
	put_device(&memory, 1, HEAD, NODE(0), 5);
}

static void add_types(const struct tree *tree)
{
	size_t size;
	_cleanup_(freep) char *data = seed_read_btf("btf/debian-6.1", &size);

	tree_add_file(tree, "sys/kernel/btf/vmlinux", data, size);
}

static void make_tree(struct tree *tree, const struct core *core,
		      const char *meminfo)
{
	tree_create(tree);
	tree_add_file(tree, "proc/kcore", (const char *)core, sizeof(*core));
	tree_add_text(tree, "proc/kallsyms",
		      "ffff888000100000 D blockdev_superblock\n");
	tree_add_text(tree, "proc/meminfo", meminfo);
	add_types(tree);
}

static int collect(const struct tree *tree, struct snapshot *snapshot,
		   struct error *err)
{
	struct sysroot root;
	int ret;

	*snapshot = (struct snapshot){ 0 };
	*err = (struct error){ 0 };
	assert_int_equal(sysroot_init(&root, tree->path, NULL), 0);
	ret = source_kcore_collect(&root, snapshot, err);
	sysroot_deinit(&root);
	return ret;
}

static void exact(void **state __attribute__((unused)))
{
	struct snapshot snapshot;
	struct core core;
	struct tree tree;
	struct error err;

	make_core(&core);
	make_tree(&tree, &core, "Buffers: 100 kB\n");
	if (collect(&tree, &snapshot, &err) < 0)
		fail_msg("%s", text_of(&err));
	assert_false(snapshot.unsettled);
	assert_null(snapshot.failed_source);
	assert_true(snapshot.lists_all_pages);
	assert_int_equal(snapshot.count, 2);
	qsort(snapshot.devices, snapshot.count, sizeof(*snapshot.devices),
	      by_number);
	assert_int_equal(snapshot.devices[0].major, 254);
	assert_int_equal(snapshot.devices[0].figures[FIGURE_PAGES], 20);
	assert_int_equal(snapshot.devices[1].minor, 1);
	assert_int_equal(snapshot.devices[1].figures[FIGURE_PAGES], 5);
	snapshot_deinit(&snapshot);
	tree_destroy(&tree);
}

/* The figures are there, but marked as unproven. */
static void unsettled(void **state __attribute__((unused)))
{
	static const char *const texts[] = { "Buffers: 104 kB\n",
					     "Buffers: 96 kB\n",
					     "Cached: 100 kB\n" };
	struct snapshot snapshot;
	struct core core;
	struct tree tree;
	struct error err;

	make_core(&core);
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		make_tree(&tree, &core, texts[i]);
		assert_int_equal(collect(&tree, &snapshot, &err), 0);
		assert_true(snapshot.unsettled);
		assert_int_equal(snapshot.count, 2);
		snapshot_deinit(&snapshot);
		tree_destroy(&tree);
	}
}

static void expect(const struct tree *tree, int result, const char *message)
{
	struct snapshot snapshot;
	struct error err;

	if (collect(tree, &snapshot, &err) != result ||
	    !strstr(text_of(&err), message))
		fail_msg("%s, expected %s", text_of(&err), message);
	assert_int_equal(err.class,
			 result == -EOPNOTSUPP ? ERROR_UNUSABLE : ERROR_FAILED);
	assert_int_equal(snapshot.count, 0);
	snapshot_deinit(&snapshot);
}

static void torn(void **state __attribute__((unused)))
{
	struct core core;
	struct tree tree;
	struct memory memory = { BASE, core.data, sizeof(core.data) };

	make_core(&core);
	memory_put_word(&memory, NODE(1), NODE(0));
	make_tree(&tree, &core, "Buffers: 100 kB\n");
	expect(&tree, -EAGAIN, "the list of devices is damaged, or changed");
	tree_destroy(&tree);
}

static void parts_missing(void **state __attribute__((unused)))
{
	struct core core;
	struct tree tree;

	make_core(&core);
	make_tree(&tree, &core, "Buffers: 100 kB\n");
	tree_add_text(&tree, "proc/kallsyms",
		      "0000000000000000 D blockdev_superblock\n");
	expect(&tree, -EOPNOTSUPP, "kernel.kptr_restrict");
	tree_add_text(&tree, "proc/kallsyms",
		      "ffff888000100000 D other_superblock\n");
	expect(&tree, -EOPNOTSUPP, "no symbol blockdev_superblock");
	tree_add_text(&tree, "proc/kallsyms",
		      "ffff888000100008 D blockdev_superblock\n");
	expect(&tree, -EOPNOTSUPP, "does not lead to the block devices");
	tree_add_text(&tree, "sys/kernel/btf/vmlinux", "BTF");
	expect(&tree, -EBADMSG, "reading BTF: no room for a header");
	tree_add_text(&tree, "proc/kcore", "kcore");
	expect(&tree, -EBADMSG, "/proc/kcore: cut off in its header");
	tree_destroy(&tree);

	tree_create(&tree);
	expect(&tree, -EOPNOTSUPP, "/proc/kcore: not in this tree");
	tree_add_file(&tree, "proc/kcore", (const char *)&core, sizeof(core));
	expect(&tree, -EOPNOTSUPP, "CONFIG_DEBUG_INFO_BTF");
	tree_destroy(&tree);
}

static const struct source_row *row_of_kcore(struct source_rows *rows,
					     const struct tree *tree)
{
	struct sysroot root;

	assert_int_equal(sysroot_init(&root, tree->path, NULL), 0);
	assert_int_equal(source_rows_init(rows, &root), 0);
	sysroot_deinit(&root);
	assert_string_equal(rows->rows[1].name, "kcore");
	return &rows->rows[1];
}

/* The last words in parentheses need not be the remedy. */
static void its_row_has_reason_and_remedy(void **state __attribute__((unused)))
{
	const struct source_row *row;
	struct source_rows rows;
	struct core core;
	struct tree tree;

	make_core(&core);
	make_tree(&tree, &core, "Buffers: 100 kB\n");
	tree_add_text(&tree, "proc/kallsyms", "ffff888000100000 D else\n");
	row = row_of_kcore(&rows, &tree);
	assert_int_equal(row->why.lack, LACK_SYMBOL);
	assert_string_equal(row->why.reason,
			    "this kernel does not say where its block devices "
			    "are (no symbol blockdev_superblock)");
	assert_string_equal(row->why.remedy, "");
	source_rows_deinit(&rows);

	tree_add_text(&tree, "proc/kallsyms",
		      "0000000000000000 D blockdev_superblock\n");
	row = row_of_kcore(&rows, &tree);
	assert_int_equal(row->why.lack, LACK_ADDRESSES);
	assert_string_equal(row->why.reason,
			    "/proc/kallsyms hides the addresses");
	assert_string_equal(row->why.remedy, "sysctl kernel.kptr_restrict=1");
	source_rows_deinit(&rows);
	tree_destroy(&tree);
}

/* A kernel that has its symbols in memory and does not say where. */
struct core_with_symbols {
	Elf64_Ehdr header;
	Elf64_Phdr headers[4];
	Elf64_Nhdr note;
	char name[12];
	char vmcoreinfo[64];
	uint64_t symbol;
	unsigned char data[sizeof(((struct core *)NULL)->data)];
	unsigned char tables[16384];
};

static Elf64_Phdr segment(uint32_t type, uint64_t address, size_t offset,
			  size_t size)
{
	return (Elf64_Phdr){ .p_type = type,
			     .p_offset = offset,
			     .p_vaddr = address,
			     .p_filesz = size };
}

#define PART(member)                                                           \
	offsetof(struct core_with_symbols, member),                            \
		sizeof(((struct core_with_symbols *)NULL)->member)

/* The symbols of Debian's 5.10; test_kallsyms.c has the addresses. */
static void make_core_with_symbols(struct core_with_symbols *core)
{
	size_t size;
	struct kallsyms_input input;
	_cleanup_(freep) char *seed =
		seed_read_kallsyms("kallsyms/debian-5.10", &size, &input);
	struct core plain;

	make_core(&plain);
	*core = (struct core_with_symbols){
		.header = plain.header,
		.headers = { segment(PT_NOTE, 0,
				     offsetof(struct core_with_symbols, note),
				     sizeof(core->note) + sizeof(core->name) +
					     sizeof(core->vmcoreinfo)),
			     segment(PT_LOAD, 0xffffffff82876af8, PART(symbol)),
			     segment(PT_LOAD, BASE, PART(data)),
			     segment(PT_LOAD, KALLSYMS_BASE, PART(tables)) },
		.note = { sizeof("VMCOREINFO"), sizeof(core->vmcoreinfo), 0 },
		.name = "VMCOREINFO",
		.symbol = SUPERBLOCK,
	};
	core->header.e_phnum = COUNT_OF(core->headers);
	snprintf(core->vmcoreinfo, sizeof(core->vmcoreinfo),
		 "SYMBOL(_stext)=%llx\n", (unsigned long long)input.stext);
	memcpy(core->data, plain.data, sizeof(core->data));
	memcpy(core->tables, seed + sizeof(input), size - sizeof(input));
}

static void addresses_hidden(void **state __attribute__((unused)))
{
	struct core_with_symbols core;
	struct snapshot snapshot;
	struct core plain;
	struct tree tree;
	struct error err;

	make_core_with_symbols(&core);
	make_core(&plain);
	make_tree(&tree, &plain, "Buffers: 100 kB\n");
	tree_add_file(&tree, "proc/kcore", (const char *)&core, sizeof(core));
	tree_add_text(&tree, "proc/kallsyms",
		      "0000000000000000 D blockdev_superblock\n");
	if (collect(&tree, &snapshot, &err) < 0)
		fail_msg("%s", text_of(&err));
	assert_false(snapshot.unsettled);
	assert_int_equal(snapshot.count, 2);
	snapshot_deinit(&snapshot);

	/* /proc/kallsyms has the same symbols; the reason is said once. */
	core.symbol = 0;
	tree_add_file(&tree, "proc/kcore", (const char *)&core, sizeof(core));
	tree_add_text(&tree, "proc/kallsyms",
		      "ffffffff82876af8 D blockdev_superblock\n");
	assert_int_equal(collect(&tree, &snapshot, &err), -EOPNOTSUPP);
	assert_string_equal(text_of(&err),
			    "blockdev_superblock does not lead to the block "
			    "devices of this kernel");
	snapshot_deinit(&snapshot);
	core.symbol = SUPERBLOCK;
	tree_add_text(&tree, "proc/kallsyms",
		      "0000000000000000 D blockdev_superblock\n");

	/* Damaged symbols in memory only add to the message. */
	memset(core.tables, 'A', 100);
	tree_add_file(&tree, "proc/kcore", (const char *)&core, sizeof(core));
	expect(&tree, -EOPNOTSUPP,
	       "(sysctl kernel.kptr_restrict=1); "
	       "_stext is not where the kernel says it is");
	tree_destroy(&tree);
}

/* A kernel in which only the exports lead to the symbol. */
#define IMAGE 0xffffffff81000000ULL
#define POINTER 0xffffffff82876af8ULL
#define TABLE 32768U

struct core_with_exports {
	Elf64_Ehdr header;
	Elf64_Phdr headers[4];
	Elf64_Nhdr note;
	char name[12];
	char vmcoreinfo[64];
	uint64_t symbol;
	unsigned char data[sizeof(((struct core *)NULL)->data)];
	unsigned char image[TABLE + 4096];
};

static void put_export(unsigned char *image, size_t entry, size_t name,
		       const char *text)
{
	const size_t place = TABLE + 12 * entry;
	const int32_t offsets[] = {
		(int32_t)(POINTER - (IMAGE + place)),
		(int32_t)(name - (place + 4)),
		(int32_t)(name + strlen(text) - (place + 8)),
	};

	memcpy(image + place, offsets, sizeof(offsets));
	strcpy((char *)image + name, text);
}

#define PART_OF(member)                                                        \
	offsetof(struct core_with_exports, member),                            \
		sizeof(((struct core_with_exports *)NULL)->member)

static void make_core_with_exports(struct core_with_exports *core)
{
	struct core plain;

	make_core(&plain);
	*core = (struct core_with_exports){
		.header = plain.header,
		.headers = { segment(PT_NOTE, 0,
				     offsetof(struct core_with_exports, note),
				     sizeof(core->note) + sizeof(core->name) +
					     sizeof(core->vmcoreinfo)),
			     segment(PT_LOAD, POINTER, PART_OF(symbol)),
			     segment(PT_LOAD, BASE, PART_OF(data)),
			     segment(PT_LOAD, IMAGE, PART_OF(image)) },
		.note = { sizeof("VMCOREINFO"), sizeof(core->vmcoreinfo), 0 },
		.name = "VMCOREINFO",
		.vmcoreinfo = "SYMBOL(_stext)=ffffffff81000000\n",
		.symbol = SUPERBLOCK,
	};
	core->header.e_phnum = COUNT_OF(core->headers);
	memcpy(core->data, plain.data, sizeof(core->data));
	put_export(core->image, 0, TABLE + 1000, "bdev_thaw");
	put_export(core->image, 1, TABLE + 1100, "blockdev_superblock");
}

/* If @hidden, /proc/kallsyms has no addresses. */
static void make_tree_with_exports(struct tree *tree,
				   const struct core_with_exports *core,
				   const char *meminfo, bool hidden)
{
	struct core plain;

	make_core(&plain);
	make_tree(tree, &plain, meminfo);
	tree_add_file(tree, "proc/kcore", (const char *)core, sizeof(*core));
	tree_add_text(tree, "proc/kallsyms",
		      hidden ? "0000000000000000 D blockdev_superblock\n" :
			       "ffffffff82876af8 D blockdev_superblock\n");
}

/* Makes block_device larger in the BTF, so the derived bdev_inode is wrong. */
static void enlarge_block_device(const struct tree *tree)
{
	static const char name[] = "\0block_device";
	size_t size;
	_cleanup_(freep) char *data = seed_read_btf("btf/debian-6.1", &size);
	uint32_t header[6], offset, words[3] = { 0 };
	char *strings;

	memcpy(header, data, sizeof(header));
	strings = data + 24 + header[4];
	offset = (uint32_t)((char *)memmem(strings, header[5], name,
					   sizeof(name)) -
			    strings) +
		 1;
	for (size_t i = 24; i < 24 + header[3]; i += 4) {
		memcpy(words, data + i, sizeof(words));
		if (words[0] != offset || words[1] >> 24 != 4)
			continue;
		assert_int_equal(words[2], 928);
		words[2] += 8;
		memcpy(data + i, words, sizeof(words));
	}
	tree_add_file(tree, "sys/kernel/btf/vmlinux", data, size);
}

static void expect_pages(const struct tree *tree, uint64_t pages)
{
	struct snapshot snapshot;
	struct error err;

	if (collect(tree, &snapshot, &err) < 0)
		fail_msg("%s", text_of(&err));
	assert_false(snapshot.unsettled);
	assert_int_equal(snapshot.count, pages ? 2 : 0);
	if (pages) {
		qsort(snapshot.devices, snapshot.count,
		      sizeof(*snapshot.devices), by_number);
		assert_int_equal(snapshot.devices[0].figures[FIGURE_PAGES],
				 pages);
	}
	snapshot_deinit(&snapshot);
}

static void exported(void **state __attribute__((unused)))
{
	struct core_with_exports core;
	struct tree tree;

	make_core_with_exports(&core);
	make_tree_with_exports(&tree, &core, "Buffers: 100 kB\n", true);
	expect_pages(&tree, 20);
	/* The derived layout does not lead to a device. */
	enlarge_block_device(&tree);
	expect(&tree, -EOPNOTSUPP, "kernel.kptr_restrict");
	tree_destroy(&tree);
	make_tree_with_exports(&tree, &core, "Buffers: 100 kB\n", false);
	enlarge_block_device(&tree);
	expect_pages(&tree, 20);
	tree_destroy(&tree);
}

/* If the exports lead to nothing valid, the slow way still finds everything. */
static void exported_in_vain(void **state __attribute__((unused)))
{
	struct core_with_exports core;
	struct tree tree;
	struct memory memory = { BASE, core.data, sizeof(core.data) };

	make_core_with_exports(&core);
	memset(core.image + TABLE + 12, 0, 4);
	make_tree_with_exports(&tree, &core, "Buffers: 100 kB\n", false);
	expect_pages(&tree, 20);
	tree_destroy(&tree);

	/* The first device is being removed, the second is valid. */
	make_core_with_exports(&core);
	memory_put_half(&memory, INODE(0) + 76, 0);
	memory_put_half(&memory, DEVICE(0) + 36, 0);
	make_tree_with_exports(&tree, &core, "Buffers: 100 kB\n", true);
	expect_pages(&tree, 20);
	tree_destroy(&tree);
	memory_put_half(&memory, INODE(1) + 76, 0);
	memory_put_half(&memory, DEVICE(1) + 36, 0);
	make_tree_with_exports(&tree, &core, "Buffers: 100 kB\n", true);
	expect(&tree, -EOPNOTSUPP, "kernel.kptr_restrict");
	tree_destroy(&tree);

	/* There is no device against which to check the layout. */
	make_core_with_exports(&core);
	memory_put_word(&memory, HEAD, HEAD);
	memory_put_word(&memory, HEAD + 8, HEAD);
	make_tree_with_exports(&tree, &core, "Buffers: 0 kB\n", true);
	expect_pages(&tree, 0);
	tree_destroy(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact),
		cmocka_unit_test(unsettled),
		cmocka_unit_test(torn),
		cmocka_unit_test(parts_missing),
		cmocka_unit_test(its_row_has_reason_and_remedy),
		cmocka_unit_test(addresses_hidden),
		cmocka_unit_test(exported),
		cmocka_unit_test(exported_in_vain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

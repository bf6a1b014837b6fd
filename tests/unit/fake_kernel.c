// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fake_kernel.h"
#include "kernel/bdev_walk.h"
#include "kernel/elf_core.h"
#include "lib/error.h"
#include "seeds.h"
#include "test.h"

#define PAGE 4096U
#define SLOTS 64U
/* Where the exports begin, their names, the page tables and the types. */
#define EXPORTS 32768U
#define NAMES (EXPORTS + 4096U)
#define TYPES (NAMES + 4096U)
#define VARIABLES 4096U
/* Physical addresses, at which the page tables map both parts. */
#define HEAP_PHYSICAL (FAKE_HEAP - 0xffff888000000000ULL)
#define IMAGE_PHYSICAL (FAKE_IMAGE - 0xffffffff80000000ULL)
#define PAGE_TABLES 0x8000U /* bytes before the image's end */

const char *const fake_kernels[4] = { "btf/debian-5.10", "btf/debian-6.1",
				      "btf/debian-6.12", "btf/debian-7.3" };

/* The bits of these kernels; test_page_tags.c tells where they come from. */
static const unsigned int first_marks[4] = { 23, 27, 25, 24 };

static unsigned char *fake_place(const struct fake_kernel *fake,
				 uint64_t address, size_t size)
{
	if (address >= FAKE_IMAGE && address - FAKE_IMAGE < FAKE_IMAGE_SIZE &&
	    size <= FAKE_IMAGE_SIZE - (address - FAKE_IMAGE))
		return fake->image + (address - FAKE_IMAGE);
	if (address >= FAKE_HEAP && address - FAKE_HEAP < FAKE_HEAP_SIZE &&
	    size <= FAKE_HEAP_SIZE - (address - FAKE_HEAP))
		return fake->heap + (address - FAKE_HEAP);
	return NULL;
}

static int fake_read(void *from, uint64_t address, void *buffer, size_t size)
{
	struct fake_kernel *fake = from;
	const unsigned char *place;

	fake->reads++;
	if (fake->at && fake->reads == fake->at)
		fake->at_read(fake);
	if (fake->fail_from && fake->reads >= fake->fail_from)
		return fake->failure;
	for (size_t i = 0; i < COUNT_OF(fake->missing); i++) {
		uint64_t page = fake->missing[i];

		if (page && address < page + PAGE && address + size > page)
			return -ENODATA;
	}
	place = fake_place(fake, address, size);
	if (!place)
		return -EFAULT;
	memcpy(buffer, place, size);
	return 0;
}

void fake_put(struct fake_kernel *fake, uint64_t address, const void *data,
	      size_t size)
{
	unsigned char *place = fake_place(fake, address, size);

	assert_non_null(place);
	memcpy(place, data, size);
}

void fake_put_word(struct fake_kernel *fake, uint64_t address, uint64_t word)
{
	fake_put(fake, address, &word, sizeof(word));
}

void fake_put_half(struct fake_kernel *fake, uint64_t address, uint32_t half)
{
	fake_put(fake, address, &half, sizeof(half));
}

static void put_byte(struct fake_kernel *fake, uint64_t address,
		     unsigned int value)
{
	unsigned char byte = (unsigned char)value;

	fake_put(fake, address, &byte, sizeof(byte));
}

static void get(const struct fake_kernel *fake, uint64_t address, void *to,
		size_t size)
{
	const unsigned char *place = fake_place(fake, address, size);

	assert_non_null(place);
	memcpy(to, place, size);
}

uint64_t fake_word(const struct fake_kernel *fake, uint64_t address)
{
	uint64_t word;

	get(fake, address, &word, sizeof(word));
	return word;
}

static uint32_t half_of(const struct fake_kernel *fake, uint64_t address)
{
	uint32_t half;

	get(fake, address, &half, sizeof(half));
	return half;
}

uint64_t fake_alloc(struct fake_kernel *fake, size_t size)
{
	uint64_t address = FAKE_HEAP + fake->heap_used;

	size = (size + 63) / 64 * 64;
	assert_true(size <= FAKE_HEAP_SIZE - fake->heap_used);
	fake->heap_used += size;
	return address;
}

uint64_t fake_variable(struct fake_kernel *fake, const char *name, size_t size)
{
	uint64_t address = FAKE_IMAGE + fake->image_used;

	size = (size + 63) / 64 * 64;
	/* From the types' end on, when there is no more room before them. */
	if (fake->image_used < EXPORTS && size > EXPORTS - fake->image_used)
		address =
			FAKE_IMAGE + TYPES + (fake->types_size + 63) / 64 * 64;
	fake->image_used = address - FAKE_IMAGE + size;
	assert_true(fake->image_used <= FAKE_IMAGE_SIZE - PAGE_TABLES);
	assert_true(fake->variable_count < FAKE_VARIABLES);
	fake->variables[fake->variable_count++] =
		(struct fake_variable){ name, address };
	return address;
}

static uint64_t put_text(struct fake_kernel *fake, const char *text)
{
	uint64_t address = fake_alloc(fake, strlen(text) + 1);

	fake_put(fake, address, text, strlen(text) + 1);
	return address;
}

static struct btf_struct find_struct(const struct fake_kernel *fake,
				     const char *name)
{
	struct btf_struct found = { .name = name };

	btf_find_structs(&fake->kernel.btf, &found, 1);
	if (!found.id)
		fail_msg("no struct %s in the seed", name);
	return found;
}

uint32_t fake_size(const struct fake_kernel *fake, const char *name)
{
	return find_struct(fake, name).size;
}

uint32_t fake_member(const struct fake_kernel *fake, const char *name,
		     const char *member)
{
	struct btf_struct found = find_struct(fake, name);
	uint32_t offset, size;

	if (btf_find_member(&fake->kernel.btf, &found, member, &offset, &size) <
	    0)
		fail_msg("no %s.%s in the seed", name, member);
	return offset;
}

static void link_to_itself(struct fake_kernel *fake, uint64_t head)
{
	fake_put_word(fake, head, head);
	fake_put_word(fake, head + 8, head);
}

static void add_to_list(struct fake_kernel *fake, uint64_t head, uint64_t node)
{
	uint64_t last = fake_word(fake, head + 8);

	fake_put_word(fake, node, head);
	fake_put_word(fake, node + 8, last);
	fake_put_word(fake, last, node);
	fake_put_word(fake, head + 8, node);
}

static void find_layouts(struct fake_kernel *fake)
{
	const struct btf *btf = &fake->kernel.btf;
	struct error err = { 0 };

	if (fs_layout_init(&fake->fs, btf, &err) < 0 ||
	    bdev_layout_init(&fake->bdev, btf, &err) < 0 ||
	    memcg_layout_init(&fake->memcg, btf, &err) < 0)
		fail_msg("%s", text_of(&err));
	page_tags_layout_init(&fake->tags, btf);
	page_tags_find_nodes(&fake->tags);
	page_tags_find_marks(&fake->tags);
}

/* A directory that shows at which bit the marks of an XArray begin. */
static void make_directory(struct fake_kernel *fake)
{
	const uint32_t *tags = fake->tags.offset;
	uint64_t root = fake_alloc(fake, 256), top = fake_alloc(fake, 256);

	fake->directory = fake_alloc(fake, 256);
	fake_put_word(fake, fake->directory + tags[TAGS_DIRECTORY_ROOT], root);
	fake_put_word(fake, top + tags[TAGS_DIRECTORY_ROOT], root);
	fake_put_word(fake, root + tags[TAGS_ROOT_DIRECTORY], top);
	fake_put_half(fake, root + tags[TAGS_ROOT_NUMBERS],
		      4 | 1U << fake->first_mark);
}

void fake_kernel_init(struct fake_kernel *fake, const char *seed)
{
	static const struct fake_superblock devices = { .type = "bdev",
							.id = "bdev",
							.minor = 9 };
	struct error err = { 0 };

	*fake = (struct fake_kernel){
		.kmem = { fake_read, fake },
		.image_used = VARIABLES,
		.heap = calloc(1, FAKE_HEAP_SIZE),
		.image = calloc(1, FAKE_IMAGE_SIZE),
	};
	assert_non_null(fake->heap);
	assert_non_null(fake->image);
	for (size_t i = 0; i < COUNT_OF(fake_kernels); i++) {
		if (strcmp(seed, fake_kernels[i]) == 0)
			fake->first_mark = first_marks[i];
	}
	fake->types = seed_read_btf(seed, &fake->types_size);
	if (btf_init(&fake->kernel.btf, fake->types, fake->types_size, &err) <
	    0)
		fail_msg("%s", text_of(&err));
	find_layouts(fake);
	make_directory(fake);
	fake->super_blocks = fake_variable(fake, "super_blocks", 16);
	link_to_itself(fake, fake->super_blocks);
	fake->devices = fake_add_superblock(fake, &devices);
	fake_put_word(fake, fake_variable(fake, "blockdev_superblock", 8),
		      fake->devices);
}

void fake_kernel_deinit(struct fake_kernel *fake)
{
	exports_deinit(&fake->kernel.exports);
	btf_deinit(&fake->kernel.btf);
	free(fake->types);
	free(fake->heap);
	free(fake->image);
}

static int by_name(const void *left, const void *right)
{
	const struct fake_variable *a = left, *b = right;

	return strcmp(a->name, b->name);
}

/* Each entry has three distances, each from its own place (exports.h). */
static void put_exports(struct fake_kernel *fake)
{
	uint64_t name = FAKE_IMAGE + NAMES + 1;

	qsort(fake->variables, fake->variable_count, sizeof(*fake->variables),
	      by_name);
	for (size_t i = 0; i < fake->variable_count; i++) {
		const struct fake_variable *variable = &fake->variables[i];
		uint64_t entry = FAKE_IMAGE + EXPORTS + 12 * i;
		size_t length = strlen(variable->name);

		assert_true(name + length + 1 < FAKE_IMAGE + TYPES);
		fake_put_half(fake, entry,
			      (uint32_t)(variable->address - entry));
		fake_put_half(fake, entry + 4, (uint32_t)(name - (entry + 4)));
		fake_put_half(fake, entry + 8,
			      (uint32_t)(name + length - (entry + 8)));
		fake_put(fake, name, variable->name, length + 1);
		name += length + 1;
	}
	fake_put(fake, FAKE_IMAGE + TYPES, fake->types, fake->types_size);
}

/* Entries of 1 GiB, which map physical memory from 0 on, at both places. */
static void put_page_tables(struct fake_kernel *fake)
{
	const uint64_t present = 1, large = 1U << 7;
	uint64_t root = FAKE_IMAGE + FAKE_IMAGE_SIZE - PAGE_TABLES;
	uint64_t heap = root + PAGE, image = heap + PAGE;

	fake_put_word(fake, root + (FAKE_HEAP >> 39 & 511) * 8,
		      (IMAGE_PHYSICAL + (heap - FAKE_IMAGE)) | present);
	fake_put_word(fake, root + (FAKE_IMAGE >> 39 & 511) * 8,
		      (IMAGE_PHYSICAL + (image - FAKE_IMAGE)) | present);
	fake_put_word(fake, heap + (FAKE_HEAP >> 30 & 511) * 8,
		      present | large);
	fake_put_word(fake, image + (FAKE_IMAGE >> 30 & 511) * 8,
		      present | large);
	snprintf(fake->vmcoreinfo, sizeof(fake->vmcoreinfo),
		 "OSRELEASE=6.0-fake\nPAGESIZE=%u\nSYMBOL(_stext)=%llx\n"
		 "SYMBOL(swapper_pg_dir)=%llx\nNUMBER(phys_base)=0\n",
		 PAGE, FAKE_IMAGE, (unsigned long long)root);
}

void fake_kernel_open(struct fake_kernel *fake, bool is_live)
{
	struct kernel *kernel = &fake->kernel;

	put_exports(fake);
	put_page_tables(fake);
	kernel->is_live = is_live;
	kernel->kmem = &fake->kmem;
	kernel->vmcoreinfo = fake->vmcoreinfo;
	kernel->page_size = PAGE;
	kernel->machine = EM_X86_64;
	kernel->types = -1;
	exports_deinit(&kernel->exports);
	assert_int_equal(exports_init(&kernel->exports, kernel->kmem,
				      kernel->vmcoreinfo),
			 0);
	assert_int_equal(bdev_root_find_quickly(&kernel->root, kernel->kmem,
						&kernel->exports, &kernel->btf,
						&kernel->superblock),
			 0);
	assert_int_equal(kernel->superblock, fake->devices);
	fake->reads = 0;
}

struct fake_file {
	Elf64_Ehdr header;
	Elf64_Phdr segments[3];
	Elf64_Nhdr note;
	char name[12];
	char vmcoreinfo[256];
	unsigned char image[FAKE_IMAGE_SIZE];
	unsigned char heap[FAKE_HEAP_SIZE]; /* only what is used of it */
};

void fake_kernel_write(struct fake_kernel *fake, const struct tree *tree,
		       const char *path)
{
	struct fake_file *file = calloc(1, sizeof(*file));
	size_t used = (fake->heap_used + PAGE - 1) / PAGE * PAGE;

	assert_non_null(file);
	put_exports(fake);
	put_page_tables(fake);
	file->header = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     ELF_OWN_BYTE_ORDER },
		.e_type = ET_CORE,
		.e_machine = EM_X86_64,
		.e_phoff = offsetof(struct fake_file, segments),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = COUNT_OF(file->segments),
	};
	file->segments[0] = (Elf64_Phdr){
		.p_type = PT_NOTE,
		.p_offset = offsetof(struct fake_file, note),
		.p_filesz = offsetof(struct fake_file, image) -
			    offsetof(struct fake_file, note),
	};
	file->segments[1] = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_offset = offsetof(struct fake_file, heap),
		.p_vaddr = FAKE_HEAP,
		.p_paddr = HEAP_PHYSICAL,
		.p_filesz = used,
	};
	file->segments[2] = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_offset = offsetof(struct fake_file, image),
		.p_vaddr = FAKE_IMAGE,
		.p_paddr = IMAGE_PHYSICAL,
		.p_filesz = FAKE_IMAGE_SIZE,
	};
	file->note = (Elf64_Nhdr){ sizeof("VMCOREINFO"),
				   sizeof(file->vmcoreinfo), 0 };
	strcpy(file->name, "VMCOREINFO");
	memcpy(file->vmcoreinfo, fake->vmcoreinfo, sizeof(file->vmcoreinfo));
	memcpy(file->heap, fake->heap, used);
	memcpy(file->image, fake->image, FAKE_IMAGE_SIZE);
	tree_add_file(tree, path, (const char *)file,
		      offsetof(struct fake_file, heap) + used);
	free(file);
}

uint64_t fake_add_superblock(struct fake_kernel *fake,
			     const struct fake_superblock *superblock)
{
	const uint32_t *offset = fake->fs.offset;
	uint64_t type = fake_alloc(fake, 128);
	uint64_t address = fake_alloc(fake, fake->fs.super_block_size);
	uint32_t dev = superblock->major << 20 | superblock->minor;

	fake_put_word(fake, type + offset[FS_TYPE_NAME],
		      put_text(fake, superblock->type));
	fake_put_word(fake, address + offset[FS_SB_TYPE], type);
	fake_put_half(fake, address + offset[FS_SB_DEV], dev);
	fake_put_word(fake, address + offset[FS_SB_MAGIC], superblock->magic);
	fake_put_word(fake, address + offset[FS_SB_FLAGS], superblock->flags);
	fake_put(fake, address + offset[FS_SB_ID], superblock->id,
		 strlen(superblock->id) + 1);
	link_to_itself(fake, address + offset[FS_SB_INODES]);
	add_to_list(fake, fake->super_blocks, address + offset[FS_SB_LIST]);
	return address;
}

uint64_t fake_mapping(const struct fake_kernel *fake, uint64_t inode)
{
	return inode + fake->fs.offset[FS_INODE_DATA];
}

uint64_t fake_tree_head(const struct fake_kernel *fake, uint64_t inode)
{
	return fake_mapping(fake, inode) +
	       fake->fs.offset[FS_MAPPING_TREE_HEAD];
}

static void make_inode(struct fake_kernel *fake, uint64_t inode,
		       uint64_t superblock, uint64_t ino)
{
	const uint32_t *offset = fake->fs.offset;
	uint16_t mode = S_IFREG | 0644;

	fake_put(fake, inode + offset[FS_INODE_MODE], &mode, sizeof(mode));
	fake_put_word(fake, inode + offset[FS_INODE_SB], superblock);
	fake_put_word(fake, inode + offset[FS_INODE_INO], ino);
	fake_put_half(fake, inode + offset[FS_INODE_LINKS], 1);
	fake_put_word(fake, fake_mapping(fake, inode) + offset[FS_MAPPING_HOST],
		      inode);
	add_to_list(fake, superblock + offset[FS_SB_INODES],
		    inode + offset[FS_INODE_LIST]);
}

uint64_t fake_add_inode(struct fake_kernel *fake, uint64_t superblock,
			uint64_t ino)
{
	uint64_t inode = fake_alloc(fake, fake->fs.inode_size);

	make_inode(fake, inode, superblock, ino);
	return inode;
}

uint64_t fake_add_device(struct fake_kernel *fake, unsigned int major,
			 unsigned int minor, const char *name)
{
	const uint32_t *offset = fake->bdev.offset;
	const uint32_t *tags = fake->tags.offset;
	uint64_t object = fake_alloc(fake, fake->bdev.bdev_inode_size);
	uint64_t inode = object + offset[BDEV_INODE];
	uint64_t bdev = object + offset[BDEV_BDEV];
	uint64_t disk = fake_alloc(fake, fake_size(fake, "gendisk"));
	uint32_t dev = major << 20 | minor;

	make_inode(fake, inode, fake->devices, dev);
	fake_put_word(fake, inode + offset[BDEV_INODE_MAPPING],
		      fake_mapping(fake, inode));
	fake_put_half(fake, inode + offset[BDEV_INODE_RDEV], dev);
	fake_put_half(fake, bdev + offset[BDEV_DEV], dev);
	fake_put_word(fake, bdev + offset[BDEV_DISK], disk);
	fake_put(fake, disk + offset[BDEV_DISK_NAME], name, strlen(name) + 1);
	if (tags[TAGS_DIRECTORY] != BDEV_ABSENT)
		fake_put_word(fake, bdev + tags[TAGS_DIRECTORY],
			      fake->directory);
	if (tags[TAGS_DISK_DIRECTORY] != BDEV_ABSENT)
		fake_put_word(fake, disk + tags[TAGS_DISK_DIRECTORY],
			      fake->directory);
	return inode;
}

static uint64_t make_node(struct fake_kernel *fake, uint64_t tree,
			  unsigned int shift, uint64_t parent,
			  unsigned int slot)
{
	const uint32_t *tags = fake->tags.offset;
	uint64_t node = fake_alloc(fake, fake_size(fake, "xa_node"));

	put_byte(fake, node + tags[TAGS_NODE_SHIFT], shift);
	put_byte(fake, node + tags[TAGS_NODE_OFFSET], slot);
	fake_put_word(fake, node + tags[TAGS_NODE_PARENT], parent);
	fake_put_word(fake, node + tags[TAGS_NODE_ARRAY], tree);
	return node;
}

/* Sets an entry of a node. @marks: the first is dirty, the next writeback. */
static void put_entry(struct fake_kernel *fake, uint64_t node,
		      unsigned int slot, uint64_t entry, unsigned int marks)
{
	const uint32_t *tags = fake->tags.offset;

	fake_put_word(fake, node + tags[TAGS_NODE_SLOTS] + slot * 8UL, entry);
	put_byte(fake, node + tags[TAGS_NODE_COUNT], slot + 1);
	for (unsigned int i = 0; i < 2; i++) {
		uint64_t word = node + tags[TAGS_NODE_MARKS] + i * 8UL;

		if (marks >> i & 1)
			fake_put_word(fake, word,
				      fake_word(fake, word) | 1ULL << slot);
	}
}

static unsigned int marks_of(const struct fake_pages *pages, uint64_t index)
{
	if (index < pages->dirty)
		return 1;
	return index < pages->dirty + pages->writeback ? 2 : 0;
}

/* Makes a tree of one or two levels. Returns what leads to it. */
static uint64_t make_tree(struct fake_kernel *fake, uint64_t tree,
			  uint64_t first, const struct fake_pages *pages)
{
	uint64_t top, leaf = 0;

	if (pages->count == 1)
		return first;
	top = make_node(fake, tree, pages->count > SLOTS ? 6 : 0, 0, 0);
	for (uint64_t i = 0; i < pages->count; i++) {
		unsigned int slot = (unsigned int)(i % SLOTS);
		unsigned int place = (unsigned int)(i / SLOTS);
		unsigned int marks = marks_of(pages, i);
		uint64_t page = first + i * fake->memcg.page_size;

		if (pages->count <= SLOTS) {
			put_entry(fake, top, slot, page, marks);
			continue;
		}
		if (!slot)
			leaf = make_node(fake, tree, 0, top, place);
		put_entry(fake, leaf, slot, page, marks);
		put_entry(fake, top, place, leaf | 2, marks);
	}
	return top | 2;
}

uint64_t fake_fill(struct fake_kernel *fake, uint64_t inode,
		   const struct fake_pages *pages)
{
	const uint32_t *offset = fake->fs.offset;
	uint64_t mapping = fake_mapping(fake, inode);
	uint64_t first = fake_alloc(fake, pages->count * fake->memcg.page_size);
	uint64_t flags = mapping + offset[FS_MAPPING_TREE_FLAGS];
	uint32_t marks = (pages->dirty ? 1U : 0) | (pages->writeback ? 2U : 0);

	for (uint64_t i = 0; i < pages->count; i++) {
		uint64_t page = first + i * fake->memcg.page_size;

		fake_put_word(fake,
			      page + fake->memcg.offset[MEMCG_PAGE_MAPPING],
			      mapping);
		fake_put_word(fake,
			      page + fake->memcg.offset[MEMCG_PAGE_CHARGE],
			      pages->charge);
	}
	fake_put_word(fake, mapping + offset[FS_MAPPING_PAGES], pages->count);
	fake_put_half(fake, flags,
		      half_of(fake, flags) | marks << fake->first_mark);
	fake_put_word(fake, fake_tree_head(fake, inode),
		      make_tree(fake, mapping + fake->bdev.offset[BDEV_TREE],
				first, pages));
	return first;
}

uint64_t fake_add_name(struct fake_kernel *fake, uint64_t inode,
		       uint64_t parent, const char *name)
{
	const uint32_t *offset = fake->fs.offset;
	uint64_t dentry = fake_alloc(fake, fake->fs.dentry_size);

	fake_put_word(fake, dentry + offset[FS_DENTRY_PARENT],
		      parent ? parent : dentry);
	fake_put_word(fake, dentry + offset[FS_DENTRY_NAME],
		      put_text(fake, name));
	fake_put_half(fake, dentry + offset[FS_DENTRY_LENGTH],
		      (uint32_t)strlen(name));
	fake_put_word(fake, dentry + offset[FS_DENTRY_INODE], inode);
	fake_put_word(fake, dentry + offset[FS_DENTRY_HASHED],
		      parent ? dentry : 0);
	fake_put_word(fake, inode + offset[FS_INODE_ALIASES],
		      dentry + offset[FS_DENTRY_ALIAS]);
	return dentry;
}

struct fake_cgroup fake_add_cgroup(struct fake_kernel *fake,
				   const struct fake_cgroup *parent,
				   const char *name, uint64_t id)
{
	const uint32_t *offset = fake->memcg.offset;
	struct fake_cgroup made = { fake_alloc(fake, 256),
				    fake_alloc(fake, 512) };
	uint64_t cgroup = fake_alloc(fake, fake_size(fake, "cgroup"));
	uint64_t subsystem = fake_alloc(fake, fake_size(fake, "cgroup_subsys"));

	fake_put_word(fake, subsystem + offset[MEMCG_SUBSYSTEM_NAME],
		      put_text(fake, "memory"));
	fake_put_word(fake, made.memcg + offset[MEMCG_CSS_SUBSYSTEM],
		      subsystem);
	fake_put_word(fake, made.memcg + offset[MEMCG_CSS_CGROUP], cgroup);
	fake_put_half(fake, made.memcg + offset[MEMCG_CSS_FLAGS], 2);
	fake_put_word(fake, cgroup + offset[MEMCG_CGROUP_NODE], made.directory);
	fake_put_word(fake, made.directory + offset[MEMCG_NODE_PARENT],
		      parent ? parent->directory : 0);
	fake_put_word(fake, made.directory + offset[MEMCG_NODE_NAME],
		      put_text(fake, name));
	fake_put_word(fake, made.directory + offset[MEMCG_NODE_ID], id);
	return made;
}

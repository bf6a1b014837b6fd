// SPDX-License-Identifier: GPL-2.0-or-later
/* What is kept of a kernel, and what is not believed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bdev_root.h"
#include "cleanup.h"
#include "kcore_cache.h"
#include "sysroot.h"
#include "test.h"
#include "tree.h"

static const char vmcoreinfo[] = "BUILD-ID=0f3a\n"
				 "SYMBOL(_stext)=ffffffff81000000\n";

/* Of Debian's 6.1; see test_btf.c. */
static const struct bdev_root root_6_1 = {
	.layout = { 1560,
		    632,
		    { 1416, 40, 0, 280, 48, 40, 76, 128, 0, 928, 0, 36, 40, 856,
		      848, BDEV_ABSENT, 12 } },
	.symbol = 0xffffffff82c42850,
};

struct place {
	struct tree tree;
	struct sysroot root;
	struct kcore_cache cache;
	char file[300];
};

static void place_init(struct place *place)
{
	tree_create(&place->tree);
	tree_add_text(&place->tree, "run/other", "");
	assert_int_equal(sysroot_init(&place->root, place->tree.path, NULL), 0);
	kcore_cache_init(&place->cache, &place->root, vmcoreinfo);
	assert_int_equal(place->cache.owner, 0);
	place->cache.owner = geteuid();
	snprintf(place->file, sizeof(place->file), "%s/run/bufstat/kcore",
		 place->tree.path);
}

static void place_deinit(struct place *place)
{
	sysroot_deinit(&place->root);
	tree_destroy(&place->tree);
}

static void written_and_read(void **state __attribute__((unused)))
{
	struct bdev_root root = { 0 };
	struct place place;
	struct stat status;

	place_init(&place);
	assert_int_equal(kcore_cache_read(&place.cache, &root), -ENOENT);
	assert_int_equal(kcore_cache_write(&place.cache, &root_6_1), 0);
	assert_int_equal(kcore_cache_read(&place.cache, &root), 0);
	assert_memory_equal(&root, &root_6_1, sizeof(root));
	assert_int_equal(stat(place.file, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	/* Again, over the old one, and the next boot's addresses. */
	assert_int_equal(kcore_cache_write(&place.cache, &root_6_1), 0);
	place.cache.stext += 0x2000000;
	assert_int_equal(kcore_cache_read(&place.cache, &root), 0);
	assert_true(root.symbol == root_6_1.symbol + 0x2000000);
	place_deinit(&place);
}

static void not_believed(void **state __attribute__((unused)))
{
	struct bdev_root root;
	struct place place;
	char directory[300];

	place_init(&place);
	assert_int_equal(kcore_cache_write(&place.cache, &root_6_1), 0);
	snprintf(directory, sizeof(directory), "%s/run/bufstat",
		 place.tree.path);

	assert_int_equal(chmod(place.file, 0640), 0);
	assert_int_equal(kcore_cache_read(&place.cache, &root), -ENOENT);
	assert_int_equal(chmod(place.file, 0600), 0);
	assert_int_equal(kcore_cache_read(&place.cache, &root), 0);

	assert_int_equal(chmod(directory, 0770), 0);
	assert_int_equal(kcore_cache_read(&place.cache, &root), -ENOENT);
	assert_int_not_equal(kcore_cache_write(&place.cache, &root_6_1), 0);
	assert_int_equal(chmod(directory, 0755), 0);
	assert_int_equal(kcore_cache_read(&place.cache, &root), 0);

	place.cache.owner++;
	assert_int_equal(kcore_cache_read(&place.cache, &root), -ENOENT);
	assert_int_not_equal(kcore_cache_write(&place.cache, &root_6_1), 0);
	place.cache.owner--;

	*place.cache.build_id = '1';
	assert_int_equal(kcore_cache_read(&place.cache, &root), -ENOENT);
	*place.cache.build_id = '\0';
	assert_int_equal(kcore_cache_read(&place.cache, &root), -ENOENT);
	assert_int_equal(kcore_cache_write(&place.cache, &root_6_1), -ENOENT);
	*place.cache.build_id = '0';

	/* A link, to what would do. */
	assert_int_equal(unlink(place.file), 0);
	tree_add_link(&place.tree, "run/bufstat/kcore", "kept");
	tree_add_text(&place.tree, "run/bufstat/kept", "");
	assert_int_equal(kcore_cache_read(&place.cache, &root), -ENOENT);
	place_deinit(&place);
}

static void without_build_id(void **state __attribute__((unused)))
{
	static const char *const texts[] = {
		NULL,
		"",
		"BUILD-ID=0f3a\n",
		"SYMBOL(_stext)=ffffffff81000000\n",
		"BUILD-ID=a b\nSYMBOL(_stext)=ffffffff81000000\n",
	};
	struct kcore_cache cache;

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		kcore_cache_init(&cache, NULL, texts[i]);
		assert_string_equal(cache.build_id, "");
	}
}

/* Whatever is cut off, added or another number is noticed or harmless. */
static void damaged_text(void **state __attribute__((unused)))
{
	struct kcore_cache cache;
	_cleanup_(freep) char *text = NULL;
	struct bdev_root root;
	size_t size;

	kcore_cache_init(&cache, NULL, vmcoreinfo);
	text = kcore_cache_format(&cache, &root_6_1);
	assert_non_null(text);
	assert_int_equal(kcore_cache_parse(&cache, text, &root), 0);
	size = strlen(text);
	for (size_t i = 0; i < size; i++) {
		_cleanup_(freep) char *cut = strndup(text, i);

		assert_int_not_equal(kcore_cache_parse(&cache, cut, &root), 0);
	}
	for (size_t i = 0; i < size; i++) {
		char kept = text[i];

		for (int c = 1; c < 256; c++) {
			text[i] = (char)c;
			if (kcore_cache_parse(&cache, text, &root) == 0)
				assert_true(bdev_layout_is_sound(&root.layout));
		}
		text[i] = kept;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(written_and_read),
		cmocka_unit_test(not_believed),
		cmocka_unit_test(without_build_id),
		cmocka_unit_test(damaged_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

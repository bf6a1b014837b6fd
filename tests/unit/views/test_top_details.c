// SPDX-License-Identifier: GPL-2.0-or-later
/* What the details say below the columns of a row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/sysroot.h"
#include "names_fixture.h"
#include "test.h"
#include "top/details.h"
#include "top/tab.h"

static char *details(const char *host, const struct question *tab,
		     const char *key)
{
	FILE *out;
	char *text = NULL;
	size_t size;
	struct sysroot root;

	open_fixture(&root, host);
	out = open_memstream(&text, &size);
	details_print(out, tab, key, &root);
	sysroot_deinit(&root);
	fclose(out);
	return text;
}

/* How many lines of explain are about something. */
static size_t count_items(const char *text)
{
	size_t count = 0;

	while ((text = strstr(text, "\n- "))) {
		count++;
		text += 3;
	}
	return count;
}

/* Each device has its own item and no other's, also those after the fifth. */
static void one_item_a_device(void **state __attribute__((unused)))
{
	struct sysroot root;
	const struct tab_asking question = { .root = &root };
	struct tab_rows rows = { 0 };
	char key[TAB_KEY_SIZE];
	struct error err;

	open_fixture(&root, FIXTURE("lvm-many"));
	assert_int_equal(tab_take(questions[QUESTION_DEVICES], &question, &rows,
				  &err),
			 0);
	assert_true(rows.table.count > 7);
	for (size_t i = 0; i < rows.table.count; i++) {
		const char *found = questions[QUESTION_DEVICES]->key(
			&rows.table, i, key, sizeof(key));
		_cleanup_(freep) char *text =
			details(FIXTURE("lvm-many"),
				questions[QUESTION_DEVICES], found);

		if (count_items(text) != 1)
			fail_msg("%s: %s", found, text);
	}
	tab_release(questions[QUESTION_DEVICES], &rows);
	sysroot_deinit(&root);
}

static void about_the_row(void **state __attribute__((unused)))
{
	_cleanup_(freep) char *device = details(
		FIXTURE("debian-ext4"), questions[QUESTION_DEVICES], "254:1");
	_cleanup_(freep) char *rest = details(
		FIXTURE("debian-ext4"), questions[QUESTION_DEVICES], "rest");
	_cleanup_(freep) char *free_memory = details(
		FIXTURE("debian-ext4"), questions[QUESTION_MEMORY], "free");
	_cleanup_(freep) char *part = details(FIXTURE("debian-ext4"),
					      questions[QUESTION_MEMORY],
					      "file_cache/dirty");

	assert_non_null(strstr(device, "\n- vda1 "));
	assert_int_equal(count_items(rest), 1);
	assert_non_null(strstr(rest, "\n- unattributed "));
	assert_non_null(strstr(free_memory, "MemFree: "));
	assert_string_equal(part, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_item_a_device),
		cmocka_unit_test(about_the_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

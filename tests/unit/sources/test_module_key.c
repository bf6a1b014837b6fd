// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "lib/sysroot.h"
#include "measure/module_absence.h"
#include "test.h"
#include "tree.h"

#define KEYS                                                                   \
	"0a1b I------   1 perm 1f030000 0 0 keyring   .builtin_trusted: 2\n"   \
	"1c2d I------   1 perm 1f030000 0 0 asymmetri Debian Secure Boot CA: " \
	"6ccece7e: X509.rsa bb419ea1 []\n"                                     \
	"2d3e I------   1 perm 1f030000 0 0 asymmetri Acme: Fleet key: "       \
	"00aa: X509.rsa 00aa []\n"                                             \
	"3e4f I--Q---   1 perm 3f010000 0 0 user      Somebody: here\n"

#define EFIVARS "sys/firmware/efi/efivars/"
#define SECURE_BOOT EFIVARS "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define MOK_NEW EFIVARS "MokNew-605dab50-e046-4300-abb6-3dd810dd8b23"

static void read_key(const struct tree *tree, const char *signer,
		     struct module_key *key)
{
	struct sysroot root;

	assert_int_equal(sysroot_init(&root, tree->path, NULL), 0);
	module_key_read(key, &root, signer);
	sysroot_deinit(&root);
}

static void keys_of_the_kernel(void **state __attribute__((unused)))
{
	static const struct {
		const char *signer;
		enum key_state state;
	} cases[] = {
		{ "Debian Secure Boot CA", KEY_PRESENT },
		{ "Fleet key", KEY_PRESENT },
		{ "DKMS module signing key", KEY_ABSENT },
		{ "Secure Boot", KEY_ABSENT }, /* part of a name */
		{ "Somebody", KEY_ABSENT }, /* no key of this kind */
		{ NULL, KEY_UNKNOWN },
	};
	struct module_key key;
	struct tree tree;

	tree_create(&tree);
	tree_add_text(&tree, "proc/keys", KEYS);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		read_key(&tree, cases[i].signer, &key);
		assert_int_equal(key.state, cases[i].state);
		assert_false(key.secure_boot);
		assert_null(key.certificate);
	}
	tree_destroy(&tree);
}

static void nothing_can_be_read(void **state __attribute__((unused)))
{
	struct module_key key;
	struct tree tree;

	tree_create(&tree);
	read_key(&tree, "Fleet key", &key);
	assert_int_equal(key.state, KEY_UNKNOWN);
	tree_destroy(&tree);
}

static void enrolment_is_under_way(void **state __attribute__((unused)))
{
	struct module_key key;
	struct tree tree;

	tree_create(&tree);
	tree_add_text(&tree, "proc/keys", KEYS);
	tree_add_file(&tree, MOK_NEW, "\7\0\0\0xyz", 7);
	tree_add_file(&tree, SECURE_BOOT, "\6\0\0\0\1", 5);
	tree_add_text(&tree, "var/lib/shim-signed/mok/MOK.der", "der");
	read_key(&tree, "DKMS module signing key", &key);
	assert_int_equal(key.state, KEY_WAITING);
	assert_true(key.secure_boot);
	assert_string_equal(key.certificate,
			    "/var/lib/shim-signed/mok/MOK.der");

	tree_add_file(&tree, SECURE_BOOT, "\6\0\0\0\0", 5);
	tree_add_text(&tree, "var/lib/dkms/mok.pub", "der");
	read_key(&tree, "Fleet key", &key);
	assert_int_equal(key.state, KEY_PRESENT);
	assert_false(key.secure_boot);
	assert_string_equal(key.certificate, "/var/lib/dkms/mok.pub");
	tree_destroy(&tree);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_of_the_kernel),
		cmocka_unit_test(nothing_can_be_read),
		cmocka_unit_test(enrolment_is_under_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

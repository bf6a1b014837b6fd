// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "lib/sysroot.h"
#include "measure/module_absence.h"
#include "test.h"
#include "tree.h"

#define KERNEL "6.1.0-1"
#define MODULE "lib/modules/" KERNEL "/updates/dkms/bufstat.ko.xz"
#define LOCKDOWN "sys/kernel/security/lockdown"
#define CERTIFICATE "var/lib/dkms/mok.pub"
#define KEY                                                                    \
	"2d3e I------ 1 perm 1f030000 0 0 asymmetri Acme: DKMS key: 00aa: "    \
	"X509.rsa 00aa []\n"
#define MOK_NEW                                                                \
	"sys/firmware/efi/efivars/"                                            \
	"MokNew-605dab50-e046-4300-abb6-3dd810dd8b23"

static void expect(const struct tree *tree, const char *reason,
		   const char *remedy)
{
	struct error absence = { 0 };
	struct sysroot root;

	assert_int_equal(sysroot_init(&root, tree->path, NULL), 0);
	module_absence_of(&absence, &root, KERNEL);
	sysroot_deinit(&root);
	assert_string_equal(absence.reason, reason);
	assert_string_equal(absence.remedy, remedy);
}

static void the_kernel_comes_first(void **state __attribute__((unused)))
{
	struct tree tree;

	tree_create(&tree);
	tree_add_text(&tree, MODULE, "");
	expect(&tree, "this kernel cannot load modules",
	       "boot one with CONFIG_MODULES=y");
	tree_add_text(&tree, "proc/modules", "");
	expect(&tree, "not loaded", "sudo bufstat module load");
	tree_add_text(&tree, "proc/sys/kernel/modules_disabled", "1\n");
	expect(&tree,
	       "not loaded, and kernel.modules_disabled is 1 until the next "
	       "boot",
	       "reboot");
	tree_destroy(&tree);
}

static void then_what_is_installed(void **state __attribute__((unused)))
{
	static const char reason[] = "not installed for kernel " KERNEL;
	struct tree tree;

	tree_create(&tree);
	tree_add_text(&tree, "proc/modules", "");
	expect(&tree, reason,
	       "install linux-headers-" KERNEL " or kernel-devel-" KERNEL
	       ", then install the package bufstat-dkms or dkms-bufstat, or "
	       "say in the source: make module && sudo make module-install");
	tree_add_text(&tree, "usr/src/bufstat-0.1.0/dkms.conf", "");
	tree_add_link(&tree, "var/lib/dkms/bufstat/0.1.0/source",
		      "/usr/src/bufstat-0.1.0");
	tree_add_text(&tree, "lib/modules/" KERNEL "/build/Makefile", "");
	expect(&tree, reason, "sudo dkms install bufstat/0.1.0 -k " KERNEL);
	tree_destroy(&tree);
}

static void then_the_key(void **state __attribute__((unused)))
{
	static const char reason[] =
		"not loaded, and lockdown=integrity takes signed modules only";
	struct tree tree;

	tree_create(&tree);
	tree_add_text(&tree, "proc/modules", "");
	tree_add_text(&tree, MODULE, "");
	tree_add_text(&tree, LOCKDOWN, "none [integrity] confidentiality\n");
	expect(&tree, reason,
	       "sign it and enrol the key: mokutil --import KEY.der");
	tree_add_text(&tree, CERTIFICATE, "\1\2DKMS key\3");
	expect(&tree, reason,
	       "sudo mokutil --import /var/lib/dkms/mok.pub, then reboot and "
	       "choose Enroll MOK");
	tree_add_text(&tree, MOK_NEW, "");
	expect(&tree, reason, "reboot and choose Enroll MOK");
	tree_add_text(&tree, "proc/keys", KEY);
	expect(&tree, reason, "sudo bufstat module load");
	tree_add_text(&tree, CERTIFICATE, "\1\2DKMS\3");
	expect(&tree, reason, "reboot and choose Enroll MOK");
	tree_destroy(&tree);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_comes_first),
		cmocka_unit_test(then_what_is_installed),
		cmocka_unit_test(then_the_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

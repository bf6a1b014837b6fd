// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "cgroups/container.h"
#include "test.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct {
	const char *path;
	const char *expected; /* NULL: none */
} cases[] = {
	{ "/system.slice/docker-" ID ".scope", "docker:0123456789ab" },
	{ "/docker/" ID, "docker:0123456789ab" },
	{ "/machine.slice/libpod-" ID ".scope", "podman:0123456789ab" },
	{ "/libpod_parent/" ID, "podman:0123456789ab" },
	{ "/kubepods.slice/x.slice/crio-" ID ".scope", "crio:0123456789ab" },
	{ "/a/cri-containerd-" ID ".scope", "containerd:0123456789ab" },
	{ "/a/nerdctl-" ID ".scope", "containerd:0123456789ab" },
	{ "/kubepods/burstable/pod1/" ID, "container:0123456789ab" },
	{ "/kubepods/burstable/pod01234567-89ab-cdef-0123-456789abcdef",
	  "pod:01234567-89ab-cdef-0123-456789abcdef" },
	{ "/kubepods.slice/kubepods-burstable.slice/"
	  "kubepods-burstable-pod01234567_89ab_cdef_0123_456789abcdef.slice",
	  "pod:01234567-89ab-cdef-0123-456789abcdef" },
	{ "/kubepods.slice/"
	  "kubepods-pod01234567_89ab_cdef_0123_456789abcdef.slice",
	  "pod:01234567-89ab-cdef-0123-456789abcdef" },
	{ "/machine.slice/machine-qemu\\x2d1\\x2dweb.scope",
	  "machine:qemu-1-web" },
	{ "/machine.slice/systemd-nspawn@mail.service", "machine:mail" },
	{ "/lxc.payload.mail", "lxc:mail" },
	{ "/lxc/mail", "lxc:mail" },
	{ "/outer/lxc/mail", "lxc:mail" },
	/* A NUL would cut the name. */
	{ "/machine-a\\x00b.scope", "machine:a\\x00b" },
	{ "/machine-a\\x2.scope", "machine:a\\x2" },
	{ "/", NULL },
	{ "/lxc", NULL },
	{ "/lxc/mail/system.slice", NULL },
	{ "/lxc.payload.", NULL },
	{ "/lxc.monitor.mail", NULL },
	{ "/machine.slice", NULL },
	{ "/machine-.scope", NULL },
	{ "/user.slice/" ID, NULL },
	{ "/docker-" ID "0.scope", NULL },
	{ "/docker-0123.scope", NULL },
	{ "/docker/0123", NULL },
	{ "/libpod-conmon-" ID ".scope", NULL },
	{ "/crio-conmon-" ID ".scope", NULL },
	{ "/kubepods.slice/kubepods-burstable.slice", NULL },
	{ "/pod01234567-89ab-cdef-0123-456789abcdef", NULL },
	{ "/kubepods/pod01234567", NULL },
	{ "/user@1000.service", NULL },
};

static void test_names(void **state __attribute__((unused)))
{
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *path = cases[i].path;
		const char *name = path[1] ? strrchr(path, '/') + 1 : path;
		char *text = NULL;

		print_message("%s\n", path);
		assert_int_equal(container_name(name, path, &text), 0);
		if (cases[i].expected)
			assert_string_equal(text, cases[i].expected);
		else
			assert_null(text);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_names) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

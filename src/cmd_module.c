// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bufstat/devices.h>
#include <bufstat/version.h>

#include "cleanup.h"
#include "command.h"
#include "error.h"
#include "module.h"
#include "module_built.h"
#include "module_key.h"
#include "snapshot.h"
#include "source.h"
#include "string_list.h"
#include "sysroot.h"

static const char help_text[] =
	"Usage: bufstat module status\n"
	"       bufstat module load [FILE]\n"
	"       bufstat module unload\n"
	"\n"
	"The kernel module that counts the page cache device by device.\n"
	"\n"
	" status   installed, loaded, signed, usable? Exit status 0 if usable,\n"
	"          2 if not\n"
	" load     load the installed module, or the one in FILE\n"
	" unload   unload it; nothing of it stays\n";

static const struct sysroot live = { .fd = -1 };

/* What there is instead, and what would make it this kernel's. */
static void print_not_installed(const struct module_facts *facts)
{
	_cleanup_(module_built_deinit) struct module_built built;
	_cleanup_(freep) char *kernels = NULL;

	printf("installed  no, not for this kernel\n");
	module_built_init(&built, &live, facts->kernel);
	kernels = string_list_join(&built.kernels, ", ");
	if (kernels && *kernels)
		printf("           only for kernel %s\n", kernels);
	if (!built.has_headers && (built.dkms_version || built.kernels.count))
		printf("           to build it, install this kernel's headers "
		       "(linux-headers-%s or\n"
		       "           kernel-devel-%s)\n",
		       facts->kernel, facts->kernel);
	if (built.dkms_version)
		printf("           %ssudo dkms install bufstat/%s -k %s\n",
		       built.has_headers ? "" : "then: ", built.dkms_version,
		       facts->kernel);
}

static void print_installed(const struct module_facts *facts)
{
	if (!facts->path) {
		print_not_installed(facts);
		return;
	}
	printf("installed  %s\n", facts->path);
	printf("           version %s, for kernel %s, %s%s\n",
	       facts->version ? facts->version : "unknown",
	       facts->built_for ? facts->built_for : "unknown",
	       facts->signer ? "signed by " : "not signed",
	       facts->signer ? facts->signer : "");
	if (facts->built_for && strcmp(facts->built_for, facts->kernel) != 0)
		printf("           which is not this kernel: build it again\n");
}

static bool wants_signature(const struct module_facts *facts)
{
	return facts->signatures_enforced ||
	       (*facts->lockdown && strcmp(facts->lockdown, "none") != 0);
}

/* Which source serves while the module cannot. */
static void print_meanwhile(void)
{
	struct snapshot snapshot = { 0 };
	struct error err;

	if (source_collect(&live, NULL, &snapshot, &err) == 0)
		printf("meanwhile  the source %s serves\n", snapshot.source);
	else
		printf("meanwhile  no source serves: bufstat prints free's "
		       "table only\n");
	snapshot_deinit(&snapshot);
}

static void print_enrol(const struct module_key *key, const char *signer)
{
	const char *certificate = key->certificate ? key->certificate :
						     "CERTIFICATE.der";

	printf("key        %s: the kernel does not know it\n", signer);
	if (key->state == KEY_WAITING)
		printf("           a key waits to be enrolled: reboot and choose "
		       "Enroll MOK\n");
	else if (key->secure_boot)
		printf("           sudo mokutil --import %s\n"
		       "           then reboot and choose Enroll MOK\n",
		       certificate);
	else
		printf("           enrolling one (mokutil --import %s) takes "
		       "UEFI with Secure Boot,\n"
		       "           which this host has not started with\n",
		       certificate);
}

static void print_key(const struct module_facts *facts)
{
	struct module_key key;

	module_key_read(&key, &live, facts->signer);
	if (!facts->signer)
		printf("key        none: sign the module (make sign, or install "
		       "it with DKMS, which does)\n");
	else if (key.state == KEY_PRESENT)
		printf("key        %s: the kernel knows it\n", facts->signer);
	else if (key.state == KEY_UNKNOWN)
		printf("key        %s: does the kernel know it? (sudo mokutil "
		       "--test-key CERTIFICATE)\n",
		       facts->signer);
	else
		print_enrol(&key, facts->signer);
	if (key.state != KEY_PRESENT)
		print_meanwhile();
}

/* Will this kernel take the module that is installed? */
static void print_policy(const struct module_facts *facts)
{
	if (facts->modules_unsupported)
		printf("kernel     cannot load modules\n");
	else if (facts->modules_forbidden)
		printf("kernel     loads no modules until the next boot "
		       "(kernel.modules_disabled)\n");
	else if (wants_signature(facts))
		printf("kernel     takes signed modules only (lockdown %s%s)\n",
		       *facts->lockdown ? facts->lockdown : "unknown",
		       facts->signatures_enforced ? ", module.sig_enforce" :
						    "");
	else
		printf("kernel     takes unsigned modules\n");
	if (!facts->loaded && facts->path && wants_signature(facts))
		print_key(facts);
}

static void print_loaded(const struct module_facts *facts)
{
	const char *version = facts->loaded_version;

	if (!facts->loaded) {
		printf("loaded     no%s\n",
		       facts->path ? " (sudo bufstat module load)" : "");
		return;
	}
	printf("loaded     version %s%s\n", version ? version : "unknown",
	       version && strcmp(version, BUFSTAT_VERSION) != 0 ?
		       ", not the tool's" :
		       "");
	if (version && facts->version && strcmp(version, facts->version) != 0)
		printf("           version %s is installed: sudo sh -c 'bufstat "
		       "module unload &&\n"
		       "           bufstat module load'\n",
		       facts->version);
}

static int print_usable(void)
{
	unsigned int major, minor;
	struct error err;

	if (source_module_version(&live, &major, &minor, &err) < 0) {
		printf("usable     no, %s\n", err.text);
		return EXIT_NO_SOURCE;
	}
	if (major != BUFSTAT_DEVICES_MAJOR) {
		printf("usable     no, it writes format %u.%u and this bufstat "
		       "reads %d.x\n",
		       major, minor, BUFSTAT_DEVICES_MAJOR);
		return EXIT_NO_SOURCE;
	}
	printf("usable     yes, format %u.%u\n", major, minor);
	return EXIT_OK;
}

static int run_status(void)
{
	struct module_facts facts;
	struct error err;
	int ret = module_facts_init(&facts, &err);
	int code;

	printf("tool       version " BUFSTAT_VERSION ", kernel %s\n",
	       facts.kernel);
	if (ret < 0)
		error_print(&err);
	else
		print_installed(&facts);
	print_policy(&facts);
	print_loaded(&facts);
	code = print_usable();
	module_facts_deinit(&facts);
	return ret < 0 ? EXIT_FAILED : code;
}

/* What is done already is no failure; it is said on stderr all the same. */
static int finish(int ret, int done_already, const struct error *err)
{
	if (ret < 0)
		error_print(err);
	return ret < 0 && ret != done_already ? EXIT_FAILED : EXIT_OK;
}

static int usage_error(const char *word)
{
	struct error err;

	error_set(&err, EINVAL,
		  "reading arguments: %s: use status, load [FILE] or unload",
		  word);
	error_print(&err);
	return EXIT_FAILED;
}

int cmd_module(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "module";
	struct error err;
	int ret;

	if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0) {
		fputs(help_text, stdout);
		return EXIT_OK;
	}
	if (strcmp(verb, "status") == 0 && argc == 2)
		return run_status();
	if (strcmp(verb, "load") == 0 && argc <= 3) {
		ret = module_load(argc == 3 ? argv[2] : NULL, &err);
		return finish(ret, -EEXIST, &err);
	}
	if (strcmp(verb, "unload") == 0 && argc == 2) {
		ret = module_unload(&err);
		return finish(ret, -ENOENT, &err);
	}
	return usage_error(argc > 2 ? argv[2] : verb);
}

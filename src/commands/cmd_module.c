// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bufstat/devices.h>
#include <bufstat/version.h>

#include "cli/command_line.h"
#include "commands/command.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "measure/module_absence.h"
#include "measure/snapshot.h"
#include "measure/source.h"
#include "module/module.h"
#include "worker/reach.h"

static const struct sysroot live = { .fd = -1 };

/*
 * Says which kernels have the module instead, and how to get it for this one.
 */
static void print_not_installed(const struct module_facts *facts)
{
	_cleanup_(module_built_deinit) struct module_built built;
	_cleanup_(freep) char *kernels = NULL;
	char remedy[sizeof(((struct error *)NULL)->remedy)];

	printf("installed  no, not for this kernel\n");
	module_built_init(&built, &live, facts->kernel);
	module_built_find_kernels(&built, &live);
	kernels = string_list_join(&built.kernels, ", ");
	if (kernels && *kernels)
		printf("           only for kernel %s\n", kernels);
	/* If the module is not loaded, print_usable() prints the remedy. */
	if (facts->loaded &&
	    module_install_remedy(&live, facts->kernel, remedy, sizeof(remedy)))
		printf("           %s\n", remedy);
	if (built.failed)
		printf("           %s could not be read: %s\n", built.failed_at,
		       strerror(built.failed));
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

/* Names the source that serves as long as the module cannot. */
static void print_meanwhile(void)
{
	struct snapshot snapshot = { 0 };
	struct error err;

	if (source_collect(&live, NULL, &snapshot, &err) == 0)
		printf("meanwhile  bufstat measures with "
		       "%s\n",
		       snapshot.source);
	else
		printf("meanwhile  no source is usable: bufstat prints free's "
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
		printf("           enrolling one (mokutil --import %s) needs "
		       "UEFI with Secure Boot,\n"
		       "           and this host was started without it\n",
		       certificate);
}

static void print_key(const struct module_facts *facts)
{
	struct module_key key;

	module_key_read(&key, &live, facts->signer);
	if (!facts->signer)
		printf("key        none: sign the module (make sign; DKMS "
		       "signs it by itself)\n");
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

/* Says whether the kernel would accept the installed module. */
static void print_policy(const struct module_facts *facts)
{
	if (facts->policy.unsupported)
		printf("kernel     cannot load modules\n");
	else if (facts->policy.forbidden)
		printf("kernel     loads no modules until the next boot "
		       "(kernel.modules_disabled)\n");
	else if (module_policy_wants_signature(&facts->policy))
		printf("kernel     takes signed modules only (lockdown %s%s)\n",
		       facts->policy.lockdown ? facts->policy.lockdown :
						"unknown",
		       facts->policy.signatures_enforced ?
			       ", module.sig_enforce" :
			       "");
	else
		printf("kernel     takes unsigned modules\n");
	if (!facts->loaded && facts->path &&
	    module_policy_wants_signature(&facts->policy))
		print_key(facts);
}

static void print_loaded(const struct module_facts *facts)
{
	const char *version = facts->loaded_version;

	if (!facts->loaded) {
		printf("loaded     no\n");
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

/* Whether the kernel would accept the installed module. */
static bool can_be_loaded(const struct module_facts *facts)
{
	struct module_key key;

	if (!facts->path || module_policy_loads_none(&facts->policy))
		return false;
	if (!module_policy_wants_signature(&facts->policy))
		return true;
	module_key_read(&key, &live, facts->signer);
	return key.state == KEY_PRESENT;
}

/* Prints the hint that every command gives without the module. */
static void print_absent(const struct module_facts *facts)
{
	struct error absence;

	module_absence_of(&absence, &live, facts->kernel);
	if (can_be_loaded(facts)) {
		printf("usable     no, not loaded\n"
		       "remedy     sudo bufstat module load\n");
		return;
	}
	printf("usable     no, %s\n", absence.reason);
	/* print_key() has already printed the remedy for a key. */
	if (!facts->path || module_policy_loads_none(&facts->policy))
		printf("remedy     %s\n", absence.remedy);
}

static int print_usable(const struct module_facts *facts)
{
	unsigned int major, minor;
	char text[ERROR_TEXT_SIZE];
	struct error err;

	if (!facts->loaded) {
		print_absent(facts);
		return EXIT_NO_SOURCE;
	}
	if (source_module_version(&live, &major, &minor, &err) < 0) {
		printf("usable     no, %s\n", error_text(&err, text));
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

static int run_status(const char *operand __attribute__((unused)))
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
	code = print_usable(&facts);
	module_facts_deinit(&facts);
	return ret < 0 ? EXIT_FAILED : code;
}

/*
 * Loading a loaded module, or unloading one that is not loaded, is reported on
 * stderr but is no failure.
 */
static int finish(int ret, int done_already, const struct error *err)
{
	if (ret < 0)
		error_print(err);
	return ret < 0 && ret != done_already ? EXIT_FAILED : EXIT_OK;
}

static int run_load(const char *file)
{
	struct error err;
	int ret = file ? reach("loading the module", file, &err) : 0;

	if (!ret)
		ret = module_load(file, &err);
	return finish(ret, -EEXIST, &err);
}

static int run_unload(const char *operand __attribute__((unused)))
{
	struct error err;
	int ret = module_unload(&err);

	return finish(ret, -ENOENT, &err);
}

static const struct verb {
	const char *name;
	size_t operands; /* at most, not counting the verb */
	int (*run)(const char *operand);
} verbs[] = {
	{ "status", 0, run_status },
	{ "load", 1, run_load },
	{ "unload", 0, run_unload },
};

#define VERBS (sizeof(verbs) / sizeof(*verbs))

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < VERBS; i++) {
		if (strcmp(name, verbs[i].name) == 0)
			return &verbs[i];
	}
	return NULL;
}

static const char *verb_word(size_t which)
{
	return which < VERBS ? verbs[which].name : NULL;
}

static int check(void *data, struct error *err)
{
	const struct common_options *options = data;
	size_t count = options->operand_count;
	const char *word = count ? options->operands[0] : "module";
	const struct verb *verb = find_verb(word);

	if (verb && count <= 1 + verb->operands)
		return 0;
	return error_doing(err, EINVAL, "reading arguments",
			   count > 1 ? options->operands[1] : word,
			   "use status, load [FILE] or unload");
}

static int run(void *data, const struct sysroot *root __attribute__((unused)))
{
	const struct common_options *options = data;

	return find_verb(options->operands[0])
		->run(options->operand_count > 1 ? options->operands[1] : NULL);
}

const struct command_line command_module = {
	.name = "module",
	.brief = "state of the kernel module, load, unload",
	.rows = help_options,
	.operands = "status | load [FILE] | unload",
	.words = WORDS_FILES,
	.word = verb_word,
	.about =
		"The kernel module that counts the page cache device by "
		"device.\n"
		"\n"
		" status   installed, loaded, signed, usable? Exit status 0 if "
		"usable,\n"
		"          2 if not\n"
		" load     load the installed module, or the one in FILE\n"
		" unload   unload it; nothing of it stays\n",
	.options_size = sizeof(struct common_options),
	.check = check,
	.run = run,
};

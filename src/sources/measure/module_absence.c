// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "kernel/lockdown.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/sysroot.h"
#include "measure/module_absence.h"
#include "worker/ask.h"

static bool file_begins_with(const struct sysroot *root, const char *path,
			     char wanted)
{
	_cleanup_(freep) char *text = NULL;

	return sysroot_read(root, path, 4096, &text, NULL) == 0 &&
	       *text == wanted;
}

void module_policy_read(struct module_policy *policy,
			const struct sysroot *root)
{
	*policy = (struct module_policy){
		.unsupported = !sysroot_exists(root, "/proc/modules"),
		.forbidden = file_begins_with(
			root, "/proc/sys/kernel/modules_disabled", '1'),
		.signatures_enforced = file_begins_with(
			root, "/sys/module/module/parameters/sig_enforce", 'Y'),
		.lockdown = lockdown_level(root),
	};
}

bool module_policy_wants_signature(const struct module_policy *policy)
{
	return policy->signatures_enforced ||
	       lockdown_restricts(policy->lockdown);
}

bool module_install_remedy(const struct sysroot *root, const char *kernel,
			   char *remedy, size_t size)
{
	_cleanup_(module_built_deinit) struct module_built built;
	char headers[192] = "";

	module_built_init(&built, root, kernel);
	if (built.for_kernel)
		return false;
	if (!built.has_headers)
		snprintf(headers, sizeof(headers),
			 "install linux-headers-%s or kernel-devel-%s, then ",
			 kernel, kernel);
	if (built.dkms_version)
		snprintf(remedy, size, "%ssudo dkms install bufstat/%s -k %s",
			 headers, built.dkms_version, kernel);
	else
		snprintf(remedy, size,
			 "%sinstall the package bufstat-dkms or dkms-bufstat, "
			 "or say in the source: make module && sudo make "
			 "module-install",
			 headers);
	return true;
}

#define MAX_KEYS (1U << 20)

/* Cuts the signer's name out of a line of /proc/keys. Returns it, or NULL. */
static const char *cut_name(char *line)
{
	static const char type[] = " asymmetri ";
	char *name = strstr(line, type);
	char *end = name ? strstr(name, ": X509") : NULL;

	if (!end)
		return NULL;
	*end = '\0';
	name += strlen(type);
	end = strrchr(name, ':');
	if (!end)
		return NULL;
	*end = '\0';
	/* An organisation may come before the name. */
	end = strrchr(name, ':');
	return end && end[1] ? end + 2 : name;
}

static bool key_is_known(const struct sysroot *root, const char *certificate)
{
	_cleanup_(freep) char *keys = NULL, *data = NULL;
	char *rest, *line;
	size_t size;

	if (sysroot_read(root, "/proc/keys", MAX_KEYS, &keys, NULL) < 0 ||
	    sysroot_read(root, certificate, MAX_KEYS, &data, &size) < 0)
		return false;
	rest = keys;
	while ((line = strsep(&rest, "\n"))) {
		const char *name = cut_name(line);

		if (name && *name && memmem(data, size, name, strlen(name)))
			return true;
	}
	return false;
}

static void explain_signature(struct error *err,
			      const struct module_policy *policy,
			      const struct sysroot *root)
{
	struct module_key key;
	char by[32] = "this kernel";

	if (!policy->signatures_enforced)
		snprintf(by, sizeof(by), "lockdown=%s", policy->lockdown);
	lack_error(err, LACK_SIGNATURE, by);
	module_key_read(&key, root, NULL);
	if (key.certificate && key_is_known(root, key.certificate))
		error_remedy(err, 0, "sudo bufstat module load");
	else if (key.is_waiting)
		error_remedy(err, 0, "reboot and choose Enroll MOK");
	else if (key.certificate)
		error_remedy(err, 0,
			     "sudo mokutil --import %s, then reboot and choose "
			     "Enroll MOK",
			     key.certificate);
	else
		error_remedy(err, 0,
			     "sign it and enrol the key: mokutil --import "
			     "KEY.der");
}

void module_absence_of(struct error *err, const struct sysroot *root,
		       const char *kernel)
{
	char remedy[sizeof(err->remedy)];
	struct module_policy policy;

	module_policy_read(&policy, root);
	if (policy.unsupported) {
		lack_error(err, LACK_MODULES, NULL);
	} else if (policy.forbidden) {
		lack_error(err, LACK_PERMISSION_TO_LOAD, NULL);
	} else if (module_install_remedy(root, kernel, remedy,
					 sizeof(remedy))) {
		lack_error(err, LACK_INSTALLATION, kernel);
		error_remedy(err, 0, "%s", remedy);
	} else if (module_policy_wants_signature(&policy)) {
		explain_signature(err, &policy, root);
	} else {
		lack_error(err, LACK_MODULE, NULL);
	}
}

static void read_running(struct error *err, const struct sysroot *root)
{
	struct utsname system = { .release = "" };

	uname(&system);
	module_absence_of(err, root, system.release);
}

static size_t read_in_worker(const void *data, size_t index, void *answer)
{
	(void)index;
	read_running(answer, data);
	return sizeof(struct error);
}

void module_absence_complete(struct error *err, const struct sysroot *root)
{
	struct ask question = {
		.answer = read_in_worker,
		.data = root,
		.answer_size = sizeof(*err),
		.kept = -1,
		.what = "the module's files",
		.stuck_on = "the module's files",
	};
	const struct error *answer;
	struct error whole;
	struct asked *asked = NULL;
	char why[ASK_WHY];
	int ret;

	if (err->lack != LACK_MODULE)
		return;
	whole = *err;
	if (!sysroot_is_live(root))
		read_running(&whole, root);
	else if ((answer = ask_one(&question, &asked, &ret, NULL)))
		whole = *answer;
	else if (asked)
		lack_error(&whole, LACK_MODULE_FILES, asked_why(asked, 0, why));
	error_within(&whole, 0, NULL, err->object);
	*err = whole;
	asked_destroy(asked);
}

#define MODULES "/lib/modules"
#define DKMS "/var/lib/dkms/bufstat"
#define MAX_PATH 512

/* Looks where DKMS and `make module-install` put it, compressed or not. */
static bool is_installed(const struct sysroot *root, const char *kernel)
{
	static const char *const directories[] = { "updates/dkms", "updates",
						   "extra" };
	static const char *const endings[] = { "", ".xz", ".zst", ".gz" };
	char path[MAX_PATH];

	for (size_t i = 0; i < sizeof(directories) / sizeof(*directories);
	     i++) {
		for (size_t j = 0; j < sizeof(endings) / sizeof(*endings);
		     j++) {
			snprintf(path, sizeof(path),
				 MODULES "/%s/%s/bufstat.ko%s", kernel,
				 directories[i], endings[j]);
			if (sysroot_exists(root, path))
				return true;
		}
	}
	return false;
}

/* A directory that does not exist counts as empty. */
static void note(struct module_built *built, const char *directory, int error)
{
	if (error >= 0 || error == -ENOENT || error == -ENOTDIR)
		return;
	built->failed = -error;
	built->failed_at = directory;
}

void module_built_find_kernels(struct module_built *built,
			       const struct sysroot *root)
{
	_cleanup_(closedirp) DIR *dir = sysroot_opendir(root, MODULES);
	const char *name;
	int ret = dir ? 0 : -errno;

	while (dir && (ret = sysroot_next_name(dir, &name)) > 0) {
		if (is_installed(root, name) &&
		    string_list_add(&built->kernels, name) < 0)
			note(built, MODULES, -ENOMEM);
	}
	note(built, MODULES, ret);
}

/* DKMS has a directory for each version, next to a link for each kernel. */
static void find_dkms(struct module_built *built, const struct sysroot *root)
{
	_cleanup_(closedirp) DIR *dir = sysroot_opendir(root, DKMS);
	const char *name;
	char path[MAX_PATH];
	int ret = dir ? 0 : -errno;

	while (dir && !built->dkms_version &&
	       (ret = sysroot_next_name(dir, &name)) > 0) {
		snprintf(path, sizeof(path), DKMS "/%s/source", name);
		if (sysroot_exists(root, path))
			built->dkms_version = strdup(name);
	}
	note(built, DKMS, ret);
}

void module_built_init(struct module_built *built, const struct sysroot *root,
		       const char *kernel)
{
	char path[MAX_PATH];

	*built = (struct module_built){ 0 };
	built->for_kernel = is_installed(root, kernel);
	find_dkms(built, root);
	snprintf(path, sizeof(path), MODULES "/%s/build/Makefile", kernel);
	built->has_headers = sysroot_exists(root, path);
}

void module_built_deinit(struct module_built *built)
{
	string_list_deinit(&built->kernels);
	free(built->dkms_version);
	*built = (struct module_built){ 0 };
}

#define EFIVARS "/sys/firmware/efi/efivars/"
#define SECURE_BOOT EFIVARS "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define MOK_NEW EFIVARS "MokNew-605dab50-e046-4300-abb6-3dd810dd8b23"

/*
 * The variable holds four bytes of attributes, then a 1 if Secure Boot is on.
 */
static bool read_secure_boot(const struct sysroot *root)
{
	_cleanup_(freep) char *data = NULL;
	size_t size;

	return sysroot_read(root, SECURE_BOOT, 4096, &data, &size) == 0 &&
	       size == 5 && data[4] == 1;
}

/*
 * Lines look like "ID FLAGS USES TIMEOUT PERM UID GID asymmetri NAME: KEYID:
 * X509.rsa ...". NAME ends with the signer's name.
 */
static bool has_key(char *keys, const char *signer)
{
	size_t length = strlen(signer);
	char *line;

	while ((line = strsep(&keys, "\n"))) {
		const char *name = strstr(line, " asymmetri ");

		while (name && (name = strstr(name + 1, signer))) {
			if (name[-1] == ' ' &&
			    strncmp(name + length, ": ", 2) == 0)
				return true;
		}
	}
	return false;
}

static enum key_state read_state(const struct sysroot *root, const char *signer)
{
	_cleanup_(freep) char *keys = NULL;

	if (!signer ||
	    sysroot_read(root, "/proc/keys", MAX_KEYS, &keys, NULL) < 0)
		return KEY_UNKNOWN;
	if (has_key(keys, signer))
		return KEY_PRESENT;
	return sysroot_exists(root, MOK_NEW) ? KEY_WAITING : KEY_ABSENT;
}

void module_key_read(struct module_key *key, const struct sysroot *root,
		     const char *signer)
{
	/* The certificates of DKMS itself and of Ubuntu's DKMS. */
	static const char *const certificates[] = {
		"/var/lib/dkms/mok.pub",
		"/var/lib/shim-signed/mok/MOK.der",
	};

	*key = (struct module_key){
		.secure_boot = read_secure_boot(root),
		.is_waiting = sysroot_exists(root, MOK_NEW),
		.state = read_state(root, signer),
	};
	for (size_t i = 0; i < sizeof(certificates) / sizeof(*certificates);
	     i++) {
		if (!key->certificate && sysroot_exists(root, certificates[i]))
			key->certificate = certificates[i];
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libkmod.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bufstat/devices.h>
#include <bufstat/filesystems.h>

#include "kernel/lockdown.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/library.h"
#include "lib/sysroot.h"
#include "module/module.h"
#include "names/mountinfo.h"

#define MODULE "bufstat"
#define LIBKMOD "libkmod"
#define CONTROL_DEVICE "/dev/" BUFSTAT_DEVICE
#define DEVICES_FILE                                                           \
	"/sys/kernel/debug/" BUFSTAT_DEBUGFS_DIR "/" BUFSTAT_DEBUGFS_DEVICES

#define LOADING "loading the module"
#define UNLOADING "unloading the module"

static const struct sysroot live = { .fd = -1 };

/* libkmod's functions, under their names without "kmod_". */
struct kmod {
	void *library;
	struct kmod_ctx *context;
	struct kmod_module *module;
	__typeof__(kmod_new) *new;
	__typeof__(kmod_unref) *unref;
	__typeof__(kmod_set_log_priority) *set_log_priority;
	__typeof__(kmod_module_new_from_name) *module_new_from_name;
	__typeof__(kmod_module_new_from_path) *module_new_from_path;
	__typeof__(kmod_module_unref) *module_unref;
	__typeof__(kmod_module_get_path) *module_get_path;
	__typeof__(kmod_module_get_info) *module_get_info;
	__typeof__(kmod_module_info_get_key) *module_info_get_key;
	__typeof__(kmod_module_info_get_value) *module_info_get_value;
	__typeof__(kmod_module_info_free_list) *module_info_free_list;
	__typeof__(kmod_list_next) *list_next;
	__typeof__(kmod_module_probe_insert_module) *module_probe_insert_module;
	__typeof__(kmod_module_remove_module) *module_remove_module;
};

static void kmod_deinit(struct kmod *kmod)
{
	if (kmod->module)
		kmod->module_unref(kmod->module);
	if (kmod->context)
		kmod->unref(kmod->context);
	if (kmod->library)
		dlclose(kmod->library);
}

static int open_library(struct kmod *kmod, struct error *err)
{
	const struct library_symbol symbols[] = {
		{ "kmod_new", &kmod->new },
		{ "kmod_unref", &kmod->unref },
		{ "kmod_set_log_priority", &kmod->set_log_priority },
		{ "kmod_module_new_from_name", &kmod->module_new_from_name },
		{ "kmod_module_new_from_path", &kmod->module_new_from_path },
		{ "kmod_module_unref", &kmod->module_unref },
		{ "kmod_module_get_path", &kmod->module_get_path },
		{ "kmod_module_get_info", &kmod->module_get_info },
		{ "kmod_module_info_get_key", &kmod->module_info_get_key },
		{ "kmod_module_info_get_value", &kmod->module_info_get_value },
		{ "kmod_module_info_free_list", &kmod->module_info_free_list },
		{ "kmod_list_next", &kmod->list_next },
		{ "kmod_module_probe_insert_module",
		  &kmod->module_probe_insert_module },
		{ "kmod_module_remove_module", &kmod->module_remove_module },
	};

	return library_open(LIBRARY_KMOD, symbols,
			    sizeof(symbols) / sizeof(*symbols), &kmod->library,
			    err);
}

/* Without @path, takes the module installed for the running kernel. */
static int kmod_init(struct kmod *kmod, const char *path, struct error *err)
{
	int ret;

	*kmod = (struct kmod){ 0 };
	ret = open_library(kmod, err);
	if (ret < 0)
		goto fail;
	kmod->context = kmod->new (NULL, NULL);
	if (!kmod->context) {
		ret = error_errno(err, errno, "handling the module", LIBKMOD);
		goto fail;
	}
	/* The messages below say it better than libkmod's. */
	kmod->set_log_priority(kmod->context, 0);
	if (path)
		ret = kmod->module_new_from_path(kmod->context, path,
						 &kmod->module);
	else
		ret = kmod->module_new_from_name(kmod->context, MODULE,
						 &kmod->module);
	if (ret < 0) {
		error_errno(err, -ret, "handling the module",
			    path ? path : MODULE);
		goto fail;
	}
	return 0;
fail:
	kmod_deinit(kmod);
	return ret;
}

/* Keeps the first word of @value, unless there is one already. */
static void keep(char **place, const char *value)
{
	if (!*place)
		*place = strndup(value, strcspn(value, " \n"));
}

static void read_file_facts(struct module_facts *facts, struct kmod *kmod)
{
	const char *path = kmod->module_get_path(kmod->module);
	struct kmod_list *list = NULL, *item;

	if (!path)
		return;
	facts->path = strdup(path);
	if (kmod->module_get_info(kmod->module, &list) < 0)
		return;
	for (item = list; item; item = kmod->list_next(list, item)) {
		const char *key = kmod->module_info_get_key(item);
		const char *value = kmod->module_info_get_value(item);

		if (strcmp(key, "version") == 0)
			keep(&facts->version, value);
		else if (strcmp(key, "vermagic") == 0)
			keep(&facts->built_for, value);
		else if (strcmp(key, "signer") == 0 && !facts->signer)
			facts->signer = strdup(value);
	}
	kmod->module_info_free_list(list);
}

static void read_kernel_facts(struct module_facts *facts)
{
	_cleanup_(freep) char *version = NULL;
	struct utsname system;

	if (uname(&system) == 0)
		snprintf(facts->kernel, sizeof(facts->kernel), "%s",
			 system.release);
	facts->loaded = access("/sys/module/" MODULE, F_OK) == 0;
	if (facts->loaded &&
	    sysroot_read(&live, "/sys/module/" MODULE "/version", 4096,
			 &version, NULL) == 0)
		keep(&facts->loaded_version, version);
	module_policy_read(&facts->policy, &live);
}

int module_facts_init(struct module_facts *facts, struct error *err)
{
	struct kmod kmod;
	int ret;

	*facts = (struct module_facts){ 0 };
	read_kernel_facts(facts);
	ret = kmod_init(&kmod, NULL, err);
	if (ret < 0)
		return ret;
	read_file_facts(facts, &kmod);
	kmod_deinit(&kmod);
	return 0;
}

void module_facts_deinit(struct module_facts *facts)
{
	free(facts->path);
	free(facts->version);
	free(facts->built_for);
	free(facts->signer);
	free(facts->loaded_version);
	*facts = (struct module_facts){ 0 };
}

static int not_permitted(int number, const char *doing,
			 const struct module_facts *facts, struct error *err)
{
	const char *reason = "the kernel refuses it";

	if (geteuid() != 0)
		return error_advise(err, number, doing, MODULE, "use sudo",
				    "needs root");
	if (facts->policy.forbidden)
		reason = "kernel.modules_disabled is 1 until the next boot";
	else if (lockdown_restricts(facts->policy.lockdown))
		reason = "lockdown (Secure Boot) refuses a module that is not "
			 "signed with an enrolled key: sign it and enrol the "
			 "key with mokutil --import; until then cachestat "
			 "serves on Linux 6.5 and newer";
	return error_doing(err, number, doing, MODULE, "%s", reason);
}

static int explain_not_found(int number, const struct module_facts *facts,
			     struct error *err)
{
	struct error absence;

	module_absence_of(&absence, &live, facts->kernel);
	if (absence.lack != LACK_MODULE && absence.lack != LACK_SIGNATURE)
		return error_remedy(err,
				    error_doing(err, number, LOADING, MODULE,
						"%s", absence.reason),
				    "%s", absence.remedy);
	return error_remedy(err,
			    error_doing(err, number, LOADING, MODULE,
					"installed, but not in the list of "
					"modules"),
			    "sudo depmod %s", facts->kernel);
}

static int explain_load(int number, const char *path,
			const struct module_facts *facts, struct error *err)
{
	const char *object = path ? path : MODULE;
	const char *reason = strerror(number), *remedy = "";
	int ret;

	switch (number) {
	case EEXIST:
		reason = "it is loaded already";
		break;
	case ENOENT:
		if (!path)
			return explain_not_found(number, facts, err);
		break;
	case EPERM:
		return not_permitted(number, LOADING, facts, err);
	case EKEYREJECTED:
	case ENOKEY:
		reason = "not signed with a key that this kernel trusts";
		remedy = "sign it and enrol the key with mokutil --import";
		break;
	case ENOEXEC:
		reason = "built for another kernel";
		remedy = "build it again for the running one";
		break;
	case ENOSYS:
		reason = "this kernel cannot load modules";
		remedy = "boot one with CONFIG_MODULES=y";
		break;
	}
	ret = error_doing(err, number, LOADING, object, "%s", reason);
	return error_remedy(err, ret, "%s", remedy);
}

/*
 * The filesystem's mount point, which the caller frees. NULL if it has none or
 * out of memory.
 */
static char *find_mount_point(unsigned int major, unsigned int minor)
{
	struct mountinfo info;
	char *target = NULL;

	if (mountinfo_init(&info, &live, "/proc/self/mountinfo") == 0) {
		for (size_t i = 0; i < info.count && !target; i++) {
			if (info.mounts[i].major == major &&
			    info.mounts[i].minor == minor)
				target = strdup(info.mounts[i].target);
		}
	}
	mountinfo_deinit(&info);
	return target;
}

/*
 * Where the kernel thread that lets go of the inodes waits, as the end of a
 * sentence that the caller frees. NULL if none waits, or out of memory.
 */
static char *describe_wait(const struct bufstat_held_filesystem *held)
{
	unsigned int thread = BUFSTAT_HELD_THREAD(held->about);
	_cleanup_(freep) char *where = NULL;
	char path[64], *text = NULL;

	snprintf(path, sizeof(path), "/proc/%u/wchan", thread);
	/* "0": it does not wait. */
	if (!thread || sysroot_read(&live, path, 4096, &where, NULL) < 0 ||
	    strcmp(where, "0") == 0 ||
	    asprintf(&text, ": kernel thread %u waits in %s", thread, where) <
		    0)
		return NULL;
	return text;
}

static int explain_held(int number, const struct bufstat_held_filesystem *held,
			struct error *err)
{
	_cleanup_(freep) char *at = find_mount_point(held->major, held->minor);
	_cleanup_(freep) char *waits = describe_wait(held);
	bool is_frozen = held->about & BUFSTAT_HELD_FROZEN;
	int ret = error_doing(err, number, UNLOADING, MODULE,
			      "for %u s it has kept %llu inode%s of %s "
			      "(%s, %s)%s%s",
			      held->seconds, (unsigned long long)held->inodes,
			      held->inodes == 1 ? "" : "s",
			      at ? at : "a filesystem that is mounted nowhere",
			      (const char *)held->id, (const char *)held->type,
			      is_frozen ? ", which is frozen, until the thaw" :
			      waits ? ", whose disk or server does not answer" :
				      "",
			      waits ? waits : "");

	if (is_frozen)
		return error_remedy(err, ret, "fsfreeze --unfreeze %s",
				    at ? at : "MOUNTPOINT");
	return error_remedy(err, ret, "try again%s",
			    waits ? " when it does" : "");
}

/* Says who uses the module. */
static int explain_in_use(int number, struct error *err)
{
	struct bufstat_held held = { .version = BUFSTAT_FILESYSTEMS_VERSION };
	_cleanup_(closep) int fd = open(CONTROL_DEVICE, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && ioctl(fd, BUFSTAT_IOC_HELD, &held) == 0 && held.count)
		return explain_held(number, &held.rows[0], err);
	return error_remedy(
		err,
		error_doing(err, number, UNLOADING, MODULE,
			    "somebody has %s or %s open", DEVICES_FILE,
			    CONTROL_DEVICE),
		"try again: a bufstat that measures has them open for a moment; "
		"fuser -v %s %s shows who keeps them",
		DEVICES_FILE, CONTROL_DEVICE);
}

static int explain_unload(int number, const struct module_facts *facts,
			  struct error *err)
{
	switch (number) {
	case ENOENT:
		return error_doing(err, number, UNLOADING, MODULE,
				   "it is not loaded");
	case EBUSY:
	case EAGAIN:
		return explain_in_use(number, err);
	case EPERM:
		return not_permitted(number, UNLOADING, facts, err);
	default:
		return error_errno(err, number, UNLOADING, MODULE);
	}
}

int module_load(const char *path, struct error *err)
{
	struct module_facts facts = { 0 };
	struct kmod kmod;
	int ret = kmod_init(&kmod, path, err);

	if (ret < 0)
		return ret;
	ret = kmod.module_probe_insert_module(
		kmod.module, KMOD_PROBE_FAIL_ON_LOADED, NULL, NULL, NULL, NULL);
	if (ret < 0) {
		read_kernel_facts(&facts);
		explain_load(-ret, path, &facts, err);
		module_facts_deinit(&facts);
	}
	kmod_deinit(&kmod);
	return ret;
}

int module_unload(struct error *err)
{
	struct module_facts facts = { 0 };
	struct kmod kmod;
	int ret = kmod_init(&kmod, NULL, err);

	if (ret < 0)
		return ret;
	ret = kmod.module_remove_module(kmod.module, 0);
	/* A kernel without support for modules has none loaded. */
	if (ret == -ENOSYS)
		ret = -ENOENT;
	if (ret < 0) {
		read_kernel_facts(&facts);
		explain_unload(-ret, &facts, err);
		module_facts_deinit(&facts);
	}
	kmod_deinit(&kmod);
	return ret;
}

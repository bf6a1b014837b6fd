// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgroups/container.h"

enum {
	ID_LENGTH = 64, /* hexadecimal digits of a container's id */
	ID_SHOWN = 12,
	UID_LENGTH = 36, /* of a pod: 01234567-89ab-... */
};

/* A cgroup that systemd made for a runtime: PREFIX ID ".scope". */
static const struct runtime {
	const char *prefix;
	const char *shown;
} runtimes[] = {
	{ "docker-", "docker" },      { "libpod-", "podman" },
	{ "crio-", "crio" },	      { "cri-containerd-", "containerd" },
	{ "nerdctl-", "containerd" },
};

/*
 * A cgroup that the runtime made itself is called by the id alone. What is
 * above it says whose it is.
 */
static const struct runtime parents[] = {
	{ "/docker/", "docker" },
	{ "/libpod_parent/", "podman" },
	{ "/kubepods/", "container" },
	{ "/kubepods.slice/", "container" },
};

static int print(char **text, const char *kind, const char *name, int length)
{
	if (asprintf(text, "%s:%.*s", kind, length, name) >= 0)
		return 0;
	*text = NULL;
	return -ENOMEM;
}

static bool is_id(const char *text)
{
	return strspn(text, "0123456789abcdef") == ID_LENGTH;
}

static const char *after(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

/* Returns 1 with *@text set, 0 if it is none of these, or -ENOMEM. */
static int name_by_id(const char *name, const char *path, char **text)
{
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++) {
		const char *id = after(name, runtimes[i].prefix);

		if (id && is_id(id) && strcmp(id + ID_LENGTH, ".scope") == 0)
			return print(text, runtimes[i].shown, id, ID_SHOWN) ?:
									      1;
	}
	if (!is_id(name) || name[ID_LENGTH])
		return 0;
	for (size_t i = 0; i < sizeof(parents) / sizeof(*parents); i++) {
		if (strstr(path, parents[i].prefix))
			return print(text, parents[i].shown, name, ID_SHOWN) ?:
									       1;
	}
	return 0;
}

/*
 * "pod<UID>" below kubepods, or "kubepods-burstable-pod<UID>.slice", in which
 * systemd's hierarchy takes the dashes and the UID has underscores.
 */
static int name_pod(const char *name, const char *path, char **text)
{
	bool is_slice = strncmp(name, "kubepods-", strlen("kubepods-")) == 0;
	const char *uid = is_slice ? strstr(name, "-pod") : NULL;
	int ret;

	if (uid)
		uid += strlen("-pod");
	else if (strstr(path, "/kubepods/"))
		uid = after(name, "pod");
	if (!uid || strspn(uid, "0123456789abcdef-_") != UID_LENGTH ||
	    strcmp(uid + UID_LENGTH, is_slice ? ".slice" : "") != 0)
		return 0;
	ret = print(text, "pod", uid, UID_LENGTH);
	for (char *c = *text; !ret && (c = strchr(c, '_'));)
		*c = '-';
	return ret ?: 1;
}

/* Undoes systemd's escapes, such as \x2d for a dash, in place. */
static void unescape(char *text)
{
	char *to = text;

	while (*text) {
		if (text[0] == '\\' && text[1] == 'x' &&
		    isxdigit((unsigned char)text[2]) &&
		    isxdigit((unsigned char)text[3])) {
			const char digits[] = { text[2], text[3], '\0' };
			char byte = (char)strtol(digits, NULL, 16);

			/* A NUL would cut the name. */
			if (byte) {
				*to++ = byte;
				text += 4;
				continue;
			}
		}
		*to++ = *text++;
	}
	*to = '\0';
}

/* "machine-qemu\x2d1\x2dweb.scope" is of the machine qemu-1-web. */
static int name_machine(const char *name, char **text)
{
	static const char *const forms[][2] = {
		{ "machine-", ".scope" },
		{ "systemd-nspawn@", ".service" },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		const char *machine = after(name, forms[i][0]);
		size_t tail = strlen(forms[i][1]);
		size_t length = machine ? strlen(machine) : 0;

		if (length <= tail ||
		    strcmp(machine + length - tail, forms[i][1]) != 0)
			continue;
		if (print(text, "machine", machine, (int)(length - tail)) < 0)
			return -ENOMEM;
		unescape(*text);
		return 1;
	}
	return 0;
}

static int name_lxc(const char *name, const char *path, char **text)
{
	const char *container = after(name, "lxc.payload.");
	size_t length = strlen(path) - strlen(name);

	/* LXC 3 and older: /lxc/NAME. */
	if (!container && length >= strlen("/lxc/") &&
	    strncmp(path + length - strlen("/lxc/"), "/lxc/",
		    strlen("/lxc/")) == 0)
		container = name;
	if (!container || !*container)
		return 0;
	return print(text, "lxc", container, (int)strlen(container)) ?: 1;
}

int container_name(const char *name, const char *path, char **text)
{
	int ret;

	*text = NULL;
	ret = name_by_id(name, path, text);
	if (!ret)
		ret = name_pod(name, path, text);
	if (!ret)
		ret = name_machine(name, text);
	if (!ret)
		ret = name_lxc(name, path, text);
	return ret < 0 ? ret : 0;
}

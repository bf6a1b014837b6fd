// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/redact.h"
#include "capture/redact_text.h"
#include "lib/cleanup.h"
#include "fields/fields.h"
#include "lib/number.h"
#include "lib/sentence.h"
#include "lib/utf8.h"
#include "names/mountinfo.h"
#include "names/pid_namespace.h"

/* Stands for what nothing is known of. */
#define REDACTED "redacted"

/* Text that is being rewritten. */
struct rewriting {
	struct redactor *redactor;
	struct sentence out;
};

/* NULL: memory ran out. */
static void put(struct rewriting *rewriting, const char *word)
{
	if (word)
		say(&rewriting->out, "%s", word);
	else
		rewriting->out.failed = true;
}

/* The same for @size bytes of it. */
static void put_part(struct rewriting *rewriting, const char *text, size_t size)
{
	say(&rewriting->out, "%.*s", (int)size, text);
}

static void put_name(struct rewriting *rewriting, enum redact_kind kind,
		     const char *name)
{
	put(rewriting, redact_name(rewriting->redactor, kind, name));
}

static void put_path(struct rewriting *rewriting, const char *path)
{
	put(rewriting, redact_path(rewriting->redactor, path));
}

/* Types of filesystems, and what they call their sources. */
static bool is_usual_source(const char *source)
{
	static const char *const usual[] = {
		"",	  "-",	       "none",	      "tmpfs",	 "devtmpfs",
		"proc",	  "sysfs",     "rootfs",      "overlay", "udev",
		"shm",	  "devpts",    "cgroup",      "cgroup2", "hugetlbfs",
		"mqueue", "debugfs",   "tracefs",     "bpf",	 "configfs",
		"pstore", "efivarfs",  "securityfs",  "fusectl", "ramfs",
		"nsfs",	  "systemd-1", "binfmt_misc", "autofs",	 "nfsd",
		"sunrpc", "selinuxfs",
	};

	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++) {
		if (strcmp(source, usual[i]) == 0)
			return true;
	}
	return false;
}

static void put_source(struct rewriting *rewriting, const char *source)
{
	if (is_usual_source(source))
		put(rewriting, source);
	else if (strchr(source, '/'))
		put_path(rewriting, source);
	else
		put_name(rewriting, REDACT_VOLUME, source);
}

/* What ends a path in a message. A blank alone may be a part of it. */
static size_t path_length(const char *text)
{
	size_t length = strcspn(text, ":,;()\n");

	while (text[length] && !strchr("()\n", text[length]) &&
	       text[length + 1] && !strchr(" \n", text[length + 1]))
		length += 1 + strcspn(text + length + 1, ":,;()\n");
	return length;
}

/* A message: what begins with a slash is a path, but not "Input/output". */
static void put_message(struct rewriting *rewriting, const char *text)
{
	for (const char *start = text; *text;) {
		size_t length = strcspn(text, "/");
		_cleanup_(freep) char *path = NULL;

		put_part(rewriting, text, length);
		text += length;
		if (text > start && !strchr(" \n\"'(", text[-1])) {
			put_part(rewriting, text, *text != '\0');
			text += *text != '\0';
			continue;
		}
		length = path_length(text);
		path = strndup(text, length);
		if (!path ||
		    (strncmp(path, "/proc/", 6) == 0 && !strchr(path + 6, '/')))
			put(rewriting, path);
		else if (*path)
			put_path(rewriting, path);
		text += length;
	}
}

/* The kernel's own names stay, as in a path. */
static void put_volume(struct rewriting *rewriting, const char *name)
{
	_cleanup_(freep) char *path = NULL;
	const char *word = NULL;

	if (strchr(name, '/')) {
		put_path(rewriting, name);
		return;
	}
	if (asprintf(&path, "/dev/mapper/%s", name) >= 0)
		word = redact_path(rewriting->redactor, path);
	put(rewriting, word ? strrchr(word, '/') + 1 : NULL);
}

/* "sh(164)" */
static void put_user(struct rewriting *rewriting, const char *user)
{
	const char *pid = strrchr(user, '(');
	_cleanup_(freep) char *name =
		strndup(user, pid ? (size_t)(pid - user) : strlen(user));

	if (strcmp(user, PROCESSES_OUTSIDE) == 0) {
		put(rewriting, user);
		return;
	}
	put(rewriting, name ? redact_process(rewriting->redactor, name) : NULL);
	if (pid)
		put(rewriting, pid);
}

static void put_value(struct rewriting *rewriting, enum field_says says,
		      const char *value)
{
	switch (says) {
	case SAYS_WORD:
	case SAYS_KIND:
		put(rewriting, value);
		break;
	case SAYS_PLACE:
	case SAYS_FILE:
	case SAYS_CGROUP:
		put_path(rewriting, value);
		break;
	case SAYS_SOURCE:
		put_source(rewriting, value);
		break;
	case SAYS_VOLUME:
		put_volume(rewriting, value);
		break;
	case SAYS_PROCESS:
		put(rewriting, redact_process(rewriting->redactor, value));
		break;
	case SAYS_USER:
		put_user(rewriting, value);
		break;
	case SAYS_MESSAGE:
		put_message(rewriting, value);
		break;
	case SAYS_NOTHING:
	case SAYS_OWNER:
		put(rewriting, REDACTED);
		break;
	}
}

char *redact_value(struct redactor *redactor, enum field_says says,
		   const char *value)
{
	struct rewriting rewriting = { .redactor = redactor };
	char *text;

	sentence_begin(&rewriting.out);
	put_value(&rewriting, says, value);
	sentence_end(&rewriting.out, &text);
	return text;
}

/* ---- files --------------------------------------------------------------- */

/* The kernel writes a space in a path as \040. */
static void put_field(struct rewriting *rewriting, const char *field,
		      size_t length, bool is_source)
{
	_cleanup_(freep) char *text = strndup(field, length);

	if (text)
		octal_unescape(text);
	if (!text)
		put(rewriting, NULL);
	else if (is_source)
		put_source(rewriting, text);
	else
		put_path(rewriting, text);
}

static void rewrite_mountinfo(struct rewriting *rewriting, const char *text)
{
	struct mountinfo_word word = { .next = text };

	while (mountinfo_next(&word)) {
		if (word.field == MOUNTINFO_ROOT ||
		    word.field == MOUNTINFO_TARGET ||
		    word.field == MOUNTINFO_SOURCE)
			put_field(rewriting, word.text, word.length,
				  word.field == MOUNTINFO_SOURCE);
		else
			put_part(rewriting, word.text, word.length);
		if (word.end)
			put_part(rewriting, &word.end, 1);
	}
}

/* The first line is a heading. */
static void rewrite_swaps(struct rewriting *rewriting, const char *at)
{
	for (bool is_heading = true; *at; is_heading = false) {
		size_t length = is_heading ? 0 : strcspn(at, " \t\n");
		size_t line = strcspn(at, "\n");

		put_field(rewriting, at, length, false);
		line += at[line] == '\n';
		put_part(rewriting, at + length, line - length);
		at += line;
	}
}

/* A value in quotes after its name, and the device between ">" and "<". */
static void rewrite_blkid(struct rewriting *rewriting, const char *at)
{
	while (*at) {
		size_t length = strcspn(at, "\">");
		bool is_id = length >= 5 &&
			     memcmp(at + length - 5, "UUID=", 5) == 0;
		bool is_label = length >= 6 &&
				memcmp(at + length - 6, "LABEL=", 6) == 0;
		size_t value;
		_cleanup_(freep) char *text = NULL;

		length += at[length] != '\0';
		put_part(rewriting, at, length);
		at += length;
		value = strcspn(at, at[-1] == '"' ? "\"" : "<");
		text = strndup(at, value);
		if (text && (is_id || is_label))
			put_name(rewriting, is_id ? REDACT_ID : REDACT_VOLUME,
				 text);
		else if (text && *text == '/')
			put_path(rewriting, text);
		else
			put(rewriting, text);
		at += value;
		if (*at == '"')
			put_part(rewriting, at++, 1);
	}
}

/* "E:DM_NAME=vg-root" */
static void rewrite_udev(struct rewriting *rewriting, const char *at)
{
	while (*at) {
		size_t line = strcspn(at, "\n");
		size_t name = strcspn(at, "=\n");
		bool is_id = strncmp(at, "E:ID_FS_UUID", 12) == 0 ||
			     strncmp(at, "E:ID_PART_ENTRY_UUID", 20) == 0;
		bool is_name = strncmp(at, "E:DM_NAME=", 10) == 0 ||
			       strncmp(at, "E:ID_FS_LABEL", 13) == 0 ||
			       strncmp(at, "E:ID_PART_ENTRY_NAME", 20) == 0;

		name += at[name] == '=';
		if (is_id || is_name) {
			_cleanup_(freep) char *value =
				strndup(at + name, line - name);

			put_part(rewriting, at, name);
			if (value)
				put_name(rewriting,
					 is_id ? REDACT_ID : REDACT_VOLUME,
					 value);
			else
				put(rewriting, NULL);
		} else {
			put_part(rewriting, at, line);
		}
		at += line;
		if (*at)
			put_part(rewriting, at++, 1);
	}
}

/* "Linux version 6.1.0 (who@where) ...": the release is what counts. */
static void rewrite_version(struct rewriting *rewriting, const char *at)
{
	put_part(rewriting, at, strcspn(at, "(\n"));
	put(rewriting, "\n");
}

static void rewrite_line(struct rewriting *rewriting, const char *at,
			 void (*put_line)(struct rewriting *rewriting,
					  const char *line))
{
	_cleanup_(freep) char *line = strndup(at, strcspn(at, "\n"));

	if (line)
		put_line(rewriting, line);
	put(rewriting, line ? "\n" : NULL);
}

static void put_label(struct rewriting *rewriting, const char *line)
{
	put_name(rewriting, REDACT_VOLUME, line);
}

static void put_process(struct rewriting *rewriting, const char *line)
{
	put(rewriting, redact_process(rewriting->redactor, line));
}

static void rewrite(struct rewriting *rewriting, const char *path,
		    const char *text)
{
	if (text_ends_in(path, "/mountinfo"))
		rewrite_mountinfo(rewriting, text);
	else if (strcmp(path, "/proc/swaps") == 0)
		rewrite_swaps(rewriting, text);
	else if (strcmp(path, "/proc/version") == 0)
		rewrite_version(rewriting, text);
	else if (text_ends_in(path, "/blkid.tab"))
		rewrite_blkid(rewriting, text);
	else if (strncmp(path, "/run/udev/", 10) == 0)
		rewrite_udev(rewriting, text);
	else if (text_ends_in(path, "/dm/name"))
		rewrite_line(rewriting, text, put_label);
	else if (text_ends_in(path, "/backing_file"))
		rewrite_line(rewriting, text, put_path);
	else if (text_ends_in(path, "/bufstat/debug"))
		put_message(rewriting, text);
	else if (text_ends_in(path, "/comm"))
		rewrite_line(rewriting, text, put_process);
	else
		put(rewriting, text);
}

int redact_file(struct redactor *redactor, const char *path, char **text,
		size_t *size)
{
	struct rewriting rewriting = { .redactor = redactor };
	char *written;

	sentence_begin(&rewriting.out);
	if (rewriting.out.out)
		rewrite(&rewriting, path, *text);
	if (sentence_end(&rewriting.out, &written) < 0)
		return -ENOMEM;
	free(*text);
	*text = written;
	*size = rewriting.out.size;
	return 0;
}

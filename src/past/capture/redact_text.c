// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/redact.h"
#include "capture/redact_text.h"
#include "lib/cleanup.h"
#include "lib/json_out.h"
#include "lib/text_stream.h"
#include "lib/utf8.h"

/* A file that is being rewritten. */
struct rewriting {
	struct redactor *redactor;
	FILE *out;
	int ret; /* 0 or -ENOMEM */
};

static void put(struct rewriting *rewriting, const char *word)
{
	if (word)
		fputs(word, rewriting->out);
	else
		rewriting->ret = -ENOMEM;
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

/* Types of filesystems, what they call their sources, and bufstat's sources. */
static bool is_usual_source(const char *source)
{
	static const char *const usual[] = {
		"",	    "-",	 "none",	"tmpfs",
		"devtmpfs", "proc",	 "sysfs",	"rootfs",
		"overlay",  "udev",	 "shm",		"devpts",
		"cgroup",   "cgroup2",	 "hugetlbfs",	"mqueue",
		"debugfs",  "tracefs",	 "bpf",		"configfs",
		"pstore",   "efivarfs",	 "securityfs",	"fusectl",
		"ramfs",    "nsfs",	 "systemd-1",	"module",
		"kcore",    "cachestat", "binfmt_misc", "selinuxfs",
		"autofs",   "nfsd",	 "sunrpc",
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

/* A message: what begins with a slash is a path, up to a colon or a space. */
static void put_message(struct rewriting *rewriting, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "/");
		_cleanup_(freep) char *path = NULL;

		fprintf(rewriting->out, "%.*s", (int)length, text);
		text += length;
		length = strcspn(text, ": ,;()\n");
		path = strndup(text, length);
		if (!path)
			rewriting->ret = -ENOMEM;
		else if (strncmp(path, "/proc/", 6) == 0 &&
			 !strchr(path + 6, '/'))
			put(rewriting, path);
		else if (*path)
			put_path(rewriting, path);
		text += length;
	}
}

/* "sh(164)" */
static void put_user(struct rewriting *rewriting, const char *user)
{
	const char *pid = strrchr(user, '(');
	_cleanup_(freep) char *name =
		strndup(user, pid ? (size_t)(pid - user) : strlen(user));

	put(rewriting, name ? redact_process(rewriting->redactor, name) : NULL);
	if (pid)
		put(rewriting, pid);
}

/* ---- JSON ---------------------------------------------------------------- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Returns the code unit of "\uXXXX" at @at, or -1. */
static long code_unit(const char *at)
{
	long unit = 0;

	if (at[0] != '\\' || at[1] != 'u')
		return -1;
	for (int i = 2; i < 6; i++) {
		int digit = hex_digit(at[i]);

		if (digit < 0)
			return -1;
		unit = unit << 4 | digit;
	}
	return unit;
}

static char *put_utf8(char *to, unsigned long character)
{
	if (character < 0x80) {
		*to++ = (char)character;
	} else if (character < 0x800) {
		*to++ = (char)(0xc0 | character >> 6);
		*to++ = (char)(0x80 | (character & 0x3f));
	} else if (character < 0x10000) {
		*to++ = (char)(0xe0 | character >> 12);
		*to++ = (char)(0x80 | (character >> 6 & 0x3f));
		*to++ = (char)(0x80 | (character & 0x3f));
	} else {
		*to++ = (char)(0xf0 | character >> 18);
		*to++ = (char)(0x80 | (character >> 12 & 0x3f));
		*to++ = (char)(0x80 | (character >> 6 & 0x3f));
		*to++ = (char)(0x80 | (character & 0x3f));
	}
	return to;
}

/* An escape that json_out.h writes, also for a byte that is not UTF-8. */
static const char *decode_escape(const char *at, char **to)
{
	static const char from[] = "nrtbf", bytes[] = "\n\r\t\b\f";
	long unit = code_unit(at), low;
	const char *known;

	if (unit >= 0xdc80 && unit <= 0xdcff) {
		*(*to)++ = (char)(unit & 0xff);
		return at + 6;
	}
	if (unit >= 0xd800 && unit < 0xdc00) {
		low = code_unit(at + 6);
		if (low >= 0xdc00 && low < 0xe000) {
			*to = put_utf8(*to,
				       0x10000UL +
					       ((unsigned long)unit - 0xd800) *
						       0x400 +
					       (unsigned long)low - 0xdc00);
			return at + 12;
		}
	}
	if (unit > 0) {
		*to = put_utf8(*to, (unsigned long)unit);
		return at + 6;
	}
	known = at[1] ? strchr(from, at[1]) : NULL;
	if (known)
		*(*to)++ = bytes[known - from];
	else
		*(*to)++ = at[1];
	return at + (at[1] ? 2 : 1);
}

/* The string at @at, after its quote. Sets *@after to after the other one. */
static char *decode(const char *at, const char **after)
{
	const char *end = at;
	char *text, *to;

	while (*end && *end != '"')
		end += *end == '\\' && end[1] ? 2 : 1;
	/* No escape becomes longer. */
	text = to = malloc((size_t)(end - at) + 1);
	if (!text)
		return NULL;
	while (at < end) {
		if (*at == '\\')
			at = decode_escape(at, &to);
		else
			*to++ = *at++;
	}
	*to = '\0';
	*after = at + (*at == '"');
	return text;
}

enum value_kind {
	VALUE_KEPT,
	VALUE_PATH,
	VALUE_SOURCE,
	VALUE_NAME, /* of a device, a mount point, a process, a cgroup... */
	VALUE_PROCESS,
	VALUE_USER,
	VALUE_VOLUME,
	VALUE_ID,
	VALUE_MESSAGE,
};

static enum value_kind kind_of(const char *key)
{
	static const struct {
		const char *key;
		enum value_kind kind;
	} kinds[] = {
		{ "path", VALUE_PATH },
		{ "mountpoint", VALUE_PATH },
		{ "mountpoints", VALUE_PATH },
		{ "cgroup", VALUE_PATH },
		{ "on_behalf_of", VALUE_PATH },
		{ "mount", VALUE_PATH },
		{ "source", VALUE_SOURCE },
		{ "name", VALUE_NAME },
		{ "command", VALUE_PROCESS },
		{ "users", VALUE_USER },
		{ "label", VALUE_VOLUME },
		{ "uuid", VALUE_ID },
		{ "refused", VALUE_MESSAGE },
		{ "reason", VALUE_MESSAGE },
		{ "why", VALUE_MESSAGE },
		{ "unmeasured", VALUE_MESSAGE },
		{ "unknown_users", VALUE_MESSAGE },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(key, kinds[i].key) == 0)
			return kinds[i].kind;
	}
	return VALUE_KEPT;
}

/* What a name is of depends on the list that it is in. */
static void put_name_of(struct rewriting *rewriting, const char *list,
			const char *name)
{
	static const char *const kept[] = { "slab", "caller", "sysv", "zone",
					    "zram" };

	if (strcmp(list, "process") == 0 || strcmp(list, "memfd") == 0) {
		put(rewriting, redact_process(rewriting->redactor, name));
		return;
	}
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		if (strcmp(list, kept[i]) == 0) {
			put(rewriting, name);
			return;
		}
	}
	if (strcmp(list, "volume") == 0 && !strchr(name, '/')) {
		/* The kernel's names stay, as in a path. */
		_cleanup_(freep) char *path = NULL;
		const char *word;

		if (asprintf(&path, "/dev/mapper/%s", name) < 0)
			path = NULL;
		word = path ? redact_path(rewriting->redactor, path) : NULL;
		put(rewriting, word ? strrchr(word, '/') + 1 : NULL);
		return;
	}
	put_path(rewriting, name);
}

static void put_value(struct rewriting *rewriting, const char *key,
		      const char *list, const char *value)
{
	switch (kind_of(key)) {
	case VALUE_PATH:
		put_path(rewriting, value);
		break;
	case VALUE_SOURCE:
		put_source(rewriting, value);
		break;
	case VALUE_NAME:
		put_name_of(rewriting, list, value);
		break;
	case VALUE_PROCESS:
		put(rewriting, redact_process(rewriting->redactor, value));
		break;
	case VALUE_USER:
		put_user(rewriting, value);
		break;
	case VALUE_VOLUME:
		put_name(rewriting, REDACT_VOLUME, value);
		break;
	case VALUE_ID:
		put_name(rewriting, REDACT_ID, value);
		break;
	case VALUE_MESSAGE:
		put_message(rewriting, value);
		break;
	case VALUE_KEPT:
		break;
	}
}

/* Writes the value as a string of JSON. */
static int put_json(struct rewriting *rewriting, const char *key,
		    const char *list, const char *value)
{
	_cleanup_(freep) char *text = NULL;
	FILE *out = rewriting->out;
	struct json_out json;
	size_t size;

	rewriting->out = text_stream_open(&text, &size);
	if (rewriting->out)
		put_value(rewriting, key, list, value);
	if (!rewriting->out || text_stream_close(rewriting->out, &text) < 0)
		rewriting->ret = -ENOMEM;
	rewriting->out = out;
	json_out_init(&json, out);
	json.keeps_bytes = true;
	json_out_string(&json, NULL, text);
	return rewriting->ret;
}

/* What the array or the member says about the names after it. */
static void note_list(char list[16], const char *key, const char *value)
{
	if (value && strcmp(key, "kind") == 0)
		snprintf(list, 16, "%s", value);
	else if (!value && strcmp(key, "names") == 0)
		snprintf(list, 16, "volume");
	else if (!value && strcmp(key, "zones") == 0)
		snprintf(list, 16, "zone");
	else if (!value &&
		 (strcmp(key, "filesystems") == 0 || strcmp(key, "lists") == 0))
		snprintf(list, 16, "path");
}

static bool is_key(const char *after)
{
	return after[strspn(after, " \t\n")] == ':';
}

static int rewrite_json(struct rewriting *rewriting, const char *at)
{
	_cleanup_(freep) char *key = strdup("");
	char list[16] = "";

	while (key && *at) {
		const char *begin = at, *after;
		_cleanup_(freep) char *text = NULL;

		if (*at != '"') {
			putc(*at++, rewriting->out);
			continue;
		}
		text = decode(at + 1, &after);
		if (!text)
			return -ENOMEM;
		at = after;
		if (!is_key(after) && kind_of(key) != VALUE_KEPT) {
			if (put_json(rewriting, key, list, text) < 0)
				return -ENOMEM;
			continue;
		}
		fprintf(rewriting->out, "%.*s", (int)(after - begin), begin);
		note_list(list, is_key(after) ? text : key,
			  is_key(after) ? NULL : text);
		if (is_key(after)) {
			free(key);
			key = steal_ptr(text);
		}
	}
	return key ? rewriting->ret : -ENOMEM;
}

/* ---- other files --------------------------------------------------------- */

/* The kernel writes a space in a path as \040. */
static char *decode_octal(const char *field, size_t length)
{
	char *text = malloc(length + 1), *to = text;

	for (size_t i = 0; text && i < length; i++) {
		const char *digits = field + i + 1;

		if (field[i] == '\\' && i + 3 < length &&
		    strspn(digits, "01234567") >= 3) {
			*to++ = (char)((digits[0] - '0') << 6 |
				       (digits[1] - '0') << 3 |
				       (digits[2] - '0'));
			i += 3;
		} else {
			*to++ = field[i];
		}
	}
	if (text)
		*to = '\0';
	return text;
}

static void put_field(struct rewriting *rewriting, const char *field,
		      size_t length, bool is_source)
{
	_cleanup_(freep) char *text = decode_octal(field, length);

	if (!text)
		rewriting->ret = -ENOMEM;
	else if (is_source)
		put_source(rewriting, text);
	else
		put_path(rewriting, text);
}

/* The fourth and fifth field are paths, and the second after "-" the source. */
static int rewrite_mountinfo(struct rewriting *rewriting, const char *at)
{
	int field = 0, after = 0;

	while (*at) {
		size_t length = strcspn(at, " \n");

		field++;
		after += after > 0;
		if (field == 4 || field == 5 || after == 3)
			put_field(rewriting, at, length, after == 3);
		else
			fprintf(rewriting->out, "%.*s", (int)length, at);
		if (field > 6 && !after && length == 1 && *at == '-')
			after = 1;
		at += length;
		if (*at == '\n')
			field = after = 0;
		if (*at)
			putc(*at++, rewriting->out);
	}
	return rewriting->ret;
}

/* The first line is a heading. */
static int rewrite_swaps(struct rewriting *rewriting, const char *at)
{
	for (bool is_heading = true; *at; is_heading = false) {
		size_t length = is_heading ? 0 : strcspn(at, " \t\n");
		size_t line = strcspn(at, "\n");

		put_field(rewriting, at, length, false);
		line += at[line] == '\n';
		fprintf(rewriting->out, "%.*s", (int)(line - length),
			at + length);
		at += line;
	}
	return rewriting->ret;
}

/* A value in quotes after its name, and the device between ">" and "<". */
static int rewrite_blkid(struct rewriting *rewriting, const char *at)
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
		fprintf(rewriting->out, "%.*s", (int)length, at);
		at += length;
		value = strcspn(at, at[-1] == '"' ? "\"" : "<");
		text = strndup(at, value);
		if (!text)
			return -ENOMEM;
		if (is_id || is_label)
			put_name(rewriting, is_id ? REDACT_ID : REDACT_VOLUME,
				 text);
		else if (*text == '/')
			put_path(rewriting, text);
		else
			fputs(text, rewriting->out);
		at += value;
		if (*at == '"')
			putc(*at++, rewriting->out);
	}
	return rewriting->ret;
}

/* "E:DM_NAME=vg-root" */
static int rewrite_udev(struct rewriting *rewriting, const char *at)
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

			if (!value)
				return -ENOMEM;
			fprintf(rewriting->out, "%.*s", (int)name, at);
			put_name(rewriting, is_id ? REDACT_ID : REDACT_VOLUME,
				 value);
		} else {
			fprintf(rewriting->out, "%.*s", (int)line, at);
		}
		at += line;
		if (*at)
			putc(*at++, rewriting->out);
	}
	return rewriting->ret;
}

/* "Linux version 6.1.0 (who@where) ...": the release is what counts. */
static int rewrite_version(struct rewriting *rewriting, const char *at)
{
	fprintf(rewriting->out, "%.*s\n", (int)strcspn(at, "(\n"), at);
	return 0;
}

static int rewrite_line(struct rewriting *rewriting, const char *at,
			void (*put_line)(struct rewriting *rewriting,
					 const char *line))
{
	_cleanup_(freep) char *line = strndup(at, strcspn(at, "\n"));

	if (!line)
		return -ENOMEM;
	put_line(rewriting, line);
	putc('\n', rewriting->out);
	return rewriting->ret;
}

static void put_volume(struct rewriting *rewriting, const char *line)
{
	put_name(rewriting, REDACT_VOLUME, line);
}

static void put_process(struct rewriting *rewriting, const char *line)
{
	put(rewriting, redact_process(rewriting->redactor, line));
}

static int rewrite(struct rewriting *rewriting, const char *path,
		   const char *text)
{
	if (text_ends_in(path, ".json"))
		return rewrite_json(rewriting, text);
	if (text_ends_in(path, "/mountinfo"))
		return rewrite_mountinfo(rewriting, text);
	if (strcmp(path, "/proc/swaps") == 0)
		return rewrite_swaps(rewriting, text);
	if (strcmp(path, "/proc/version") == 0)
		return rewrite_version(rewriting, text);
	if (text_ends_in(path, "/blkid.tab"))
		return rewrite_blkid(rewriting, text);
	if (strncmp(path, "/run/udev/", 10) == 0)
		return rewrite_udev(rewriting, text);
	if (text_ends_in(path, "/dm/name"))
		return rewrite_line(rewriting, text, put_volume);
	if (text_ends_in(path, "/backing_file"))
		return rewrite_line(rewriting, text, put_path);
	if (text_ends_in(path, "/bufstat/debug")) {
		put_message(rewriting, text);
		return rewriting->ret;
	}
	if (text_ends_in(path, "/comm"))
		return rewrite_line(rewriting, text, put_process);
	fputs(text, rewriting->out);
	return 0;
}

int redact_file(struct redactor *redactor, const char *path, char **text,
		size_t *size)
{
	char *written = NULL;
	size_t length;
	struct rewriting rewriting = {
		.redactor = redactor,
		.out = text_stream_open(&written, &length),
	};
	int ret;

	if (!rewriting.out)
		return -ENOMEM;
	ret = rewrite(&rewriting, path, *text);
	if (text_stream_close(rewriting.out, &written) < 0)
		return -ENOMEM;
	if (ret < 0) {
		free(written);
		return ret;
	}
	free(*text);
	*text = written;
	*size = length;
	return 0;
}

int redact_json(struct redactor *redactor, char **text, size_t *size)
{
	return redact_file(redactor, ".json", text, size);
}

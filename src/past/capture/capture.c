// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/capture.h"
#include "capture/capture_devices.h"
#include "capture/capture_filter.h"
#include "capture/capture_out.h"
#include "capture/redact.h"
#include "capture/redact_json.h"
#include "capture/redact_text.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sentence.h"
#include "lib/sysroot.h"
#include "lib/tar.h"
#include "measure/saved.h"
#include "measure/source_name.h"
#include "sample/heads_question.h"
#include "sample/reading.h"
#include "store/excerpt.h"

#define MAX_FILE (64U << 20)

/* Copied as they are, or filtered to remove private parts. */
static const struct capture_file {
	const char *path;
	void (*filter)(char *text);
} files[] = {
	/* In full. The reading has its fields as of the measurement. */
	{ .path = "/proc/meminfo" },
	{ .path = "/proc/vmstat" },
	{ .path = "/proc/zoneinfo" },
	{ .path = "/proc/self/mountinfo", .filter = capture_filter_mountinfo },
	{ .path = "/proc/swaps" },
	{ .path = "/proc/devices" },
	{ .path = "/proc/partitions" },
	{ .path = "/proc/version" },
	{ .path = "/proc/sys/kernel/osrelease" },
	{ .path = "/run/blkid/blkid.tab" },
	{ .path = "/sys/kernel/security/lockdown" },
	{ .path = "/sys/module/bufstat/version" },
};

int capture_put(const struct capture_out *to, const char *path,
		const char *text, size_t size)
{
	_cleanup_(freep) char *copy = NULL;
	int ret;

	if (!to->redaction->redactor)
		return tar_write_file(to->out, path, text, size);
	copy = strndup(text, size);
	ret = copy ? redact_file(to->redaction->redactor, path, &copy, &size) :
		     -ENOMEM;
	return ret < 0 ? ret : tar_write_file(to->out, path, copy, size);
}

static void redactor_destroyp(struct redactor **redactor)
{
	redactor_destroy(*redactor);
}

/* A file that does not exist is left out. */
static int copy_file(const struct capture_out *to, const struct sysroot *root,
		     const struct capture_file *file)
{
	_cleanup_(freep) char *text = NULL;
	size_t size;
	int ret = sysroot_read(root, file->path, MAX_FILE, &text, &size);

	if (ret < 0)
		return only_enomem(ret);
	if (file->filter) {
		file->filter(text);
		size = strlen(text);
	}
	return capture_put(to, file->path, text, size);
}

/*
 * Writes the measurement and the meminfo that it was compared with. A meminfo
 * read now would differ.
 */
static int write_reading(const struct capture_out *to,
			 const struct reading *reading)
{
	_cleanup_(freep) char *text = NULL;
	struct sentence file;

	sentence_begin(&file);
	if (file.out)
		reading_print(file.out, reading);
	return sentence_end(&file, &text)			     ?:
		       redact_json(to->redaction, &text, &file.size) ?:
		       tar_write_file(to->out, SAVED_PATH, text, file.size);
}

static int redact_document(void *redaction, char **text, size_t *size)
{
	return redact_json(redaction, text, size);
}

/* Sets @err to what went wrong. */
static int write_recording(const struct capture_out *to,
			   const struct sysroot *root,
			   const struct capture_options *options,
			   struct error *err)
{
	_cleanup_(freep) char *bytes = NULL;
	size_t size;
	int ret = excerpt_make(options->recording, options->from_ms,
			       options->to_ms, redact_document,
			       (void *)to->redaction, &bytes, &size,
			       root->patience, err);

	if (ret < 0)
		return ret;
	ret = tar_write_file(to->out, EXCERPT_PATH, bytes, size);
	return ret < 0 ? error_errno(err, -ret, "capturing", "the recording") :
			 0;
}

static int ask_devices(struct reading *reading, const struct sysroot *root,
		       const struct capture_options *options, struct error *err)
{
	const struct asking asking = {
		.purpose = ASKED_TO_CAPTURE,
		.root = root,
		.source = options->source,
	};
	int ret = reading_ask(reading, QUESTION_DEVICES, &asking);

	*err = *reading_why(reading, QUESTION_DEVICES);
	return ret;
}

static int ask_others(struct reading *reading, const struct sysroot *root,
		      const struct capture_options *options)
{
	struct memory_owners_asked owners = { 0 };
	const struct memory_asked memory = {
		.slab = true,
		.owners = &owners,
		.most_owners = CAPTURE_OWNERS,
	};
	const struct asking asking = {
		.purpose = ASKED_TO_CAPTURE,
		.root = root,
		.source = source_knows_files(options->source) ?
				  options->source :
				  NULL,
		.most = CAPTURE_FILES,
		.memory = &memory,
		.hides_paths = !options->paths,
	};
	struct error unused;

	reading->provenance = provenance_of(root, NULL);
	return memory_owners_parse(&owners, "all", &unused) ?:
		       reading_ask_others(reading, &asking);
}

/* What BUFSTAT_DEBUG says from now on is kept. Returns the real stderr, or -1. */
static int keep_stderr(void)
{
	_cleanup_(closep) int kept = memfd_create("debug", MFD_CLOEXEC);
	int real = kept < 0 || !getenv("BUFSTAT_DEBUG") ?
			   -1 :
			   fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);

	if (real >= 0)
		dup2(kept, STDERR_FILENO);
	return real;
}

/* Returns @ret, or if that is 0 whether it could be put into the capture. */
static int put_stderr(const struct capture_out *to, int real, int ret)
{
	const struct sysroot live = { .fd = -1 };
	_cleanup_(freep) char *text = NULL;
	size_t size;

	if (real < 0)
		return ret;
	sysroot_read(&live, "/proc/self/fd/2", MAX_FILE, &text, &size);
	dup2(real, STDERR_FILENO);
	close(real);
	if (!text)
		return ret;
	(void)!write(STDERR_FILENO, text, size);
	return ret < 0 ? ret : capture_put(to, "/bufstat/debug", text, size);
}

int capture_write(FILE *out, const struct sysroot *root,
		  const struct capture_options *options,
		  struct reading *reading, struct error *err)
{
	_cleanup_(redactor_destroyp) struct redactor *redactor =
		options->redacts ? redactor_create() : NULL;
	const struct redaction redaction = { redactor, !options->paths };
	const struct capture_out to = { out, &redaction };
	const int real_stderr = keep_stderr();
	int ret = ask_devices(reading, root, options, err);

	if (!ret && options->recording)
		ret = write_recording(&to, root, options, err);
	if (ret < 0)
		return put_stderr(&to, real_stderr, ret);
	if (options->redacts && !redactor)
		ret = -ENOMEM;
	if (!ret)
		ret = ask_others(reading, root, options);
	ret = put_stderr(&to, real_stderr, ret) ?: write_reading(&to, reading);
	for (size_t i = 0; !ret && i < sizeof(files) / sizeof(*files); i++)
		ret = copy_file(&to, root, &files[i]);
	if (!ret)
		ret = capture_devices(&to, root, options->paths);
	if (!ret)
		ret = capture_openers(&to, root, options->openers_failed);
	tar_write_end(out);
	return ret < 0 ? error_errno(err, -ret, "capturing", "the host") : 0;
}

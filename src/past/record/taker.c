// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/sentence.h"
#include "lib/sysroot.h"
#include "names/mountinfo.h"
#include "names/recorded_names.h"
#include "record/taker.h"
#include "sample/device_question.h"
#include "sample/reading.h"
#include "store/documents.h"
#include "store/format.h"
#include "store/past.h"
#include "worker/patience.h"
#include "worker/worker.h"

/* Nothing that makes progress may hold up the recording for longer. */
#define MOST_SECONDS 5
/* Hosts of containers have thousands. */
#define MOST_MOUNTS 256
#define NS_PER_S INT64_C(1000000000)
/* Longer than any reading that makes progress. */
#define READING_NS (8 * NS_PER_S)
/* A walk over all inodes may take this part of the time. */
#define WALK_PART 300

/* What to take besides the devices. */
enum take_also {
	TAKE_OTHERS = 1 << 0, /* than the devices, which walk no inodes */
	TAKE_WALKS = 1 << 1, /* the others that do */
	TAKE_NAMES = 1 << 2, /* of the devices */
};

/* What is too large is not read any more: then the rest is not taken. */
static void send_or_end(int fd, unsigned int kind, const void *data,
			size_t size)
{
	if (frame_send(fd, kind, data, size) < 0)
		_exit(1);
}

/* Ends a document, and sends it without the newline at its end. */
static void document_send(struct sentence *document, int fd,
			  enum store_kind kind)
{
	_cleanup_(freep) char *text = NULL;

	if (sentence_end(document, &text) == 0 && document->size)
		send_or_end(fd, kind, text, document->size - 1);
}

/* One reading, for the recording at the other end of a pipe. */
struct taking {
	int fd;
	struct asking asking;
	struct provenance provenance;
};

static void send_answer(const struct taking *taking,
			const struct question *question, const void *answer)
{
	struct sentence document;

	sentence_begin(&document);
	if (document.out)
		reading_print_answer(document.out, &taking->provenance, answer);
	document_send(&document, taking->fd, store_kind_of(question->recorded));
}

static void send_fields(int fd, enum store_kind kind,
			const struct fields *fields, const void *record)
{
	struct sentence document;

	sentence_begin(&document);
	if (document.out)
		store_document_print(document.out, fields, record);
	document_send(&document, fd, kind);
}

static void send_failure(int fd, const struct error *why)
{
	char text[ERROR_TEXT_SIZE];
	const struct store_state state = {
		.what = STORE_FAILED,
		.reason = (char *)error_text(why, text),
	};

	send_fields(fd, STORE_STATE, &store_state_fields, &state);
}

/* Filesystems of the kernel's own making have no pages that are traced. */
static bool may_have_cache(const struct mount *mount)
{
	return mount->major || strpbrk(mount->source, "/:");
}

static bool is_first(const struct mountinfo *info, size_t which)
{
	const struct mount *mount = &info->mounts[which];

	for (size_t i = 0; i < which; i++) {
		if (info->mounts[i].major == mount->major &&
		    info->mounts[i].minor == mount->minor)
			return false;
	}
	return true;
}

/* Where filesystems are mounted, each in one place. */
static void add_filesystems(struct recorded_names *names,
			    const struct mountinfo *info)
{
	for (size_t i = 0; i < info->count && i < MOST_MOUNTS; i++) {
		const struct mount *mount = &info->mounts[i];

		if (may_have_cache(mount) && is_first(info, i))
			names->filesystems[names->filesystem_count++] =
				(struct recorded_name){
					.major = mount->major,
					.minor = mount->minor,
					.name = (char *)mount->target,
				};
	}
}

/* The devices that have pages, or may have some, as people know them. */
static void add_devices(struct recorded_names *names, const struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct device *device = device_row(rows, i);

		if (device->names.in_sysfs && device_is_listed(device))
			names->devices[names->device_count++] =
				(struct recorded_name){
					.major = device->sample.major,
					.minor = device->sample.minor,
					.name = device->names.name,
					.fstype = device->names.fstype,
					.mountpoints =
						device->names.mountpoints,
				};
	}
}

static void send_names(int fd, const struct rows *rows)
{
	static const struct sysroot live = { .fd = -1 };
	struct recorded_names names = {
		.devices = calloc(rows->count + 1, sizeof(*names.devices)),
		.filesystems = calloc(MOST_MOUNTS, sizeof(*names.filesystems)),
	};
	struct mountinfo info;

	if (mountinfo_init(&info, &live, "/proc/self/mountinfo") == 0 &&
	    names.devices && names.filesystems) {
		add_devices(&names, rows);
		add_filesystems(&names, &info);
		send_fields(fd, STORE_NAMES, &recorded_names_fields, &names);
	}
	mountinfo_deinit(&info);
	free(names.devices);
	free(names.filesystems);
}

static void take_devices(const struct taking *taking, bool names)
{
	static const struct rows none;
	const struct device_answer *devices;
	struct error err;
	void *answer;
	int ret =
		question_ask(&device_question, &answer, &taking->asking, &err);

	devices = answer;
	if (ret < 0 || devices->devices.collected < 0)
		send_failure(taking->fd,
			     ret < 0 ? &err : &devices->devices.why);
	if (!ret)
		send_answer(taking, &device_question, answer);
	if (names)
		send_names(taking->fd, ret < 0 ? &none : &devices->head.rows);
	question_release(&device_question, answer);
}

static void take_other(const struct taking *taking,
		       const struct question *question)
{
	struct error unused;
	void *answer;

	if (question_ask(question, &answer, &taking->asking, &unused) == 0)
		send_answer(taking, question, answer);
	question_release(question, answer);
}

/* Besides the devices, those that walk inodes, or those that do not. */
static void take_others(const struct taking *taking, bool walk_inodes)
{
	for (enum question_id id = 0; id < QUESTIONS; id++) {
		const struct question *question = questions[id];

		if (question->recorded && question != &device_question &&
		    walk_inodes == (question->walks == WALKS_INODES))
			take_other(taking, question);
	}
}

static void take_walks(const struct taking *taking)
{
	int64_t began_ns = monotonic_ns(), walk_ns;

	take_others(taking, true);
	walk_ns = monotonic_ns() - began_ns;
	send_or_end(taking->fd, TAKER_WALK_NS, &walk_ns, sizeof(walk_ns));
}

/*
 * Takes them and writes them to @fd as frames, and how long those took that
 * walk inodes. A document that could not be taken is left out. If that is the
 * devices, STORE_STATE says why.
 */
static void take_reading(int fd, unsigned int also)
{
	struct patience patience = { .seconds = MOST_SECONDS };
	_cleanup_(sysroot_deinit) struct sysroot root = { .fd = -1 };
	struct taking taking = {
		.fd = fd,
		.asking = { .purpose = ASKED_TO_RECORD, .root = &root },
	};

	if (sysroot_init(&root, NULL, NULL) < 0)
		return;
	root.patience = &patience;
	patience_begin(&patience);
	taking.provenance = provenance_of(&root, NULL);
	take_devices(&taking, also & TAKE_NAMES);
	if (also & TAKE_OTHERS)
		take_others(&taking, false);
	if (also & TAKE_WALKS)
		take_walks(&taking);
}

int taker_start(struct taker *taker)
{
	int64_t now_ns = monotonic_ns();
	unsigned int also = 0;
	pid_t pid;

	taker->is_key = !taker->key_ns ||
			now_ns - taker->key_ns >= KEY_S * NS_PER_S;
	if (taker->is_key) {
		taker->key_ns = now_ns;
		also = TAKE_OTHERS | TAKE_NAMES;
		if (now_ns >= taker->walk_again_ns)
			also |= TAKE_WALKS;
	}
	taker->frames.used = 0;
	taker->since_ns = now_ns;
	pid = worker_start(-1, false, &taker->pipe);
	if (!pid) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		take_reading(WORKER_PIPE, also);
		_exit(0);
	}
	if (pid < 0)
		return pid;
	taker->pid = pid;
	return 0;
}

bool taker_hear(struct taker *taker)
{
	if (frames_read(&taker->frames, taker->pipe) == -EAGAIN)
		return false;
	close(taker->pipe);
	taker->pipe = -1;
	return true;
}

void taker_walked(struct taker *taker, int64_t walk_ns)
{
	taker->walk_again_ns = monotonic_ns() + walk_ns * WALK_PART;
}

bool taker_give_up(struct taker *taker)
{
	bool told = taker->told_stuck;

	if (monotonic_ns() - taker->since_ns < READING_NS)
		return false;
	kill(taker->pid, SIGKILL);
	taker->told_stuck = true;
	return !told;
}

void taker_forget(struct taker *taker)
{
	taker->pid = 0;
	taker->told_stuck = false;
}

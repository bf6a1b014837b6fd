// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "test.h"
#include "worker/frames.h"

/* The kinds and sizes of the frames that were taken, as text. */
struct taken {
	char text[256];
	const char *until; /* the text after which no more is taken, or NULL */
};

static int take(void *data, unsigned int kind, const char *text, size_t size)
{
	struct taken *taken = data;
	size_t length = strlen(taken->text);

	snprintf(taken->text + length, sizeof(taken->text) - length, "%u:%.*s ",
		 kind, (int)size, text);
	return taken->until && strcmp(taken->text, taken->until) == 0 ? -EIO :
									0;
}

static void open_pipe(int ends[2])
{
	assert_int_equal(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
}

/* Several at once, one of nothing, and the end. */
static void whole_frames(void **state __attribute__((unused)))
{
	_cleanup_(freep) char *room = malloc(64);
	struct frames frames = { .bytes = room, .room = 64 };
	struct taken taken = { 0 };
	int ends[2];

	open_pipe(ends);
	assert_int_equal(frames_read(&frames, ends[0]), -EAGAIN);
	assert_int_equal(frames_take(&frames, take, &taken), 0);
	assert_int_equal(frame_send(ends[1], 1, "one", 3), 0);
	assert_int_equal(frame_send(ends[1], 2, NULL, 0), 0);
	assert_int_equal(frame_send(ends[1], UINT32_MAX, "last", 4), 0);
	assert_int_equal(frames_read(&frames, ends[0]), -EAGAIN);
	close(ends[1]);
	assert_int_equal(frames_read(&frames, ends[0]), 0);
	assert_int_equal(frames_take(&frames, take, &taken), 0);
	assert_string_equal(taken.text, "1:one 2: 4294967295:last ");
	assert_int_equal(frames.used, 0);
	close(ends[0]);
}

/* Wherever the first part ends, the frame is taken once and whole. */
static void parts(void **state __attribute__((unused)))
{
	char sent[2 * (sizeof(struct frame) + 3)], room[64];
	int ends[2];

	open_pipe(ends);
	assert_int_equal(frame_send(ends[1], 7, "abc", 3), 0);
	assert_int_equal(frame_send(ends[1], 8, "def", 3), 0);
	assert_int_equal(read(ends[0], sent, sizeof(sent)), sizeof(sent));
	for (size_t cut = 1; cut < sizeof(sent); cut++) {
		struct frames frames = { .bytes = room, .room = sizeof(room) };
		struct taken taken = { 0 };

		assert_int_equal(write(ends[1], sent, cut), cut);
		assert_int_equal(frames_read(&frames, ends[0]), -EAGAIN);
		assert_int_equal(frames_take(&frames, take, &taken), 0);
		assert_string_equal(taken.text,
				    cut < sizeof(sent) / 2 ? "" : "7:abc ");
		assert_int_equal(write(ends[1], sent + cut, sizeof(sent) - cut),
				 sizeof(sent) - cut);
		assert_int_equal(frames_read(&frames, ends[0]), -EAGAIN);
		assert_int_equal(frames_take(&frames, take, &taken), 0);
		assert_string_equal(taken.text, "7:abc 8:def ");
	}
	close(ends[0]);
	close(ends[1]);
}

/* What is there is taken, and makes room for more; what is larger never fits. */
static void no_room(void **state __attribute__((unused)))
{
	char room[sizeof(struct frame) + 4];
	struct frames frames = { .bytes = room, .room = sizeof(room) };
	struct taken taken = { 0 };
	int ends[2];

	open_pipe(ends);
	assert_int_equal(frame_send(ends[1], 1, "1234", 4), 0);
	assert_int_equal(frame_send(ends[1], 2, "12345", 5), 0);
	assert_int_equal(frames_read(&frames, ends[0]), -ENOBUFS);
	assert_int_equal(frames_take(&frames, take, &taken), 0);
	assert_string_equal(taken.text, "1:1234 ");
	assert_int_equal(frames_read(&frames, ends[0]), -ENOBUFS);
	assert_int_equal(frames_take(&frames, take, &taken), 0);
	assert_string_equal(taken.text, "1:1234 ");
	assert_int_equal(frames.used, frames.room);
	close(ends[0]);
	close(ends[1]);
}

/* More than a pipe holds, from a process that waits for its reader. */
static void large(void **state __attribute__((unused)))
{
	const size_t size = 3 << 20;
	struct frames frames = { .grows = true };
	struct frame head;
	int ends[2], ret;
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		char *bytes = malloc(size);

		memset(bytes, 'x', size);
		_exit(frame_send(ends[1], 9, bytes, size) < 0);
	}
	close(ends[1]);
	assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
	while ((ret = frames_read(&frames, ends[0])) == -EAGAIN)
		;
	assert_int_equal(ret, 0);
	assert_int_equal(frames.used, sizeof(head) + size);
	memcpy(&head, frames.bytes, sizeof(head));
	assert_int_equal(head.kind, 9);
	assert_int_equal(head.size, size);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(frames.bytes[sizeof(head) + i], 'x');
	assert_int_equal(waitpid(pid, &ret, 0), pid);
	assert_int_equal(ret, 0);
	free(frames.bytes);
	close(ends[0]);
}

/* A take that fails ends it; what comes after stays for the next. */
static void take_fails(void **state __attribute__((unused)))
{
	struct frames frames = { .grows = true };
	struct taken taken = { .until = "1:a " };
	int ends[2];

	open_pipe(ends);
	assert_int_equal(frame_send(ends[1], 1, "a", 1), 0);
	assert_int_equal(frame_send(ends[1], 2, "b", 1), 0);
	assert_int_equal(frames_read(&frames, ends[0]), -EAGAIN);
	assert_int_equal(frames_take(&frames, take, &taken), -EIO);
	assert_string_equal(taken.text, "1:a ");
	assert_int_equal(frames_take(&frames, take, &taken), 0);
	assert_string_equal(taken.text, "1:a 2:b ");
	free(frames.bytes);
	close(ends[0]);
	close(ends[1]);
}

static void nobody_reads(void **state __attribute__((unused)))
{
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	close(ends[0]);
	assert_int_equal(frame_send(ends[1], 1, "a", 1), -EPIPE);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_frames), cmocka_unit_test(parts),
		cmocka_unit_test(no_room),	cmocka_unit_test(large),
		cmocka_unit_test(take_fails),	cmocka_unit_test(nobody_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

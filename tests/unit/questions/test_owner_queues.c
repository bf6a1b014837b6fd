// SPDX-License-Identifier: GPL-2.0-or-later
/* What is unread in the pipes and Unix sockets of another process. */
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "owners/owner_lists.h"
#include "test.h"
#include "worker/patience.h"

enum { PIPES = 70 };

static void fill(int fd, size_t size)
{
	static const char data[8192];

	assert_int_equal(write(fd, data, size), size);
}

static struct owner_queue queue_of(pid_t pid, int fd)
{
	struct owner_queue queue = { .place = { (unsigned int)pid, fd, 0 },
				     .bytes = -1 };
	struct stat status;

	assert_int_equal(fstat(fd, &status), 0);
	queue.place.number = status.st_ino;
	queue.is_pipe = S_ISFIFO(status.st_mode);
	return queue;
}

static pid_t start_holder(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	return pid;
}

static void end_holder(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void what_is_unread(void **state __attribute__((unused)))
{
	struct owner_queue queues[PIPES + 4];
	int ends[PIPES][2], stream[2], datagrams[2];
	char data[16];
	pid_t holder;

	for (size_t i = 0; i < PIPES; i++) {
		assert_int_equal(pipe(ends[i]), 0);
		fill(ends[i][1], i * 10);
	}
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, stream), 0);
	fill(stream[0], 4000);
	fill(stream[0], 3);
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, datagrams), 0);
	fill(datagrams[0], 40);
	fill(datagrams[0], 30);
	holder = start_holder();
	for (size_t i = 0; i < PIPES; i++)
		queues[i] = queue_of(holder, ends[i][0]);
	queues[PIPES] = queue_of(holder, stream[1]);
	queues[PIPES + 1] = queue_of(holder, datagrams[1]);
	queues[PIPES + 2] = queue_of(getpid(), stream[1]);
	queues[PIPES + 3] = queue_of(holder, ends[9][0]);
	for (size_t i = 0; i < PIPES; i++) {
		assert_int_equal(close(ends[i][1]), 0);
		if (i != 2)
			assert_int_equal(close(ends[i][0]), 0);
	}

	assert_int_equal(owner_queues_ask(queues, COUNT_OF(queues), NULL), 0);
	for (size_t i = 0; i < PIPES; i++)
		assert_int_equal(queues[i].bytes, i * 10);
	assert_int_equal(queues[PIPES].bytes, 4003);
	assert_int_equal(queues[PIPES + 1].bytes, 40);
	assert_int_equal(queues[PIPES + 2].bytes, 4003);
	assert_int_equal(queues[PIPES + 3].bytes, 90);
	/* It is all still there. */
	assert_int_equal(read(ends[2][0], data, sizeof(data)), 16);

	/* Another file has the number by now. */
	queues[0] = queues[1] = queues[2];
	queues[0].place.number++;
	queues[1].is_pipe = false;
	queues[2].place.fd = 100000;
	assert_int_equal(owner_queues_ask(queues, 4, NULL), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(queues[i].bytes, 0);
	assert_int_equal(queues[3].bytes, 30);
	end_holder(holder);
	queues[3].bytes = -1;
	assert_int_equal(owner_queues_ask(&queues[3], 1, NULL), 0);
	assert_int_equal(queues[3].bytes, 0);
	assert_int_equal(owner_queues_ask(NULL, 0, NULL), 0);
	close(ends[2][0]);
	for (size_t i = 0; i < 2; i++) {
		close(stream[i]);
		close(datagrams[i]);
	}
}

/* Nobody is asked any more, and nobody is refused. */
static void the_time_is_over(void **state __attribute__((unused)))
{
	/* Also where the worker is slow to start. */
	struct patience patience = { .seconds = 60 };
	struct owner_queue queue;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	fill(ends[1], 100);
	queue = queue_of(getpid(), ends[0]);
	patience_begin(&patience);
	assert_int_equal(owner_queues_ask(&queue, 1, &patience), 0);
	assert_int_equal(queue.bytes, 100);
	patience_hurry(&patience, 0);
	assert_int_equal(owner_queues_ask(&queue, 1, &patience), 0);
	assert_int_equal(queue.bytes, 0);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_unread),
		cmocka_unit_test(the_time_is_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

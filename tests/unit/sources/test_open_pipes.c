// SPDX-License-Identifier: GPL-2.0-or-later
/* Which pipes the processes here have open, also a thread with its own. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sysroot.h"
#include "names/open_pipes.h"
#include "test.h"

static uint64_t number_of(int fd)
{
	struct stat status;

	assert_int_equal(fstat(fd, &status), 0);
	return status.st_ino;
}

static bool is_open(uint64_t number)
{
	const struct sysroot live = { .fd = -1 };
	struct open_pipes open;
	int ret = open_pipes_init(&open, &live);
	bool has;

	/* Only root may look at every process. */
	if (ret == -EACCES && geteuid() != 0)
		skip();
	assert_int_equal(ret, 0);
	has = open_pipes_has(&open, number);
	open_pipes_deinit(&open);
	return has;
}

static void a_process_has_its_pipes(void **state __attribute__((unused)))
{
	int ends[2];
	uint64_t number;

	assert_int_equal(pipe(ends), 0);
	number = number_of(ends[0]);
	assert_true(is_open(number));
	close(ends[0]);
	assert_true(is_open(number));
	close(ends[1]);
	assert_false(is_open(number));
}

/* A pipe that only a thread has, whose descriptors are its own. */
struct thread {
	pthread_barrier_t made, seen;
	uint64_t number;
	int failed;
};

static void *have_own(void *data)
{
	struct thread *thread = data;
	struct stat status = { 0 };
	int ends[2] = { -1, -1 };

	thread->failed = unshare(CLONE_FILES) < 0 || pipe(ends) < 0 ||
			 fstat(ends[0], &status) < 0;
	thread->number = status.st_ino;
	pthread_barrier_wait(&thread->made);
	pthread_barrier_wait(&thread->seen);
	return NULL;
}

static void a_thread_may_have_its_own(void **state __attribute__((unused)))
{
	struct thread thread = { .failed = 1 };
	pthread_t id;
	bool has;

	assert_int_equal(pthread_barrier_init(&thread.made, NULL, 2), 0);
	assert_int_equal(pthread_barrier_init(&thread.seen, NULL, 2), 0);
	assert_int_equal(pthread_create(&id, NULL, have_own, &thread), 0);
	pthread_barrier_wait(&thread.made);
	has = is_open(thread.number);
	pthread_barrier_wait(&thread.seen);
	assert_int_equal(pthread_join(id, NULL), 0);
	assert_false(thread.failed);
	assert_true(has);
	assert_false(is_open(thread.number));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_has_its_pipes),
		cmocka_unit_test(a_thread_may_have_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

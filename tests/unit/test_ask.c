// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ask.h"
#include "test.h"

enum { COUNT = 50, SECONDS = 5 };

struct answer {
	size_t index;
	pid_t pid;
	bool has_output;
};

/* Questions that are not answered, by index. */
struct troubles {
	size_t hangs[4]; /* 0 is none */
	size_t dies;
};

static void answer_one(const void *data, size_t index, void *to)
{
	const struct troubles *troubles = data;
	struct answer *answer = to;
	struct stat out, null;

	for (size_t i = 0; i < COUNT_OF(troubles->hangs); i++) {
		if (index && index == troubles->hangs[i])
			pause();
	}
	if (index && index == troubles->dies)
		raise(SIGKILL);
	answer->index = index;
	answer->pid = getpid();
	answer->has_output = fstat(1, &out) < 0 ||
			     stat("/dev/null", &null) < 0 ||
			     out.st_rdev != null.st_rdev;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static struct asked *ask_about(const struct troubles *troubles, double seconds)
{
	struct asked *asked;

	assert_int_equal(ask(answer_one, troubles, COUNT, sizeof(struct answer),
			     seconds, &asked, NULL),
			 0);
	return asked;
}

static void expect_answer(const struct asked *asked, size_t index)
{
	const struct answer *answer = asked_answer(asked, index);

	assert_non_null(answer);
	assert_int_equal(answer->index, index);
	assert_int_not_equal(answer->pid, getpid());
	assert_false(answer->has_output);
}

static void all_are_answered(void **state __attribute__((unused)))
{
	static const struct troubles none;
	struct asked *asked = ask_about(&none, 60);

	for (size_t i = 0; i < COUNT; i++)
		expect_answer(asked, i);
	assert_int_not_equal(asked_ino(asked), 0);
	asked_destroy(asked);
}

static void silence_delays_no_other(void **state __attribute__((unused)))
{
	static const struct troubles troubles = { .hangs = { 3, 4, 17, 49 } };
	double start = now();
	struct asked *asked = ask_about(&troubles, SECONDS);

	/* All four together: one after the other would take 4 * SECONDS. */
	assert_true(now() - start >= SECONDS);
	assert_true(now() - start < 4 * SECONDS);
	for (size_t i = 0; i < COUNT; i++) {
		if (i == 3 || i == 4 || i == 17 || i == 49)
			assert_null(asked_answer(asked, i));
		else
			expect_answer(asked, i);
	}
	asked_destroy(asked);
}

/* The kernel may be short of memory, and this a good process to end. */
static void death_loses_one_answer(void **state __attribute__((unused)))
{
	static const struct troubles troubles = { .dies = 20 };
	double start = now();
	struct asked *asked = ask_about(&troubles, 60);

	assert_true(now() - start < 60);
	for (size_t i = 0; i < COUNT; i++) {
		if (i == 20)
			assert_null(asked_answer(asked, i));
		else
			expect_answer(asked, i);
	}
	asked_destroy(asked);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_answered),
		cmocka_unit_test(silence_delays_no_other),
		cmocka_unit_test(death_loses_one_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

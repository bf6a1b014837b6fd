// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/monotonic.h"
#include "mounts.h"
#include "test.h"
#include "worker/ask.h"
#include "worker/patience.h"
#include "worker/worker.h"

enum { COUNT = 50, WORK_MS = 1200, STEP = 7 };

struct answer {
	size_t index;
	pid_t pid;
	bool holds_something;
	char cwd[16];
};

/* Indexes of the questions that meet trouble; 0 is none. */
struct troubles {
	size_t hangs[10];
	size_t dies;
	size_t works; /* works for WORK_MS, then answers */
};

static double seconds_since(int64_t start_ns)
{
	return (double)(monotonic_ns() - start_ns) / 1e9;
}

static void work(int ms)
{
	int64_t start = monotonic_ns();

	while (monotonic_ns() - start < ms * INT64_C(1000000))
		;
}

/* Whether more is open than /dev/null and the pipe to the program. */
static bool holds_something(void)
{
	struct stat status, null;

	if (stat("/dev/null", &null) < 0)
		return true;
	for (int fd = 0; fd < 64; fd++) {
		bool open = fstat(fd, &status) == 0;

		if (fd <= 2 ? !open || status.st_rdev != null.st_rdev :
			      open != (fd == WORKER_PIPE))
			return true;
	}
	return false;
}

static size_t answer_one(const void *data, size_t index, void *to)
{
	const struct troubles *troubles = data;
	struct answer *answer = to;

	for (size_t i = 0; i < COUNT_OF(troubles->hangs); i++) {
		if (index && index == troubles->hangs[i]) {
			ask_tell_step(STEP);
			pause();
		}
	}
	if (index && index == troubles->dies)
		raise(SIGKILL);
	if (index && index == troubles->works)
		work(WORK_MS);
	answer->index = index;
	answer->pid = getpid();
	answer->holds_something = holds_something();
	if (!getcwd(answer->cwd, sizeof(answer->cwd)))
		*answer->cwd = '\0';
	return sizeof(*answer);
}

static void name_one(const void *data __attribute__((unused)), size_t index,
		     char text[STUCK_OBJECT])
{
	snprintf(text, STUCK_OBJECT, "question %zu", index);
}

static struct ask questions_of(const struct troubles *troubles)
{
	return (struct ask){
		.answer = answer_one,
		.data = troubles,
		.count = COUNT,
		.answer_size = sizeof(struct answer),
		.kept = -1,
		.name = name_one,
	};
}

static void expect_answer(const struct asked *asked, size_t index)
{
	const struct answer *answer = asked_answer(asked, index);

	assert_non_null(answer);
	assert_int_equal(answer->index, index);
	assert_int_not_equal(answer->pid, getpid());
	assert_false(answer->holds_something);
	assert_string_equal(answer->cwd, "/");
}

static bool is_among(size_t index, const size_t *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (index && index == list[i])
			return true;
	}
	return false;
}

static void all_are_answered(void **state __attribute__((unused)))
{
	static const struct troubles none;
	const struct ask questions = questions_of(&none);
	struct asked *asked;

	assert_int_equal(ask(&questions, &asked, NULL), 0);
	for (size_t i = 0; i < COUNT; i++)
		expect_answer(asked, i);
	asked_destroy(asked);
}

static void silence_delays_no_other(void **state __attribute__((unused)))
{
	static const struct troubles troubles = { .hangs = { 3, 4, 5, 6, 17, 18,
							     30, 40, 41, 49 } };
	const struct ask questions = questions_of(&troubles);
	int64_t start = monotonic_ns();
	struct asked *asked;
	char why[ASK_WHY];
	int step;

	assert_int_equal(ask(&questions, &asked, NULL), 0);
	/* They wait together; one after the other would take ten times that. */
	assert_true(seconds_since(start) >= ASK_SILENCE_MS / 1e3);
	assert_true(seconds_since(start) < 8 * ASK_SILENCE_MS / 1e3);
	for (size_t i = 0; i < COUNT; i++) {
		if (!is_among(i, troubles.hangs, COUNT_OF(troubles.hangs))) {
			expect_answer(asked, i);
			continue;
		}
		assert_null(asked_answer(asked, i));
		assert_string_equal(asked_why(asked, i, why), "did not answer");
		/* The process could be killed. */
		assert_int_equal(asked_left(asked, i, &step), 0);
		assert_int_equal(step, STEP);
	}
	asked_destroy(asked);
}

static void pause_for_long(int signal __attribute__((unused)))
{
	usleep((ASK_SILENCE_MS + 200) * 1000);
}

/* On a busy host a worker may be silent for too long when first looked at. */
static void a_long_pause_loses_one_answer(void **state __attribute__((unused)))
{
	const struct itimerval soon = { .it_value.tv_usec = 5000 };
	const struct troubles troubles = { .hangs = { 3 } };
	struct ask questions = questions_of(&troubles);
	struct asked *asked;
	struct error err;

	assert_true(signal(SIGALRM, pause_for_long) != SIG_ERR);
	setitimer(ITIMER_REAL, &soon, NULL);
	assert_int_equal(ask(&questions, &asked, &err), 0);
	for (size_t i = 0; i < COUNT; i++) {
		if (i == 3)
			assert_null(asked_answer(asked, i));
		else
			expect_answer(asked, i);
	}
	asked_destroy(asked);
}

/* The OOM killer may choose the worker. */
static void death_loses_one_answer(void **state __attribute__((unused)))
{
	static const struct troubles troubles = { .dies = 20 };
	const struct ask questions = questions_of(&troubles);
	struct asked *asked;
	char why[ASK_WHY];

	assert_int_equal(ask(&questions, &asked, NULL), 0);
	for (size_t i = 0; i < COUNT; i++) {
		if (i != 20) {
			expect_answer(asked, i);
			continue;
		}
		assert_null(asked_answer(asked, i));
		assert_string_equal(asked_why(asked, i, why),
				    "not known: its worker ended: Killed");
		assert_int_equal(asked_error(asked, i), -ECANCELED);
	}
	asked_destroy(asked);
}

/* A walk over millions of inodes is silent for long without being stuck. */
static void work_is_waited_for(void **state __attribute__((unused)))
{
	static const struct troubles troubles = { .works = 20 };
	const struct ask questions = questions_of(&troubles);
	struct asked *asked;

	assert_int_equal(ask(&questions, &asked, NULL), 0);
	for (size_t i = 0; i < COUNT; i++)
		expect_answer(asked, i);
	asked_destroy(asked);
}

static void users_time_ends_work(void **state __attribute__((unused)))
{
	static const struct troubles troubles = { .works = 1 };
	struct patience patience = { .seconds = 0.3 };
	struct ask questions = questions_of(&troubles);
	int64_t start = monotonic_ns();
	struct asked *asked;
	char why[ASK_WHY];

	questions.patience = &patience;
	patience_begin(&patience);
	assert_int_equal(ask(&questions, &asked, NULL), 0);
	assert_true(seconds_since(start) < WORK_MS / 1e3);
	expect_answer(asked, 0);
	assert_null(asked_answer(asked, 1));
	assert_string_equal(asked_why(asked, 1, why),
			    "not measured in time (--timeout N sets it)");
	asked_destroy(asked);
}

static void count_one(void *data)
{
	++*(int *)data;
}

static void early_is_shown_once(void **state __attribute__((unused)))
{
	static const struct troubles troubles = { .hangs = { 5 } };
	int shown = 0;
	struct patience patience = { .early = count_one, .early_data = &shown };
	struct ask questions = questions_of(&troubles);
	struct asked *asked;

	questions.patience = &patience;
	patience_begin(&patience);
	assert_int_equal(ask(&questions, &asked, NULL), 0);
	assert_int_equal(shown, 1);
	patience_show_early(&patience);
	assert_int_equal(shown, 1);
	asked_destroy(asked);
}

static char told[256];

static void keep_told(const char *text)
{
	assert_string_equal(told, "");
	snprintf(told, sizeof(told), "%s", text);
}

/* After that time, though no question takes long. */
static void what_takes_long_is_told_once(void **state __attribute__((unused)))
{
	static const struct troubles troubles = { .works = 0 };
	struct patience patience = { .tell = keep_told };
	struct ask questions = questions_of(&troubles);
	struct asked *asked;
	int64_t began_ns = monotonic_ns();

	questions.patience = &patience;
	patience_begin(&patience);
	while (monotonic_ns() - began_ns <
	       PATIENCE_TELL_MS * INT64_C(1500000)) {
		bool is_early = monotonic_ns() - began_ns <
				PATIENCE_TELL_MS * INT64_C(900000);

		assert_int_equal(ask(&questions, &asked, NULL), 0);
		asked_destroy(asked);
		if (is_early)
			assert_string_equal(told, "");
	}
	patience_end(&patience);
	assert_non_null(strstr(told, ": still working"));
}

static void the_question_is_told(void **state __attribute__((unused)))
{
	static const struct troubles troubles = { .hangs = { 5 } };
	struct patience patience = { .tell = keep_told };
	struct ask questions = questions_of(&troubles);
	struct asked *asked;

	*told = '\0';
	questions.patience = &patience;
	questions.silence_ms = PATIENCE_TELL_MS + 500;
	patience_begin(&patience);
	assert_int_equal(ask(&questions, &asked, NULL), 0);
	patience_end(&patience);
	assert_string_equal(told, "measuring: question 5: still working "
				  "(--timeout N ends it with what is known)");
	assert_null(patience_set_about(&patience, NULL));
	asked_destroy(asked);
}

static void nothing_is_told_after_the_end(void **state __attribute__((unused)))
{
	struct patience patience = { .tell = keep_told };

	*told = '\0';
	patience_begin(&patience);
	patience_end(&patience);
	poll(NULL, 0, PATIENCE_TELL_MS + 200);
	assert_string_equal(told, "");
}

/* For work of the program itself, such as reading a kernel's memory. */
static void steps_look_at_the_clock(void **state __attribute__((unused)))
{
	struct patience patience = { .seconds = 3 };
	int steps = 0;

	assert_int_equal(patience_step(NULL), 0);
	assert_null(patience_set_about(NULL, "nothing"));
	patience_begin(&patience);
	assert_null(patience_set_about(&patience, "some"));
	for (int i = 0; i < 1000; i++)
		assert_int_equal(patience_step(&patience), 0);
	assert_string_equal(patience_set_about(&patience, NULL), "some");
	patience.began_ns -= INT64_C(3000000000);
	while (patience_step(&patience) == 0)
		steps++;
	assert_in_range(steps, 0, 64);
	assert_int_equal(patience_look(&patience), -ETIMEDOUT);
}

static void object_is_question(const void *data __attribute__((unused)),
			       size_t index, char text[STUCK_OBJECT])
{
	snprintf(text, STUCK_OBJECT, "test of ask %d %zu", getpid(), index);
}

/* A living process is recorded as a stuck worker. */
static void what_is_stuck_is_not_asked(void **state __attribute__((unused)))
{
	static const struct troubles none;
	struct ask questions = questions_of(&none);
	char object[STUCK_OBJECT], why[ASK_WHY], process[64];
	struct stuck stuck;
	struct asked *asked;

	if (geteuid() != 0)
		fail_msg("only root can write below /run");
	object_is_question(NULL, 3, object);
	stuck_record(object, getpid());
	assert_true(stuck_find(object, &stuck));
	assert_int_equal(stuck.pid, getpid());
	questions.object = object_is_question;
	assert_int_equal(ask(&questions, &asked, NULL), 0);
	assert_null(asked_answer(asked, 3));
	expect_answer(asked, 4);
	snprintf(process, sizeof(process), "(process %d waits for it)",
		 getpid());
	assert_non_null(strstr(asked_why(asked, 3, why), process));
	assert_non_null(strstr(why, "not answering since 20"));
	asked_destroy(asked);
}

/* What may not answer is not asked by ever more processes, which may stay. */
static void at_most_four_wait(void **state __attribute__((unused)))
{
	static const struct troubles troubles = { .hangs = { 3, 4, 5, 6, 17, 18,
							     30, 40, 41, 49 } };
	struct ask questions = questions_of(&troubles);
	int64_t start = monotonic_ns();
	size_t silent = 0, not_asked = 0;
	char object[STUCK_OBJECT], why[ASK_WHY];
	struct asked *asked;

	/* One of an earlier run. */
	object_is_question(NULL, 3, object);
	stuck_record(object, getpid());
	questions.object = object_is_question;
	assert_int_equal(ask(&questions, &asked, NULL), 0);
	assert_true(seconds_since(start) < 3 * ASK_SILENCE_MS / 1e3);
	for (size_t i = 0; i < COUNT; i++) {
		if (asked_answer(asked, i))
			continue;
		asked_why(asked, i, why);
		silent += strcmp(why, "did not answer") == 0;
		not_asked += strcmp(why, "not asked: 4 others already do not "
					 "answer") == 0;
	}
	assert_int_equal(silent, 3);
	assert_in_range(not_asked, 6, COUNT);
	asked_destroy(asked);
}

/* Of two that ask for the same in one sample, the second does not wait. */
static void silence_is_waited_for_once(void **state __attribute__((unused)))
{
	static const struct troubles troubles = { .hangs = { 9, 7 } };
	struct patience patience = { 0 };
	struct ask questions = questions_of(&troubles);
	struct asked *asked;
	char why[ASK_WHY];

	questions.object = object_is_question;
	questions.patience = &patience;
	patience_begin(&patience);
	for (int i = 0; i < 2; i++) {
		int64_t start = monotonic_ns();

		assert_int_equal(ask(&questions, &asked, NULL), 0);
		assert_true((seconds_since(start) >= ASK_SILENCE_MS / 1e3) ==
			    (i == 0));
		assert_null(asked_answer(asked, 9));
		assert_string_equal(asked_why(asked, 9, why), "did not answer");
		assert_null(asked_answer(asked, 7));
		expect_answer(asked, 8);
		asked_destroy(asked);
	}
}

/* What may wait is named, however common it is; the rest is answered. */
static void no_process_can_be_started(void **state __attribute__((unused)))
{
	static const struct troubles none;
	struct ask questions = questions_of(&none);
	const struct rlimit few = { 3, 1024 }, usual = { 1024, 1024 };
	const struct answer *answer;
	struct asked *asked;
	char why[ASK_WHY];
	int kept_at;

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (int common = 0; common < 2; common++) {
		questions.is_common = common;
		assert_int_equal(ask(&questions, &asked, NULL), 0);
		assert_null(asked_answer(asked, COUNT - 1));
		assert_string_equal(asked_why(asked, COUNT - 1, why),
				    "not asked: no process can be started: Too "
				    "many open files");
		assert_int_equal(asked_error(asked, COUNT - 1), -EMFILE);
		asked_destroy(asked);
	}
	questions.kept_at = &kept_at;
	assert_int_equal(ask(&questions, &asked, NULL), 0);
	answer = asked_answer(asked, COUNT - 1);
	assert_non_null(answer);
	assert_int_equal(answer->pid, getpid());
	asked_destroy(asked);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
}

/* When the process has ended, its record no longer counts. */
static void what_has_ended_is_asked_again(void **state __attribute__((unused)))
{
	char object[STUCK_OBJECT] = "test of ask: ended";
	struct stuck stuck;
	int pipe;
	pid_t pid = worker_start(-1, false, &pipe);

	if (pid == 0) {
		pause();
		_exit(0);
	}
	assert_true(pid > 0);
	stuck_record(object, pid);
	assert_true(stuck_find(object, &stuck));
	kill(pid, SIGKILL);
	assert_true(worker_reap(pid, monotonic_ns() + 10000000000));
	assert_false(stuck_find(object, &stuck));
	close(pipe);
}

static void one_run_after_the_other(void **state __attribute__((unused)))
{
	struct stat status;
	int lock = stuck_lock(0);

	assert_true(lock >= 0);
	assert_int_equal(stuck_lock(20), -EBUSY);
	stuck_unlock(&lock);
	lock = stuck_lock(0);
	assert_true(lock >= 0);
	stuck_unlock(&lock);
	assert_int_equal(lock, -1);
	assert_int_equal(stat("/run/bufstat/lock", &status), -1);
}

/* Many runs have the lock for a moment each: that is no reason to give up. */
static void many_runs_take_turns(void **state __attribute__((unused)))
{
	pid_t others = fork();
	int lock, status;

	if (others == 0) {
		for (int i = 0; i < 12; i++) {
			lock = stuck_lock(1000);
			usleep(30000);
			stuck_unlock(&lock);
		}
		_exit(0);
	}
	while (access("/run/bufstat/lock", F_OK) < 0)
		usleep(1000);
	lock = stuck_lock(120);
	assert_true(lock >= 0);
	stuck_unlock(&lock);
	assert_int_equal(waitpid(others, &status, 0), others);
}

/* The same words mean another file in another directory. */
static void records_name_absolute_paths(void **state __attribute__((unused)))
{
	char here[STUCK_OBJECT], there[STUCK_OBJECT];

	assert_int_equal(chdir("/usr"), 0);
	stuck_name_path("write", "a", here);
	assert_int_equal(chdir("/"), 0);
	stuck_name_path("write", "a", there);
	assert_string_equal(here, "write /usr/a");
	assert_string_equal(there, "write /a");
}

static void records_keep_the_end(void **state __attribute__((unused)))
{
	char object[STUCK_OBJECT], path[3 * STUCK_OBJECT];

	memset(path, 'a', sizeof(path));
	memcpy(path, "/", 1);
	memcpy(path + sizeof(path) - sizeof("/end"), "/end", sizeof("/end"));
	stuck_name_path("read", path, object);
	assert_int_equal(strlen(object), STUCK_OBJECT - 1);
	assert_memory_equal(object, "read aaa", strlen("read aaa"));
	assert_string_equal(object + strlen(object) - strlen("/end"), "/end");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_answered),
		cmocka_unit_test(silence_delays_no_other),
		cmocka_unit_test(a_long_pause_loses_one_answer),
		cmocka_unit_test(death_loses_one_answer),
		cmocka_unit_test(work_is_waited_for),
		cmocka_unit_test(users_time_ends_work),
		cmocka_unit_test(early_is_shown_once),
		cmocka_unit_test(what_takes_long_is_told_once),
		cmocka_unit_test(the_question_is_told),
		cmocka_unit_test(nothing_is_told_after_the_end),
		cmocka_unit_test(steps_look_at_the_clock),
		cmocka_unit_test(what_is_stuck_is_not_asked),
		cmocka_unit_test(at_most_four_wait),
		cmocka_unit_test(silence_is_waited_for_once),
		cmocka_unit_test(no_process_can_be_started),
		cmocka_unit_test(what_has_ended_is_asked_again),
		cmocka_unit_test(one_run_after_the_other),
		cmocka_unit_test(many_runs_take_turns),
		cmocka_unit_test(records_name_absolute_paths),
		cmocka_unit_test(records_keep_the_end),
	};

	return cmocka_run_group_tests(tests, have_own_run, NULL);
}

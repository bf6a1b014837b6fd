// SPDX-License-Identifier: GPL-2.0-or-later
/* What a dump's server answers, and that it always ends. */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "address_space.h"
#include "fake_kernel.h"
#include "kernel/dump_server.h"
#include "test.h"
#include "tree.h"

/* Where the heap is in physical memory. */
#define HEAP_PHYSICAL 0x100000ULL
#define TEXT "text in the heap"

struct served {
	struct fake_kernel fake;
	struct tree tree;
	char path[512];
	pid_t pid;
	int socket;
};

static void serve(struct served *served)
{
	/* Less than the answers of a test. */
	const int room = 65536;
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room,
				    sizeof(room)),
			 0);
	served->pid = fork();
	assert_true(served->pid >= 0);
	if (!served->pid) {
		close(ends[0]);
		dump_serve(served->path, ends[1]);
	}
	close(ends[1]);
	served->socket = ends[0];
}

static void served_init(struct served *served)
{
	fake_kernel_init(&served->fake, "btf/debian-6.12");
	fake_put(&served->fake, FAKE_HEAP + DUMP_PAGE, TEXT, sizeof(TEXT));
	fake_alloc(&served->fake, 2 * DUMP_PAGE);
	tree_create(&served->tree);
	fake_kernel_write(&served->fake, &served->tree, "dump");
	snprintf(served->path, sizeof(served->path), "%s/dump",
		 served->tree.path);
	serve(served);
}

/* Expects that the server has ended, or does now, with that exit status. */
static void expect_end(struct served *served, int expected)
{
	int status;

	assert_int_equal(waitpid(served->pid, &status, 0), served->pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), expected);
}

static void served_deinit(struct served *served)
{
	tree_destroy(&served->tree);
	fake_kernel_deinit(&served->fake);
}

static void receive(const struct served *served, void *data, size_t size)
{
	assert_int_equal(recv(served->socket, data, size, MSG_WAITALL), size);
}

static void expect_no_answer(const struct served *served)
{
	char byte;

	assert_int_equal(recv(served->socket, &byte, 1, 0), 0);
}

static void expect_greeting(const struct served *served)
{
	struct frame head;
	char text[sizeof(served->fake.vmcoreinfo)] = "";

	receive(served, &head, sizeof(head));
	assert_int_equal(head.kind, 0);
	assert_int_equal(head.size, strlen(served->fake.vmcoreinfo));
	receive(served, text, head.size);
	assert_string_equal(text, served->fake.vmcoreinfo);
}

static void ask(const struct served *served, uint64_t address, uint64_t size)
{
	const struct dump_question question = { address, size };

	assert_int_equal(send(served->socket, &question, sizeof(question), 0),
			 sizeof(question));
}

/* Memory follows the status in any case, as much as was asked for. */
static void expect_answer(const struct served *served, int status,
			  const void *expected, size_t size)
{
	static char memory[DUMP_PAGE];
	struct frame head;

	receive(served, &head, sizeof(head));
	assert_int_equal(head.kind, -status);
	assert_int_equal(head.size, size);
	receive(served, memory, size);
	if (expected)
		assert_memory_equal(memory, expected, size);
}

static void answers(void **state __attribute__((unused)))
{
	struct served served;

	served_init(&served);
	expect_greeting(&served);
	ask(&served, HEAP_PHYSICAL + DUMP_PAGE, sizeof(TEXT));
	expect_answer(&served, 0, TEXT, sizeof(TEXT));
	ask(&served, HEAP_PHYSICAL, DUMP_PAGE);
	expect_answer(&served, 0, served.fake.heap, DUMP_PAGE);
	/* Before the dump's memory, across its end, after it, and nothing. */
	ask(&served, HEAP_PHYSICAL - 8, 16);
	expect_answer(&served, -ENODATA, NULL, 16);
	ask(&served, HEAP_PHYSICAL + FAKE_HEAP_SIZE - 4096, DUMP_PAGE);
	expect_answer(&served, -ENODATA, NULL, DUMP_PAGE);
	ask(&served, UINT64_MAX - 7, 16);
	expect_answer(&served, -ENODATA, NULL, 16);
	ask(&served, HEAP_PHYSICAL + 8, 8);
	expect_answer(&served, 0, served.fake.heap + 8, 8);
	close(served.socket);
	expect_end(&served, EXIT_SUCCESS);
	served_deinit(&served);
}

/* Many questions before the first answer is read: none is lost. */
static void questions_in_advance(void **state __attribute__((unused)))
{
	struct served served;

	served_init(&served);
	for (uint64_t i = 0; i < 64; i++)
		ask(&served, HEAP_PHYSICAL + i * 64, DUMP_PAGE);
	expect_greeting(&served);
	for (uint64_t i = 0; i < 64; i++)
		expect_answer(&served, 0, served.fake.heap + i * 64, DUMP_PAGE);
	close(served.socket);
	expect_end(&served, EXIT_SUCCESS);
	served_deinit(&served);
}

static void bad_questions(void **state __attribute__((unused)))
{
	const uint64_t half = HEAP_PHYSICAL;
	struct served served;

	served_init(&served);
	expect_greeting(&served);
	/* More than it has room for. */
	ask(&served, HEAP_PHYSICAL, DUMP_PAGE + 1);
	expect_no_answer(&served);
	close(served.socket);
	expect_end(&served, EXIT_SUCCESS);

	serve(&served);
	expect_greeting(&served);
	assert_int_equal(send(served.socket, &half, sizeof(half), 0),
			 sizeof(half));
	assert_int_equal(shutdown(served.socket, SHUT_WR), 0);
	expect_no_answer(&served);
	close(served.socket);
	expect_end(&served, EXIT_SUCCESS);
	served_deinit(&served);
}

/* Nobody reads what it answers: it ends, and no signal ends it. */
static void nobody_reads(void **state __attribute__((unused)))
{
	struct served served;

	served_init(&served);
	expect_greeting(&served);
	for (int i = 0; i < 64; i++)
		ask(&served, HEAP_PHYSICAL, DUMP_PAGE);
	close(served.socket);
	expect_end(&served, EXIT_FAILURE);
	served_deinit(&served);
}

/* A library that crashes, and one that aborts. */
static void crashes(void **state __attribute__((unused)))
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE,
				       SIGILL };
	struct served served;

	served_init(&served);
	for (size_t i = 0; i < COUNT_OF(signals); i++) {
		if (i)
			serve(&served);
		expect_greeting(&served);
		assert_int_equal(kill(served.pid, signals[i]), 0);
		expect_no_answer(&served);
		close(served.socket);
		expect_end(&served, EXIT_FAILURE);
	}
	served_deinit(&served);
}

static void expect_refusal(struct served *served, int status, const char *text)
{
	struct frame head;
	struct error err;

	serve(served);
	receive(served, &head, sizeof(head));
	assert_int_equal(head.kind, -status);
	assert_int_equal(head.size, sizeof(err));
	receive(served, &err, sizeof(err));
	if (!strstr(text_of(&err), text))
		fail_msg("%s, expected %s", text_of(&err), text);
	expect_no_answer(served);
	close(served->socket);
	expect_end(served, EXIT_SUCCESS);
}

/* It says why there will be no answers, and ends. */
static void no_dump(void **state __attribute__((unused)))
{
	const uint16_t machine = EM_S390;
	struct served served;
	FILE *file;

	served_init(&served);
	expect_greeting(&served);
	close(served.socket);
	expect_end(&served, EXIT_SUCCESS);

	file = fopen(served.path, "r+");
	assert_non_null(file);
	assert_int_equal(fseek(file, offsetof(Elf64_Ehdr, e_machine), SEEK_SET),
			 0);
	assert_int_equal(fwrite(&machine, sizeof(machine), 1, file), 1);
	assert_int_equal(fclose(file), 0);
	expect_refusal(&served, -EOPNOTSUPP, "a dump of another processor");

	tree_add_text(&served.tree, "dump", "text");
	expect_refusal(&served, -EBADMSG, "not a dump");
	assert_int_equal(unlink(served.path), 0);
	expect_refusal(&served, -ENOENT, strerror(ENOENT));
	snprintf(served.path, sizeof(served.path), "%s", served.tree.path);
	expect_refusal(&served, -EISDIR, strerror(EISDIR));
	served_deinit(&served);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),
		cmocka_unit_test(questions_in_advance),
		cmocka_unit_test(bad_questions),
		cmocka_unit_test(nobody_reads),
		cmocka_unit_test(crashes),
		cmocka_unit_test(no_dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks many questions of which any may never be answered: a network filesystem
 * whose server is gone leaves whoever touches it waiting in the kernel, where
 * not even SIGKILL reaches. So they are asked by processes of their own, which
 * can be left behind; threads would keep the whole program from ending.
 *
 * One process asks one question after the other. When it has said nothing for a
 * moment, another one goes on with the questions behind.
 */
#ifndef BUFSTAT_ASK_H
#define BUFSTAT_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

/* To wait if the user did not say: ten million inodes take some two. */
#define ASK_SECONDS 10

/*
 * Answers question @index into @answer, which is all zero and in shared memory.
 * In a process of its own, which has no stdin, stdout and stderr.
 */
typedef void ask_fn(const void *data, size_t index, void *answer);

struct asked;

/*
 * Asks @count questions. What has not been answered @seconds after it was asked
 * is given up. Returns 0 or a negative errno: the processes could not be made.
 */
int ask(ask_fn *answer, const void *data, size_t count, size_t answer_size,
	double seconds, struct asked **asked, struct error *err);
void asked_destroy(struct asked *asked);

/* The answer, or NULL: there was none in time. */
const void *asked_answer(const struct asked *asked, size_t index);

/* The inode of the shared memory, which is in the kernel's own tmpfs. */
uint64_t asked_ino(const struct asked *asked);

#endif

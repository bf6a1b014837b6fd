/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lets the first, the second, the third... thing fail that may fail in the
 * kernel while a system call of this thread runs (/proc/thread-self/fail-nth of
 * a kernel with fault injection).
 */
#ifndef GUEST_COMMON_FAULTS_H
#define GUEST_COMMON_FAULTS_H

#include <stdbool.h>

/* The program's exit status where this kernel lets nothing fail. */
#define FAULTS_SKIPPED 77

/* To begin with. Ends the program if there is no fault injection here. */
void faults_open(void);

/* From now on the @nth thing that may fail does, once. */
void faults_set(unsigned int nth);

/* Whether the one that was set has failed. Nothing does from then on. */
bool faults_happened(void);

/* Whether a system call that met a fault may have ended with @error. */
bool faults_explain(int error);

/* A @fails of faults_all: opening @path, a file of the module. */
bool faults_fail_opening(const char *path, unsigned int nth);

/*
 * Calls @fails(@path, 1), @fails(@path, 2)... until one says that it got
 * through without a fault, and @check(@path), if there is one, after each that
 * did not. Prints how many that were; ends the program if it was none.
 */
void faults_all(const char *what, const char *path,
		bool (*fails)(const char *path, unsigned int nth),
		void (*check)(const char *path));

#endif

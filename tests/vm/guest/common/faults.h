/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lets the first, the second, the third... point of failure fail in a system
 * call of this thread (/proc/thread-self/fail-nth of a kernel with fault
 * injection).
 */
#ifndef GUEST_COMMON_FAULTS_H
#define GUEST_COMMON_FAULTS_H

#include <stdbool.h>

/* The program's exit status if this kernel has no fault injection. */
#define FAULTS_SKIPPED 77

/* Call this first. Ends the program if the kernel has no fault injection. */
void faults_open(void);

/* From now on the @nth point of failure fails, once. */
void faults_set(unsigned int nth);

/* Whether the fault that was set has happened. Clears it. */
bool faults_happened(void);

/* Whether a fault can explain that a system call ended with @error. */
bool faults_explain(int error);

/* For @fails of faults_all(): opens @path, a file of the module. */
bool faults_fail_opening(const char *path, unsigned int nth);

/*
 * Calls @fails(@path, 1), @fails(@path, 2)... until one reports that no fault
 * happened. After each of the others calls @check(@path), unless it is NULL.
 * Prints the number of faults; ends the program if there were none.
 */
void faults_all(const char *what, const char *path,
		bool (*fails)(const char *path, unsigned int nth),
		void (*check)(const char *path));

#endif

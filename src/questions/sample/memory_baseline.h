/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was unaccounted at the first run since the boot, by which later growth
 * is judged. Root's first run writes it to a file that everybody may read.
 */
#ifndef BUFSTAT_MEMORY_BASELINE_H
#define BUFSTAT_MEMORY_BASELINE_H

struct heads_answer;
struct memory_reading;
struct sysroot;

#define MEMORY_BASELINE "/run/bufstat/memory"

/*
 * Sets @reading->baseline to what the file has, on the running host, if it is
 * of this boot. Of a captured host it is in the reading already. Returns 0 or
 * -ENOMEM.
 */
int memory_baseline_read(struct memory_reading *reading,
			 const struct sysroot *root);

/*
 * Writes what was counted as the baseline, if there is none of this boot: on
 * the running host, for root only, and only if all of memory was counted.
 * Nothing else of @answer is in it. That it could not be written is no error.
 */
void memory_baseline_write(const struct heads_answer *answer,
			   const struct sysroot *root);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "owners/owner_lists.h"
#include "worker/ask.h"
#include "worker/patience.h"

#define MAX_ROLLUP (1U << 16)
/* Asked in one go, to spare processes. */
#define BATCH 64

struct asking {
	const struct sysroot *root;
	const struct memory_owner *owners;
};

struct answer {
	int error; /* an errno, or 0 */
	int64_t bytes;
};

/*
 * A page counts in part in each process that has it. Waits for the mmap_lock,
 * until it is killed.
 */
static int read_pss(const struct sysroot *root, unsigned int pid,
		    int64_t *bytes)
{
	_cleanup_(freep) char *text = NULL;
	char path[64];
	uint64_t kib;
	int ret;

	snprintf(path, sizeof(path), "/proc/%u/smaps_rollup", pid);
	ret = sysroot_read(root, path, MAX_ROLLUP, &text, NULL);
	if (ret < 0)
		return ret;
	if (!value_of_line(text, "Pss_Anon:"))
		return -EOPNOTSUPP;
	if (!number_of_line(text, "Pss_Anon:", INT64_MAX / 1024, &kib))
		return -EBADMSG;
	*bytes = (int64_t)kib * 1024;
	return 0;
}

static size_t answer_in_worker(const void *data, size_t index, void *answer)
{
	const struct asking *asking = data;
	struct answer *to = answer;

	to->error =
		-read_pss(asking->root, asking->owners[index].pid, &to->bytes);
	return sizeof(*to);
}

static void name_question(const void *data, size_t index,
			  char text[STUCK_OBJECT])
{
	const struct asking *asking = data;

	snprintf(text, STUCK_OBJECT, "/proc/%u/smaps_rollup",
		 asking->owners[index].pid);
}

/* Takes the answers in place of the figures. -1 marks what is left out. */
static void take(struct memory_owner_list *list, const struct asked *asked,
		 struct memory_owner *owners, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct answer *answer = asked_answer(asked, i);

		if (answer && !answer->error) {
			owners[i].bytes = answer->bytes;
			continue;
		}
		owners[i].bytes = -1;
		/* It may have ended meanwhile. */
		if (answer &&
		    (answer->error == ENOENT || answer->error == ESRCH))
			continue;
		list->unread++;
		if (answer && answer->error == EOPNOTSUPP)
			memory_owner_list_fail(list, "/proc/PID/smaps_rollup: "
						     "no Pss_Anon in it (Linux "
						     "5.4)");
	}
}

static int ask_batch(struct memory_owner_list *list, const struct sysroot *root,
		     size_t first, size_t count)
{
	struct asking asking = { root, list->owners + first };
	const struct ask question = {
		.answer = answer_in_worker,
		.data = &asking,
		.count = count,
		.answer_size = sizeof(struct answer),
		.kept = -1,
		.name = name_question,
		.patience = root->patience,
	};
	struct asked *asked = NULL;
	int ret = ask(&question, &asked, NULL);

	if (!ret)
		take(list, asked, list->owners + first, count);
	asked_destroy(asked);
	return ret;
}

/* Removes what did not answer. The rest, not asked, counts as others. */
static void remove_left_out(struct memory_owner_list *list, size_t asked)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		struct memory_owner *owner = &list->owners[i];

		if (i < asked && owner->bytes >= 0) {
			list->owners[kept++] = *owner;
			continue;
		}
		list->others += i >= asked;
		free(owner->name);
	}
	list->count = kept;
}

int owners_by_pss(struct memory_owners *owners, const struct sysroot *root)
{
	struct memory_owner_list *list =
		owner_list(owners, MEMORY_HEAD_PROGRAMS, MEMORY_OWNER_PROCESS);
	size_t asked = 0;
	int64_t least;
	int ret = 0;

	if (!list)
		return 0;
	ret = memory_owner_list_cut(list, SIZE_MAX);
	while (!ret && asked < list->count) {
		size_t count = list->count - asked;

		ret = memory_owner_list_least(list, asked, owners->top, &least);
		/* No process has a larger Pss than RSS. */
		if (ret < 0 || least >= list->owners[asked].bytes)
			break;
		if (patience_walk(root->patience) < 0) {
			owners->is_cut_short = true;
			break;
		}
		if (count > BATCH)
			count = BATCH;
		ret = ask_batch(list, root, asked, count);
		asked += count;
	}
	remove_left_out(list, asked);
	if (ret == -ENOMEM)
		return ret;
	return memory_owner_list_cut(list, owners->top);
}

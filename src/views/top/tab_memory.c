// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "explain/explain.h"
#include "lib/error.h"
#include "lib/wrap.h"
#include "measure/meminfo.h"
#include "sample/heads_question.h"
#include "top/tab.h"

/* What plain bufstat says. A recording does not have who it may be. */
static int find_holder(const struct tab_asking *question, struct tab_rows *rows)
{
	struct meminfo meminfo;
	struct error unused;
	int ret = 0;

	if (rows->recorded_ms ||
	    meminfo_read(&meminfo, question->root, &unused) < 0)
		return 0;
	ret = explain_brief(&rows->holder, question->root, &meminfo);
	for (char *at = rows->holder; at && *at; at++) {
		if (*at == WRAP_HARD_SPACE)
			*at = ' ';
		else if (*at == '\n')
			*at = '\0';
	}
	return ret;
}

static int add_bar(const struct tab_asking *question, struct tab_rows *rows,
		   struct error *err)
{
	const struct heads_answer *answer = rows->data;
	int ret;

	bar_init(&rows->bar, &answer->heads, &answer->reading);
	ret = find_holder(question, rows);
	return ret < 0 ? error_errno(err, -ret, "reading", "/proc/meminfo") : 0;
}

const struct tab_more tab_memory = {
	.walks_processes = true, /* where a holder is looked for */
	.add = add_bar,
};

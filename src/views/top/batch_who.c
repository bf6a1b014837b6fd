// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exit_code.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "top/batch.h"
#include "top/feed.h"

/* The reports of bufstat who, as text. */
struct reports {
	struct batch *batch;
	struct feed feed;
	size_t count; /* that have begun */
	size_t empty; /* lines that came last */
	int code;
};

/* Each report begins with the time. */
static bool is_time(const char *line)
{
	int end = 0;

	sscanf(line, "%*4[0-9]-%*2[0-9]-%*2[0-9] %*2[0-9]:%*2[0-9]:%*2[0-9]%n",
	       &end);
	return end && !line[end];
}

/* What is above the table is measured when the report is there. */
static void begin_report(struct reports *reports)
{
	if (reports->count++)
		putchar('\n');
	reports->code = batch_print_top(reports->batch);
}

static void take_line(struct reports *reports, const char *line)
{
	static const char prefix[] = "bufstat: ";

	if (strncmp(line, prefix, strlen(prefix)) == 0) {
		error_tell(line + strlen(prefix));
	} else if (is_time(line)) {
		reports->empty = 0;
		begin_report(reports);
	} else if (!*line) {
		reports->empty++;
	} else {
		for (; reports->empty; reports->empty--)
			putchar('\n');
		puts(line);
	}
}

/* Returns whether there is more to come. */
static bool read_reports(struct reports *reports)
{
	struct pollfd waited = { .fd = reports->feed.pipe, .events = POLLIN };
	char *line;
	int ret;

	fflush(stdout);
	if (poll(&waited, 1, -1) < 0 && errno != EINTR)
		return false;
	ret = feed_read(&reports->feed);
	while ((line = feed_line(&reports->feed))) {
		take_line(reports, line);
		free(line);
	}
	return !ret && !ferror(stdout) && reports->code == EXIT_OK;
}

static int follow(struct reports *reports)
{
	const struct interval *interval = reports->batch->options->interval;
	char seconds[32], count[32];
	const char *words[] = { "who",	 "-s",
				seconds, interval->count ? "-c" : NULL,
				count,	 NULL };

	snprintf(seconds, sizeof(seconds), "%g", interval->seconds ?: 1);
	snprintf(count, sizeof(count), "%d", interval->count);
	return feed_command(&reports->feed, words);
}

int batch_run_who(struct batch *batch)
{
	struct reports reports = { .batch = batch, .code = EXIT_OK };
	struct error err;
	int ret;

	if (!sysroot_is_live(batch->options->work.root))
		ret = error_set(&err, ERROR_UNUSABLE,
				"a captured host has no processes to trace");
	else if ((ret = follow(&reports)) < 0)
		error_errno(&err, -ret, "starting", "bufstat who");
	else
		while (read_reports(&reports))
			;
	feed_stop(&reports.feed);
	if (ret < 0)
		told_print(&batch->told, &err);
	/* Memory can be shown where nothing can be traced. */
	if (!reports.count)
		begin_report(&reports);
	return reports.code;
}

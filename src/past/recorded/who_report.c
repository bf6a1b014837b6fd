// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "cli/moment.h"
#include "filesystems/selection.h"
#include "lib/error.h"
#include "recorded/who_report.h"
#include "store/excerpt.h"
#include "who/tracing.h"

/* The report that has a moment in it ends later. */
#define LONGEST_REPORT_MS INT64_C(120000)

int who_report_read(struct who_report *report, const char *path,
		    const struct growth_span *span, struct selection *selection,
		    struct patience *patience, struct error *err)
{
	const struct growth_span read = {
		.from_ms = span->from_ms,
		.to_ms = span->to_ms + LONGEST_REPORT_MS,
	};
	int ret = growth_read(&report->growth, path, &read, patience, err);

	if (ret < 0)
		return ret;
	ret = recorded_who_init(&report->who, &report->growth, span->from_ms,
				span->to_ms, selection);
	if (ret == -ENODATA)
		return error_advise(err, ENODATA, "reading a recording",
				    recording_shown(path),
				    "bufstat history says why",
				    "nobody was traced then");
	if (ret < 0)
		return error_errno(err, -ret, "making", "the table");
	selection->lacks_files = !fills_traced_all(&report->growth.fills);
	return 0;
}

void who_report_deinit(struct who_report *report)
{
	recorded_who_deinit(&report->who);
	growth_deinit(&report->growth);
}

void who_report_missing(const struct who_report *report, error_tell_fn *tell,
			void *data)
{
	static const char doing[] = "tracing the page cache";
	const struct fills *fills = &report->growth.fills;
	char from[MOMENT_TEXT_SIZE];
	struct error err;

	if (fills->lost_events) {
		tracing_lost(fills->engine, fills->lost_events, &err);
		tell(data, &err);
	}
	if (report->who.is_estimated) {
		error_doing(&err, ERROR_PARTIAL, doing, fills->engine,
			    "estimates: to trace all would have cost too much, "
			    "so 50 ms of each second were");
		tell(data, &err);
	}
	for (size_t i = 0; i < fills->untraced.count; i++) {
		const struct gap *gap = &fills->untraced.gaps[i];

		if (gap->to_ms <= report->who.from_ms ||
		    gap->from_ms >= report->who.to_ms)
			continue;
		error_doing(&err, ERROR_PARTIAL, doing,
			    moment_text(gap->from_ms, from), "not traced: %s",
			    gap->cause);
		tell(data, &err);
	}
}

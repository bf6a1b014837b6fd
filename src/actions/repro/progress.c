// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <unistd.h>

#include "lib/monotonic.h"
#include "repro/progress.h"

#define NS_PER_SECOND INT64_C(1000000000)
#define PATIENCE_NS NS_PER_SECOND
#define PERIOD_NS (NS_PER_SECOND / 4)

void progress_init(struct progress *progress, FILE *out, bool verbose)
{
	*progress = (struct progress){
		.out = out,
		.is_terminal = isatty(fileno(out)),
		.verbose = verbose,
	};
}

void progress_step(struct progress *progress, const char *step)
{
	progress_clear(progress);
	progress->step = step;
	progress->began_ns = monotonic_ns();
	if (progress->verbose)
		fprintf(progress->out, "step: %s\n", step);
}

void progress_show(struct progress *progress, uint64_t done, uint64_t total)
{
	int64_t now;

	if (!progress->is_terminal)
		return;
	now = monotonic_ns();
	if (now - progress->began_ns < PATIENCE_NS ||
	    now - progress->shown_ns < PERIOD_NS)
		return;
	fprintf(progress->out, "\r\033[K%s", progress->step);
	if (total)
		fprintf(progress->out, ": %" PRIu64 "%%", done * 100 / total);
	fflush(progress->out);
	progress->shown_ns = now;
}

void progress_clear(struct progress *progress)
{
	if (!progress->shown_ns)
		return;
	fputs("\r\033[K", progress->out);
	fflush(progress->out);
	progress->shown_ns = 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <time.h>

#include "lib/error.h"
#include "recorded/growth_span.h"
#include "store/past.h"

#define DAY_MS INT64_C(86400000)

int growth_span_choose(struct growth_span *span, const struct sysroot *root,
		       const struct moment *from_given,
		       const struct moment *to_given, struct error *err)
{
	time_t now = past_now(root);
	int64_t now_ms = now * INT64_C(1000);
	struct moment from, to;

	moment_rebase(&from, from_given, now);
	moment_rebase(&to, to_given, now);
	span->has_from = from.count;
	span->to_ms = to.count ? to.ms[to.count - 1] + MOMENT_LAST_MS : now_ms;
	span->from_ms = from.count ? from.ms[0] : span->to_ms - DAY_MS;
	if (span->to_ms < span->from_ms && to.is_clock)
		span->to_ms += DAY_MS;
	if (span->to_ms > now_ms)
		span->to_ms = now_ms;
	if (span->to_ms >= span->from_ms)
		return 0;
	return error_option(err, "--to", "%s is before --from",
			    to.text ? to.text : "now");
}

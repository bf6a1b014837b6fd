// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <time.h>

#include "recorded/growth_span.h"
#include "lib/error.h"

#define DAY_MS INT64_C(86400000)

int growth_span_choose(struct growth_span *span, const struct moment *from,
		       const struct moment *to, struct error *err)
{
	int64_t now_ms = time(NULL) * INT64_C(1000);

	span->has_from = from->count;
	span->to_ms = to->count ? to->ms[to->count - 1] : now_ms;
	span->from_ms = from->count ? from->ms[0] : span->to_ms - DAY_MS;
	if (span->to_ms < span->from_ms && to->text &&
	    !strchr(to->text + 1, '-'))
		span->to_ms += DAY_MS;
	if (span->to_ms > now_ms)
		span->to_ms = now_ms;
	if (span->to_ms >= span->from_ms)
		return 0;
	return error_doing(err, EINVAL, "reading options", "--to",
			   "%s is before --from", to->text ? to->text : "now");
}

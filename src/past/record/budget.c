// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/budget.h"

#define MINUTE_NS INT64_C(60000000000)

int64_t budget_use(struct budget *budget, int64_t now_ns, int64_t cost_ns)
{
	int64_t until_ns;

	if (!budget->began_ns || now_ns - budget->began_ns >= MINUTE_NS)
		*budget = (struct budget){ .began_ns = now_ns };
	budget->used_ns += cost_ns;
	if (budget->used_ns <= MINUTE_NS / 1000 * BUDGET_PERMILLE)
		return 0;
	until_ns = budget->began_ns + budget->used_ns / BUDGET_PERMILLE * 1000;
	*budget = (struct budget){ 0 };
	return until_ns;
}

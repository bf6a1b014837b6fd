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

void sampling_begin(struct sampling *sampling, int64_t second_ns,
		    uint32_t random)
{
	*sampling = (struct sampling){
		.second_ns = second_ns,
		.start_ns = (int64_t)random % SAMPLING_SECOND_NS,
	};
}

bool sampling_is_over(const struct sampling *sampling, int64_t now_ns)
{
	return now_ns - sampling->second_ns >= SAMPLING_SECOND_NS;
}

bool sampling_is_on(const struct sampling *sampling, int64_t now_ns)
{
	int64_t since_ns = now_ns - sampling->second_ns - sampling->start_ns;

	return (since_ns + SAMPLING_SECOND_NS) % SAMPLING_SECOND_NS <
	       SAMPLING_WINDOW_NS;
}

int64_t sampling_next(const struct sampling *sampling, int64_t now_ns)
{
	int64_t since_ns = now_ns - sampling->second_ns;
	int64_t end_ns =
		(sampling->start_ns + SAMPLING_WINDOW_NS) % SAMPLING_SECOND_NS;
	int64_t next_ns = SAMPLING_SECOND_NS;

	if (sampling->start_ns > since_ns)
		next_ns = sampling->start_ns;
	if (end_ns > since_ns && end_ns < next_ns)
		next_ns = end_ns;
	return sampling->second_ns + next_ns;
}

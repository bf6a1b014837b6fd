// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling.h"

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

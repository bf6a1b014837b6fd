// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdlib.h>

#include "repro/judge.h"

#define GROWTH_PERCENT 90
#define NONE_PERCENT 10
#define MOST_PERCENT 150
#define READAHEAD_PAGES 2048 /* as if each of few reads brought so many */

const struct quantity_info quantities[QUANTITIES] = {
	[QUANTITY_DEVICE] = { NULL, false, QUANTITY_BUFFERS },
	[QUANTITY_DEVICE_DIRTY] = { NULL, false, QUANTITY_DIRTY },
	[QUANTITY_WITNESS] = { NULL, false, QUANTITY_WITNESS },
	[QUANTITY_FILE] = { "file", false, QUANTITY_CACHED },
	[QUANTITY_FILE_DIRTY] = { "file dirty", false, QUANTITY_DIRTY },
	[QUANTITY_BACKING] = { "file below", false, QUANTITY_BACKING },
	[QUANTITY_DD] = { "traced: dd", false, QUANTITY_DD },
	[QUANTITY_FIND] = { "traced: find", false, QUANTITY_FIND },
	[QUANTITY_THROUGH] = { "added through the cache", false,
			       QUANTITY_THROUGH },
	[QUANTITY_PAST] = { "added past it", false, QUANTITY_PAST },
	[QUANTITY_ASTRAY] = { "functions astray", false, QUANTITY_ASTRAY },
	[QUANTITY_BUFFERS] = { "Buffers", true, QUANTITY_BUFFERS },
	[QUANTITY_OTHERS] = { "other devices", true, QUANTITY_OTHERS },
	[QUANTITY_CACHED] = { "Cached", true, QUANTITY_CACHED },
	[QUANTITY_SHMEM] = { "Shmem", true, QUANTITY_SHMEM },
	[QUANTITY_DIRTY] = { "Dirty", true, QUANTITY_DIRTY },
};

const char *const quantity_keys[QUANTITIES] = {
	[QUANTITY_DEVICE] = "device_pages",
	[QUANTITY_DEVICE_DIRTY] = "device_dirty_pages",
	[QUANTITY_WITNESS] = "witness_pages",
	[QUANTITY_FILE] = "file_pages",
	[QUANTITY_FILE_DIRTY] = "file_dirty_pages",
	[QUANTITY_BACKING] = "backing_pages",
	[QUANTITY_DD] = "dd_pages",
	[QUANTITY_FIND] = "find_pages",
	[QUANTITY_THROUGH] = "through_pages",
	[QUANTITY_PAST] = "past_pages",
	[QUANTITY_ASTRAY] = "astray_pages",
	[QUANTITY_BUFFERS] = "buffers_pages",
	[QUANTITY_OTHERS] = "other_devices_pages",
	[QUANTITY_CACHED] = "cached_pages",
	[QUANTITY_SHMEM] = "shmem_pages",
	[QUANTITY_DIRTY] = "dirty_pages",
};

double finding_percent(const struct finding *finding)
{
	if (!finding->amount_pages)
		return 0;
	return (double)finding->change_pages * 100 /
	       (double)finding->amount_pages;
}

/* Nobody else moves the quantity, so noise does not count. */
static enum finding_state state_of_own(const struct finding *finding,
				       const struct evidence *evidence)
{
	double percent = finding_percent(finding);

	if (percent > NONE_PERCENT && percent < GROWTH_PERCENT)
		return FINDING_BETWEEN;
	if (finding->change_pages >
		    (int64_t)(finding->amount_pages * MOST_PERCENT / 100) +
			    READAHEAD_PAGES &&
	    finding->claim.grows && !evidence->amount_is_least)
		return FINDING_EXCESS;
	return (percent >= GROWTH_PERCENT) == finding->claim.grows ?
		       FINDING_HOLDS :
		       FINDING_CONTRADICTS;
}

/* Whether the change is the amount, or none, even if all the noise is added. */
static enum finding_state state_of_host(const struct finding *finding,
					const struct evidence *evidence)
{
	int64_t amount = (int64_t)evidence->amount_pages;
	int64_t change = finding->change_pages;
	int64_t noise = llabs(finding->noise_pages);
	bool grew = llabs(change - amount) + noise < amount / 2;
	bool stayed = llabs(change) + noise < amount / 2;

	if (evidence->amount_is_least)
		grew = change - noise > amount / 2;
	if (!grew && !stayed)
		return FINDING_NOISY;
	if (grew == finding->claim.grows)
		return FINDING_HOLDS;
	/* Another process may have caused it. */
	return finding->claim.quantity == QUANTITY_OTHERS ? FINDING_NOISY :
							    FINDING_CONTRADICTS;
}

struct finding judge_claim(const struct claim *claim,
			   const struct evidence *evidence)
{
	const struct observation *first = &evidence->observations[0];
	const struct observation *last =
		&evidence->observations[claim->observation];
	struct finding finding = { .claim = *claim,
				   .state = FINDING_UNKNOWN,
				   .amount_pages = evidence->amount_pages };
	enum quantity *quantity = &finding.claim.quantity;

	if (!observation_has(first, *quantity) ||
	    !observation_has(last, *quantity))
		*quantity = quantities[*quantity].substitute;
	if (!evidence->amount_pages ||
	    !observation_change(first, last, *quantity, &finding.change_pages))
		return finding;
	finding.noise_pages =
		(int64_t)(evidence->noise_pages_per_ns[*quantity] *
			  (double)(last->at_ns - first->at_ns));
	finding.state = quantities[*quantity].is_host_wide ?
				state_of_host(&finding, evidence) :
				state_of_own(&finding, evidence);
	return finding;
}

enum verdict judge(const struct finding *findings, size_t count,
		   size_t *deciding)
{
	*deciding = 0;
	for (size_t i = 0; i < count; i++) {
		if (findings[i].state == FINDING_CONTRADICTS) {
			*deciding = i;
			return VERDICT_REFUTED;
		}
	}
	for (size_t i = 0; i < count; i++) {
		if (findings[i].state != FINDING_HOLDS) {
			*deciding = i;
			return VERDICT_INCONCLUSIVE;
		}
	}
	return VERDICT_CONFIRMED;
}

const char *const verdict_names[] = {
	[VERDICT_CONFIRMED] = "CONFIRMED",
	[VERDICT_REFUTED] = "REFUTED",
	[VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
	NULL,
};

// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdlib.h>

#include "experiment.h"
#include "text_stream.h"
#include "verdict_text.h"

static void put_thousands(FILE *out, uint64_t number)
{
	if (number < 1000) {
		fprintf(out, "%" PRIu64, number);
		return;
	}
	put_thousands(out, number / 1000);
	fprintf(out, ",%03" PRIu64, number % 1000);
}

void put_count(FILE *out, int64_t count)
{
	if (count < 0)
		putc('-', out);
	put_thousands(out, count < 0 ? -(uint64_t)count : (uint64_t)count);
}

void put_change(FILE *out, int64_t change)
{
	if (change >= 0)
		putc('+', out);
	put_count(out, change);
}

const char *quantity_name(const struct outcome *outcome, enum quantity quantity,
			  char name[96])
{
	const char *device = outcome->device_name;

	if (quantities[quantity].name)
		return quantities[quantity].name;
	if (quantity == QUANTITY_WITNESS)
		device = outcome->witness_name;
	snprintf(name, 96, "%s%s", *device ? device : "the device",
		 quantity == QUANTITY_DEVICE_DIRTY ? " dirty" : "");
	return name;
}

/* "loop3 +25,600 pages, 100.0% of what was read" */
static void put_finding(FILE *out, const struct outcome *outcome,
			const struct finding *finding)
{
	double percent = finding_percent(finding, outcome->amount_pages);
	char name[96];

	fprintf(out, "%s ",
		quantity_name(outcome, finding->claim.quantity, name));
	put_change(out, finding->change_pages);
	fprintf(out, " pages, %.1f%% of %s",
		percent > -0.05 && percent < 0 ? 0 : percent,
		outcome->scenario->used);
}

/* The part of Buffers' growth that is the device's, where that is the point. */
static bool put_share(FILE *out, const struct outcome *outcome)
{
	const struct finding *point = &outcome->findings[0];
	int64_t growth;

	if (outcome->finding_count < 2 ||
	    point->claim.quantity != QUANTITY_DEVICE || !point->claim.grows ||
	    outcome->findings[1].claim.quantity != QUANTITY_OTHERS)
		return false;
	if (!reading_change(&outcome->readings[0],
			    &outcome->readings[point->claim.reading],
			    QUANTITY_BUFFERS, &growth) ||
	    growth < point->change_pages)
		return false;
	fprintf(out, "%.1f%% of the growth is %s's",
		(double)point->change_pages * 100 / (double)growth,
		outcome->device_name);
	return true;
}

static void put_noise(FILE *out, const struct outcome *outcome,
		      const struct finding *finding)
{
	put_finding(out, outcome, finding);
	fputs(", which others on this host may have done", out);
	if (!finding->noise_pages)
		return;
	fputs(" (", out);
	put_change(out, finding->noise_pages);
	fputs(" in the same time while nothing is run)", out);
}

static void put_unknown(FILE *out, const struct outcome *outcome,
			const struct finding *finding)
{
	char name[96];

	if (!outcome->amount_pages) {
		fputs("all of it was cached before", out);
		return;
	}
	fprintf(out, "%s: not measured",
		quantity_name(outcome, finding->claim.quantity, name));
	if (*outcome->why.text)
		fprintf(out, ": %s", outcome->why.text);
}

static void put_inconclusive(FILE *out, const struct outcome *outcome,
			     const struct finding *finding)
{
	switch (finding->state) {
	case FINDING_NOISY:
		put_noise(out, outcome, finding);
		break;
	case FINDING_UNKNOWN:
		put_unknown(out, outcome, finding);
		break;
	default:
		put_finding(out, outcome, finding);
		fputs(", neither growth nor none: memory is short, or others "
		      "use it",
		      out);
	}
}

/* What else was measured for it. */
static void put_others(FILE *out, const struct outcome *outcome)
{
	for (size_t i = 1; i < outcome->finding_count; i++) {
		const struct claim *claim = &outcome->findings[i].claim;
		char name[96];

		if (claim->quantity == outcome->findings[0].claim.quantity)
			continue;
		fprintf(out, ", %s ",
			quantity_name(outcome, claim->quantity, name));
		put_change(out, outcome->findings[i].change_pages);
	}
}

static void put_confirmed(FILE *out, const struct outcome *outcome)
{
	if (put_share(out, outcome))
		return;
	put_finding(out, outcome, &outcome->findings[0]);
	put_others(out, outcome);
}

void verdict_text_put(FILE *out, const struct outcome *outcome)
{
	const struct finding *deciding = &outcome->findings[outcome->deciding];

	if (outcome->verdict == VERDICT_INCONCLUSIVE)
		put_inconclusive(out, outcome, deciding);
	else if (outcome->verdict == VERDICT_REFUTED)
		put_finding(out, outcome, deciding);
	else
		put_confirmed(out, outcome);
}

char *verdict_text(const struct outcome *outcome)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	verdict_text_put(out, outcome);
	return text_stream_close(out, &text) < 0 ? NULL : text;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "repro_text.h"
#include "safe_text.h"
#include "verdict_text.h"

#define LABEL_WIDTH 12
#define NAME_WIDTH 11
#define VERDICT_WIDTH 13

static void put_label(FILE *out, const char *label)
{
	fprintf(out, "%-*s", LABEL_WIDTH, label);
}

static void put_line(FILE *out, const char *label, const char *text)
{
	put_label(out, label);
	safe_text_put(out, text);
	putc('\n', out);
}

static int64_t page_kib(const struct outcome *outcome)
{
	return (int64_t)(outcome->page_size / 1024);
}

/* Is it one of those that the claims are of, or stands in for one? */
static bool is_claimed(const struct outcome *outcome, enum quantity quantity)
{
	const struct claim *claims = outcome->scenario->claims;
	size_t count = scenario_claims(outcome->scenario);

	for (size_t i = 0; i < count; i++) {
		if (claims[i].quantity == quantity)
			return true;
		if (!reading_has(&outcome->readings[0], claims[i].quantity) &&
		    quantities[claims[i].quantity].substitute == quantity)
			return true;
	}
	return quantity == QUANTITY_DEVICE;
}

/* In kB, as /proc/meminfo has them. */
static void put_host_wide(FILE *out, const struct outcome *outcome,
			  const struct reading *reading, enum quantity quantity)
{
	int64_t pages = reading->pages[quantity];

	if (quantity == QUANTITY_CACHED)
		pages += reading->pages[QUANTITY_BACKING];
	put_count(out, pages * page_kib(outcome));
	fputs(" kB", out);
}

static void put_own_change(FILE *out, const struct outcome *outcome,
			   int64_t change)
{
	double mib = (double)change * (double)outcome->page_size / (1 << 20);

	put_change(out, change);
	fputs(" pages", out);
	if (mib >= 0.05 || mib <= -0.05)
		fprintf(out, " (%.1f MiB)", mib < 0 ? -mib : mib);
}

/* How much others have is in Buffers; only what they add says anything. */
static bool is_shown(const struct reading *earlier,
		     const struct reading *reading, enum quantity quantity)
{
	return reading_has(reading, quantity) &&
	       (quantity != QUANTITY_OTHERS || earlier);
}

static void put_quantity(FILE *out, const struct outcome *outcome,
			 const struct reading *earlier,
			 const struct reading *reading, enum quantity quantity)
{
	int64_t change;
	char name[96];

	fprintf(out, "%s ", quantity_name(outcome, quantity, name));
	if (quantities[quantity].is_host_wide && quantity != QUANTITY_OTHERS)
		put_host_wide(out, outcome, reading, quantity);
	else if (earlier && reading_change(earlier, reading, quantity, &change))
		put_own_change(out, outcome, change);
	else
		put_count(out, reading->pages[quantity]);
}

static void put_reading(FILE *out, const struct outcome *outcome)
{
	/* What people know first. */
	static const enum quantity order[] = {
		QUANTITY_CACHED, QUANTITY_SHMEM,	QUANTITY_DIRTY,
		QUANTITY_DEVICE, QUANTITY_DEVICE_DIRTY, QUANTITY_WITNESS,
		QUANTITY_FILE,	 QUANTITY_FILE_DIRTY,	QUANTITY_OTHERS,
	};
	size_t last = outcome->reading_count - 1;
	const struct reading *reading = &outcome->readings[last];
	const struct reading *earlier = last ? reading - 1 : NULL;

	put_label(out, last ? "after" : "before");
	put_quantity(out, outcome, earlier, reading, QUANTITY_BUFFERS);
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		if (order[i] != QUANTITY_OTHERS &&
		    !is_claimed(outcome, order[i]))
			continue;
		if (!is_shown(earlier, reading, order[i]))
			continue;
		fputs("  ", out);
		put_quantity(out, outcome, earlier, reading, order[i]);
	}
	fputs(reading->settled ? "\n" : "  (Buffers is moving)\n", out);
}

static void put_source(FILE *out, const struct outcome *outcome)
{
	if (*outcome->device_name)
		fprintf(out, "   (source: %s)",
			outcome->source ? outcome->source :
					  "none, Buffers only");
}

static void put_end(FILE *out, const struct outcome *outcome)
{
	if (outcome->state != OUTCOME_JUDGED)
		return;
	put_label(out, "verdict");
	fprintf(out, "%s: ", verdict_name(outcome->verdict));
	verdict_text_put(out, outcome);
	put_source(out, outcome);
	putc('\n', out);
	if (outcome->kept)
		put_line(out, "kept", outcome->kept);
}

void repro_text_tell(FILE *out, enum experiment_event event,
		     const struct outcome *outcome)
{
	switch (event) {
	case EXPERIMENT_BEGINS:
		put_label(out, "hypothesis");
		fprintf(out, "%s%s\n",
			outcome->opposite ? "the opposite of: " : "",
			outcome->scenario->hypothesis);
		break;
	case EXPERIMENT_LAB:
		put_line(out, "lab", outcome->lab);
		break;
	case EXPERIMENT_COMMAND:
		put_line(
			out, "run",
			outcome->commands.strings[outcome->commands.count - 1]);
		break;
	case EXPERIMENT_READING:
		put_reading(out, outcome);
		break;
	case EXPERIMENT_AGAIN:
		put_label(out, "again");
		verdict_text_put(out, outcome);
		putc('\n', out);
		break;
	case EXPERIMENT_ENDS:
		put_end(out, outcome);
		break;
	}
	fflush(out);
}

void repro_text_heading(FILE *out)
{
	fprintf(out, "%-*s %-*s %s\n", NAME_WIDTH, "NAME", VERDICT_WIDTH,
		"VERDICT", "BECAUSE");
}

void repro_text_row(FILE *out, const struct outcome *outcome)
{
	static const char *const states[] = {
		[OUTCOME_NOT_RUN] = "not run",
		[OUTCOME_FAILED] = "failed",
	};
	bool judged = outcome->state == OUTCOME_JUDGED;

	fprintf(out, "%-*s %-*s ", NAME_WIDTH, outcome->scenario->name,
		VERDICT_WIDTH,
		judged ? verdict_name(outcome->verdict) :
			 states[outcome->state]);
	if (judged)
		verdict_text_put(out, outcome);
	else
		safe_text_put(out, outcome->error.text);
	putc('\n', out);
	fflush(out);
}

void repro_text_list(FILE *out)
{
	fprintf(out, "%-*s %s\n", NAME_WIDTH, "NAME", "HYPOTHESIS");
	for (size_t i = 0; i < scenario_count(); i++)
		fprintf(out, "%-*s %s\n", NAME_WIDTH, scenario_at(i)->name,
			scenario_at(i)->hypothesis);
}

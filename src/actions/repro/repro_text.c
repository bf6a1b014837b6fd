// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "lib/text_stream.h"
#include "lib/utf8.h"
#include "repro/repro_text.h"
#include "repro/scenario.h"

#define LABEL_WIDTH 12
#define NAME_WIDTH 11
#define VERDICT_WIDTH 13

/* ---- the reason for a verdict -------------------------------------------- */

static void put_thousands(FILE *out, uint64_t number)
{
	if (number < 1000) {
		fprintf(out, "%" PRIu64, number);
		return;
	}
	put_thousands(out, number / 1000);
	fprintf(out, ",%03" PRIu64, number % 1000);
}

/* With commas between the thousands. */
static void put_count(FILE *out, int64_t count)
{
	if (count < 0)
		putc('-', out);
	put_thousands(out, count < 0 ? -(uint64_t)count : (uint64_t)count);
}

static void put_change(FILE *out, int64_t change)
{
	if (change >= 0)
		putc('+', out);
	put_count(out, change);
}

/* The quantity's name in this experiment: "loop3", "Cached". */
static const char *quantity_name(const struct outcome *outcome,
				 enum quantity quantity, char name[96])
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
	double percent = finding_percent(finding);
	const struct scenario *scenario = outcome->scenario;
	const bool is_of_inodes = scenario->counts_inodes &&
				  finding->claim.quantity != QUANTITY_DD;
	char name[96];

	fprintf(out, "%s ",
		quantity_name(outcome, finding->claim.quantity, name));
	put_change(out, finding->change_pages);
	/* An inode is not all that is read of a tree. */
	if (is_of_inodes && percent > 100)
		fprintf(out, " pages, more than %s", scenario->used);
	else
		fprintf(out, " pages, %.1f%% of %s",
			percent > -0.05 && percent < 0 ? 0 : percent,
			scenario->counts_inodes && !is_of_inodes ?
				"what was read" :
				scenario->used);
}

/*
 * Prints the device's share of Buffers' growth, if the scenario is about that.
 * Returns false if not.
 */
static bool put_share(FILE *out, const struct outcome *outcome)
{
	const struct finding *point = &outcome->findings[0];
	int64_t growth;

	if (outcome->finding_count < 2 ||
	    point->claim.quantity != QUANTITY_DEVICE || !point->claim.grows ||
	    outcome->findings[1].claim.quantity != QUANTITY_OTHERS)
		return false;
	if (!observation_change(&outcome->observations[0],
				&outcome->observations[point->claim.observation],
				QUANTITY_BUFFERS, &growth) ||
	    growth < point->change_pages)
		return false;
	fprintf(out, "%.1f%% of the growth belongs to %s",
		(double)point->change_pages * 100 / (double)growth,
		outcome->device_name);
	return true;
}

static void put_noise(FILE *out, const struct outcome *outcome,
		      const struct finding *finding)
{
	put_finding(out, outcome, finding);
	fputs(", which other programs may have caused", out);
	if (!finding->noise_pages)
		return;
	fputs(" (", out);
	put_change(out, finding->noise_pages);
	fputs(" in the same time while nothing is run)", out);
}

static void put_unknown(FILE *out, const struct outcome *outcome,
			const struct finding *finding)
{
	char name[96], text[ERROR_TEXT_SIZE];

	if (!outcome->amount_pages) {
		fputs("all of it was cached before", out);
		return;
	}
	fprintf(out, "%s: not measured",
		quantity_name(outcome, finding->claim.quantity, name));
	if (error_is_set(&outcome->why)) {
		fputs(": ", out);
		safe_text_put(out, error_text(&outcome->why, text));
	}
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
	case FINDING_EXCESS:
		put_finding(out, outcome, finding);
		fputs(", which proves nothing: it does not explain so many",
		      out);
		break;
	default:
		put_finding(out, outcome, finding);
		fputs(", which proves nothing: memory is short, or other "
		      "programs use it",
		      out);
	}
}

/* Prints the changes of the other quantities that were claimed. */
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

/* Follows "CONFIRMED: ", on one line. */
static void put_verdict(FILE *out, const struct outcome *outcome)
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
	FILE *out = text_stream_open(&text, &size);

	if (!out)
		return NULL;
	put_verdict(out, outcome);
	return text_stream_close(out, &text) < 0 ? NULL : text;
}

/* ---- a running experiment ------------------------------------------------ */

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

/*
 * Whether a claim is about the quantity, or about one that it stands in for.
 * The device is always shown.
 */
static bool is_claimed(const struct outcome *outcome, enum quantity quantity)
{
	const struct claim *claims = outcome->scenario->claims;
	size_t count = scenario_claims(outcome->scenario);

	for (size_t i = 0; i < count; i++) {
		if (claims[i].quantity == quantity)
			return true;
		if (!observation_has(&outcome->observations[0],
				     claims[i].quantity) &&
		    quantities[claims[i].quantity].substitute == quantity)
			return true;
	}
	return quantity == QUANTITY_DEVICE;
}

/* In kB and with the backing files, like /proc/meminfo. */
static void put_host_wide(FILE *out, const struct outcome *outcome,
			  const struct observation *observation,
			  enum quantity quantity)
{
	int64_t pages = observation->pages[quantity];

	if (quantity == QUANTITY_CACHED)
		pages += observation->pages[QUANTITY_BACKING];
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

/* Buffers includes the other devices' pages; only their change is news. */
static bool is_shown(const struct observation *earlier,
		     const struct observation *observation,
		     enum quantity quantity)
{
	return observation_has(observation, quantity) &&
	       (quantity != QUANTITY_OTHERS || earlier);
}

static void put_quantity(FILE *out, const struct outcome *outcome,
			 const struct observation *earlier,
			 const struct observation *observation,
			 enum quantity quantity)
{
	int64_t change;
	char name[96];

	fprintf(out, "%s ", quantity_name(outcome, quantity, name));
	if (quantities[quantity].is_host_wide && quantity != QUANTITY_OTHERS)
		put_host_wide(out, outcome, observation, quantity);
	else if (earlier &&
		 observation_change(earlier, observation, quantity, &change))
		put_own_change(out, outcome, change);
	else
		put_count(out, observation->pages[quantity]);
}

static void put_observation(FILE *out, const struct outcome *outcome)
{
	/* Well-known fields come first. */
	static const enum quantity order[] = {
		QUANTITY_CACHED, QUANTITY_SHMEM,	QUANTITY_DIRTY,
		QUANTITY_DEVICE, QUANTITY_DEVICE_DIRTY, QUANTITY_WITNESS,
		QUANTITY_FILE,	 QUANTITY_FILE_DIRTY,	QUANTITY_DD,
		QUANTITY_FIND,	 QUANTITY_THROUGH,	QUANTITY_PAST,
		QUANTITY_ASTRAY, QUANTITY_OTHERS,
	};
	size_t last = outcome->observation_count - 1;
	const struct observation *observation = &outcome->observations[last];
	const struct observation *earlier = last ? observation - 1 : NULL;

	put_label(out, last ? "after" : "before");
	put_quantity(out, outcome, earlier, observation, QUANTITY_BUFFERS);
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		if (order[i] != QUANTITY_OTHERS &&
		    !is_claimed(outcome, order[i]))
			continue;
		if (!is_shown(earlier, observation, order[i]))
			continue;
		fputs("  ", out);
		put_quantity(out, outcome, earlier, observation, order[i]);
	}
	fputs(observation->settled ? "\n" : "  (Buffers is moving)\n", out);
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
	put_verdict(out, outcome);
	put_source(out, outcome);
	putc('\n', out);
	if (outcome->astray)
		put_line(out, "astray", outcome->astray);
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
	case EXPERIMENT_OBSERVATION:
		put_observation(out, outcome);
		break;
	case EXPERIMENT_AGAIN:
		put_label(out, "again");
		put_verdict(out, outcome);
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
	char text[ERROR_TEXT_SIZE];

	fprintf(out, "%-*s %-*s ", NAME_WIDTH, outcome->scenario->name,
		VERDICT_WIDTH,
		judged ? verdict_name(outcome->verdict) :
			 states[outcome->state]);
	if (judged)
		put_verdict(out, outcome);
	else
		safe_text_put(out, error_text(&outcome->error, text));
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

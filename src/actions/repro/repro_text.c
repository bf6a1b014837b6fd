// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/number.h"
#include "lib/sentence.h"
#include "repro/repro_text.h"
#include "repro/scenario.h"

#define LABEL_WIDTH 12
#define NAME_WIDTH 11
#define VERDICT_WIDTH 13

/* ---- the reason for a verdict -------------------------------------------- */

/* With commas between the thousands. */
static const char *count_of(struct sentence *out, int64_t count)
{
	return piece(out, "%s%s", count < 0 ? "-" : "",
		     COUNT(count < 0 ? -(uint64_t)count : (uint64_t)count));
}

static const char *change_of(struct sentence *out, int64_t change)
{
	return piece(out, "%s%s", change < 0 ? "" : "+", count_of(out, change));
}

/* The quantity's name in this experiment: "loop3", "Cached". */
static const char *name_of(struct sentence *out, const struct outcome *outcome,
			   enum quantity quantity)
{
	const char *device = quantity == QUANTITY_WITNESS ?
				     outcome->witness_name :
				     outcome->device_name;

	if (quantities[quantity].name)
		return quantities[quantity].name;
	return piece(out, "%s%s", *device ? device : "the device",
		     quantity == QUANTITY_DEVICE_DIRTY ? " dirty" : "");
}

/* "loop3 +25,600 pages, 100.0% of what was read" */
static void put_finding(struct sentence *out, const struct outcome *outcome,
			const struct finding *finding)
{
	double percent = finding_percent(finding);
	const struct scenario *scenario = outcome->scenario;
	const bool is_of_inodes = scenario->counts_inodes &&
				  finding->claim.quantity != QUANTITY_DD;

	say(out, "%s %s pages, ",
	    name_of(out, outcome, finding->claim.quantity),
	    change_of(out, finding->change_pages));
	/* An inode is not all that is read of a tree. */
	if (is_of_inodes && percent > 100)
		say(out, "more than %s", scenario->used);
	else
		say(out, "%.1f%% of %s",
		    percent > -0.05 && percent < 0 ? 0 : percent,
		    scenario->counts_inodes && !is_of_inodes ? "what was read" :
							       scenario->used);
}

/*
 * Prints the device's share of Buffers' growth, if the scenario is about that.
 * Returns false if not.
 */
static bool put_share(struct sentence *out, const struct outcome *outcome)
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
	say(out, "%.1f%% of the growth belongs to %s",
	    (double)point->change_pages * 100 / (double)growth,
	    outcome->device_name);
	return true;
}

static void put_unknown(struct sentence *out, const struct outcome *outcome,
			const struct finding *finding)
{
	char text[ERROR_TEXT_SIZE];

	if (!outcome->amount_pages) {
		say(out, "all of it was cached before");
		return;
	}
	say(out, "%s: not measured",
	    name_of(out, outcome, finding->claim.quantity));
	if (error_is_set(&outcome->why))
		say(out, ": %s",
		    safe_text(out, error_text(&outcome->why, text)));
}

static void put_inconclusive(struct sentence *out,
			     const struct outcome *outcome,
			     const struct finding *finding)
{
	if (finding->state == FINDING_UNKNOWN) {
		put_unknown(out, outcome, finding);
		return;
	}
	put_finding(out, outcome, finding);
	if (finding->state == FINDING_EXCESS)
		say(out, ", which proves nothing: it does not explain so many");
	else if (finding->state != FINDING_NOISY)
		say(out, ", which proves nothing: memory is short, or other "
			 "programs use it");
	else if (!finding->noise_pages)
		say(out, ", which other programs may have caused");
	else
		say(out,
		    ", which other programs may have caused (%s in the same "
		    "time while nothing is run)",
		    change_of(out, finding->noise_pages));
}

static void put_confirmed(struct sentence *out, const struct outcome *outcome)
{
	if (put_share(out, outcome))
		return;
	put_finding(out, outcome, &outcome->findings[0]);
	/* The changes of the other quantities that were claimed. */
	for (size_t i = 1; i < outcome->finding_count; i++) {
		const struct finding *finding = &outcome->findings[i];
		enum quantity quantity = finding->claim.quantity;

		if (quantity != outcome->findings[0].claim.quantity)
			say(out, ", %s %s", name_of(out, outcome, quantity),
			    change_of(out, finding->change_pages));
	}
}

/* Follows "CONFIRMED: ", on one line. */
static void put_verdict(struct sentence *out, const struct outcome *outcome)
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
	struct sentence out;
	char *text;

	sentence_begin(&out);
	put_verdict(&out, outcome);
	sentence_end(&out, &text);
	return text;
}

/* ---- a running experiment ------------------------------------------------ */

static void put_line(struct sentence *out, const char *label, const char *text)
{
	say(out, "%-*s%s\n", LABEL_WIDTH, label, safe_text(out, text));
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
static void put_host_wide(struct sentence *out, const struct outcome *outcome,
			  const struct observation *observation,
			  enum quantity quantity)
{
	int64_t pages = observation->pages[quantity];

	if (quantity == QUANTITY_CACHED)
		pages += observation->pages[QUANTITY_BACKING];
	say(out, "%s kB",
	    count_of(out, pages * (int64_t)(outcome->page_size / 1024)));
}

static void put_own_change(struct sentence *out, const struct outcome *outcome,
			   int64_t change)
{
	double mib = (double)change * (double)outcome->page_size / (1 << 20);

	say(out, "%s pages", change_of(out, change));
	if (mib >= 0.05 || mib <= -0.05)
		say(out, " (%.1f MiB)", mib < 0 ? -mib : mib);
}

/* Buffers includes the other devices' pages; only their change is news. */
static bool is_shown(const struct observation *earlier,
		     const struct observation *observation,
		     enum quantity quantity)
{
	return observation_has(observation, quantity) &&
	       (quantity != QUANTITY_OTHERS || earlier);
}

static void put_quantity(struct sentence *out, const struct outcome *outcome,
			 const struct observation *earlier,
			 const struct observation *observation,
			 enum quantity quantity)
{
	int64_t change;

	say(out, "%s ", name_of(out, outcome, quantity));
	if (quantities[quantity].is_host_wide && quantity != QUANTITY_OTHERS)
		put_host_wide(out, outcome, observation, quantity);
	else if (earlier &&
		 observation_change(earlier, observation, quantity, &change))
		put_own_change(out, outcome, change);
	else
		say(out, "%s", count_of(out, observation->pages[quantity]));
}

static void put_observation(struct sentence *out, const struct outcome *outcome)
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

	say(out, "%-*s", LABEL_WIDTH, last ? "after" : "before");
	put_quantity(out, outcome, earlier, observation, QUANTITY_BUFFERS);
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		if (order[i] != QUANTITY_OTHERS &&
		    !is_claimed(outcome, order[i]))
			continue;
		if (!is_shown(earlier, observation, order[i]))
			continue;
		say(out, "  ");
		put_quantity(out, outcome, earlier, observation, order[i]);
	}
	say(out, observation->settled ? "\n" : "  (Buffers is moving)\n");
}

static void put_end(struct sentence *out, const struct outcome *outcome)
{
	if (outcome->state != OUTCOME_JUDGED)
		return;
	say(out, "%-*s%s: ", LABEL_WIDTH, "verdict",
	    verdict_names[outcome->verdict]);
	put_verdict(out, outcome);
	if (*outcome->device_name)
		say(out, "   (source: %s)",
		    outcome->source ?: "none, Buffers only");
	say(out, "\n");
	if (outcome->astray)
		put_line(out, "astray", outcome->astray);
	if (outcome->kept)
		put_line(out, "kept", outcome->kept);
}

int repro_text_tell(FILE *stream, enum experiment_event event,
		    const struct outcome *outcome)
{
	struct sentence out;

	sentence_begin_on(&out, stream);
	switch (event) {
	case EXPERIMENT_BEGINS:
		say(&out, "%-*s%s%s\n", LABEL_WIDTH, "hypothesis",
		    outcome->opposite ? "the opposite of: " : "",
		    outcome->scenario->hypothesis);
		break;
	case EXPERIMENT_LAB:
		put_line(&out, "lab", outcome->lab);
		break;
	case EXPERIMENT_COMMAND:
		put_line(
			&out, "run",
			outcome->commands.strings[outcome->commands.count - 1]);
		break;
	case EXPERIMENT_OBSERVATION:
		put_observation(&out, outcome);
		break;
	case EXPERIMENT_AGAIN:
		say(&out, "%-*s", LABEL_WIDTH, "again");
		put_verdict(&out, outcome);
		say(&out, "\n");
		break;
	case EXPERIMENT_ENDS:
		put_end(&out, outcome);
		break;
	}
	fflush(stream);
	return sentence_end(&out, NULL);
}

void repro_text_heading(FILE *out)
{
	fprintf(out, "%-*s %-*s %s\n", NAME_WIDTH, "NAME", VERDICT_WIDTH,
		"VERDICT", "BECAUSE");
}

int repro_text_row(FILE *stream, const struct outcome *outcome)
{
	static const char *const states[] = {
		[OUTCOME_NOT_RUN] = "not run",
		[OUTCOME_FAILED] = "failed",
	};
	bool judged = outcome->state == OUTCOME_JUDGED;
	char text[ERROR_TEXT_SIZE];
	struct sentence out;

	sentence_begin_on(&out, stream);
	say(&out, "%-*s %-*s ", NAME_WIDTH, outcome->scenario->name,
	    VERDICT_WIDTH,
	    judged ? verdict_names[outcome->verdict] : states[outcome->state]);
	if (judged)
		put_verdict(&out, outcome);
	else
		say(&out, "%s",
		    safe_text(&out, error_text(&outcome->error, text)));
	say(&out, "\n");
	fflush(stream);
	return sentence_end(&out, NULL);
}

void repro_text_list(FILE *out)
{
	fprintf(out, "%-*s %s\n", NAME_WIDTH, "NAME", "HYPOTHESIS");
	for (size_t i = 0; i < scenario_count(); i++)
		fprintf(out, "%-*s %s\n", NAME_WIDTH, scenario_at(i)->name,
			scenario_at(i)->hypothesis);
}

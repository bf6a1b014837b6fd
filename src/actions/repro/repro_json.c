// SPDX-License-Identifier: GPL-2.0-or-later
#include "fields/fields.h"
#include "measure/provenance.h"
#include "repro/experiment.h"
#include "repro/repro_json.h"
#include "repro/scenario.h"

static const struct field reading_list[] = {
	{ FIELD_COUNTS_OR_NULL(struct observation, pages, present,
			       quantity_keys, QUANTITIES, UINT64_MAX),
	  .is_signed = true },
	{ FIELD(struct observation, settled, "settled", 0),
	  .about = "Buffers was the same before and after it was measured" },
};

static const struct fields reading_fields =
	FIELDS(struct observation, reading_list);

static const char *const states[] = {
	[FINDING_HOLDS] = "holds",     [FINDING_CONTRADICTS] = "contradicted",
	[FINDING_BETWEEN] = "between", [FINDING_EXCESS] = "excess",
	[FINDING_NOISY] = "noisy",     [FINDING_UNKNOWN] = "unknown",
};

static struct column_value get_host_wide(const void *record)
{
	const struct finding *finding = record;

	return column_number(true,
			     quantities[finding->claim.quantity].is_host_wide);
}

static struct column_value get_pages(const void *record, size_t place)
{
	const struct finding *finding = record;
	struct column_value value = column_number_at(record, place);

	value.known = finding->state != FINDING_UNKNOWN;
	return value;
}

static struct column_value get_percent(const void *record)
{
	const struct finding *finding = record;

	return (struct column_value){
		.known = finding->state != FINDING_UNKNOWN,
		.percent = finding_percent(finding),
	};
}

static const struct field finding_list[] = {
	{ FIELD_WORD(struct finding, claim.quantity, "quantity",
		     quantity_keys) },
	{ FIELD_VALUE("host_wide", COLUMN_FLAG), .value = get_host_wide,
	  .about = "others move it too" },
	{ FIELD(struct finding, claim.observation, "reading", UINT64_MAX),
	  .about = "the change is from readings[0] to this one" },
	{ FIELD(struct finding, claim.grows, "grows", 0),
	  .about = "what is claimed: growth by the amount, or none" },
	{ FIELD_WORD(struct finding, state, "state", states) },
	{ FIELD_VALUE("change_pages", COLUMN_CHANGE),
	  COLUMN_AT(get_pages, struct finding, change_pages), .null = "" },
	{ FIELD_VALUE("noise_pages", COLUMN_CHANGE),
	  COLUMN_AT(get_pages, struct finding, noise_pages),
	  .about = "what others move in the same time while nothing is run",
	  .null = "" },
	{ FIELD_VALUE("percent", COLUMN_PERCENT), .value = get_percent,
	  .about = "the change, of amount_pages", .null = "" },
};

static const struct fields finding_fields =
	FIELDS(struct finding, finding_list);

static const struct field scenario_list[] = {
	{ FIELD_SENTENCE(struct scenario, name, "name") },
	{ FIELD_SENTENCE(struct scenario, hypothesis, "hypothesis") },
};

static const struct fields scenario_fields =
	FIELDS(struct scenario, scenario_list);

static struct column_value get_verdict(const void *record)
{
	const struct outcome *outcome = record;

	return column_text(outcome->state == OUTCOME_JUDGED ?
				   verdict_names[outcome->verdict] :
				   NULL);
}

#define NUMBER(member, key) FIELD(struct outcome, member, key, UINT64_MAX)
#define STRING(member, key, says)                                              \
	FIELD_STRING(struct outcome, member, key, says), .null = ""
#define TEXT(member, key, says)                                                \
	FIELD_TEXT(struct outcome, member, key, says), .known = KNOWN_NOT_ZERO

static const struct field experiment_list[] = {
	{ FIELD_POINTED(struct outcome, scenario, &scenario_fields) },
	{ FIELD(struct outcome, opposite, "opposite", 0),
	  .about = "the opposite of findings[0] was claimed" },
	{ FIELD_VALUE("verdict", COLUMN_TEXT), .value = get_verdict,
	  .words = verdict_names, .null = "not run, or failed" },
	{ STRING(because, "because", SAYS_MESSAGE) },
	{ STRING(astray, "astray", SAYS_MESSAGE),
	  .about = "of the scenarios path: functions that should be on a way "
		   "and are not, or the other way round" },
	{ NUMBER(attempts, "attempts") },
	{ FIELD_ERROR(struct outcome, error, "error") },
	{ STRING(lab, "lab", SAYS_MESSAGE) },
	{ STRING(kept, "kept", SAYS_FILE),
	  .about = "the directory that is left to the user" },
	{ TEXT(device_name, "device", SAYS_VOLUME) },
	{ TEXT(witness_name, "witness", SAYS_VOLUME),
	  .about = "a second device, that nothing happens to" },
	{ FIELD_SENTENCE(struct outcome, source, "source"),
	  .about = "what measured the device", .null = "" },
	{ FIELD_ERROR(struct outcome, why, "not_measured"),
	  FIELD_WITHOUT(struct outcome, source), .about = "why nothing did" },
	{ NUMBER(page_size, "page_size_bytes") },
	{ NUMBER(size_bytes, "size_bytes"), .known = KNOWN_NOT_ZERO },
	{ NUMBER(files, "files"), .known = KNOWN_NOT_ZERO },
	{ NUMBER(amount_pages, "amount_pages"), .known = KNOWN_NOT_ZERO,
	  .about = "what was read or written, or the inodes" },
	{ FIELD_STRINGS(struct outcome, commands, "commands", SAYS_MESSAGE) },
	{ FIELD_ARRAY(struct outcome, observations, observation_count,
		      "readings", &reading_fields),
	  .about = "cached_pages is without backing_pages: those of the files "
		   "below the loop devices" },
	{ FIELD_ARRAY(struct outcome, findings, finding_count, "findings",
		      &finding_fields) },
};

const struct fields experiment_fields = FIELDS(struct outcome, experiment_list);

static bool make_scenario(const void *record __attribute__((unused)),
			  size_t which, void *made)
{
	if (which == scenario_count())
		return false;
	*(struct scenario *)made = *scenario_at(which);
	return true;
}

static const struct field all_list[] = {
	{ FIELD_MADE_LIST("scenarios", &scenario_fields, make_scenario) },
};

static const struct fields all_fields = FIELDS(struct scenario, all_list);

void repro_json_list(FILE *out)
{
	document_print(out, false, &all_fields, NULL);
}

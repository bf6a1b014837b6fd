// SPDX-License-Identifier: GPL-2.0-or-later

#include "lib/cleanup.h"
#include "lib/json_out.h"
#include "repro/experiment.h"
#include "repro/repro_json.h"
#include "repro/repro_text.h"
#include "repro/scenario.h"

static void write_text(struct json_out *json, const char *key, const char *text)
{
	json_out_string(json, key, *text ? text : NULL);
}

static void write_observation(struct json_out *json,
			      const struct observation *observation)
{
	json_out_object(json, NULL);
	for (unsigned int i = 0; i < QUANTITIES; i++) {
		json_out_signed_if(json, quantities[i].key,
				   observation_has(observation, i),
				   observation->pages[i]);
	}
	json_out_bool(json, "settled", observation->settled);
	json_out_object_end(json);
}

static const char *state_name(enum finding_state state)
{
	static const char *const names[] = {
		[FINDING_HOLDS] = "holds",
		[FINDING_CONTRADICTS] = "contradicted",
		[FINDING_BETWEEN] = "between",
		[FINDING_EXCESS] = "excess",
		[FINDING_NOISY] = "noisy",
		[FINDING_UNKNOWN] = "unknown",
	};

	return names[state];
}

static void write_finding(struct json_out *json, const struct finding *finding)
{
	const struct claim *claim = &finding->claim;
	bool known = finding->state != FINDING_UNKNOWN;

	json_out_object(json, NULL);
	json_out_string(json, "quantity", quantities[claim->quantity].key);
	json_out_bool(json, "host_wide",
		      quantities[claim->quantity].is_host_wide);
	json_out_unsigned(json, "reading", claim->observation);
	json_out_bool(json, "grows", claim->grows);
	json_out_string(json, "state", state_name(finding->state));
	if (known) {
		json_out_signed(json, "change_pages", finding->change_pages);
		json_out_signed(json, "noise_pages", finding->noise_pages);
		json_out_decimal(json, "percent", finding_percent(finding));
	} else {
		json_out_null(json, "change_pages");
		json_out_null(json, "noise_pages");
		json_out_null(json, "percent");
	}
	json_out_object_end(json);
}

static void write_verdict(struct json_out *json, const struct outcome *outcome)
{
	bool judged = outcome->state == OUTCOME_JUDGED;
	_cleanup_(freep) char *text = judged ? verdict_text(outcome) : NULL;

	json_out_string(json, "verdict",
			judged ? verdict_name(outcome->verdict) : NULL);
	json_out_string(json, "because", text);
	json_out_string(json, "astray", outcome->astray);
	json_out_unsigned(json, "attempts", outcome->attempts);
	json_out_error(json, "error", &outcome->error);
}

static void write_lab(struct json_out *json, const struct outcome *outcome)
{
	json_out_string(json, "lab", outcome->lab);
	json_out_string(json, "kept", outcome->kept);
	write_text(json, "device", outcome->device_name);
	write_text(json, "witness", outcome->witness_name);
	json_out_string(json, "source", outcome->source);
	if (outcome->source)
		json_out_null(json, "not_measured");
	else
		json_out_error(json, "not_measured", &outcome->why);
	json_out_unsigned(json, "page_size_bytes", outcome->page_size);
	json_out_unsigned_if(json, "size_bytes", outcome->size_bytes,
			     outcome->size_bytes);
	json_out_unsigned_if(json, "files", outcome->files, outcome->files);
	json_out_unsigned_if(json, "amount_pages", outcome->amount_pages,
			     outcome->amount_pages);
}

void repro_json_write(struct json_out *json, const struct outcome *outcome)
{
	json_out_object(json, NULL);
	json_out_string(json, "name", outcome->scenario->name);
	json_out_string(json, "hypothesis", outcome->scenario->hypothesis);
	json_out_bool(json, "opposite", outcome->opposite);
	write_verdict(json, outcome);
	write_lab(json, outcome);
	json_out_strings(json, "commands", &outcome->commands);
	json_out_array(json, "readings");
	for (size_t i = 0; i < outcome->observation_count; i++)
		write_observation(json, &outcome->observations[i]);
	json_out_array_end(json);
	json_out_array(json, "findings");
	for (size_t i = 0; i < outcome->finding_count; i++)
		write_finding(json, &outcome->findings[i]);
	json_out_array_end(json);
	json_out_object_end(json);
}

void repro_json_list(FILE *out)
{
	struct json_out json;

	json_out_init(&json, out);
	json_out_object(&json, NULL);
	json_out_array(&json, "scenarios");
	for (size_t i = 0; i < scenario_count(); i++) {
		json_out_object(&json, NULL);
		json_out_string(&json, "name", scenario_at(i)->name);
		json_out_string(&json, "hypothesis",
				scenario_at(i)->hypothesis);
		json_out_object_end(&json);
	}
	json_out_array_end(&json);
	json_out_object_end(&json);
	json_out_finish(&json);
}

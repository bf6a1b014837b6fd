// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "repro/child.h"
#include "repro/conduct.h"
#include "repro/experiment.h"
#include "repro/filesystem.h"
#include "repro/observe.h"
#include "repro/progress.h"
#include "repro/scenario.h"
#include "repro/set_up.h"
#include "repro/stop.h"

#define ATTEMPTS 3
#define NOISE_MS 300
#define PAUSE_MS 100

/*
 * Checks that the host has what the scenario needs. Returns 0 or a negative
 * errno.
 */
static int check_host(const struct sysroot *root,
		      const struct scenario *scenario, struct error *err)
{
	int ret = scenario->needs_no_device ? 0 : loop_check(root, err);

	if (!ret && scenario->filesystem)
		ret = filesystem_check(root, scenario->filesystem, err);
	return ret;
}

static void tell(const struct experiment *experiment,
		 enum experiment_event event)
{
	progress_clear(experiment->progress);
	experiment->watch(experiment->watch_data, event, experiment->outcome);
}

static int observe_next(struct experiment *experiment, struct error *err)
{
	struct outcome *outcome = experiment->outcome;
	int ret = experiment_observe(
		experiment, &outcome->observations[outcome->observation_count],
		err);

	if (ret < 0)
		return ret;
	outcome->observation_count++;
	tell(experiment, EXPERIMENT_OBSERVATION);
	return 0;
}

/* Keeps the fastest change of several measurements. */
static void add_noise(struct outcome *outcome,
		      const struct observation *earlier,
		      const struct observation *later)
{
	int64_t ns = later->at_ns - earlier->at_ns;

	for (unsigned int i = 0; i < QUANTITIES; i++) {
		double *most = &outcome->noise_pages_per_ns[i], rate;
		int64_t change;

		if (!observation_change(earlier, later, i, &change) || ns <= 0)
			continue;
		rate = (double)change / (double)ns;
		if (fabs(rate) > fabs(*most))
			*most = rate;
	}
}

/* Measures how fast each quantity moves while nothing is run. */
static int measure_noise(struct experiment *experiment, struct error *err)
{
	struct observation earlier, later;
	int ret = experiment_observe(experiment, &earlier, err);

	if (ret < 0)
		return ret;
	stop_wait_ms(experiment->stop, NOISE_MS);
	ret = experiment_observe(experiment, &later, err);
	if (!ret)
		add_noise(experiment->outcome, &earlier, &later);
	return ret;
}

static int fill_command(const struct experiment *experiment,
			const struct phase *phase, struct string_list *words)
{
	const struct lab *lab = &experiment->lab;
	char mib[32];
	const struct word names[] = {
		{ "@device", experiment->node ? experiment->node : "" },
		{ "@witness", lab->devices[1].node },
		{ "@file", experiment->file ? experiment->file : "" },
		{ "@mount", lab->mount_point ? lab->mount_point : "" },
		{ "@mib", mib },
		{ NULL, NULL },
	};

	snprintf(mib, sizeof(mib), "%" PRIu64,
		 (experiment->outcome->size_bytes + (1U << 20) - 1) >> 20);
	return words_fill(phase->command, names, words);
}

static int run_phase(struct experiment *experiment, const struct phase *phase,
		     struct error *err)
{
	_cleanup_(freep) char *line = NULL;
	struct string_list words = { 0 };
	int ret = fill_command(experiment, phase, &words);

	if (!ret)
		line = string_list_join(&words, " ");
	if (!line ||
	    string_list_add(&experiment->outcome->commands, line) < 0) {
		string_list_deinit(&words);
		return error_errno(err, ENOMEM, "running", phase->step);
	}
	tell(experiment, EXPERIMENT_COMMAND);
	progress_step(experiment->progress, phase->step);
	if (experiment->options->external && phase->is_external)
		ret = child_run(experiment->stop, experiment->progress, &words,
				err);
	else
		ret = phase->act(experiment, err);
	string_list_deinit(&words);
	return ret < 0 ? ret : stop_check(experiment->stop, err);
}

static int run_phases(struct experiment *experiment, struct error *err)
{
	const struct scenario *scenario = experiment->scenario;
	size_t count = scenario_phases(scenario);
	int ret = 0;

	for (size_t i = 0; !ret && i < count; i++) {
		const struct phase *phase = &scenario->phases[i];

		if (phase->needs_witness && experiment->lab.device_count < 2)
			continue;
		/* Let readahead finish. */
		if (i)
			stop_wait_ms(experiment->stop, PAUSE_MS);
		ret = run_phase(experiment, phase, err);
		if (!ret)
			ret = observe_next(experiment, err);
	}
	return ret;
}

/*
 * Turns the phase that a claim names into an observation. Phases that were
 * skipped have none.
 */
static unsigned int observation_of(const struct experiment *experiment,
				   unsigned int phase)
{
	unsigned int observation = 0;

	for (unsigned int i = 0; i < phase; i++) {
		if (!experiment->scenario->phases[i].needs_witness ||
		    experiment->lab.device_count >= 2)
			observation++;
	}
	return observation;
}

static void judge_all(const struct experiment *experiment)
{
	const struct scenario *scenario = experiment->scenario;
	struct outcome *outcome = experiment->outcome;
	const struct evidence usual = {
		.observations = outcome->observations,
		.noise_pages_per_ns = outcome->noise_pages_per_ns,
		.amount_pages = outcome->amount_pages,
		.amount_is_least = scenario->counts_inodes,
	};
	size_t count = scenario_claims(scenario);

	for (size_t i = 0; i < count; i++) {
		struct claim claim = scenario->claims[i];
		struct evidence evidence = usual;

		if (claim.quantity == QUANTITY_WITNESS &&
		    experiment->lab.device_count < 2)
			continue;
		/* What dd reads is the size, whatever find meets. */
		if (claim.quantity == QUANTITY_DD) {
			evidence.amount_pages =
				outcome->size_bytes / outcome->page_size;
			evidence.amount_is_least = false;
		}
		claim.observation =
			observation_of(experiment, claim.observation);
		if (i == 0 && outcome->opposite)
			claim.grows = !claim.grows;
		outcome->findings[outcome->finding_count++] =
			judge_claim(&claim, &evidence);
	}
	outcome->verdict = judge(outcome->findings, outcome->finding_count,
				 &outcome->deciding);
}

static int conduct(struct experiment *experiment, struct error *err)
{
	int ret = experiment_set_up(experiment, err);

	if (ret < 0)
		return ret;
	tell(experiment, EXPERIMENT_LAB);
	progress_step(experiment->progress, "settling");
	ret = experiment_settle(experiment, err);
	if (!ret)
		ret = measure_noise(experiment, err);
	if (!ret)
		ret = stop_check(experiment->stop, err);
	progress_step(experiment->progress, "before");
	if (!ret)
		ret = observe_next(experiment, err);
	if (!ret)
		ret = run_phases(experiment, err);
	progress_step(experiment->progress, "after");
	if (!ret)
		ret = measure_noise(experiment, err);
	if (!ret)
		judge_all(experiment);
	return ret;
}

/* Discards what the previous attempt measured. */
static void forget(struct outcome *outcome)
{
	string_list_deinit(&outcome->commands);
	free(outcome->lab);
	outcome->lab = NULL;
	outcome->observation_count = 0;
	outcome->finding_count = 0;
	memset(outcome->noise_pages_per_ns, 0,
	       sizeof(outcome->noise_pages_per_ns));
}

static int attempt(struct experiment *experiment)
{
	struct outcome *outcome = experiment->outcome;
	struct error error;
	int ret, taken_down;

	outcome->attempts++;
	ret = conduct(experiment, &outcome->error);
	progress_step(experiment->progress, "taking down");
	taken_down = experiment_take_down(experiment, &error);
	progress_clear(experiment->progress);
	if (taken_down < 0) {
		if (ret < 0)
			error_append(&outcome->error, &error);
		else
			outcome->error = error;
		ret = ret ? ret : taken_down;
	}
	if (ret < 0)
		outcome->state = outcome->error.class == ERROR_UNUSABLE ?
					 OUTCOME_NOT_RUN :
					 OUTCOME_FAILED;
	return ret;
}

/* Whether a quieter moment might bring another verdict. */
static bool is_worth_another(const struct experiment *experiment)
{
	const struct outcome *outcome = experiment->outcome;
	const struct finding *finding = &outcome->findings[outcome->deciding];

	if (outcome->verdict == VERDICT_CONFIRMED ||
	    outcome->attempts >= ATTEMPTS || outcome->kept)
		return false;
	/* The previous attempt has cached the user's device. */
	if (experiment->options->device)
		return false;
	if (finding->state == FINDING_CONTRADICTS)
		return quantities[finding->claim.quantity].is_host_wide;
	return finding->state != FINDING_UNKNOWN;
}

int experiment_run(struct experiment *experiment)
{
	struct outcome *outcome = experiment->outcome;
	int ret;

	*outcome = (struct outcome){
		.scenario = experiment->scenario,
		.opposite = experiment->options->opposite,
		.page_size = (uint64_t)sysconf(_SC_PAGESIZE),
	};
	tell(experiment, EXPERIMENT_BEGINS);
	progress_step(experiment->progress, "checking");
	ret = check_host(experiment->root, experiment->scenario,
			 &outcome->error);
	if (ret < 0)
		outcome->state = OUTCOME_NOT_RUN;
	while (!ret) {
		ret = attempt(experiment);
		if (ret < 0 || !is_worth_another(experiment))
			break;
		tell(experiment, EXPERIMENT_AGAIN);
		forget(outcome);
	}
	tell(experiment, EXPERIMENT_ENDS);
	return experiment->stop->signal ? -EINTR : 0;
}

void outcome_deinit(struct outcome *outcome)
{
	string_list_deinit(&outcome->commands);
	free(outcome->lab);
	free(outcome->kept);
	free(outcome->because);
	free(outcome->astray);
	*outcome = (struct outcome){ 0 };
}

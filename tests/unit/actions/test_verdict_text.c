// SPDX-License-Identifier: GPL-2.0-or-later
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "repro/experiment.h"
#include "repro/repro_text.h"
#include "repro/scenario.h"

/* dd on loop3: 25600 pages, and Buffers grew by @buffers. */
static void fill(struct outcome *outcome, int64_t buffers)
{
	*outcome = (struct outcome){
		.scenario = scenario_find("dd", NULL),
		.device_name = "loop3",
		.amount_pages = 25600,
		.observation_count = 2,
		.finding_count = 2,
		.findings = {
			{ .claim = { QUANTITY_DEVICE, 1, true },
			  .change_pages = 25600,
			  .amount_pages = 25600 },
			{ .claim = { QUANTITY_OTHERS, 1, false },
			  .change_pages = buffers - 25600,
			  .amount_pages = 25600 },
		},
	};
	observation_set(&outcome->observations[0], QUANTITY_BUFFERS, 100);
	observation_set(&outcome->observations[1], QUANTITY_BUFFERS,
			100 + buffers);
}

static void says(const struct outcome *outcome, const char *expected)
{
	char *text = verdict_text(outcome);

	assert_string_equal(text, expected);
	free(text);
}

static void confirmed(void **state)
{
	struct outcome outcome;

	(void)state;
	fill(&outcome, 25600);
	says(&outcome, "100.0% of the growth belongs to loop3");
	fill(&outcome, 25603);
	says(&outcome, "100.0% of the growth belongs to loop3");
	fill(&outcome, 51200);
	says(&outcome, "50.0% of the growth belongs to loop3");
	/* Pages of other devices were released, so no share is printed. */
	fill(&outcome, 20000);
	says(&outcome, "loop3 +25,600 pages, 100.0% of what was read, other "
		       "devices -5,600");
}

static void refuted(void **state)
{
	struct outcome outcome;

	(void)state;
	fill(&outcome, 25600);
	outcome.verdict = VERDICT_REFUTED;
	outcome.findings[0].change_pages = -3;
	says(&outcome, "loop3 -3 pages, 0.0% of what was read");
}

static void inconclusive(void **state)
{
	struct outcome outcome;

	(void)state;
	fill(&outcome, 225600);
	outcome.verdict = VERDICT_INCONCLUSIVE;
	outcome.deciding = 1;
	outcome.findings[1].state = FINDING_NOISY;
	outcome.findings[1].noise_pages = 1234567;
	says(&outcome, "other devices +200,000 pages, 781.2% of what was read, "
		       "which other programs may have caused (+1,234,567 in "
		       "the same time while nothing is run)");

	outcome.deciding = 0;
	outcome.findings[0].state = FINDING_BETWEEN;
	outcome.findings[0].change_pages = 12800;
	says(&outcome, "loop3 +12,800 pages, 50.0% of what was read, which "
		       "proves nothing: memory is short, or other programs use "
		       "it");

	outcome.findings[0].state = FINDING_UNKNOWN;
	error_set(&outcome.why, ERROR_UNUSABLE, "no source");
	says(&outcome, "loop3: not measured: no source");
	outcome.amount_pages = 0;
	says(&outcome, "all of it was cached before");
}

static void counts(void **state)
{
	static const struct {
		int64_t count;
		const char *text;
	} cases[] = {
		{ 0, "+0" },
		{ 999, "+999" },
		{ 1000, "+1,000" },
		{ -1000, "-1,000" },
		{ 1002003, "+1,002,003" },
		{ INT64_MIN, "-9,223,372,036,854,775,808" },
		{ INT64_MAX, "+9,223,372,036,854,775,807" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct outcome outcome;
		char expected[64];

		fill(&outcome, 25600);
		outcome.verdict = VERDICT_REFUTED;
		outcome.findings[0].amount_pages = 0;
		outcome.findings[0].change_pages = cases[i].count;
		snprintf(expected, sizeof(expected),
			 "loop3 %s pages, 0.0%% of what was read",
			 cases[i].text);
		says(&outcome, expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(confirmed),
		cmocka_unit_test(refuted),
		cmocka_unit_test(inconclusive),
		cmocka_unit_test(counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

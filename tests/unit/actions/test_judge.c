// SPDX-License-Identifier: GPL-2.0-or-later
#include "test.h"

#include <string.h>

#include "repro/judge.h"

#define AMOUNT 1000

static struct observation observations[2];
static double noise[QUANTITIES];

static const struct evidence evidence = {
	.observations = observations,
	.noise_pages_per_ns = noise,
	.amount_pages = AMOUNT,
};

static int set_up(void **state)
{
	(void)state;
	memset(observations, 0, sizeof(observations));
	memset(noise, 0, sizeof(noise));
	for (unsigned int i = 0; i < QUANTITIES; i++) {
		observation_set(&observations[0], i, 5000);
		observation_set(&observations[1], i, 5000);
	}
	observations[1].at_ns = 1;
	return 0;
}

static enum finding_state state_of(enum quantity quantity, int64_t change,
				   bool grows)
{
	const struct claim claim = { quantity, 1, grows };

	observations[1].pages[quantity] =
		observations[0].pages[quantity] + change;
	return judge_claim(&claim, &evidence).state;
}

static void growth_of_its_own(void **state)
{
	static const struct {
		int64_t change;
		enum finding_state grows;
		enum finding_state stays;
	} cases[] = {
		{ -5000, FINDING_CONTRADICTS, FINDING_HOLDS },
		{ 0, FINDING_CONTRADICTS, FINDING_HOLDS },
		{ 100, FINDING_CONTRADICTS, FINDING_HOLDS },
		{ 101, FINDING_BETWEEN, FINDING_BETWEEN },
		{ 899, FINDING_BETWEEN, FINDING_BETWEEN },
		{ 900, FINDING_HOLDS, FINDING_CONTRADICTS },
		{ 1000, FINDING_HOLDS, FINDING_CONTRADICTS },
		/* More than was read: readahead. */
		{ 3548, FINDING_HOLDS, FINDING_CONTRADICTS },
		/* That it was read does not explain this. */
		{ 3549, FINDING_EXCESS, FINDING_CONTRADICTS },
		{ 10000, FINDING_EXCESS, FINDING_CONTRADICTS },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_int_equal(state_of(QUANTITY_DEVICE, cases[i].change,
					  true),
				 cases[i].grows);
		assert_int_equal(state_of(QUANTITY_DEVICE, cases[i].change,
					  false),
				 cases[i].stays);
	}
}

static void growth_of_the_host(void **state)
{
	static const struct {
		int64_t change;
		enum finding_state grows;
		enum finding_state stays;
	} cases[] = {
		{ -500, FINDING_NOISY, FINDING_NOISY },
		{ -499, FINDING_CONTRADICTS, FINDING_HOLDS },
		{ 0, FINDING_CONTRADICTS, FINDING_HOLDS },
		{ 499, FINDING_CONTRADICTS, FINDING_HOLDS },
		{ 500, FINDING_NOISY, FINDING_NOISY },
		{ 501, FINDING_HOLDS, FINDING_CONTRADICTS },
		{ 1499, FINDING_HOLDS, FINDING_CONTRADICTS },
		{ 1500, FINDING_NOISY, FINDING_NOISY },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_int_equal(state_of(QUANTITY_CACHED, cases[i].change,
					  true),
				 cases[i].grows);
		assert_int_equal(state_of(QUANTITY_CACHED, cases[i].change,
					  false),
				 cases[i].stays);
	}
}

static void noise_spoils_what_is_the_hosts(void **state)
{
	(void)state;
	noise[QUANTITY_CACHED] = -300;
	noise[QUANTITY_DEVICE] = 5000;
	assert_int_equal(state_of(QUANTITY_CACHED, 1199, true), FINDING_HOLDS);
	assert_int_equal(state_of(QUANTITY_CACHED, 1200, true), FINDING_NOISY);
	assert_int_equal(state_of(QUANTITY_CACHED, 800, true), FINDING_NOISY);
	assert_int_equal(state_of(QUANTITY_CACHED, 199, false), FINDING_HOLDS);
	assert_int_equal(state_of(QUANTITY_CACHED, 200, false), FINDING_NOISY);
	assert_int_equal(state_of(QUANTITY_DEVICE, 1000, true), FINDING_HOLDS);
	/* Twice the time allows twice the noise. */
	noise[QUANTITY_CACHED] = 150;
	observations[1].at_ns = 2;
	assert_int_equal(state_of(QUANTITY_CACHED, 1199, true), FINDING_HOLDS);
	assert_int_equal(state_of(QUANTITY_CACHED, 1200, true), FINDING_NOISY);
	/* Noise as large as the effect allows no verdict. */
	noise[QUANTITY_CACHED] = 1000;
	assert_int_equal(state_of(QUANTITY_CACHED, 1000, true), FINDING_NOISY);
	assert_int_equal(state_of(QUANTITY_CACHED, 0, true), FINDING_NOISY);
}

static void other_devices_never_contradict(void **state)
{
	(void)state;
	assert_int_equal(state_of(QUANTITY_OTHERS, 499, false), FINDING_HOLDS);
	assert_int_equal(state_of(QUANTITY_OTHERS, 1000, false), FINDING_NOISY);
	assert_int_equal(state_of(QUANTITY_OTHERS, 90000, false),
			 FINDING_NOISY);
}

/* Only the inodes are certain; other metadata may come on top. */
static void a_least_amount_has_no_most(void **state)
{
	struct evidence least = evidence;
	const struct claim claim = { QUANTITY_BUFFERS, 1, true };
	const struct claim own = { QUANTITY_DEVICE, 1, true };

	(void)state;
	least.amount_is_least = true;
	observations[1].pages[QUANTITY_BUFFERS] += 4000;
	assert_int_equal(judge_claim(&claim, &evidence).state, FINDING_NOISY);
	assert_int_equal(judge_claim(&claim, &least).state, FINDING_HOLDS);
	observations[1].pages[QUANTITY_DEVICE] += 10000;
	assert_int_equal(judge_claim(&own, &least).state, FINDING_HOLDS);
	assert_int_equal(judge_claim(&own, &evidence).state, FINDING_EXCESS);
	assert_int_equal(judge_claim(&own, &evidence).amount_pages, AMOUNT);
}

static void what_stands_in(void **state)
{
	const struct claim claim = { QUANTITY_DEVICE, 1, true };
	struct finding finding;

	(void)state;
	observations[1].present &= ~(1U << QUANTITY_DEVICE);
	observations[1].pages[QUANTITY_BUFFERS] += 1000;
	finding = judge_claim(&claim, &evidence);
	assert_int_equal(finding.claim.quantity, QUANTITY_BUFFERS);
	assert_int_equal(finding.state, FINDING_HOLDS);
	assert_int_equal(finding.change_pages, 1000);

	observations[0].present &= ~(1U << QUANTITY_BUFFERS);
	assert_int_equal(judge_claim(&claim, &evidence).state, FINDING_UNKNOWN);
}

static void nothing_was_used(void **state)
{
	struct evidence none = evidence;
	const struct claim claim = { QUANTITY_DEVICE, 1, false };

	(void)state;
	none.amount_pages = 0;
	assert_int_equal(judge_claim(&claim, &none).state, FINDING_UNKNOWN);
}

static void verdicts(void **state)
{
	struct finding findings[3] = { 0 };
	size_t deciding;

	(void)state;
	assert_int_equal(judge(findings, 3, &deciding), VERDICT_CONFIRMED);
	assert_int_equal(deciding, 0);
	findings[1].state = FINDING_NOISY;
	assert_int_equal(judge(findings, 3, &deciding), VERDICT_INCONCLUSIVE);
	assert_int_equal(deciding, 1);
	/* A contradiction refutes, whatever else is unknown. */
	findings[2].state = FINDING_CONTRADICTS;
	assert_int_equal(judge(findings, 3, &deciding), VERDICT_REFUTED);
	assert_int_equal(deciding, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(growth_of_its_own, set_up),
		cmocka_unit_test_setup(growth_of_the_host, set_up),
		cmocka_unit_test_setup(noise_spoils_what_is_the_hosts, set_up),
		cmocka_unit_test_setup(other_devices_never_contradict, set_up),
		cmocka_unit_test_setup(a_least_amount_has_no_most, set_up),
		cmocka_unit_test_setup(what_stands_in, set_up),
		cmocka_unit_test_setup(nothing_was_used, set_up),
		cmocka_unit_test_setup(verdicts, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

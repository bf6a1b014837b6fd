// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/moment.h"
#include "lib/error.h"
#include "lib/number.h"

#define DAY 86400
/* The year 9999, in seconds since 1970. */
#define LAST_SECOND UINT64_C(253402300799)

static void add(struct moment *moment, time_t seconds)
{
	moment->ms[moment->count++] = seconds * INT64_C(1000);
}

static bool is_same_clock(const struct tm *a, const struct tm *b)
{
	return a->tm_hour == b->tm_hour && a->tm_min == b->tm_min &&
	       a->tm_sec == b->tm_sec && a->tm_mday == b->tm_mday;
}

/*
 * A local time may have been twice, with and without daylight saving time; one
 * that the clocks left out is what mktime() makes of it.
 */
static void add_local(struct moment *moment, const struct tm *local)
{
	for (int dst = 1; dst >= 0; dst--) {
		struct tm wanted = *local, got;
		time_t seconds;

		wanted.tm_isdst = dst;
		seconds = mktime(&wanted);
		if (seconds == (time_t)-1 || !localtime_r(&seconds, &got) ||
		    !is_same_clock(&got, local) ||
		    (moment->count && moment->ms[0] == seconds * 1000))
			continue;
		add(moment, seconds);
	}
	if (!moment->count) {
		struct tm wanted = *local;

		wanted.tm_isdst = -1;
		add(moment, mktime(&wanted));
	}
}

static const char *after_fraction(const char *text)
{
	return *text == '.' || *text == ',' ?
		       text + 1 + strspn(text + 1, "0123456789") :
		       text;
}

static void set_day(struct tm *clock, int days)
{
	/* No clock leaves noon out. */
	struct tm noon = { .tm_year = clock->tm_year,
			   .tm_mon = clock->tm_mon,
			   .tm_mday = clock->tm_mday + days,
			   .tm_hour = 12,
			   .tm_isdst = -1 };

	mktime(&noon);
	clock->tm_year = noon.tm_year;
	clock->tm_mon = noon.tm_mon;
	clock->tm_mday = noon.tm_mday;
}

/* Returns what follows the date, or NULL if there is none. */
static const char *take_date(const char *text, struct tm *clock)
{
	static const char *const days[] = { "today", "yesterday" };
	struct tm date = *clock;
	const char *end;

	for (int i = 0; i < 2; i++) {
		size_t length = strlen(days[i]);

		if (strncmp(text, days[i], length) != 0)
			continue;
		set_day(clock, -i);
		return text + length;
	}
	end = strptime(text, "%Y-%m-%d", &date);
	if (!end || *text == ' ' || date.tm_year < 70)
		return NULL;
	*clock = date;
	return end;
}

/* "2am", "02:12" or "02:12:30.5". Returns what follows, or NULL. */
static const char *take_clock(const char *text, struct tm *clock)
{
	static const char *const forms[] = { "%I:%M:%S %p", "%I:%M %p", "%I %p",
					     "%H:%M:%S", "%H:%M" };

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		struct tm taken = *clock;
		const char *end = strptime(text, forms[i], &taken);

		if (!end || taken.tm_sec > 59)
			continue;
		*clock = taken;
		return after_fraction(end);
	}
	return NULL;
}

static bool add_zoned(struct moment *moment, const char *text, struct tm *clock)
{
	struct tm zone = { 0 };
	const char *end = strptime(text, "%z", &zone);

	if (!end || *end)
		return false;
	add(moment, timegm(clock) - zone.tm_gmtoff);
	return true;
}

/* A clock time without a date is the last one that has been. */
static bool parse_clock(struct moment *moment, const char *text, time_t now)
{
	struct tm clock;
	const char *rest;

	if (!localtime_r(&now, &clock))
		return false;
	clock.tm_hour = clock.tm_min = clock.tm_sec = 0;
	rest = take_date(text, &clock);
	moment->is_clock = !rest;
	if (rest && strncmp(rest, "\\x20", 4) == 0) /* as -r prints it */
		rest = take_clock(rest + 4, &clock);
	else if (!rest || *rest == ' ' || *rest == 'T')
		rest = take_clock(rest ? rest + 1 : text, &clock);
	if (rest && *rest && !moment->is_clock)
		return add_zoned(moment, rest, &clock);
	if (!rest || *rest)
		return false;
	add_local(moment, &clock);
	if (moment->is_clock && moment->ms[0] > now * INT64_C(1000)) {
		moment->count = 0;
		set_day(&clock, -1);
		add_local(moment, &clock);
	}
	return true;
}

/* "-30m" or "30 minutes ago". */
static bool parse_ago(struct moment *moment, const char *text, time_t now)
{
	static const char *const units[] = { "seconds", "minutes", "hours",
					     "days" };
	static const int seconds[] = { 1, 60, 3600, DAY };
	bool is_signed = *text == '-';
	uint64_t number;
	size_t length;

	text += is_signed;
	if (!number_scan(&text, 100000, &number))
		return false;
	text += *text == ' ';
	length = strcspn(text, " ");
	if (strcmp(text + length, is_signed ? "" : " ago") != 0)
		return false;
	length -= length > 3 && text[length - 1] == 's';
	for (size_t i = 0; i < 4; i++) {
		if ((length != 1 && length < 3) ||
		    strncmp(text, units[i], length) != 0)
			continue;
		add(moment, now - (time_t)number * seconds[i]);
		return true;
	}
	return false;
}

static bool parse_word(struct moment *moment, const char *text, time_t now)
{
	uint64_t seconds;

	if (strcmp(text, "now") == 0) {
		add(moment, now);
		return true;
	}
	if (*text++ != '@' || !number_scan(&text, LAST_SECOND, &seconds) ||
	    *after_fraction(text))
		return false;
	add(moment, (time_t)seconds);
	return true;
}

int moment_parse(struct moment *moment, const char *text, time_t now)
{
	*moment = (struct moment){ .text = text };
	return parse_word(moment, text, now) || parse_ago(moment, text, now) ||
			       parse_clock(moment, text, now) ?
		       0 :
		       -EINVAL;
}

void moment_rebase(struct moment *moment, const struct moment *given,
		   time_t now)
{
	*moment = *given;
	if (given->count)
		moment_parse(moment, given->text, now);
}

int moment_take(void *place, const struct option_given *given,
		struct error *err)
{
	char option[32];

	if (moment_parse(place, given->value, time(NULL)) == 0)
		return 0;
	snprintf(option, sizeof(option), "--%s", given->row->name);
	return error_option(err, option,
			    "%s: use 02:12, 2am, \"2026-11-23 02:12:30\", "
			    "\"yesterday 02:12\", -30m or now",
			    given->value);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "frame/moment.h"
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

/* Takes digits and then @after, if that is not 0. */
static bool take(const char **text, uint64_t least, uint64_t most, char after,
		 int *number)
{
	uint64_t value;

	if (!number_scan(text, most, &value) || value < least)
		return false;
	if (after && *(*text)++ != after)
		return false;
	*number = (int)value;
	return true;
}

/* "02:12" or "02:12:30", to its end. */
static bool take_clock(const char *text, struct tm *local)
{
	if (!take(&text, 0, 23, ':', &local->tm_hour) ||
	    !take(&text, 0, 59, 0, &local->tm_min))
		return false;
	if (!*text)
		return true;
	return *text++ == ':' && take(&text, 0, 59, 0, &local->tm_sec) &&
	       !*text;
}

static bool take_date(const char **text, struct tm *local)
{
	int year, month;

	if (!take(text, 1970, 9999, '-', &year) ||
	    !take(text, 1, 12, '-', &month) ||
	    !take(text, 1, 31, 0, &local->tm_mday))
		return false;
	local->tm_year = year - 1900;
	local->tm_mon = month - 1;
	return true;
}

/* A clock time without a date is the last one that has been. */
static bool parse_clock(struct moment *moment, const char *text, time_t now)
{
	struct tm local;

	if (!localtime_r(&now, &local))
		return false;
	local.tm_sec = 0;
	if (!take_clock(text, &local))
		return false;
	add_local(moment, &local);
	if (moment->ms[0] <= now * INT64_C(1000))
		return true;
	moment->count = 0;
	/* mktime() puts day 0 into the month before. */
	local.tm_mday--;
	local.tm_isdst = -1;
	if (mktime(&local) == (time_t)-1)
		return false;
	add_local(moment, &local);
	return true;
}

static bool parse_date(struct moment *moment, const char *text)
{
	struct tm local = { 0 };

	if (!take_date(&text, &local))
		return false;
	if (*text &&
	    ((*text != ' ' && *text != 'T') || !take_clock(text + 1, &local)))
		return false;
	add_local(moment, &local);
	return true;
}

/* "-30m": 30 minutes ago. */
static bool parse_ago(struct moment *moment, const char *text, time_t now)
{
	static const char units[] = "smhd";
	static const int seconds[] = { 1, 60, 3600, DAY };
	const char *unit;
	uint64_t number;

	if (*text++ != '-' || !number_scan(&text, 100000, &number) || !*text ||
	    text[1])
		return false;
	unit = strchr(units, *text);
	if (!unit)
		return false;
	add(moment, now - (time_t)number * seconds[unit - units]);
	return true;
}

static bool parse_word(struct moment *moment, const char *text, time_t now)
{
	struct tm local;
	uint64_t seconds;

	if (strcmp(text, "now") == 0) {
		add(moment, now);
		return true;
	}
	if (*text == '@') {
		if (!number_parse(text + 1, LAST_SECOND, &seconds))
			return false;
		add(moment, (time_t)seconds);
		return true;
	}
	if (strcmp(text, "yesterday") != 0 && strcmp(text, "today") != 0)
		return false;
	if (!localtime_r(&now, &local))
		return false;
	local.tm_hour = local.tm_min = local.tm_sec = 0;
	local.tm_mday -= *text == 'y';
	local.tm_isdst = -1;
	add(moment, mktime(&local));
	return true;
}

int moment_parse(struct moment *moment, const char *text, time_t now)
{
	*moment = (struct moment){ .text = text };
	return parse_word(moment, text, now) || parse_ago(moment, text, now) ||
			       parse_clock(moment, text, now) ||
			       parse_date(moment, text) ?
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
	return error_doing(err, EINVAL, "reading options", option,
			   "%s: use 02:12, \"2026-11-23 02:12:30\", yesterday, "
			   "-30m or now",
			   given->value);
}

const char *moment_text(int64_t ms, char text[MOMENT_TEXT_SIZE])
{
	time_t seconds = (time_t)(ms / 1000);
	struct tm local;

	*text = '\0';
	if (localtime_r(&seconds, &local))
		strftime(text, MOMENT_TEXT_SIZE, "%Y-%m-%d %H:%M:%S", &local);
	return text;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/utc.h"

#define FORMAT "%Y-%m-%dT%H:%M:%SZ"

const char *utc_text(time_t seconds, char text[UTC_TEXT_SIZE])
{
	struct tm utc;

	if (!gmtime_r(&seconds, &utc) ||
	    !strftime(text, UTC_TEXT_SIZE, FORMAT, &utc))
		*text = '\0';
	return text;
}

bool utc_parse(const char *text, time_t *seconds)
{
	struct tm utc = { 0 };
	const char *end = strptime(text, FORMAT, &utc);

	if (!end || *end)
		return false;
	*seconds = timegm(&utc);
	return true;
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

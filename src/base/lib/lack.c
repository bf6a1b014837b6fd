// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "lib/debug.h"
#include "lib/error.h"
#include "lib/lack.h"

int lack_doing(struct error *err, enum lack lack, const char *of,
	       const char *doing, const char *object)
{
	static const char *const texts[] = {
#define LACK(id, text) text,
		LACKS(LACK)
#undef LACK
	};
	const char *text = texts[lack - LACKS_FIRST];
	int length = (int)strcspn(text, "|"), before = (int)strcspn(text, "*|");
	const char *after = text + before + (text[before] == '*');

	error_doing(err, (int)lack, doing, object, "%.*s%s%.*s", before, text,
		    text[before] == '*' ? of : "", (int)(text + length - after),
		    after);
	if (err)
		debug(DEBUG_SOURCE, "%s%s%s", object ? object : "",
		      object ? ": " : "", err->reason);
	return error_remedy(err, -EOPNOTSUPP, "%s",
			    text + length + (text[length] == '|'));
}

int lack_error(struct error *err, enum lack lack, const char *of)
{
	return lack_doing(err, lack, of, NULL, NULL);
}

int lack_of_error(struct error *err, enum lack lack)
{
	if (err) {
		err->class = ERROR_UNUSABLE;
		err->lack = (int)lack;
	}
	return -EOPNOTSUPP;
}

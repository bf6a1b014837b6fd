// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "safe_text.h"

void safe_text_put_part(FILE *out, const char *text, size_t size)
{
	mbstate_t state = { 0 };

	while (size) {
		wchar_t wide;
		size_t length = mbrtowc(&wide, text, size, &state);

		if (length && length <= size && iswprint((wint_t)wide)) {
			fwrite(text, 1, length, out);
		} else {
			state = (mbstate_t){ 0 };
			length = 1;
			fprintf(out, "\\x%02x", (unsigned char)*text);
		}
		text += length;
		size -= length;
	}
}

void safe_text_put(FILE *out, const char *text)
{
	safe_text_put_part(out, text, strlen(text));
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "kernel/vmcoreinfo.h"
#include "lib/number.h"

const char *vmcoreinfo_find(const char *text, const char *key, size_t *length)
{
	size_t key_length = strlen(key);

	while (*text) {
		size_t line = strcspn(text, "\n");

		if (line > key_length && text[key_length] == '=' &&
		    memcmp(text, key, key_length) == 0) {
			*length = line - key_length - 1;
			return text + key_length + 1;
		}
		text += line;
		text += *text == '\n';
	}
	return NULL;
}

static bool parse_hex(const char *text, size_t length, uint64_t *number)
{
	static const char digits[] = "0123456789abcdef";

	if (!length || length > 16)
		return false;
	*number = 0;
	for (size_t i = 0; i < length; i++) {
		const char *digit = memchr(digits, text[i], 16);

		if (!digit)
			return false;
		*number = *number << 4 | (uint64_t)(digit - digits);
	}
	return true;
}

bool vmcoreinfo_symbol(const char *text, const char *name, uint64_t *address)
{
	char key[128];
	const char *value;
	size_t length;

	snprintf(key, sizeof(key), "SYMBOL(%s)", name);
	value = vmcoreinfo_find(text, key, &length);
	return value && parse_hex(value, length, address);
}

bool vmcoreinfo_number(const char *text, const char *name, uint64_t *number)
{
	char key[128], digits[24];
	const char *value;
	bool negative;
	size_t length;

	snprintf(key, sizeof(key), "NUMBER(%s)", name);
	value = vmcoreinfo_find(text, key, &length);
	if (!value || length >= sizeof(digits))
		return false;
	if (length > 2 && memcmp(value, "0x", 2) == 0)
		return parse_hex(value + 2, length - 2, number);
	negative = *value == '-';
	snprintf(digits, sizeof(digits), "%.*s", (int)length, value);
	if (!number_parse(digits + negative, negative ? INT64_MAX : UINT64_MAX,
			  number))
		return false;
	if (negative)
		*number = -*number;
	return true;
}

bool vmcoreinfo_string(const char *text, const char *key, char *value,
		       size_t size)
{
	size_t length;
	const char *found = vmcoreinfo_find(text, key, &length);

	if (!found || !length || length >= size)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (found[i] <= ' ' || found[i] > '~')
			return false;
	}
	memcpy(value, found, length);
	value[length] = '\0';
	return true;
}

bool vmcoreinfo_page_size(const char *text, uint64_t *bytes)
{
	char digits[24];

	return vmcoreinfo_string(text, "PAGESIZE", digits, sizeof(digits)) &&
	       number_parse(digits, 1 << 24, bytes) && *bytes >= 4096 &&
	       !(*bytes & (*bytes - 1));
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Any text as VMCOREINFO. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "kernel/vmcoreinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	uint64_t number;
	char value[32];

	fuzz_require(text);
	vmcoreinfo_symbol(text, "_stext", &number);
	vmcoreinfo_symbol(text, "swapper_pg_dir", &number);
	vmcoreinfo_number(text, "phys_base", &number);
	vmcoreinfo_page_size(text, &number);
	vmcoreinfo_string(text, "OSRELEASE", value, sizeof(value));
	free(text);
	return 0;
}

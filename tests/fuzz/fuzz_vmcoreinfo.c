// SPDX-License-Identifier: GPL-2.0-or-later
/* Any text as VMCOREINFO, and as the cache of what was found out. */
#include <stdlib.h>
#include <string.h>

#include "bdev_root.h"
#include "fuzz.h"
#include "kcore_cache.h"
#include "vmcoreinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct kcore_cache cache;
	struct bdev_root root;
	uint64_t number;
	char value[32];

	fuzz_require(text);
	vmcoreinfo_symbol(text, "_stext", &number);
	vmcoreinfo_symbol(text, "swapper_pg_dir", &number);
	vmcoreinfo_number(text, "phys_base", &number);
	vmcoreinfo_page_size(text, &number);
	vmcoreinfo_string(text, "OSRELEASE", value, sizeof(value));
	kcore_cache_init(&cache, NULL, text);
	strcpy(cache.build_id, "0f3a");
	if (kcore_cache_parse(&cache, text, &root) == 0)
		fuzz_require(bdev_layout_is_sound(&root.layout));
	free(text);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "kernel/exports.h"
#include "kernel/kernel.h"
#include "kernel/symbols.h"
#include "kernel/vmcoreinfo.h"
#include "lib/cleanup.h"
#include "lib/error.h"

/* Returns how many of the symbols are still to be found. */
static size_t find_exports(struct kernel *kernel,
			   struct kallsyms_symbol *symbols, size_t count)
{
	size_t missing = 0;

	for (size_t i = 0; i < count; i++) {
		symbols[i].address = 0;
		if (!kernel->exports.data ||
		    !exports_find(&kernel->exports, symbols[i].name,
				  &symbols[i].address))
			missing++;
	}
	return missing;
}

/* Looks up @missing symbols, those without an address. */
static void find_others(struct kernel *kernel, struct kallsyms_symbol *symbols,
			size_t count, size_t missing)
{
	_cleanup_(freep) struct kallsyms_symbol *others =
		calloc(missing, sizeof(*others));
	struct error unused;
	uint64_t stext;
	size_t next = 0;

	if (!others || !kernel->vmcoreinfo ||
	    !vmcoreinfo_symbol(kernel->vmcoreinfo, "_stext", &stext))
		return;
	if (!kernel->kallsyms_status)
		kernel->kallsyms_status =
			kallsyms_find(kernel->vmcoreinfo, kernel->kmem, stext, &kernel->kallsyms) ?:
				1;
	if (kernel->kallsyms_status < 0)
		return;
	for (size_t i = 0; i < count; i++) {
		if (!symbols[i].address)
			others[next++].name = symbols[i].name;
	}
	if (kallsyms_lookup(&kernel->kallsyms, kernel->kmem, stext, others,
			    missing, &unused) < 0)
		return;
	next = 0;
	for (size_t i = 0; i < count; i++) {
		if (!symbols[i].address)
			symbols[i].address = others[next++].address;
	}
}

void kernel_symbols_find(struct kernel *kernel, struct kallsyms_symbol *symbols,
			 size_t count)
{
	size_t missing = find_exports(kernel, symbols, count);

	if (missing)
		find_others(kernel, symbols, count, missing);
}

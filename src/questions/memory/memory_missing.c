// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/sysroot.h"
#include "memory/contradiction.h"
#include "memory/kernel_memory.h"
#include "memory/memory_owners.h"
#include "memory/memory_missing.h"
#include "names/pid_namespace.h"
#include "worker/patience.h"

void memory_missing(const struct memory_reading *reading,
		    const struct memory_heads *heads, const char *vmcore,
		    bool is_live, error_tell_fn *tell, void *data)
{
	char text[CONTRADICTION_TEXT];
	struct error err;

	if (contradiction_text(heads, reading, text)) {
		error_doing(&err, ERROR_PARTIAL, "adding up",
			    vmcore ?: contradiction_file(heads, reading), "%s",
			    text);
		tell(data, &err);
	}
	if (!heads->has_rest) {
		error_doing(&err, ERROR_PARTIAL, "adding up",
			    vmcore ?: "/proc/meminfo",
			    "%s, so what is unaccounted is not known",
			    memory_unknown_text(heads->why_no_rest));
		tell(data, &err);
	}
	if (reading->vmalloc_short) {
		error_doing(&err, ERROR_PARTIAL, "reading", "/proc/vmallocinfo",
			    "%s", reading->vmalloc_short);
		tell(data, &err);
	}
	if (!memory_has(&reading->fields, MEMORY_ZONE_PER_CPU)) {
		error_doing(&err, ERROR_PARTIAL, "reading",
			    vmcore ?: "/proc/zoneinfo",
			    "%s, so the free pages on lists of processors are "
			    "in unaccounted",
			    reading->zoneinfo_failed ?
				    strerror(reading->zoneinfo_failed) :
				    "no free lists in it");
		tell(data, &err);
	}
	if (!memory_has_variables(reading)) {
		error_advise(&err, ERROR_PARTIAL, "adding up", vmcore,
			     "a kernel with CONFIG_KALLSYMS_ALL=y",
			     "the variables with vmalloc, per-CPU "
			     "memory and pools of huge pages cannot all "
			     "be found, so some are in unaccounted");
		tell(data, &err);
	}
	/* Counts that contradict each other for good do not settle either. */
	if (!reading->settled && reading->samples > 1) {
		error_doing(&err, ERROR_PARTIAL, "measuring", "unsettled",
			    "the counts changed while they were read");
		if (is_live)
			error_remedy(&err, 0, "try again");
		tell(data, &err);
	} else if (!reading->settled) {
		error_doing(&err, ERROR_PARTIAL, "adding up", "unsettled",
			    "the counts of cached pages and of the lists that "
			    "they are on contradict each other");
		tell(data, &err);
	}
}

bool memory_is_whole(const struct memory_reading *reading,
		     const struct memory_heads *heads)
{
	return heads->has_rest && !heads->contradiction &&
	       !reading->vmalloc_short && reading->settled &&
	       memory_has(&reading->fields, MEMORY_ZONE_PER_CPU) &&
	       memory_has_variables(reading);
}

/* Whether a list before this one could not be asked for the same reason. */
static bool is_told(const struct memory_owners *owners, size_t list)
{
	for (size_t i = 0; i < list; i++) {
		if (owners->lists[i].asked &&
		    strcmp(owners->lists[i].why, owners->lists[list].why) == 0)
			return true;
	}
	return false;
}

void memory_owners_missing(const struct memory_owners *owners,
			   error_tell_fn *tell, void *data)
{
	struct error err;

	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		const struct memory_owner_list *list = &owners->lists[i];
		char object[160];

		if (!list->asked || (!list->unread && !*list->why))
			continue;
		if (*list->why && is_told(owners, i))
			continue;
		memory_owners_name(i, object, sizeof(object));
		if (*list->why)
			error_doing(&err, ERROR_PARTIAL, "finding owners", NULL,
				    "%s", list->why);
		else
			error_doing(&err, ERROR_PARTIAL, "finding owners",
				    object, "%zu could not be read",
				    list->unread);
		if (!*list->why && geteuid() != 0)
			error_remedy(&err, 0, "root may see more");
		tell(data, &err);
	}
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		if (!owners->lists[i].is_of_namespace)
			continue;
		error_doing(&err, ERROR_PARTIAL, "finding owners", NULL,
			    PROCESSES_OUTSIDE " are not seen");
		error_remedy(&err, 0, "run it on the host");
		tell(data, &err);
		break;
	}
	if (owners->is_cut_short) {
		error_doing(&err, ERROR_PARTIAL, "finding owners", NULL,
			    PATIENCE_OVER "; there may be larger ones");
		tell(data, &err);
	}
}

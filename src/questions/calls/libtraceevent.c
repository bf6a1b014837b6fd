// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>

#include "calls/libtraceevent.h"
#include "lib/library.h"

int libtraceevent_init(struct libtraceevent *library, struct error *err)
{
	const struct library_symbol symbols[] = {
		{ "tep_alloc", &library->alloc },
		{ "tep_free", &library->free },
		{ "tep_parse_format", &library->parse },
		{ "tep_find_field", &library->find },
		{ "tep_find_common_field", &library->find_common },
		{ "kbuffer_alloc", &library->buffer_alloc },
		{ "kbuffer_free", &library->buffer_free },
		{ "kbuffer_load_subbuffer", &library->buffer_load },
		{ "kbuffer_read_event", &library->buffer_read },
		{ "kbuffer_next_event", &library->buffer_next },
		{ "kbuffer_event_size", &library->record_size },
		{ "kbuffer_missed_events", &library->buffer_missed },
	};

	*library = (struct libtraceevent){ 0 };
	return library_open(LIBRARY_TRACEEVENT, symbols,
			    sizeof(symbols) / sizeof(*symbols),
			    &library->handle, err);
}

void libtraceevent_deinit(struct libtraceevent *library)
{
	if (library->handle)
		dlclose(library->handle);
	*library = (struct libtraceevent){ 0 };
}

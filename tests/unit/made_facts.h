/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts for explain that a test makes. */
#ifndef BUFSTAT_MADE_FACTS_H
#define BUFSTAT_MADE_FACTS_H

#include "devices/devices.h"
#include "explain/explain_facts.h"
#include "test.h"

/* Completes the devices of @facts and copies each to @of, which has its names. */
static inline void made_facts_finish(struct explain_facts *facts,
				     struct explain_device *of)
{
	assert_int_equal(devices_check(&facts->buffers), 0);
	facts->count = facts->buffers.count;
	for (size_t i = 0; i < facts->count; i++) {
		const struct device_names names = of[i].of.names;

		of[i].of = facts->buffers.devices[i];
		of[i].of.names = names;
	}
}

#endif

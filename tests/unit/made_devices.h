/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices that a test makes. */
#ifndef BUFSTAT_MADE_DEVICES_H
#define BUFSTAT_MADE_DEVICES_H

#include "devices/devices.h"
#include "lib/array.h"
#include "test.h"

/*
 * Adds a device without figures, and returns its sample; it is valid until the
 * next one is added. devices_check() completes the devices.
 */
static inline struct sample *made_device(struct devices *devices,
					 unsigned int major, unsigned int minor)
{
	struct device *device;

	assert_int_equal(array_make_room(&devices->devices, devices->count,
					 &devices->capacity),
			 0);
	device = &devices->devices[devices->count++];
	*device =
		(struct device){ .sample = { .major = major, .minor = minor } };
	return &device->sample;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answer about devices as JSON. */
#ifndef BUFSTAT_DEVICE_JSON_H
#define BUFSTAT_DEVICE_JSON_H

/*
 * Of a document whose answer is struct device_answer, and its rows a list. If
 * no source could measure, source and devices are null.
 */
extern const struct fields device_document;

#endif

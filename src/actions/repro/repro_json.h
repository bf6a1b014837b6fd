/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_REPRO_JSON_H
#define BUFSTAT_REPRO_JSON_H

#include <stdio.h>

struct json_out;
struct outcome;

/* Writes one experiment with all measurements, as an element of an array. */
void repro_json_write(struct json_out *json, const struct outcome *outcome);

/* Writes the list of scenarios, as a document. */
void repro_json_list(FILE *out);

#endif

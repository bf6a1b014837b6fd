/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_REPRO_JSON_H
#define BUFSTAT_REPRO_JSON_H

#include <stdio.h>

struct fields;

/* An experiment with all measurements, of struct outcome. */
extern const struct fields experiment_fields;

/* Writes the list of scenarios, as a document. */
void repro_json_list(FILE *out);

#endif

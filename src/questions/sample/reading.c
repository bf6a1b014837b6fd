// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "cgroups/cgroups_saved.h"
#include "devices/devices.h"
#include "fields/fields.h"
#include "filesystems/files_saved.h"
#include "filesystems/fs_saved.h"
#include "lib/json_out.h"
#include "measure/saved.h"
#include "memory/memory_saved.h"
#include "memory/owners_saved.h"
#include "sample/reading.h"

static const struct field member_list[] = {
	{ FIELD_INNER("devices", &devices_fields) },
	{ FIELD_INNER("memory", &memory_reading_fields) },
	{ FIELD_INNER("owners", &memory_owners_fields) },
	{ FIELD_INNER("cgroups", &cgroups_fields) },
	{ FIELD_INNER("filesystems", &filesystems_fields) },
	{ FIELD_INNER("files", &cached_files_fields) },
};

const struct fields reading_fields = FIELDS(char, member_list);

void *reading_answer(const struct reading *reading, enum question_id id)
{
	return reading->answers[id].answer;
}

const struct error *reading_why(const struct reading *reading,
				enum question_id id)
{
	return &reading->answers[id].why;
}

int reading_ask(struct reading *reading, enum question_id id,
		const struct asking *asking)
{
	struct reading_answer *place = &reading->answers[id];

	place->was_asked = true;
	return question_ask(questions[id], &place->answer, asking, &place->why);
}

static int ask_those(struct reading *reading, enum walked walks,
		     const struct asking *asking)
{
	int ret = 0;

	for (enum question_id id = 0; !ret && id < QUESTIONS; id++) {
		const struct question *question = questions[id];

		if (question->save && question->walks == walks &&
		    !reading->answers[id].was_asked)
			ret = only_enomem(reading_ask(reading, id, asking));
	}
	return ret;
}

int reading_ask_others(struct reading *reading, const struct asking *asking)
{
	int ret = 0;

	for (enum walked walks = 0; !ret && walks < WALKS; walks++)
		ret = ask_those(reading, walks, asking);
	return ret;
}

void *reading_begin(struct reading *reading, enum question_id id)
{
	struct reading_answer *place = &reading->answers[id];

	place->was_asked = true;
	place->answer = question_begin(questions[id]);
	return place->answer;
}

static bool is_lack(const struct reading *reading, enum question_id id,
		    const struct error *why)
{
	if (!error_is_set(why) ||
	    (questions[id]->may_be_absent && why->class == ERROR_UNUSABLE))
		return false;
	/* Else the reason is the same. */
	return id != QUESTION_FILES ||
	       reading_answer(reading, QUESTION_FILESYSTEMS);
}

void reading_missing(const struct reading *reading, bool is_live,
		     error_tell_fn *tell, void *data)
{
	for (enum question_id id = 0; id < QUESTIONS; id++) {
		const struct question *question = questions[id];
		const struct reading_answer *place = &reading->answers[id];
		struct error why = place->why;

		if (place->answer && question->missing) {
			question->missing(place->answer, tell, data);
		} else if (!place->answer && is_lack(reading, id, &why)) {
			if (is_live && id == QUESTION_FILESYSTEMS)
				error_within(&why, 0, "measuring",
					     question->things);
			tell(data, &why);
		}
	}
}

void reading_write(struct json_out *json, const void *reading)
{
	const struct reading_answer *const answers =
		((const struct reading *)reading)->answers;

	saved_begin(json);
	for (enum question_id id = 0; id < QUESTIONS; id++) {
		const struct question *question = questions[id];
		const struct reading_answer *place = &answers[id];

		if (question->save &&
		    (place->was_asked || question->is_always_saved))
			question->save(json, place->answer);
	}
	json_out_object_end(json);
}

void reading_write_answer(struct json_out *json, const void *answer)
{
	const struct answer *head = answer;
	struct reading reading = { 0 };
	enum question_id id = 0;

	while (questions[id] != head->question)
		id++;
	reading.answers[id].was_asked = true;
	reading.answers[id].answer = (void *)answer;
	reading_write(json, &reading);
}

static void print(struct json_out *json, const struct provenance *provenance,
		  const struct answer *head, document_write_fn *write,
		  const void *reading)
{
	json_out_object(json, NULL);
	provenance_write(json, provenance, head->source, head->is_whole);
	write(json, reading);
	json_out_object_end(json);
	json_out_finish(json);
}

void reading_print(FILE *out, const struct reading *reading)
{
	struct json_out json;

	json_out_init(&json, out);
	print(&json, &reading->provenance,
	      reading_answer(reading, QUESTION_DEVICES), reading_write,
	      reading);
}

void reading_print_answer(FILE *out, const struct provenance *provenance,
			  const struct answer *answer)
{
	struct json_out json;

	json_out_init(&json, out);
	json.compact = true;
	print(&json, provenance, answer, reading_write_answer, answer);
}

void reading_deinit(struct reading *reading)
{
	for (enum question_id id = 0; id < QUESTIONS; id++)
		question_release(questions[id], reading->answers[id].answer);
}

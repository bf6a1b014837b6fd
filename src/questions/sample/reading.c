// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "cgroups/cgroup_rows.h"
#include "cgroups/cgroups_saved.h"
#include "fields/fields.h"
#include "filesystems/file_columns.h"
#include "filesystems/files_saved.h"
#include "filesystems/fs_rows.h"
#include "filesystems/fs_saved.h"
#include "lib/json_out.h"
#include "measure/saved.h"
#include "memory/memory_saved.h"
#include "memory/owners_saved.h"
#include "sample/device_question.h"
#include "sample/heads_question.h"
#include "sample/reading.h"

const struct question *const reading_questions[READING_QUESTIONS] = {
	&device_question, &heads_question, &cgroup_question,
	&fs_question,	  &file_question,
};

static const struct field member_list[] = {
	{ FIELD_INNER("devices", &devices_fields) },
	{ FIELD_INNER("memory", &memory_reading_fields) },
	{ FIELD_INNER("owners", &memory_owners_fields) },
	{ FIELD_INNER("cgroups", &cgroups_fields) },
	{ FIELD_INNER("filesystems", &filesystems_fields) },
	{ FIELD_INNER("files", &cached_files_fields) },
};

const struct fields reading_fields = FIELDS(char, member_list);

static size_t place_of(const struct question *question)
{
	size_t place = 0;

	while (reading_questions[place] != question)
		place++;
	return place;
}

void *reading_answer(const struct reading *reading,
		     const struct question *question)
{
	return reading->answers[place_of(question)].answer;
}

const struct error *reading_why(const struct reading *reading,
				const struct question *question)
{
	return &reading->answers[place_of(question)].why;
}

int reading_ask(struct reading *reading, const struct question *question,
		const struct asking *asking)
{
	struct reading_answer *place = &reading->answers[place_of(question)];

	place->was_asked = true;
	return question_ask(question, &place->answer, asking, &place->why);
}

int reading_ask_others(struct reading *reading, const struct asking *asking)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < READING_QUESTIONS; i++) {
		if (!reading->answers[i].was_asked)
			ret = only_enomem(reading_ask(
				reading, reading_questions[i], asking));
	}
	return ret;
}

void *reading_begin(struct reading *reading, const struct question *question)
{
	struct reading_answer *place = &reading->answers[place_of(question)];

	place->was_asked = true;
	place->answer = question_begin(question);
	return place->answer;
}

static bool is_lack(const struct reading *reading,
		    const struct question *question, const struct error *why)
{
	if (!error_is_set(why) ||
	    (question->may_be_absent && why->class == ERROR_UNUSABLE))
		return false;
	/* Else the reason is the same. */
	return question != &file_question ||
	       reading_answer(reading, &fs_question);
}

void reading_missing(const struct reading *reading, bool is_live,
		     error_tell_fn *tell, void *data)
{
	for (size_t i = 0; i < READING_QUESTIONS; i++) {
		const struct question *question = reading_questions[i];
		const struct reading_answer *place = &reading->answers[i];
		struct error why = place->why;

		if (place->answer && question->missing) {
			question->missing(place->answer, tell, data);
		} else if (!place->answer && is_lack(reading, question, &why)) {
			if (is_live && question == &fs_question)
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
	for (size_t i = 0; i < READING_QUESTIONS; i++) {
		const struct question *question = reading_questions[i];
		const struct reading_answer *place = &answers[i];

		if (place->was_asked || question->is_always_saved)
			question->save(json, place->answer);
	}
	json_out_object_end(json);
}

void reading_write_answer(struct json_out *json, const void *answer)
{
	const struct answer *head = answer;
	struct reading reading = { 0 };
	struct reading_answer *place =
		&reading.answers[place_of(head->question)];

	place->was_asked = true;
	place->answer = (void *)answer;
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
	      reading_answer(reading, &device_question), reading_write,
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
	for (size_t i = 0; i < READING_QUESTIONS; i++)
		question_release(reading_questions[i],
				 reading->answers[i].answer);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "devices/device_columns.h"
#include "explain/explain.h"
#include "explain/explain_advice.h"
#include "explain/explain_facts.h"
#include "explain/explain_holder.h"
#include "explain/explain_verdict.h"
#include "filesystems/fs_json.h"
#include "lib/json_out.h"
#include "lib/utc.h"
#include "memory/free_columns.h"
#include "memory/memory_json.h"
#include "names/device_base.h"
#include "store/past.h"

static void put_bytes(struct json_out *json, const char *key,
		      const struct device *device, enum figure figure)
{
	json_out_signed_if(json, key, sample_has(&device->sample, figure),
			   device_bytes(device, figure));
}

static void put_figure(struct json_out *json, const char *key,
		       const struct sample *sample, enum figure figure)
{
	json_out_unsigned_if(json, key, sample_has(sample, figure),
			     sample->figures[figure]);
}

static void put_meminfo(struct json_out *json, const struct meminfo *meminfo)
{
	static const struct {
		const char *key;
		enum meminfo_field field;
	} fields[] = {
		{ "cached_bytes", MEMINFO_CACHED },
		{ "sreclaimable_bytes", MEMINFO_SRECLAIMABLE },
		{ "shmem_bytes", MEMINFO_SHMEM },
		{ "mapped_bytes", MEMINFO_MAPPED },
		{ "swap_cached_bytes", MEMINFO_SWAP_CACHED },
		{ "dirty_bytes", MEMINFO_DIRTY },
		{ "writeback_bytes", MEMINFO_WRITEBACK },
	};

	json_out_object(json, "meminfo");
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		meminfo_write_bytes(json, fields[i].key, meminfo,
				    fields[i].field);
	json_out_object_end(json);
}

/*
 * null if no process could be read: an empty array would say that nobody has
 * the device open.
 */
static void put_openers(struct json_out *json,
			const struct explain_facts *facts,
			const struct explain_device *device)
{
	if (!facts->openers.processes || facts->openers.failed) {
		json_out_null(json, "held_open_by");
		return;
	}
	json_out_array(json, "held_open_by");
	for (size_t i = 0; i < device->opener_count; i++) {
		const struct opener *opener = &device->openers[i];

		json_out_object(json, NULL);
		json_out_unsigned(json, "pid", opener->pid);
		json_out_string(json, "comm",
				*opener->comm ? opener->comm : NULL);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

static void put_use(struct json_out *json, const struct explain_facts *facts,
		    const struct explain_device *device)
{
	json_out_string(json, "fstype", device->of.names.fstype);
	json_out_strings(json, "mountpoints",
			 device_names_mounts(&device->of.names));
	json_out_strings(json, "holders",
			 device_names_holders(&device->of.names));
	json_out_string(json, "loop_file", device->base.loop_file);
	if (device->base.has_hidden_partitions)
		json_out_null(json, "has_partitions");
	else
		json_out_bool(json, "has_partitions",
			      device->base.has_partitions);
	put_figure(json, "openers", &device->of.sample, FIGURE_OPENERS);
	put_openers(json, facts, device);
}

static void put_device(struct json_out *json, const struct explain_facts *facts,
		       const struct explain_device *device)
{
	const struct sample *sample = &device->of.sample;
	double percent;

	json_out_object(json, NULL);
	json_out_string(json, "name", device->of.names.name);
	json_out_string(json, "kname", device->of.names.kname);
	json_out_string(json, "maj:min", device->of.number);
	put_figure(json, "pages", sample, FIGURE_PAGES);
	put_bytes(json, "buffers_bytes", &device->of, FIGURE_PAGES);
	if (device_share(&device->of, &percent))
		json_out_decimal(json, "share_percent", percent);
	else
		json_out_null(json, "share_percent");
	put_bytes(json, "dirty_bytes", &device->of, FIGURE_DIRTY);
	put_bytes(json, "writeback_bytes", &device->of, FIGURE_WRITEBACK);
	json_out_string(json, "not_measured", sample->refused);
	put_use(json, facts, device);
	json_out_object_end(json);
}

static void put_buffers(struct json_out *json,
			const struct explain_facts *facts)
{
	const struct devices *devices = &facts->buffers;

	json_out_object(json, "buffers");
	devices_write_sums(json, devices);
	if (explain_is_measured(facts))
		json_out_bool(json, "settled", !devices->unsettled);
	else
		json_out_null(json, "settled");
	if (explain_is_measured(facts))
		json_out_string(json, "not_measured", devices->failed_source);
	else
		json_out_error(json, "not_measured", &devices->why);
	json_out_array(json, "devices");
	for (size_t i = 0; i < facts->count; i++)
		put_device(json, facts, &facts->devices[i]);
	json_out_array_end(json);
	json_out_unsigned(json, "processes_read", facts->openers.processes);
	json_out_unsigned(json, "processes_denied", facts->openers.denied);
	json_out_object_end(json);
}

static void put_filesystems(struct json_out *json,
			    const struct string_list *fstypes)
{
	static const char *const places[] = {
		[FS_METADATA_BUFFERS] = "buffers",
		[FS_METADATA_CACHE] = "cache",
		[FS_METADATA_OWN] = "own",
	};

	if (!fstypes->count) {
		json_out_null(json, "filesystems");
		return;
	}
	json_out_array(json, "filesystems");
	for (size_t i = 0; i < fstypes->count; i++) {
		const char *fstype = fstypes->strings[i];

		json_out_object(json, NULL);
		json_out_string(json, "fstype", fstype);
		json_out_string(json, "metadata_in",
				places[fs_metadata(fstype)]);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}

static const char *kind_of(const struct explain_holder *holder)
{
	if (holder->owner)
		return memory_owner_info(holder->list)->key;
	return holder->device	  ? "device" :
	       holder->file	  ? "deleted_file" :
	       holder->cgroup	  ? "cgroup" :
	       holder->is_reserve ? "reserve" :
				    NULL;
}

static const char *name_of(const struct explain_holder *holder)
{
	if (holder->owner)
		return holder->owner->name;
	return holder->device ? holder->device->of.names.name :
	       holder->file   ? holder->file->path :
	       holder->cgroup ? holder->cgroup->path :
				NULL;
}

/* What the first sentence says. */
static void put_holder(struct json_out *json, const struct explain_facts *facts)
{
	struct explain_holder holder;
	unsigned int pid;

	explain_holder_init(&holder, facts);
	pid = explain_holder_pid(&holder, facts);
	json_out_string(json, "state", explain_state_key(holder.state));
	json_out_string(json, "about",
			holder.has_head ? memory_owners_head_key(holder.head) :
					  NULL);
	json_out_signed_if(json, "about_bytes", holder.has_head,
			   holder.head_bytes);
	if (!kind_of(&holder)) {
		json_out_null(json, "holder");
		return;
	}
	json_out_object(json, "holder");
	json_out_string(json, "kind", kind_of(&holder));
	json_out_string(json, "name", name_of(&holder));
	json_out_signed(json, "bytes", holder.bytes);
	json_out_unsigned_if(json, "pid", pid, pid);
	json_out_string(json, "process", facts->process);
	json_out_string(json, "service", facts->service);
	json_out_object_end(json);
}

static void put_verdict(struct json_out *json,
			const struct explain_facts *facts)
{
	struct explain_verdict verdict;
	bool has_largest;

	explain_verdict_init(&verdict, facts);
	has_largest = verdict.largest != MEMORY_HEADS;
	json_out_object(json, "verdict");
	json_out_signed_if(json, "unreclaimable_bytes", verdict.knows_kept,
			   verdict.kept_bytes);
	json_out_string(json, "largest_head",
			has_largest ? memory_head_info(verdict.largest)->key :
			verdict.largest_is_unevictable ? "unevictable" :
							 NULL);
	json_out_string(json, "owner_cgroup",
			verdict.owner ? verdict.owner->path : NULL);
	json_out_signed_if(json, "owner_bytes", verdict.owner,
			   verdict.owner_bytes);
	json_out_unsigned_if(json, "process_pid", verdict.process,
			     verdict.process ? verdict.process->pid : 0);
	json_out_string(json, "process_name",
			verdict.process ? verdict.process->name : NULL);
	json_out_signed_if(json, "process_bytes", verdict.process,
			   verdict.process ? verdict.process->bytes : 0);
	json_out_bool(json, "cgroups_complete",
		      cgroups_are_whole(&facts->cgroups.cgroups));
	cgroup_json_write_next(json, &facts->cgroups);
	put_holder(json, facts);
	json_out_object_end(json);
}

/* The same members as in bufstat memory -J. */
static void put_memory(struct json_out *json, const struct explain_facts *facts)
{
	const struct memory_rows_of of = {
		.reading = &facts->memory,
		.heads = &facts->heads,
	};

	if (!facts->has_memory) {
		json_out_null(json, "memory");
		return;
	}
	json_out_object(json, "memory");
	memory_json_write(json, &of, NULL, MEMORY_VIEW_HEADS);
	json_out_object_end(json);
}

static void put_advice(struct json_out *json,
		       const struct explain_advice *advice)
{
	json_out_object(json, NULL);
	json_out_string(json, "key", advice->key);
	json_out_string(json, "command", advice->command);
	json_out_signed(json, "at_least_bytes", advice->low_bytes);
	json_out_signed_if(json, "at_most_bytes", advice->high_bytes >= 0,
			   advice->high_bytes);
	json_out_string(json, "cost", advice->cost);
	json_out_string(json, "stays", *advice->stays ? advice->stays : NULL);
	json_out_bool(json, "of_next_limit", advice->is_of_next_limit);
	json_out_bool(json, "of_holder", advice->is_of_holder);
	json_out_object_end(json);
}

/* null for a dump: advice does not help a kernel that no longer runs. */
static int put_advices(struct json_out *json, const struct explain_facts *facts)
{
	struct explain_advices advices;
	int ret = 0;

	if (facts->is_dump) {
		json_out_null(json, "advice");
		return 0;
	}
	ret = explain_advices_init(&advices, facts);
	json_out_array(json, "advice");
	for (size_t i = 0; !ret && i < advices.count; i++)
		put_advice(json, &advices.items[i]);
	json_out_array_end(json);
	explain_advices_deinit(&advices);
	return ret;
}

/* When the parts were read that are older than the rest. */
static void put_times(struct json_out *json, const struct past *past)
{
	static const char *const keys[PAST_PARTS] = {
		[PAST_FILESYSTEMS] = "filesystems_taken_at",
		[PAST_MEMORY] = "memory_taken_at",
	};
	char text[UTC_TEXT_SIZE];

	for (size_t i = 0; past && i < PAST_PARTS; i++) {
		if (!past->part_ms[i])
			continue;
		utc_text(past->part_ms[i] / 1000, text);
		json_out_string(json, keys[i], text);
	}
}

int explain_print_json(FILE *out, const struct explain_facts *facts,
		       const struct past *past)
{
	const struct meminfo *meminfo = &facts->buffers.meminfo;
	struct json_out json;
	int ret;

	document_begin(&json, out, false, &facts->provenance,
		       facts->buffers.source, explain_is_complete(facts));
	put_times(&json, past);
	free_columns_write(&json, meminfo);
	put_meminfo(&json, meminfo);
	put_verdict(&json, facts);
	put_memory(&json, facts);
	ret = put_advices(&json, facts);
	if (ret < 0)
		return ret;
	put_buffers(&json, facts);
	ret = fs_json_write(&json, "cached",
			    facts->has_filesystems ? &facts->filesystems :
						     NULL);
	if (ret < 0)
		return ret;
	put_filesystems(&json, &facts->fstypes);
	document_end(&json);
	return 0;
}

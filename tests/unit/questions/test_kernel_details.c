// SPDX-License-Identifier: GPL-2.0-or-later
/* What a kernel's variables say of its memory, sound and damaged. */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "fake_kernel.h"
#include "memory/kernel_memory.h"
#include "memory/memory_reading.h"
#include "test.h"

#define UNITS 4
#define PROCESSES 6
#define PROGRAMS 4 /* those with memory of their own */
#define POOL_PAGES (10 * 512 + 262144)

struct details {
	struct fake_kernel fake;
	uint64_t vmalloc, poisoned, memmap;
	uint64_t units, populated, first_chunk, base, chunk;
	uint64_t pool_count, pools;
	uint64_t tasks[PROCESSES + 1]; /* init_task, then the others */
	struct memory_reading reading;
};

static uint64_t count_variable(struct fake_kernel *fake, const char *name,
			       uint64_t value)
{
	uint64_t address = fake_variable(fake, name, 8);

	fake_put_word(fake, address, value);
	return address;
}

/* An int. */
static uint64_t int_variable(struct fake_kernel *fake, const char *name,
			     uint32_t value)
{
	uint64_t address = fake_variable(fake, name, 4);

	fake_put_half(fake, address, value);
	return address;
}

static uint64_t in_chunk(const struct details *details, const char *member)
{
	return details->chunk +
	       fake_member(&details->fake, "pcpu_chunk", member);
}

/* Of 10 pages per processor, 6 are in the first chunk: 3 + 5 - 2. */
static void make_per_cpu(struct details *details)
{
	struct fake_kernel *fake = &details->fake;

	details->units = int_variable(fake, "pcpu_nr_units", UNITS);
	details->populated = count_variable(fake, "pcpu_nr_populated", 10);
	details->chunk = fake_alloc(fake, fake_size(fake, "pcpu_chunk"));
	details->first_chunk =
		count_variable(fake, "pcpu_first_chunk", details->chunk);
	details->base = count_variable(fake, "pcpu_base_addr", FAKE_HEAP);
	fake_put_word(fake, in_chunk(details, "base_addr"),
		      FAKE_HEAP + 3 * 4096ULL);
	fake_put_half(fake, in_chunk(details, "nr_pages"), 5);
	fake_put_half(fake, in_chunk(details, "end_offset"), 2 * 4096);
}

static uint64_t in_pool(const struct details *details, size_t pool,
			const char *member)
{
	return details->pools + pool * fake_size(&details->fake, "hstate") +
	       fake_member(&details->fake, "hstate", member);
}

static void make_pools(struct details *details)
{
	struct fake_kernel *fake = &details->fake;

	details->pool_count = int_variable(fake, "hugetlb_max_hstate", 2);
	details->pools =
		fake_variable(fake, "hstates", 2 * fake_size(fake, "hstate"));
	fake_put_half(fake, in_pool(details, 0, "order"), 9);
	fake_put_word(fake, in_pool(details, 0, "nr_huge_pages"), 10);
	fake_put_word(fake, in_pool(details, 0, "free_huge_pages"), 4);
	fake_put_word(fake, in_pool(details, 0, "resv_huge_pages"), 1);
	fake_put_word(fake, in_pool(details, 0, "surplus_huge_pages"), 2);
	fake_put_half(fake, in_pool(details, 1, "order"), 18);
	fake_put_word(fake, in_pool(details, 1, "nr_huge_pages"), 1);
}

/* Some have no memory of their own, as kernel threads. */
static void make_processes(struct details *details)
{
	struct fake_kernel *fake = &details->fake;
	uint32_t size = fake_size(fake, "task_struct");
	uint32_t links = fake_member(fake, "task_struct", "tasks");
	uint32_t mm = fake_member(fake, "task_struct", "mm");

	details->tasks[0] = fake_variable(fake, "init_task", size);
	for (size_t i = 1; i <= PROCESSES; i++) {
		details->tasks[i] = fake_alloc(fake, size);
		if (i <= PROGRAMS)
			fake_put_word(fake, details->tasks[i] + mm, FAKE_HEAP);
	}
	for (size_t i = 0; i <= PROCESSES; i++) {
		uint64_t next = details->tasks[(i + 1) % (PROCESSES + 1)];

		fake_put_word(fake, details->tasks[i] + links, next + links);
		fake_put_word(fake, next + links + 8,
			      details->tasks[i] + links);
	}
}

static void details_init(struct details *details, const char *seed)
{
	struct fake_kernel *fake = &details->fake;

	*details = (struct details){ 0 };
	fake_kernel_init(fake, seed);
	details->vmalloc = count_variable(fake, "nr_vmalloc_pages", 1234);
	details->poisoned = count_variable(fake, "num_poisoned_pages", 2);
	details->memmap = count_variable(fake, "nr_memmap_pages", 333);
	make_per_cpu(details);
	make_pools(details);
	make_processes(details);
	fake_kernel_open(fake, false);
}

static void take(struct details *details)
{
	details->reading = (struct memory_reading){ .page_size = 4096 };
	memory_read_kernel_details(&details->reading, &details->fake.kernel);
}

static void expect_field(const struct details *details, enum memory_field field,
			 int64_t pages)
{
	if (!memory_has(&details->reading.fields, field))
		fail_msg("%s is absent", memory_field_name(field));
	assert_int_equal(memory_get(&details->reading.fields, field), pages);
}

static void expect_absent(const struct details *details,
			  enum memory_field field)
{
	if (memory_has(&details->reading.fields, field))
		fail_msg("%s is there", memory_field_name(field));
}

static void expect_pools(const struct details *details)
{
	const struct memory_pool *pool = details->reading.pools;

	assert_int_equal(details->reading.pool_count, 2);
	assert_int_equal(pool[0].size_kib, 2048);
	assert_int_equal(pool[0].total, 10);
	assert_int_equal(pool[0].free, 4);
	assert_int_equal(pool[0].reserved, 1);
	assert_int_equal(pool[0].surplus, 2);
	assert_int_equal(pool[1].size_kib, 1048576);
	assert_int_equal(pool[1].total, 1);
	assert_int_equal(pool[1].free, 0);
	expect_field(details, MEMORY_HUGETLB, POOL_PAGES);
}

static void expect_all(const struct details *details)
{
	expect_field(details, MEMORY_VMALLOC_USED, 1234);
	expect_field(details, MEMORY_HARDWARE_CORRUPTED, 2);
	expect_field(details, MEMORY_NR_MEMMAP, 333);
	expect_field(details, MEMORY_PERCPU, 10 * UNITS);
	expect_field(details, MEMORY_FIRST_CHUNK, 6 * UNITS);
	expect_pools(details);
	/* Since nr_memmap_pages is there, two for each. */
	expect_field(details, MEMORY_TOP_TABLES, 2 * PROGRAMS);
}

static void real_layouts(void **state __attribute__((unused)))
{
	for (size_t i = 0; i < COUNT_OF(fake_kernels); i++) {
		struct details details;

		details_init(&details, fake_kernels[i]);
		take(&details);
		expect_all(&details);
		/* Only x86 has such tables. */
		details.fake.kernel.machine = EM_AARCH64;
		take(&details);
		expect_absent(&details, MEMORY_TOP_TABLES);
		fake_kernel_deinit(&details.fake);
	}
}

/* What a counter has said is not overwritten. */
static void counted_already(void **state __attribute__((unused)))
{
	struct details details;

	details_init(&details, "btf/debian-7.3");
	details.reading = (struct memory_reading){ .page_size = 4096 };
	memory_set(&details.reading.fields, MEMORY_VMALLOC_USED, 99);
	memory_read_kernel_details(&details.reading, &details.fake.kernel);
	expect_field(&details, MEMORY_VMALLOC_USED, 99);
	fake_kernel_deinit(&details.fake);
}

static void no_variables(void **state __attribute__((unused)))
{
	static const enum memory_field fields[] = {
		MEMORY_VMALLOC_USED, MEMORY_HARDWARE_CORRUPTED,
		MEMORY_NR_MEMMAP,    MEMORY_PERCPU,
		MEMORY_FIRST_CHUNK,  MEMORY_HUGETLB,
		MEMORY_TOP_TABLES,
	};
	struct details details = { 0 };

	fake_kernel_init(&details.fake, "btf/debian-6.12");
	fake_kernel_open(&details.fake, false);
	take(&details);
	for (size_t i = 0; i < COUNT_OF(fields); i++)
		expect_absent(&details, fields[i]);
	assert_int_equal(details.reading.pool_count, 0);
	fake_kernel_deinit(&details.fake);
}

/* A word or an int that is damaged, and the field that is absent then. */
struct damage {
	uint64_t place;
	uint64_t value;
	bool is_int;
	enum memory_field absent;
};

static void expect_damage(struct details *details, const struct damage *damage)
{
	uint64_t right = fake_word(&details->fake, damage->place);

	if (damage->is_int)
		fake_put_half(&details->fake, damage->place,
			      (uint32_t)damage->value);
	else
		fake_put_word(&details->fake, damage->place, damage->value);
	take(details);
	expect_absent(details, damage->absent);
	/* Neither is worth anything without the other. */
	if (damage->absent == MEMORY_PERCPU)
		expect_absent(details, MEMORY_FIRST_CHUNK);
	assert_int_equal(details->reading.pool_count,
			 damage->absent == MEMORY_HUGETLB ? 0 : 2);
	fake_put_word(&details->fake, damage->place, right);
	take(details);
	expect_all(details);
}

static void damaged(void **state __attribute__((unused)))
{
	const enum memory_field hugetlb = MEMORY_HUGETLB;
	const enum memory_field per_cpu = MEMORY_PERCPU;
	const enum memory_field tables = MEMORY_TOP_TABLES;
	struct details details;
	uint64_t links;

	details_init(&details, "btf/debian-6.12");
	links = details.tasks[3] +
		fake_member(&details.fake, "task_struct", "tasks");
	const struct damage damages[] = {
		{ details.vmalloc, UINT64_MAX, false, MEMORY_VMALLOC_USED },
		{ details.poisoned, 1ULL << 43, false,
		  MEMORY_HARDWARE_CORRUPTED },
		{ details.units, 0, true, per_cpu },
		{ details.units, 8193, true, per_cpu },
		/* Fewer pages than its first chunk has. */
		{ details.populated, 5, false, per_cpu },
		{ details.populated, UINT64_MAX, false, per_cpu },
		{ details.first_chunk, FAKE_NOWHERE, false, per_cpu },
		{ details.base, FAKE_HEAP + 4 * 4096, false, per_cpu },
		{ in_chunk(&details, "nr_pages"), UINT32_MAX, true, per_cpu },
		{ in_chunk(&details, "end_offset"), 6 * 4096, true, per_cpu },
		{ details.pool_count, 9, true, hugetlb },
		{ in_pool(&details, 1, "order"), 0, true, hugetlb },
		{ in_pool(&details, 1, "order"), 31, true, hugetlb },
		{ in_pool(&details, 1, "nr_huge_pages"), 1ULL << 40, false,
		  hugetlb },
		{ in_pool(&details, 0, "free_huge_pages"), 11, false, hugetlb },
		{ in_pool(&details, 0, "resv_huge_pages"), 5, false, hugetlb },
		/* The list of processes: nowhere, itself, back, an early end. */
		{ links, FAKE_NOWHERE, false, tables },
		{ links, links, false, tables },
		{ links, fake_word(&details.fake, links + 8), false, tables },
		{ links, links - details.tasks[3] + details.tasks[0], false,
		  tables },
	};

	for (size_t i = 0; i < COUNT_OF(damages); i++)
		expect_damage(&details, &damages[i]);
	fake_kernel_deinit(&details.fake);
}

/* More pools than are there: the third is of another kind of memory. */
static void too_many_pools(void **state __attribute__((unused)))
{
	struct details details;

	details_init(&details, "btf/debian-6.1");
	fake_put_half(&details.fake, details.pool_count, 3);
	take(&details);
	expect_absent(&details, MEMORY_HUGETLB);
	assert_int_equal(details.reading.pool_count, 0);
	fake_kernel_deinit(&details.fake);
}

/* Wherever a dump ends: each figure is right, or absent. */
static void failing_reads(void **state __attribute__((unused)))
{
	static const struct {
		enum memory_field field;
		int64_t pages;
	} fields[] = {
		{ MEMORY_VMALLOC_USED, 1234 },
		{ MEMORY_HARDWARE_CORRUPTED, 2 },
		{ MEMORY_NR_MEMMAP, 333 },
		{ MEMORY_PERCPU, 10 * UNITS },
		{ MEMORY_FIRST_CHUNK, 6 * UNITS },
		{ MEMORY_HUGETLB, POOL_PAGES },
	};
	struct details details;
	bool failed = true;

	details_init(&details, "btf/debian-6.12");
	details.fake.failure = -ENODATA;
	for (unsigned int from = 1; failed; from++) {
		details.fake.reads = 0;
		details.fake.fail_from = from;
		take(&details);
		failed = details.fake.reads >= from;
		for (size_t i = 0; i < COUNT_OF(fields); i++) {
			if (memory_has(&details.reading.fields,
				       fields[i].field))
				expect_field(&details, fields[i].field,
					     fields[i].pages);
		}
		assert_int_equal(memory_has(&details.reading.fields,
					    MEMORY_HUGETLB),
				 details.reading.pool_count == 2);
	}
	expect_all(&details);
	fake_kernel_deinit(&details.fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_layouts),
		cmocka_unit_test(counted_already),
		cmocka_unit_test(no_variables),
		cmocka_unit_test(damaged),
		cmocka_unit_test(too_many_pools),
		cmocka_unit_test(failing_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

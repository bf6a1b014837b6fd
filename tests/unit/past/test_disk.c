// SPDX-License-Identifier: GPL-2.0-or-later
/* The recorder's writer, which must end when the recorder does. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/error.h"
#include "record/disk.h"
#include "record/ring.h"
#include "test.h"

/* 4 segments: the file is not larger than what is kept in memory. */
#define SIZE (UINT64_C(4) << 20)

struct fixture {
	char directory[32], file[64];
	struct record_ring ring;
	struct disk disk;
};

static int set_up(void **state)
{
	static struct fixture fixture;
	struct error err;

	fixture = (struct fixture){ .directory = "/tmp/disk-XXXXXX" };
	assert_non_null(mkdtemp(fixture.directory));
	snprintf(fixture.file, sizeof(fixture.file), "%s/recording",
		 fixture.directory);
	assert_int_equal(record_ring_init(&fixture.ring, &err), 0);
	if (disk_start(&fixture.disk, &fixture.ring, fixture.directory, SIZE,
		       -1, &err) < 0)
		fail_msg("%s", text_of(&err));
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	record_ring_deinit(&fixture->ring);
	assert_int_equal(unlink(fixture->file), 0);
	return rmdir(fixture->directory);
}

/* The recorder was killed before it had begun a segment. */
static void ends_before_the_first(void **state)
{
	struct fixture *fixture = *state;
	bool ended = disk_stop(&fixture->disk);

	if (!ended)
		kill(fixture->disk.pid, SIGKILL);
	assert_true(ended);
	assert_int_equal(fixture->ring.shared->lost, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ends_before_the_first, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

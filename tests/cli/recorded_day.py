#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes a host of tests/fixtures/incident with a recording of the day before.

Usage: recorded_day.py HOST NOW THEN [--from MINUTE] [--until MINUTE]

HOST is a copy of that fixture. NOW is how many MiB more of shared memory it has, and
of slab that cannot be reclaimed, as 250,0; THEN is the same for equal parts of the
day: 200,0:250,0. The readings are one a minute from MINUTE to MINUTE, of 1440.
"""
import argparse
import copy
import json
import os
import re
import subprocess
from datetime import datetime, timezone

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
DAY = 1440  # minutes
PAGES = 256  # of a MiB
STATE, DEVICES, FILESYSTEMS, MEMORY = 2, 3, 4, 5  # src/past/store/format.h


def of_text(text):
    return [int(word) for word in text.split(",")]


def with_more(document, shared, slab):
    """The same host with so many MiB more of them, and less that is free."""
    made = copy.deepcopy(document)
    reading = made["reading"]
    counts, meminfo = reading["memory"]["counts"], reading["meminfo_kib"]
    for key in ("nr_shmem", "nr_file_pages", "nr_active_anon", "Cached"):
        counts[key] += shared * PAGES
    counts["nr_slab_unreclaimable"] += slab * PAGES
    for key in ("nr_free_pages", "pages free", "MemAvailable"):
        counts[key] -= (shared + slab) * PAGES
    zones = reading["memory"]["zones"]
    max(zones, key=lambda zone: zone["free"])["free"] -= (shared + slab) * PAGES
    for one in reading["owners"]["lists"] if slab else []:
        if one["head"] == "slab_unreclaimable":
            one["largest"][0].update(name="leaky", bytes=slab << 20)
    for key in ("Cached", "Shmem"):
        meminfo[key] += shared * 1024
    for key in ("MemFree", "MemAvailable"):
        meminfo[key] -= (shared + slab) * 1024
    return made


def take_from_files(host, shared, slab):
    """What is read of the host and not of its reading: its limits."""
    path = os.path.join(host, "proc/zoneinfo")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    most = max(int(free) for free in re.findall(r"pages free +(\d+)", text))
    text = re.sub(r"(pages free +)%d\b" % most, r"\g<1>%d" % (most - (shared + slab) * PAGES), text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("host")
    parser.add_argument("now", type=of_text)
    parser.add_argument("then")
    parser.add_argument("--from", dest="begin", type=int, default=0)
    parser.add_argument("--until", type=int, default=DAY)
    asked = parser.parse_args()
    parts = [of_text(part) for part in asked.then.split(":")]
    path = os.path.join(asked.host, "bufstat/reading.json")
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    now = int(datetime.strptime(document["taken_at"], "%Y-%m-%dT%H:%M:%SZ")
              .replace(tzinfo=timezone.utc).timestamp())
    took = now - DAY * 60
    lines = ['%d %d {"state":"started","interval_ms":60000}' % (took + asked.begin * 60, STATE)]
    for minute in range(asked.begin, asked.until + 1):
        made = with_more(document, *parts[minute * len(parts) // (DAY + 1)])
        reading = made["reading"]
        for kind, keys in ((DEVICES, ("meminfo_kib", "devices")), (MEMORY, ("memory",)),
                           (FILESYSTEMS, ("filesystems",))):
            made["reading"] = {key: reading[key] for key in ("version",) + keys}
            lines.append("%d %d %s" % (took + minute * 60, kind, json.dumps(made, separators=(",", ":"))))
    subprocess.run([os.path.join(TOP, "build/cli/write_recording"),
                    os.path.join(asked.host, "bufstat/recording")],
                   input="\n".join(lines) + "\n", check=True, text=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(with_more(document, *asked.now), file)
    take_from_files(asked.host, *asked.now)


main()

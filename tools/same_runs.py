# SPDX-License-Identifier: GPL-2.0-or-later
"""The runs of tools/same, from what the old program says of itself: its commands,
their options and operands (--help and completion), and what it finds on each host."""
import collections
import datetime
import glob
import json
import os
import re
import shlex
import shutil

# words: of the command line; width: columns of a terminal, None for a pipe; script:
# keys for top; traced: whether the paths that it opens are compared too.
Run = collections.namedtuple("Run", "name words width script traced")

# option: what reads the place; given: the words for that; values: values of some options
# there; operands: by the word for them in the usage.
Place = collections.namedtuple("Place", "name kind option given values operands")

WIDTHS = (80, 200)
INSTANTS = 6
# Hosts that show much; on the others only each so manieth option is tried alone.
RICH = ("incident", "lvm-many", "no-module", "debian-ext4", "cgroups-v2", "memory/owners")
EACH = 4
# Without these a command would run on, or act on this host.
ALWAYS = {"top": ["--batch", "-c", "1"], "drop": ["--dry-run"],
          "record": ["--dir", "/proc/none"]}
# With a recording and no tree, they read this host.
READS_HOST = {"capture"}
# Together on one line, where the command has all of them.
TOGETHER = (["-O", "-J"], ["-O", "-r"], ["-O", "-P"], ["-O", "-b"], ["-O", "-y"],
            ["-O", "-n"], ["-a", "-O", "-J"], ["-a", "-b"], ["-J", "-b"],
            ["-t", "-v", "-l", "-w"], ["-h", "--si"], ["--all", "--filesystems"])
# Live and as root, these ask about this host and change nothing.
LIVE = {"who": ["--now"], "drop": ["--dry-run"], "top": ALWAYS["top"], "charges": [],
        "blocks": [], "sources": [], "explain": [], "export": [], "devices": [],
        "filesystems": [], "files": [], "memory": [], "cgroups": [], "zones": [], "": []}
# These need a recording or another file, write one, do what LIVE rules out, or only
# print the same in another way, which the captured hosts show in less time.
NOT_LIVE = {"at", "from", "to", "since", "save", "textfile", "verify", "cgroup", "size",
            "yes", "batch", "help", "version", "sort", "pairs", "shell", "noheadings",
            "human", "si", "kilo", "mega", "giga", "tera", "peta", "kibi", "mebi", "gibi",
            "tebi", "pebi"}
# The place says these; with another value they would read another host.
OF_PLACES = {"sysroot", "capture", "vmcore", "dir"}
# The others take what completion offers, or the words of their --help.
VALUES = {"seconds": [["0.01", "-c", "2"]], "count": [["1"]], "timeout": [["9"]],
          "save": [["saved.json"]], "textfile": [["metrics.prom"]],
          "cgroup": [["/"]], "size": [["1M"]], "duration": [["1"]],
          "interval": [["5"]], "pid": [["1"]], "function": [["vfs_read"]],
          "functions": [["vfs_*"]], "device": [["vda"]]}
NUMBERS = [["1"], ["3"]]


class Option:
    """A row of the table of options of a command."""

    def __init__(self, letter, name, argument):
        self.word = f"-{letter}" if letter else f"--{name}"
        self.letter, self.name, self.argument = letter, name, argument
        self.words, self.columns = [], []


class Command:
    """What the program says of a command; the name is empty for the summary."""

    def __init__(self, ask, name):
        self.name = name
        self.words = [name] if name else []
        self.help = text = ask([*self.words, "--help"])
        rows = re.findall(r"^ (?:-(\w), |    )--([a-z-]+)(?: ([A-Z]\S*))? +\S", text,
                          re.MULTILINE)
        self.options = [Option(*row) for row in rows]
        for option in self.options:
            if option.argument:
                offered = ask(["__complete", "--", *self.words, "--" + option.name, ""])
                words = [line.split("\t")[0] for line in offered.splitlines()
                         if not line.startswith(":")]
                if option.argument in ("COLUMN", "LIST") and len(words) > 0 and (
                        ":nospace" in offered or option.argument == "COLUMN"):
                    option.columns = words
                elif ":" not in offered:
                    option.words = words
        usage = " ".join(text.partition("\n\n")[0].split())
        rest = re.sub(r"\[-[^][]*(?:\[[^][]*\][^][]*)*\]", "", usage) if name else ""
        self.kinds = re.findall(r"\b[A-Z]+\b", rest.partition(f"bufstat {name}")[2])
        self.needs_operand = bool(self.kinds) and "[" not in rest
        offered = ask(["__complete", "--", name, ""]) if name else ""
        self.offered = [] if ":" in offered else [
            line.split("\t")[0] for line in offered.splitlines()]
        self.always = ALWAYS.get(name, [])

    def has(self, name):
        return any(name in (option.name, option.letter) for option in self.options)

    def has_all(self, words):
        return all(self.has(word.lstrip("-")) for word in words)

    def takes(self, place):
        if place.kind == "recording":
            return (self.has("dir") and (self.has("at") or self.has("from")) and
                    self.name not in READS_HOST)
        return self.has(place.option)

    def operands(self, place):
        values = list(self.offered)
        for kind in self.kinds:
            values += [value for value in place.operands.get(kind, [])
                       if value not in values]
        return values

    def base(self, place):
        """What stands in every run of the command there, and in all but those of
        other operands."""
        words = self.words + self.always + place.given
        if place.kind == "recording":
            words += ["--at" if self.has("at") else "--from", place.values["at"][2]]
        operands = self.operands(place) if self.needs_operand else []
        return words, operands[:1]


def option_values(option, place, all_columns):
    """The words that follow the option, once for each run."""
    if not option.argument:
        return [[]]
    if option.columns and option.argument == "COLUMN":
        columns = option.columns if all_columns else option.columns[:3]
        return [[sign + column] for column in columns for sign in ("", "-")]
    if option.columns:
        return [[",".join(reversed(option.columns))], ["+" + option.columns[-1]],
                [option.columns[0]]]
    if option.name in place.values:
        return [[value] for value in place.values[option.name]]
    if option.name in VALUES:
        return VALUES[option.name]
    return [[word] for word in option.words] or NUMBERS


class Runs:
    """The list; a command line that is already there is not added."""

    def __init__(self, work, all_options):
        self.work = work
        self.all_options = all_options
        self.places = []
        self.runs = {}

    def has_all_options(self, place):
        return self.all_options or place.kind != "tree" or place.name in RICH

    def add(self, words, width=None, script=None, traced=False):
        name = shlex.join(words).replace(self.work + "/", "")
        if script:
            name += " < " + os.path.basename(script)
        if width:
            name += f" @{width}"
        self.runs.setdefault(name, Run(name, words, width, script, traced))

    def add_plain(self, command, place):
        """Traced: not where only the contents of one file are others."""
        before, after = command.base(place)
        self.add(before + after, traced=bool(place.operands))
        for words in (["-J"], ["-O", "-J"], ["-O", "-r"])[0 if place.operands else 1:]:
            if command.has_all(words):
                self.add(before + words + after)
        for operand in command.operands(place)[:3]:
            self.add(before + [operand])

    def add_full(self, command, place, first):
        """first: the first place, whose runs are traced, with every column."""
        before, after = command.base(place)
        self.add(before + after, traced=True)
        for width in WIDTHS:
            self.add(before + after, width)
            if command.has("O"):
                self.add(before + ["-O"] + after, width)
        for words in TOGETHER:
            if command.has_all(words):
                self.add(before + words + after)
        if place not in self.places:
            self.places.append(place)
        for i, option in enumerate(command.options, self.places.index(place)):
            if option.name in OF_PLACES or (
                    i % EACH and not self.has_all_options(place)):
                continue
            for value in option_values(option, place, first):
                self.add(before + [option.word, *value] + after, traced=first)
        operands = command.operands(place)
        for operand in operands:
            self.add(before + [operand], traced=first)
            if command.has("J"):
                self.add(before + ["-J", operand])
        if len(operands) > 1:
            self.add(before + operands[:2])
            self.add(before + operands[-2:])

    def add_instants(self, command, place):
        option = "--at" if command.has("at") else "--from"
        for moment in place.values["at"]:
            words = command.words + command.always + place.given + [option, moment]
            self.add(words, traced=True)
            self.add(words, WIDTHS[0])
            for more in (["-J"], ["-O", "-r"], ["-O", "-J"]):
                if command.has_all(more):
                    self.add(words + more)
        if command.has("from") and command.has("to"):
            self.add(command.words + place.given +
                     ["--from", place.values["at"][1], "--to", place.values["at"][4]])

    def add_words(self, command, place):
        """What is refused before anything is read."""
        words = command.words + command.always
        self.add(words + ["--help"])
        self.add(words + ["--version"])
        self.add(words + ["--no-such-option"])
        for option in command.options:
            if not option.argument:
                self.add(words + [f"--{option.name}=value"])
                continue
            self.add(words + ["--" + option.name])
            if option.name not in OF_PLACES:
                self.add(words + ["--" + option.name, ""] + place.given)
            # Nobody can make this one.
            self.add(words + ["--" + option.name, "/none/such"] + (
                place.given if option.name not in OF_PLACES else []))
        if command.has_all(["J", "r"]):
            self.add(words + ["-J", "-r"] + place.given)
        self.add(words + place.given + ["none-such", "none-such"])


def list_live(ask):
    """Of one live host: each option alone, and each kind of operand."""
    host = Place("live", "live", None, [], {},
                 {"DEVICE": ["vda", "254:0", "/dev/vdb"], "MOUNT": ["/mnt"],
                  "PATH": ["/mnt", "/tmp"], "CGROUP": ["/"]})
    runs = Runs("", True)
    for name, always in LIVE.items():
        command = Command(ask, name)
        command.always = always
        before, after = command.base(host)
        runs.add(before + after)
        for words in TOGETHER[:4]:
            if command.has_all(words):
                runs.add(before + words + after)
        for option in command.options:
            if option.name not in OF_PLACES | NOT_LIVE and option.word not in always:
                for value in option_values(option, host, False):
                    runs.add(before + [option.word, *value] + after)
        for operand in command.operands(host):
            runs.add(before + [operand])
    return [one.words for one in runs.runs.values()]


def instants(ask, directory):
    """Six of the times that history names, from the first to the last."""
    said = json.loads(ask(["history", "-a", "-J", "--from", "@0", "--dir", directory]))
    found = set()
    for row in said["history"] + said["gaps"]:
        for key in "since", "until", "from", "to":
            if row.get(key):
                found.add(row[key])
    times = sorted(int(datetime.datetime.fromisoformat(time.replace("Z", "+00:00"))
                       .timestamp()) for time in found)
    now = times[-1]
    times = [time for time in times if 0 < time < now]
    step = (len(times) - 1) / (INSTANTS - 1)
    return [f"@{times[round(i * step)]}" for i in range(INSTANTS)]


def found_on(ask, given):
    """Operands of each kind, from what the program says of a host."""
    def answer(command, *words):
        try:
            return json.loads(ask([command, "-J", "-O", *words, *given]))[command]
        except (ValueError, KeyError):
            return []

    devices = answer("devices", "-a")
    some = [d for d in devices if d.get("pages")][:1] + devices[-1:]
    words = [word for d in some for word in (
        d["name"], d["maj:min"], "/dev/" + d["kname"])]
    for key in "label", "uuid":
        words += [f"{key.upper()}={d[key]}" for d in devices if d.get(key)][:1]
    mounts = [m for d in devices for m in d.get("mountpoints") or []][:2]
    mounts += [m for f in answer("filesystems")
               for m in f.get("mountpoints") or []][:2]
    files = [f["path"] for f in answer("files") if f.get("path")][:2]
    cgroups = [c["cgroup"] for c in answer("cgroups") if c.get("cgroup")]
    paths = mounts + files + [mounts[0].rstrip("/") + "/some/file" if mounts else "/"]
    return {"DEVICE": words + ["none-such"], "PATH": paths + ["/none/such"],
            "MOUNT": mounts, "MOUNTPOINT": mounts, "FILE": ["out.tar"],
            "CGROUP": cgroups[:1] + cgroups[-2:] + ["/none/such"]}


def make_trees(fixtures, hosts):
    """The names of the trees that have all runs, and of those that differ in one file.
    The first is the one whose runs are traced."""
    full = sorted(os.path.relpath(os.path.dirname(path), fixtures) for path in
                  glob.glob(fixtures + "/*/proc") + glob.glob(fixtures + "/*/*/proc"))
    full.sort(key=lambda name: name != "incident")
    for name in full:
        shutil.copytree(f"{fixtures}/{name}", f"{hosts}/{name}", symlinks=True,
                        ignore=shutil.ignore_patterns("cases"))
    few = []
    for path in sorted(glob.glob(fixtures + "/hostile/*")):
        if os.path.isfile(path):
            name = "hostile/" + os.path.basename(path)
            module = f"{hosts}/{name}/sys/kernel/debug/bufstat"
            os.makedirs(module)
            shutil.copy(path, module + "/devices")
            os.makedirs(f"{hosts}/{name}/proc")
            shutil.copy(fixtures + "/article/proc/meminfo", f"{hosts}/{name}/proc")
            few.append(name)
    for path in sorted(glob.glob(fixtures + "/meminfo/*.txt")):
        name = "meminfo/" + os.path.basename(path)[:-4]
        os.makedirs(f"{hosts}/{name}/proc")
        shutil.copy(path, f"{hosts}/{name}/proc/meminfo")
        few.append(name)
    return full, few


class Places:
    """Everything that is asked, made by the old program below a directory."""

    def __init__(self, ask, fixtures, work, dump):
        self.ask, self.work = ask, work
        hosts = work + "/hosts"
        os.makedirs(work + "/made")
        full, few = make_trees(fixtures, hosts)
        self.full = [self.tree(f"{hosts}/{name}") for name in full]
        self.few = [Place(name, "tree", "sysroot", ["--sysroot", f"{hosts}/{name}"],
                          {"at": ["@0"]}, {}) for name in few]
        saved = [path for place in self.full for path in place.values["since"]]
        for i, place in enumerate(self.full):
            # Its own, which shows no change, and that of another host, which does.
            place.values["since"].append(saved[(3 * i + 4) % len(saved)])
        self.captures = [capture for place in self.full for capture in
                         (self.capture(place), self.capture(place, "--redact"))]
        self.recordings = [self.recording(os.path.dirname(path)) for path in sorted(
            glob.glob(fixtures + "/*/recording") +
            glob.glob(fixtures + "/*/bufstat/recording"))]
        self.dump = Place("dump", "dump", "vmcore",
                          ["--vmcore", shutil.copy(dump, work + "/made/dump")],
                          {"at": ["@0"]},
                          {"DEVICE": ["vda", "254:0"], "PATH": ["/f3", "/none/such"],
                           "MOUNT": ["/"]})
        self.host = Place("this host", "host", None, [], {"at": ["@0"]},
                          {"DEVICE": ["none-such"], "MOUNT": ["/"], "PATH": ["/proc"],
                           "COMMAND": ["true"]})

    def made(self, name):
        return f"{self.work}/made/{name.replace('/', '-')}"

    def tree(self, path):
        given, name = ["--sysroot", path], os.path.relpath(path, self.work + "/hosts")
        saves = []
        for command in "", "devices", "filesystems", "memory":
            save = self.made(f"{name}-{command or 'summary'}.json")
            self.ask([*([command] if command else []), "--save", save, *given])
            if os.path.exists(save):
                saves.append(save)
        values = {"since": saves, "at": ["@1795313200", "02:07:40", "nonsense"],
                  "from": ["02:05", "@1795313200"], "to": ["02:07"]}
        return Place(name, "tree", "sysroot", given, values, found_on(self.ask, given))

    def capture(self, place, *words):
        path = self.made(place.name) + "".join(words) + ".tar"
        # With what it has recorded; a host without a recording refuses that.
        for more in ["--from", "@0"], []:
            if not os.path.exists(path):
                self.ask(["capture", *words, *more, *place.given, path])
        given = ["--capture", path]
        return place._replace(kind="capture", option="capture", given=given,
                              operands=found_on(self.ask, given))

    def recording(self, directory):
        copy = self.made("recording-" + os.path.basename(directory))
        shutil.copytree(directory, copy)
        moments = instants(self.ask, copy)
        values = {"at": moments, "from": moments[:2], "to": moments[-2:], "since": []}
        given = ["--dir", copy]
        operands = found_on(self.ask, [*given, "--at", moments[2]])
        return Place(copy, "recording", "dir", given, values, operands)


def list_runs(ask, places, scripts, work, all_options):
    """ask: a function that runs the old program and returns what it prints."""
    names = [line.split("\t")[0] for line in ask(["__complete", "--", ""]).splitlines()]
    commands = [Command(ask, name) for name in ["", *names]]
    # Another name for a command has its --help, and need not be tried once more.
    helps = {}
    for command in commands:
        helps.setdefault(command.help, command)
    runs = Runs(work, all_options)
    for command in helps.values():
        runs.add_words(command, places.full[0] if command.has("sysroot") else places.host)
        if not command.has("sysroot"):
            runs.add_full(command, places.host, True)
        for place in filter(command.takes, places.full):
            runs.add_full(command, place, place is places.full[0])
        for place in filter(command.takes, places.captures + places.few):
            runs.add_plain(command, place)
        for place in filter(command.takes, places.recordings):
            runs.add_full(command, place, True)
            runs.add_instants(command, place)
        if command.takes(places.dump):
            # What has no columns (explain) takes seconds there.
            if command.has("O"):
                runs.add_full(command, places.dump, True)
            else:
                runs.add_plain(command, places.dump)
    for place in places.full + places.captures + places.recordings:
        for script in scripts:
            runs.add(["top", *place.given], script=script)
    return list(runs.runs.values())

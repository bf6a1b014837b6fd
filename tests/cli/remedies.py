#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints what src names as a remedy, one to a line: FILE, a tab, the text. Strings that go
on in the next line and names of strings are put together; %s stays."""
import glob
import re
import sys

LITERAL = r'"((?:[^"\\\n]|\\.)*)"'
root = sys.argv[1]
sources = {}
defined = {"PRId64": '"lld"'}
for name in sorted(glob.glob(root + "/src/**/*.[ch]", recursive=True)):
    with open(name, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    name = name[len(root) + 1:]
    sources[name] = text
    for word, value in re.findall(r'^#define (\w+) ((?:"[^"\n]*"|\w+|[ \t])+)$', text, re.M):
        defined[name, word] = defined[word] = value
    for word, value in re.findall(r"\bconst char (\w+)\[\] =((?:\s*%s)+);"
                                  % LITERAL.replace("(", "(?:", 1), text):
        defined[name, word] = value


def text_of(name, code):
    """The string that this code is, as far as it stands in the sources."""
    out = ""
    for literal, word in re.findall(LITERAL + r"|(\b[A-Za-z]\w+\b)", code):
        value = defined.get((name, word)) or defined.get(word) if word else None
        out += text_of(name, value) if value else literal
    return out.replace('\\"', '"')


def arguments(text, at):
    """The arguments of the call whose parenthesis was opened before this place."""
    depth, begin, quoted, found = 0, at, False, []
    while True:
        char = text[at]
        if char == "\\":
            at += 1
        elif char == '"':
            quoted = not quoted
        elif not quoted and char in "([{":
            depth += 1
        elif not quoted and char in ")]}":
            depth -= 1
            if depth < 0:
                return found + [text[begin:at]]
        elif not quoted and char == "," and not depth:
            found.append(text[begin:at])
            begin = at + 1
        at += 1


def remedies(name, text):
    """All that stand in a file: of errors, of the module's absence, of memory."""
    for call in re.finditer(r"(?<!int )\berror_remedy\(", text):
        # Which of two it is depends on the error.
        for part in arguments(text, call.end())[2].split(" :\n"):
            yield text_of(name, part)
    for call in re.finditer(r"(?<!int )\berror_advise\(", text):
        yield text_of(name, arguments(text, call.end())[4])
    for call in re.finditer(r"\b(?:strcpy|snprintf)\((?:\w+->)?(remedy|command)\b", text):
        code = text[call.start():]
        args = arguments(code, code.index("(") + 1)
        yield text_of(name, args[1] if code.startswith("strcpy") else args[2])
    for code in re.findall(r"\bremedy = ((?:%s\s*)+);" % LITERAL.replace("(", "(?:", 1), text):
        yield text_of(name, code)
    for code in re.findall(r"in_use\(.*?\);", text, re.S):
        yield from (literal for literal in re.findall(LITERAL, code)
                    if literal.startswith("echo"))
    if name.endswith("lib/lack.h"):
        yield from re.findall(r'\|([^"|]*)"\)', text)
    if name.endswith("memory_head_info.c"):
        for head in re.finditer(r"\[MEMORY_HEAD_\w+\] = \{", text):
            yield text_of(name, arguments(text, head.end())[2])


for source, content in sources.items():
    for remedy in remedies(source, content):
        if remedy and remedy != "%s":
            print(source, remedy, sep="\t")

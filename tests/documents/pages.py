"""The code blocks of a page in Markdown, and what the comments before them say of how the test treats them.

A block runs unless the line before it is a comment `<!-- test: KEY VALUE; KEY VALUE -->`, invisible to readers:

skip REASON      it is not run; why. The number of these for each page is stated in run_documents.py.
file PATH        it is the text of this file of the project.
frame NAME       it is a part of a program: it stands for the next line SNIPPET of frames/NAME.
exit CODE        its last command ends with this code.
output REGEX     what it prints matches this, and need not be what the page shows.
"""

import re
from dataclasses import dataclass, field

MARKER = re.compile(r"<!-- test: (.*) -->\s*$")
KEYS = ("skip", "file", "frame", "exit", "output")


@dataclass
class Block:
    page: str
    line: int
    language: str
    text: str
    marks: dict = field(default_factory=dict)

    @property
    def place(self):
        return f"{self.page}:{self.line}"


def marks_of(comment, place):
    marks = {}
    for part in re.split(rf"; (?=(?:{'|'.join(KEYS)}) )", comment):
        key, _, value = part.partition(" ")
        if key not in KEYS or not value:
            raise SystemExit(f"{place}: '{part}' is not one of {', '.join(KEYS)} with a value")
        marks[key] = value
    return marks


def blocks(page, text):
    found, block, marks = [], None, {}
    for number, line in enumerate(text.splitlines(), 1):
        if block is not None:
            if line.strip() == "```":
                found.append(block)
                block = None
            else:
                block.text += line + "\n"
        elif line.lstrip().startswith("```"):
            block = Block(page, number, line.strip()[3:], "", marks)
            marks = {}
        elif match := MARKER.match(line):
            marks = marks_of(match[1], f"{page}:{number}")
        elif line.strip() and marks:
            raise SystemExit(f"{page}:{number}: the comment before this line belongs to no block")
    return found


def console(text):
    """The commands and what they print of a block whose commands begin with $; None for other blocks."""
    if not text.startswith("$ "):
        return None
    commands, output = [], []
    for line in text.splitlines():
        if line.startswith("$ "):
            commands.append(line[2:])
        else:
            output.append(line)
    return "\n".join(commands) + "\n", output


# Times and rates differ from run to run.
VARIES = re.compile(r"[0-9.]+ (?:ns|us|ms|s|[KMGT]?i?B/s)\b")


def line_matches(expected, printed):
    pattern, end = "", 0
    for match in VARIES.finditer(expected):
        pattern += re.escape(expected[end : match.start()]) + r"[0-9.]+ (?:ns|us|ms|s|[KMGT]?i?B/s)"
        end = match.end()
    pattern += re.escape(expected[end:])
    return re.fullmatch(pattern, printed) is not None

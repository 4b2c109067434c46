"""Compares the verdicts of tests bare, bare again and under `heddle run`.

A test counts as different where both bare runs agree and the run under Heddle does not. Tests whose three verdicts are
not alike are run once more in one process, bare and under Heddle: others used the GPU and its memory before. Files are
written after each run, and the verdicts also during it, so that a run that is cut off leaves what has ended.
"""
import pathlib

RUNS = [("bare", True), ("bare again", True), ("heddle", False)]
ALONE = [("bare, alone", True), ("heddle, alone", False)]
BAD = ("failed", "died", "timeout")
NONE = "not run"


def failure(label, line):
    return f"==== {label}{': ' if label else ''}{line['name']} ({line['seconds']} s) {line['verdict']}\n" \
           f"{line.get('text', '')}\n"


class Comparison:
    def __init__(self, suite, chosen, heading, counted):
        self.suite, self.chosen, self.heading, self.counted = suite, chosen, heading, counted
        self.runs = {}  # label: verdicts

    def verdict(self, label, name):
        return self.runs.get(label, {}).get(name, {}).get("verdict", NONE)

    def all_of(self, name):
        return [self.verdict(label, name) for label, _ in RUNS]

    def different(self):
        rows = [(name, *self.all_of(name)) for name in self.chosen]
        return [name for name, first, second, ours in rows if first == second != ours and NONE not in (first, ours)]

    def unlike(self):
        """Tests that have all three verdicts, not alike."""
        rows = {name: set(self.all_of(name)) for name in self.chosen}
        return [name for name, verdicts in rows.items() if len(verdicts) > 1 and NONE not in verdicts]

    def different_alone(self):
        labels = [label for label, _ in ALONE]
        rows = [(name, *(self.verdict(label, name) for label in labels)) for name in self.unlike()]
        return [name for name, bare, ours in rows if bare != ours and NONE not in (bare, ours)]

    def start(self, label, bare, names, alone=False):
        """Runs the tests, and writes the files anew."""
        def progress(verdicts):
            self.runs[label] = verdicts
            self.write("verdicts", self.table())

        self.runs[label] = {}
        self.runs[label] = self.suite.run(names, bare, len(self.runs) - 1, alone, progress)
        had = self.runs[label]
        print(f"{label}: {len(had)} verdicts of {len(names)}: {self.counted(had)}", flush=True)
        self.write("out", self.text())
        self.write("verdicts", self.table())
        self.write("failures", self.failures())

    def write(self, option, text):
        path = getattr(self.suite.arguments, option)
        if path:
            pathlib.Path(path).write_text(text)

    def table(self):
        """A row for each test: the verdict and the seconds of each run."""
        rows = ["\t".join(["test", *self.runs])]
        for name in self.chosen:
            lines = [verdicts.get(name, {"verdict": NONE, "seconds": ""}) for verdicts in self.runs.values()]
            rows.append("\t".join([name, *(f"{line['verdict']} {line['seconds']}".rstrip() for line in lines)]))
        return "\n".join(rows) + "\n"

    def failures(self):
        """What failed under Heddle, and what failed bare where the verdicts are unlike."""
        unlike = set(self.unlike())
        return "\n".join(failure(label, line) for label, verdicts in self.runs.items() for line in verdicts.values()
                         if line["verdict"] in BAD and (label.startswith("heddle") or line["name"] in unlike))

    def text(self):
        lines = [self.heading]
        lines += [f"{label}: {self.counted(verdicts)}" for label, verdicts in self.runs.items()]
        if RUNS[-1][0] in self.runs:
            complete = [name for name in self.chosen if NONE not in self.all_of(name)]
            flicker = [name for name in complete if len(set(self.all_of(name)[:2])) > 1]
            lines.append(f"{len(complete)} tests have all three verdicts: {len(flicker)} differ between the bare runs, "
                         f"{len(self.different())} differ under Heddle only")
            if ALONE[-1][0] in self.runs:
                lines.append(f"of the {len(self.unlike())} that are not alike, {len(self.different_alone())} differ "
                             "when they run alone")
            for name in self.unlike():
                said = [f"{label} {self.verdict(label, name)}" for label in self.runs]
                mark = "different" if name in self.different() else "not alike"
                lines.append(f"{mark} {name}: {', '.join(said)}")
        return "\n".join(lines + self.suite.notes) + "\n"


def compare(suite, chosen, heading, counted):
    """Whether all tests have verdicts, and those under Heddle are those of bare runs."""
    comparison = Comparison(suite, chosen, heading, counted)
    for label, bare in RUNS:
        comparison.start(label, bare, chosen)
    unlike = comparison.unlike()
    if unlike:
        for label, bare in ALONE:
            comparison.start(label, bare, unlike, alone=True)
    print(comparison.text(), end="")
    complete = all(NONE not in comparison.all_of(name) for name in chosen)
    return complete and not comparison.different() and not comparison.different_alone()

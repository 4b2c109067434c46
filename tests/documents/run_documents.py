"""Runs the code blocks of the pages that a new user reads first, in a clean copy of the project.

Usage: run_documents.py SOURCE BUILD [PAGE...]

The build is there already: `build/release` of the copy is BUILD. All else runs as the pages say, with HOME in a temporary
folder. With names of pages, only these run after README.md, which installs what they use. Run as root, the first pages
run a second time, as a user without rights.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pages

# Each page, and how many of its blocks are not run. README first: it installs what the other pages use.
FIRST_PAGES = {"README.md": 4, "docs/getting-started.md": 0, "docs/python.md": 1, "docs/cli.md": 0, "docs/skeletons.md": 3}
# Of one capability each.
CAPABILITIES = {"docs/api.md": 0, "docs/batch.md": 0, "docs/block-ranges.md": 0, "docs/c-api.md": 0,
                "docs/check.md": 1, "docs/compile.md": 1, "docs/cuda-graphs.md": 0, "docs/machines.md": 1, "docs/policies.md": 1, "docs/run.md": 3,
                "docs/scheduling.md": 3, "docs/simulator.md": 4, "docs/simulator-policies.md": 1, "docs/tenants.md": 2,
                "docs/textures.md": 1}
GIVEN = ("script/setup", "script/build ")  # the test's build stands for these
SHELL = ("", "sh")
USER = 65534  # nobody, on every system


class Failure(Exception):
    pass


def copy_of(source, to):
    """What a clone would have, and files that are not yet committed; no build folder."""
    listed = subprocess.run(["git", "-C", source, "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "-z"],
                            capture_output=True, check=False)
    if listed.returncode != 0:
        shutil.copytree(source, to, ignore=shutil.ignore_patterns("build", ".git"), symlinks=True)
        return
    for name in filter(None, os.fsdecode(listed.stdout).split("\0")):
        file = Path(source, name)
        if file.exists():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, to / name, follow_symlinks=False)


class Reader:
    """Someone who types what the pages say. Shell variables and the working folder last from block to block."""

    def __init__(self, source, build, work, user, given, installed=None):
        self.work, self.user, self.given = work, user, given
        self.home, self.clone, self.state = work / "home", work / "heddle", work / "state"
        self.home.mkdir(parents=True)
        copy_of(source, self.clone)
        (self.clone / "build").mkdir()
        (self.clone / "build/release").symlink_to(build)
        if installed:
            shutil.copytree(installed, self.home / "heddle", symlinks=True)
        # The Python that the package was built for.
        python = (Path(build) / "python/interpreter").read_text().strip()
        (work / "bin").mkdir()
        (work / "bin/python3").symlink_to(python)
        self.state.write_text(f"cd '{self.clone}'\n")
        self.frames, self.ran, self.skipped, self.taken = {}, 0, 0, 0
        if user is not None:
            for folder, _, files in os.walk(work):
                for name in ["", *files]:
                    os.chown(os.path.join(folder, name), user, user, follow_symlinks=False)

    def run(self, place, script, code=0):
        environment = {"HOME": str(self.home), "PATH": f"{self.work}/bin:/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
                       "TMPDIR": str(self.work), "CCACHE_DISABLE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        # The exit code is that of the block's last command; an earlier one that fails ends the block.
        wrapped = f"source '{self.state}'\nset -e\ntrap 'code=$?; {{ export -p; echo cd \"$PWD\"; }} >\"{self.state}\"; exit $code' EXIT\n{script}"
        keep = {} if self.user is None else {"user": self.user, "group": self.user, "extra_groups": []}
        done = subprocess.run(["bash", "-c", wrapped], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=300, cwd=self.work, **keep)
        if done.returncode != code:
            raise Failure(f"{place}: ends with {done.returncode}, expected is {code}\n{script}\n{done.stdout}")
        return done.stdout

    def shell(self, block):
        marks, shown = block.marks, pages.console(block.text)
        script, expected = shown if shown else (block.text, [])
        lines = []
        for line in script.splitlines(keepends=True):
            if line.startswith(self.given):
                self.taken += 1
                lines.append("\n")
            else:
                lines.append(line)
        printed = self.run(block.place, "".join(lines), int(marks.get("exit", 0)))
        if "output" in marks:
            if not re.search(marks["output"], printed):
                raise Failure(f"{block.place}: what it prints has no '{marks['output']}'\n{printed}")
        elif expected:
            got = [line.rstrip() for line in printed.splitlines()]
            for line in expected:
                if not any(pages.line_matches(line, one) for one in got):
                    raise Failure(f"{block.place}: the page shows\n{line}\nprinted was\n{printed}")

    def part(self, block):
        name = block.marks["frame"]
        if name not in self.frames:
            self.frames[name] = (Path(__file__).parent / "frames" / name).read_text()
        before, mark, after = self.frames[name].partition("SNIPPET\n")
        if not mark:
            raise Failure(f"{block.place}: no line SNIPPET is left in tests/documents/frames/{name}")
        self.frames[name] = before + block.text + after

    def take(self, block):
        marks = block.marks
        if "skip" in marks:
            self.skipped += 1
            return
        self.ran += 1
        if "file" in marks:
            if (self.clone / marks["file"]).read_text() != block.text:
                raise Failure(f"{block.place}: not the text of {marks['file']}")
        elif "frame" in marks:
            self.part(block)
        elif block.language in SHELL:
            self.shell(block)
        elif block.language == "python":
            self.run(block.place, "python3 - <<'END_OF_BLOCK'\n" + block.text + "END_OF_BLOCK\n")
        else:
            raise Failure(f"{block.place}: a block of {block.language} needs a comment that says how it is tested")

    def end_of_page(self, page):
        """Programs whose parts stand in the page."""
        frames, self.frames = self.frames, {}
        source = Path(__file__).parent / "frames"
        for folder in {Path(name).parent for name in frames if "/" in name}:
            for file in (source / folder).iterdir():
                frames.setdefault(str(folder / file.name), file.read_text())
        for name, text in frames.items():
            if "SNIPPET\n" in text:
                raise Failure(f"{page}: it has too few parts for tests/documents/frames/{name}")
            file = self.work / "frames" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            if self.user is not None:
                os.chown(file.parent, self.user, self.user)
                os.chown(file.parent.parent, self.user, self.user)
            file.write_text(text)
        for name in frames:
            file = self.work / "frames" / name
            if file.suffix == ".py":
                self.run(name, f"python3 '{file}'\n")
            elif file.name == "CMakeLists.txt":
                folder = file.parent
                self.run(name, f"cmake -S '{folder}' -B '{folder}/build' -DCMAKE_PREFIX_PATH=\"$HOME/heddle\" >/dev/null\n"
                               f"cmake --build '{folder}/build'\n'{folder}/build/program'\n")

    def read(self, page, skips):
        text = (self.clone / page).read_text()
        before = self.skipped
        self.state_of_page(page, text)
        for block in pages.blocks(page, text):
            self.take(block)
        self.end_of_page(page)
        if self.skipped - before != skips:
            raise Failure(f"{page}: {self.skipped - before} blocks are skipped, expected are {skips} ({__file__})")
        # The other pages also have names that stand for a file of the reader's.
        for name in () if page in CAPABILITIES else sorted(set(re.findall(r"\b[a-z]\w*\.cu\b", text))):
            if not any((self.clone / "examples").rglob(name)):
                raise Failure(f"{page} names {name}, which is not in examples/")

    def state_of_page(self, page, text):
        """The pages that say how to install begin in the clone, the others in the folder of the examples."""
        with self.state.open("a", encoding="utf-8") as file:
            installs = page not in CAPABILITIES and "script/setup" in text
            file.write(f"cd '{self.clone / ('' if installs else 'examples/start')}'\n")


def read_all(reader, name, chosen):
    begin = time.monotonic()
    for page, skips in chosen.items():
        reader.read(page, skips)
    print(f"{name}: {reader.ran} blocks were run, {reader.taken} commands were given, {reader.skipped} blocks are marked "
          f"as not to be run here; {time.monotonic() - begin:.0f} s", flush=True)


def main():
    source, build = (Path(argument).absolute() for argument in sys.argv[1:3])
    every = FIRST_PAGES | CAPABILITIES
    chosen = {page: every[page] for page in ["README.md", *sys.argv[3:]]} if sys.argv[3:] else every
    with tempfile.TemporaryDirectory(prefix="heddle-documents-") as work:
        os.chmod(work, 0o755)
        try_pages(source, build, Path(work), chosen)


def try_pages(source, build, work, chosen):
    first = Reader(source, build, work / "first", None, GIVEN)
    read_all(first, "as this user", chosen)
    if os.getuid() == 0:
        # The build folder belongs to root: what is installed is taken from the first run.
        plain = Reader(source, build, work / "plain", USER, (*GIVEN, "cmake --install "), first.home / "heddle")
        read_all(plain, "as a plain user", {page: skips for page, skips in FIRST_PAGES.items() if page in chosen})


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))

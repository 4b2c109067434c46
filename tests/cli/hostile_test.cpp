// Options, job files, sweeps, databases and reports that make no sense: each gets a sentence, and
// nothing is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "base/clock.hpp"
#include "base/database.hpp"
#include "base/file.hpp"
#include "base/npy.hpp"
#include "cli/heddle_command.hpp"
#include "cli/small_kernel.hpp"
#include "knowledge/store.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

class Hostile : public HeddleCommand {
 protected:
  Hostile() {
    write("k.ptx", kernel);
    write("t.json", R"([{"name": "k", "cat": "launch", "ph": "X", "ts": 1.0, "dur": 2.0}])");
  }
  // One job with a file, a block and these lines.
  Ran batch(const std::string& lines, const std::string& options = "--device interp --policy serial") const {
    write("j.toml", "[[job]]\nfile = \"k.ptx\"\nblock = 4\n" + lines);
    return here("batch j.toml " + options);
  }
};

TEST_F(Hostile, ResultsOfBatchesReplaceNoInput) {
  base::write_npy(folder_.path() / "x.npy", {base::NpyType::u32, {4}, std::vector<std::byte>(16)});
  fs::create_hard_link(folder_.path() / "x.npy", folder_.path() / "y.npy");
  const std::string before = read("x.npy");
  for (const char* result : {"k.ptx", "./k.ptx", "j.toml", "x.npy", "y.npy"}) {
    write("other.toml", "");
    write("j.toml", "[[job]]\nfile = \"k.ptx\"\nblock = 4\nargs = [\"out:" + std::string(result) +
                        ":u32:4\"]\n[[job]]\nfile = \"k.ptx\"\nblock = 4\nargs = [\"in:x.npy\"]\n");
    const std::string jobs = read("j.toml");
    const Ran ran = here("batch j.toml --device interp --policy serial");
    EXPECT_EQ(ran.code, 1) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("would replace")) << result;
    EXPECT_EQ(read("k.ptx"), kernel);
    EXPECT_EQ(read("j.toml"), jobs);
    EXPECT_EQ(read("x.npy"), before);
  }
  write("j.toml",
        "[[job]]\nfile = \"k.ptx\"\nblock = 4\nargs = [\"out:z.npy:u32:4\"]\n[[job]]\nfile = \"k.ptx\"\nblock = 4\n"
        "args = [\"out:./z.npy:u32:4\"]\n");
  EXPECT_THAT(here("batch j.toml --device interp --policy serial").output, HasSubstr("would both write"));
  EXPECT_FALSE(fs::exists(folder_.path() / "z.npy"));
}

// Wherever the command runs.
TEST_F(Hostile, ArraysOfBatchesLieBesideTheJobFile) {
  fs::create_directory(folder_.path() / "jobs");
  write("jobs/k.ptx", kernel);
  base::write_npy(folder_.path() / "jobs" / "x.npy", {base::NpyType::u32, {4}, std::vector<std::byte>(16)});
  write("jobs/j.toml",
        "[[job]]\nfile = \"k.ptx\"\nblock = 4\nargs = [\"inout:x.npy\"]\n"
        "[[job]]\nfile = \"k.ptx\"\nblock = 4\nargs = [\"out:z.npy:u32:4\"]\n");
  const Ran ran = here("batch jobs/j.toml --device interp --policy serial");
  EXPECT_EQ(ran.code, 0) << ran.output;
  for (const char* name : {"jobs/x.out.npy", "jobs/z.npy"})
    EXPECT_EQ(static_cast<int>(base::read_npy(folder_.path() / name).data[12]), 3) << name;
}

TEST_F(Hostile, NumbersOfJobs) {
  for (const char* wrong :
       {"rate = nan", "rate = inf", "rate = -1.0", "rate = 1e-300", "rate = 1e300", "arrival = nan", "arrival = inf",
        "arrival = 1e300", "arrival = -1", "arrival = -inf", "count = -1", "count = 100000000",
        "count = 9223372036854775807", "count = 1.5", "seed = -1", "shared = 99999999999"}) {
    const Ran ran = batch(std::string(wrong) + "\nargs = [\"zeros:u32:4\"]\n");
    EXPECT_EQ(ran.code, 1) << wrong << ": " << ran.output;
    EXPECT_THAT(ran.output, AllOf(testing::StartsWith("heddle: j.toml"),
                                  testing::AnyOf(HasSubstr("must be"), HasSubstr("launches; at most"))))
        << wrong;
  }
  EXPECT_THAT(batch("rate = 1e-6\ncount = 9999\nargs = [\"zeros:u32:4\"]\n").output,
              HasSubstr("is too low for so many"));
  EXPECT_EQ(batch("rate = 1e6\ncount = 3\nargs = [\"zeros:u32:4\"]\n").code, 0);
}

TEST_F(Hostile, ValuesOfOptionsAreNamedWithTheirOption) {
  write("s.toml", "machines = [\"tesla-g80\"]\n[[kernels]]\nfile = \"k.ptx\"\narguments = [\"--block\", \"4\"]\n");
  for (const char* command :
       {"batch j.toml --ratios -1", "batch j.toml --ratios 4294967296", "sim sweep s.toml --only -1",
        "sim sweep s.toml --jobs 0", "daemon start --units 0", "daemon start --units x",
        "daemon start --units 99999999999", "daemon start --units 513", "daemon start --metrics-port 65536"}) {
    const Ran ran = here(command);
    const std::string option = std::string(command).substr(std::string(command).find("--"));
    EXPECT_EQ(ran.code, 2) << command;
    EXPECT_THAT(ran.output, AllOf(HasSubstr(option.substr(0, option.find(' '))), Not(HasSubstr("has no option")),
                                  Not(HasSubstr("18446744073709551615")), testing::SizeIs(testing::Lt(200u))))
        << command;
  }
}

TEST_F(Hostile, NumbersThatAreNoneAreExplained) {
  const auto says = [&](const std::string& arguments, const std::string& sentence) {
    const Ran ran = here(arguments);
    EXPECT_EQ(ran.code, 2) << arguments;
    EXPECT_THAT(ran.output, testing::StartsWith("heddle: " + sentence)) << arguments;
  };
  says("launch k.ptx --shared -1", "--shared -1: expected a whole number, 0 or more");
  says("launch k.ptx --shared x", "--shared x: expected a whole number, 0 or more");
  says("launch k.ptx --shared 5000000000", "--shared 5000000000: the number is too large");
  says("launch k.ptx --repeat 0", "--repeat 0: expected a number from 1 to 1000000");
  says("daemon start --units -1", "--units -1: expected a number from 1 to 512");
  says("launch k.ptx --sharde 1", "heddle launch has no option '--sharde'; did you mean '--shared'?");
  says("daemon start --unit 1 --polciy x", "heddle daemon start has no option '--polciy'");
}

TEST_F(Hostile, OutputsAreNotOneFile) {
  ASSERT_EQ(here("launch k.ptx --block 4 --arg zeros:u32:4 --device sim:tesla-g80,report=r.json").code, 0);
  const std::string report = read("r.json");
  fs::create_symlink("page", folder_.path() / "link");
  for (const char* command :
       {"sim report r.json --html page --svg ./page", "sim report r.json --html page --svg link",
        "launch k.ptx --block 4 --arg out:r.json:u32:4 --device sim:tesla-g80,report=r.json",
        "launch k.ptx --block 4 --arg zeros:u32:4 --device sim:tesla-g80,report=n.json,trace=n.json",
        "run --device sim:tesla-g80,report=n.json --trace n.json /bin/true", "cc -ptx a/x.cu b/x.cu",
        "cc -c a/x.cu -o x.o -MD -MF x.o"}) {
    for (const char* folder : {"a", "b"}) {
      fs::create_directory(folder_.path() / folder);
      write(std::string(folder) + "/x.cu", "__global__ void k() {}\n");
    }
    const Ran ran = here(command);
    EXPECT_NE(ran.code, 0) << command;
    EXPECT_THAT(ran.output, AllOf(HasSubstr("would both write"), HasSubstr("Nothing was written"))) << command;
    for (const char* name : {"page", "n.json", "x.ptx", "x.o"}) EXPECT_FALSE(fs::exists(folder_.path() / name)) << name;
    EXPECT_EQ(read("r.json"), report);
  }
  EXPECT_THAT(here("sim report r.json --html - --svg -").output, HasSubstr("would both be printed"));
  EXPECT_EQ(here("sim report r.json --html /dev/null --svg /dev/null").code, 0);
}

// As on a full disk: files may not grow beyond a block.
TEST_F(Hostile, ReportsThatCannotBeWrittenLeaveTheOldOnes) {
  const std::string launch = "launch k.ptx --block 4 --arg zeros:u32:4 --device sim:tesla-g80,";
  ASSERT_EQ(here(launch + "report=r.json,trace=t.json").code, 0);
  for (const char* name : {"r.json", "t.json"}) {
    const std::string old = read(name);
    ASSERT_GT(old.size(), 512u) << name;
    const std::string option = name[0] == 'r' ? "report=" : "trace=";
    const Ran ran = heddle(launch + option + name, "&1",
                           "trap '' XFSZ; ulimit -f 1; HEDDLE_CACHE_DIR='" + folder_.path().string() + "/cache' ");
    EXPECT_NE(ran.code, 0) << name;
    EXPECT_THAT(ran.output, HasSubstr("cannot write")) << name;
    EXPECT_EQ(read(name), old) << name;
    EXPECT_FALSE(fs::exists(folder_.path() / (std::string(name) + ".heddle-old"))) << name;
  }
}

// A report is lost only to another report.
TEST_F(Hostile, LaunchesThatDoNotBeginLeaveOldReports) {
  const std::string device = " --device sim:tesla-g80,report=r.json,trace=t.json";
  ASSERT_EQ(here("launch k.ptx --block 4 --arg zeros:u32:4" + device).code, 0);
  const std::string report = read("r.json"), trace = read("t.json");
  for (const char* command :
       {"launch k.ptx --block 4", "launch k.ptx --block 4 --arg i32:1", "launch k.ptx --block 4 --arg in:none.npy",
        "launch k.ptx --entry none --arg zeros:u32:4", "launch k.ptx --block 4096 --arg zeros:u32:4",
        "launch k.ptx --block 4 --shared 1000000 --arg zeros:u32:4", "launch none.ptx --arg zeros:u32:4"}) {
    const Ran ran = here(command + device);
    EXPECT_NE(ran.code, 0) << command;
    EXPECT_EQ(read("r.json"), report) << command;
    EXPECT_EQ(read("t.json"), trace) << command;
    fs::remove(folder_.path() / "n.json");
    EXPECT_NE(here(std::string(command) + " --device sim:tesla-g80,report=n.json").code, 0) << command;
    EXPECT_FALSE(fs::exists(folder_.path() / "n.json")) << command;
  }
  // What Heddle wrote before it knew better.
  write("e.json", report.substr(0, report.find('\n') + 1));
  for (const char* command : {"sim report e.json", "sim report e.json --html -", "sim compare r.json e.json"}) {
    const Ran ran = here(command);
    EXPECT_EQ(ran.code, 1) << command;
    EXPECT_THAT(ran.output, HasSubstr("e.json has no launch")) << command;
  }
}

// A folder or a file without rights is told before anything is simulated; a pipe is not waited for for ever.
TEST_F(Hostile, ReportsThatCannotBeWrittenAreToldFirst) {
  ASSERT_EQ(::mkfifo((folder_.path() / "p.json").c_str(), 0600), 0);
  const Ran ran = here("launch k.ptx --block 4 --arg zeros:u32:4 --device sim:tesla-g80,report=p.json");
  EXPECT_EQ(ran.code, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("p.json: it is a pipe, and no process reads it"));
}

TEST_F(Hostile, SweepsWriteToNoDatabaseOfOthers) {
  const base::SteadyClock clock;
  for (const int version : {0, 1}) {
    const std::string name = "photos" + std::to_string(version);
    base::Database(folder_.path() / name, {version, "CREATE TABLE photos (name TEXT)"}, clock)
        .change("INSERT INTO photos VALUES ('mine')");
    const std::string before = read(name);
    write("s.toml", "machines = [\"tesla-g80\"]\nresults = \"" + name +
                        "\"\n[[kernels]]\nfile = \"k.ptx\"\narguments = [\"--block\", \"4\", \"--arg\", "
                        "\"zeros:u32:4\"]\n");
    for (const std::string& command : {std::string("sim sweep s.toml"), "knowledge forget --all --file " + name}) {
      const Ran ran = here(command);
      EXPECT_EQ(ran.code, 1) << command;
      EXPECT_THAT(ran.output, AllOf(HasSubstr(name), HasSubstr("database of another program"))) << command;
      EXPECT_EQ(read(name), before) << command;
    }
  }
}

// Of the cache, where what was measured is kept.
TEST_F(Hostile, ADamagedDatabaseOfTheCacheIsKept) {
  ASSERT_EQ(here("knowledge list").code, 0);
  const std::string file = "cache/knowledge/knowledge.sqlite";
  const std::string damaged(5000, 'x');
  write(file, damaged);
  const Ran ran = here("knowledge list");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, AllOf(HasSubstr("file is not a database"), HasSubstr("knowledge.sqlite.damaged")));
  EXPECT_EQ(read(file + ".damaged"), damaged);
  EXPECT_THAT(here("knowledge list").output, Not(HasSubstr("damaged")));
}

// Names end at a zero byte for the system, which would take another file.
// Tables in tables, into which the parser would recurse.
TEST_F(Hostile, KeysOfManyPartsAreRefused) {
  std::string key = "a";
  for (int i = 0; i < 300'000; ++i) key += ".a";
  for (const std::string& text : {"\n[" + key + "]\nx = 1\n", "\n" + key + " = 1\n"}) {
    write("deep.toml", text);
    for (const char* words :
         {"batch deep.toml", "sim sweep deep.toml", "launch k.ptx --block 4 --device sim:deep.toml"}) {
      const Ran ran = here(words);
      EXPECT_EQ(ran.code, 1) << words << ": " << ran.output;
      EXPECT_THAT(ran.output, HasSubstr("deep.toml:2: ")) << words;
      EXPECT_THAT(ran.output, HasSubstr("a key has more than 256 parts")) << words;
    }
  }
}

TEST_F(Hostile, TextsHaveNoZeroBytes) {
  for (const char* line :
       {"name = \"a\\u0000b\"", "kernel = \"one\\u0000\"", "grid = \"1\\u0000\"", "args = [\"zeros:u32:4\\u0000\"]"}) {
    const Ran ran = batch(line);
    EXPECT_EQ(ran.code, 1) << line;
    EXPECT_THAT(ran.output, AllOf(testing::StartsWith("heddle: j.toml"), HasSubstr("no zero byte"))) << line;
  }
  write("s.toml", "machines = [\"tesla-g80\"]\n[[kernels]]\nfile = \"k.ptx\\u0000.txt\"\n");
  EXPECT_THAT(here("sim sweep s.toml").output, HasSubstr("no zero byte"));
}

TEST_F(Hostile, DatabasesMayBeAnything) {
  write("text", std::string(2000, 'x'));
  write("head", "SQLite format 3" + std::string(1, '\0') + std::string(5000, '\xff'));
  fs::create_directory(folder_.path() / "folder");
  ASSERT_EQ(::mkfifo((folder_.path() / "pipe").c_str(), 0600), 0);
  fs::create_symlink("loop", folder_.path() / "loop");
  for (const std::string name : {"text", "head", "folder", "pipe", "loop", "/dev/zero", "/dev/full"}) {
    for (const char* command : {"knowledge list", "knowledge show x", "knowledge forget --all"}) {
      const Ran ran = here(std::string(command) + " --file " + name);
      EXPECT_EQ(ran.code, 1) << command << " " << name << ": " << ran.output;
      EXPECT_THAT(ran.output, AllOf(testing::StartsWith("heddle: "), HasSubstr(name), Not(HasSubstr(": a database"))));
    }
    write("s.toml", "machines = [\"tesla-g80\"]\nresults = \"" + name +
                        "\"\n[[kernels]]\nfile = \"k.ptx\"\narguments = [\"--block\", \"4\", \"--arg\", "
                        "\"zeros:u32:4\"]\n");
    const Ran ran = here("sim sweep s.toml");
    EXPECT_EQ(ran.code, 1) << name << ": " << ran.output;
    EXPECT_THAT(ran.output, AllOf(testing::StartsWith("heddle: "), HasSubstr(name), Not(HasSubstr(": a database"))))
        << name;
  }
  EXPECT_EQ(read("text"), std::string(2000, 'x'));
  // A name without a folder is a file of this one.
  const base::SteadyClock clock;
  knowledge::Store(folder_.path() / "new", clock).keep({.subject = {"kept", "cpu", "all"}, .workload = {{64}, false}});
  EXPECT_THAT(here("knowledge list --file new").output, HasSubstr("kept"));
}

TEST_F(Hostile, NamesInSweepsHaveNoCodesOfTerminals) {
  write("s.toml",
        "machines = [\"tesla-g80\"]\n[[kernels]]\nname = \"a\\nb\\u001b[31m\"\nfile = \"k.ptx\"\n"
        "arguments = [\"--block\", \"4\", \"--arg\", \"zeros:u32:4\"]\n");
  for (const char* command : {"sim sweep s.toml", "sim sweep s.toml", "sim sweep s.toml --list"})
    EXPECT_THAT(here(command).output, AllOf(HasSubstr("a\\nb\\x1b[31m"), Not(HasSubstr("\x1b")))) << command;
}

TEST_F(Hostile, DamagedReportsAreNamedByTheirLine) {
  ASSERT_EQ(here("launch k.ptx --block 4 --arg zeros:u32:4 --device sim:tesla-g80,report=r.json").code, 0);
  const std::string right = read("r.json");
  const std::string first = right.substr(0, right.find('\n') + 1);
  for (const std::string line : {"{", "null", "[1, 2]", "{}", "{\"kind\": 1}", "{\"kind\": \"launch\"}",
                                 "{\"kind\": \"function\", \"number\": -1e308}", "NaN", "\xff"}) {
    write("d.json", first + line + "\n" + right.substr(first.size()));
    for (const char* command : {"sim report d.json", "sim report d.json --html -", "sim compare r.json d.json"}) {
      const Ran ran = here(command);
      EXPECT_EQ(ran.code, 1) << line;
      EXPECT_THAT(ran.output, AllOf(testing::StartsWith("heddle: d.json:2: "), Not(HasSubstr("json.exception"))))
          << line;
    }
  }
}

TEST_F(Hostile, ReportsAndTracesReplaceNoOtherFile) {
  const std::string kept = "{\"mine\": 1}\n";
  for (const char* option : {"report", "trace"}) {
    write("in.json", kept);
    std::filesystem::create_symlink(folder_.path() / "in.json", folder_.path() / "link.json");
    for (const char* name : {"in.json", "link.json"}) {
      const Ran ran =
          here(std::string("launch k.ptx --block 4 --arg zeros:u32:4 --device sim:tesla-g80,") + option + "=" + name);
      EXPECT_NE(ran.code, 0) << option;
      EXPECT_THAT(ran.output, HasSubstr("would replace this file")) << option;
      EXPECT_EQ(read("in.json"), kept) << option;
    }
    std::filesystem::remove(folder_.path() / "link.json");
    // One of ours is replaced.
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(here(std::string("launch k.ptx --block 4 --arg zeros:u32:4 --device sim:tesla-g80,") + option + "=" +
                     option + ".json")
                    .code,
                0);
  }
  EXPECT_NE(here("launch k.ptx --block 4 --arg zeros:u32:4 --device sim:tesla-g80,report=b.json,trace=b.json").code, 0);
}

TEST_F(Hostile, LinksToSourcesAreNotReplaced) {
  write("inc.h", "// mine\n");
  std::filesystem::create_symlink(folder_.path() / "inc.h", folder_.path() / "link");
  const Ran ran = here("compile k.ptx -o link");
  EXPECT_NE(ran.code, 0);
  EXPECT_EQ(read("inc.h"), "// mine\n") << ran.output;
}

}  // namespace
}  // namespace heddle::tests

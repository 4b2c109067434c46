// Figures of a benchmark: a table for people, and build/results/NAME.json for programs: a list of
// {name, value, unit, bar, holds, peer, machine, commit}.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heddle::bench {

// What a figure must reach.
struct Bar {
  enum class Kind { at_least, at_most };
  Kind kind = Kind::at_least;
  double value = 0;
  bool holds(double measured) const { return kind == Kind::at_least ? measured >= value : measured <= value; }
  std::string text() const;  // ">= 1.3"
};
inline Bar at_least(double value) { return {Bar::Kind::at_least, value}; }
inline Bar at_most(double value) { return {Bar::Kind::at_most, value}; }

struct Result {
  std::string name;  // "gemm against PoCL"
  double value = 0;
  std::string unit;        // "x", "us", "MB/s"
  std::optional<Bar> bar;  // none: a figure for information
  std::string peer;        // what it was compared with; empty: nothing
};

class Results {
 public:
  // `name` is the file's name without ending.
  explicit Results(std::string name) : name_(std::move(name)) {}
  // What else the figures depend on, as in "NVIDIA H200": said behind the machine.
  void also_on(std::string device) { device_ = std::move(device); }
  void add(Result result) { results_.push_back(std::move(result)); }
  const std::vector<Result>& all() const { return results_; }
  bool hold() const;  // every bar there is

  std::string table() const;
  std::string json() const;  // of these rows alone
  // Into results_folder(); returns the file. Rows that stand there already under other names stay:
  // several programs may write one file. Throws io_error.
  std::filesystem::path write() const;
  // Prints the table and where the file went; the exit code for main: 0 even where a bar does not hold, since a
  // shortfall is a result and no failure of the benchmark.
  int finish() const;

 private:
  std::string machine() const;

  std::string name_, device_;
  std::vector<Result> results_;
};

}  // namespace heddle::bench

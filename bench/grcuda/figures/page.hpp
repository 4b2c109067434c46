// The page of docs/reproduce and its chart, from the results that script/bench grcuda has written.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::bench::grcuda {

// Figures by their names in build/results/grcuda.json.
class Figures {
 public:
  Figures() = default;  // none: everything is still to be measured
  // Throws Error when the text is not what the benchmark writes.
  static Figures parse(std::string_view json);

  bool empty() const { return all_.empty(); }
  std::optional<double> value(const std::string& name) const;
  // Those of "BENCHMARK, SIZE, block N, WHAT".
  std::vector<double> each(const std::string& benchmark, const std::string& what) const;
  std::string machine() const { return machine_; }
  std::string commit() const { return commit_; }

 private:
  struct Figure {
    std::string name;
    double value = 0;
  };
  std::vector<Figure> all_;
  std::string machine_, commit_;
};

// Tables with the paper's figures beside ours.
std::string tables(const Figures& figures);
std::string chart(const Figures& figures);

// The page with its tables replaced: what stands between the lines "<!-- figures -->" and "<!-- end of figures -->".
// Throws Error when it has no such lines.
std::string with_tables(std::string_view page, const std::string& tables);

}  // namespace heddle::bench::grcuda

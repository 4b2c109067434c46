// Runs clang over one source.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/temporary_folder.hpp"
#include "compile/clang.hpp"
#include "compile/headers.hpp"
#include "compile/lookups.hpp"
#include "compile/precompiled.hpp"
#include "compile/trace.hpp"
#include "compile/unit.hpp"

namespace heddle::compile {

class Compilation {
 public:
  // The referenced objects must outlive this one.
  Compilation(const Unit& unit, const Clang& clang, const CompileOptions& options,
              const std::vector<std::string>& environment);

  // Compiles once, and a second time when the first result calls C library functions by name (as __builtin_sinf or
  // <complex> do), with definitions of those. Throws compile_error with clang's diagnostics.
  void run();

  const std::string& ptx() const { return last_.process.out; }
  const std::string& warnings() const { return last_.process.err; }

  // After run(): what the result depends on in addition to the cache's key. Nothing when that cannot be listed; then
  // `doubt` has the reason.
  std::optional<Lookups> lookups(std::string& doubt) const;

 private:
  void attempt(const std::string& exports);
  void run_once(const std::string& exports);
  void check() const;
  std::vector<std::string> command(const std::string& exports) const;
  std::vector<std::string> input_words() const;
  std::string input() const;
  std::vector<std::string> users_folders() const;

  const Unit& unit_;
  const CompileOptions& options_;
  const std::vector<std::string>& environment_;
  HeaderFolder headers_;
  base::TemporaryFolder folder_;
  std::vector<std::string> arguments_;
  timespec start_{};
  std::optional<Precompiled> precompiled_;
  TracedRun last_;
  std::vector<std::string> read_, entered_;  // by all runs
  std::vector<std::string> overlay_;
  bool known_ = true;
};

}  // namespace heddle::compile

// What a run has measured so far, so that a run that was stopped goes on where it was.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace heddle::bench::kernelet {

class Journal {
 public:
  // What stands in the file is taken if it was written under the same key, by a program and options that are the same;
  // else the file begins anew. Throws io_error.
  Journal(std::filesystem::path file, const std::string& key);

  std::optional<double> find(const std::string& name) const;
  // Written at once.
  void keep(const std::string& name, double value);
  // The run is complete: the next one measures again.
  void remove();

 private:
  const std::filesystem::path file_;
  std::map<std::string, double> values_;
};

// The program that runs, and these words.
std::string journal_key(const std::string& options);

}  // namespace heddle::bench::kernelet

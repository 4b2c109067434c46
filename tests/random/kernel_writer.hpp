// The kernel and the functions of a random module around the statements of their bodies.
#pragma once

#include "random/writer.hpp"

namespace heddle::test::random_kernel {

class KernelWriter {
 public:
  explicit KernelWriter(Setting& setting);
  // Parameters besides structures.
  static constexpr unsigned own_parameters = 13;
  Function write(unsigned statements);
  // The directives of its arguments.
  std::string arguments() const;

 private:
  void declare_registers();
  void add_regions();
  void add_structures();
  std::string parameters() const;
  std::vector<std::string> own_arguments() const;
  Statement numbers();
  Statement bases();
  Statement initialise_memory();
  Statement initial_value(const Reg& reg);
  std::string initial_word(ptx::Type type);
  std::string field_of_structure(const Reg& reg);
  Statement initial_uniform(const Reg& reg);
  Statement store_result(const Reg& reg);
  unsigned slots(unsigned kind) const;

  Setting& s_;
  Random& random_;
  Writer w_;
  Scope scope_;
  bool records_ = false;  // results of one thread lie together
  unsigned next_[3] = {};
};

class FunctionWriter {
 public:
  FunctionWriter(Setting& setting, Signature signature);
  Function write(unsigned statements);

 private:
  Statement parameters();
  Statement initial_value(const Reg& reg);
  std::string head() const;
  std::string declarations() const;
  Body recursion(unsigned statements);

  Setting& s_;
  Random& random_;
  Writer w_;
  Signature signature_;
  Scope scope_;
  std::string depth_;
  unsigned local_bytes_ = 0;
};

}  // namespace heddle::test::random_kernel

// Parameters of kernels in the form that converts arguments.
#include <cxxabi.h>

#include <cstdlib>
#include <limits>
#include <memory>

#include "objects.hpp"

namespace heddle::python {
namespace {

void set_range(Plan& plan, heddle_number number) {
  const unsigned bits = plan.bytes * 8;
  const std::uint64_t all = std::numeric_limits<std::uint64_t>::max() >> (64 - bits);
  const bool no_sign = number == HEDDLE_NUMBER_UNSIGNED || number == HEDDLE_NUMBER_BOOL;
  plan.most = number == HEDDLE_NUMBER_SIGNED ? all >> 1 : number == HEDDLE_NUMBER_BOOL ? 1 : all;
  plan.least = no_sign ? 0 : -static_cast<std::int64_t>(all >> 1) - 1;
}

}  // namespace

std::string readable_name(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && name.starts_with("_Z") ? std::string(text.get()) : name;
}

Plan plan(const heddle_parameter& parameter) {
  Plan result;
  result.name = parameter.name;
  result.label = parameter.label;
  result.type = parameter.type;
  result.source_type = parameter.source_type;
  result.bytes = parameter.bytes;
  result.pointer = parameter.pointer != 0;
  result.may_be_index = parameter.may_be_index != 0;
  result.access = parameter.access;
  result.element = parameter.element;
  const std::string& type = result.type;
  const bool number = result.bytes == 1 || result.bytes == 2 || result.bytes == 4 || result.bytes == 8;
  if (type.find('[') != type.npos || !number) {
    result.kind = Plan::Kind::structure;  // which may hold a pointer
  } else if (result.pointer && !result.may_be_index) {
    result.kind = Plan::Kind::pointer;
  } else if (type == "f32" || type == "f64") {
    result.kind = Plan::Kind::floating;
  } else if (type[0] == 'u' || type[0] == 's') {
    result.kind = Plan::Kind::integer;
  }
  const bool known = parameter.number != HEDDLE_NUMBER_UNKNOWN && parameter.number != HEDDLE_NUMBER_FLOATING;
  if (number)
    set_range(result, known ? parameter.number : type[0] == 's' ? HEDDLE_NUMBER_SIGNED : HEDDLE_NUMBER_UNKNOWN);
  return result;
}

}  // namespace heddle::python

#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "base/fail.hpp"
#include "heddle/error.hpp"
#include "sched/policy/lithos/lithos.hpp"

namespace heddle::sched::lithos {
namespace {

// `most`: for times 10 s, longer than any launch should be held back.
constexpr double longest_us = 1e7, most_slip = 100;

double number_of(const std::string& name, const std::string& text, double least, double most) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);  // in any locale
  if (error != std::errc() || end != text.data() + text.size() || !(value >= least && value <= most))
    base::fail(ErrorCode::invalid_argument,
               "the option '{}' of the policy 'lithos' is '{}'; it must be a number from {} to {}", name, text, least,
               most);
  return value;
}

bool switch_of(const std::string& name, const std::string& text) {
  if (text != "on" && text != "off")
    base::fail(ErrorCode::invalid_argument, "the option '{}' of the policy 'lithos' is '{}'; it must be on or off",
               name, text);
  return text == "on";
}

void set(Options& options, const std::string& name, const std::string& value) {
  if (name == "throttle")
    options.throttle_seconds = number_of(name, value, 1, longest_us) * 1e-6;
  else if (name == "atom")
    options.atom_seconds = number_of(name, value, 1, longest_us) * 1e-6;
  else if (name == "linger")
    options.linger_seconds = number_of(name, value, 0, longest_us) * 1e-6;
  else if (name == "atoms")
    options.atoms = switch_of(name, value);
  else if (name == "steal")
    options.steal = switch_of(name, value);
  else if (name == "slip")
    options.slip = number_of(name, value, 1, most_slip);
  else
    base::fail(ErrorCode::invalid_argument,
               "the policy 'lithos' has no option '{}'; it has throttle, atom, linger (microseconds), atoms, steal (on "
               "or off) and slip (1.1)",
               name);
}

}  // namespace

Options parse_options(std::string_view text) {
  Options options;
  std::set<std::string_view> given;
  for (bool more = !text.empty(); more;) {
    const std::size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    const std::size_t equals = item.find('=');
    if (!given.insert(item.substr(0, equals)).second)
      base::fail(ErrorCode::invalid_argument, "the option '{}' of the policy 'lithos' is given twice",
                 item.substr(0, equals));
    set(options, std::string(item.substr(0, equals)),
        equals == item.npos ? std::string() : std::string(item.substr(equals + 1)));
    more = comma != text.npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return options;
}

}  // namespace heddle::sched::lithos

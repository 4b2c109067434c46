// Writes the tables of keys in docs/machines.md again. Usage: heddle_machine_keys docs/machines.md
#include <cstdio>

#include "base/file.hpp"
#include "device/sim/machine_file/key_tables.hpp"
#include "heddle/error.hpp"

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s docs/machines.md\n", arguments[0]);
    return 2;
  }
  try {
    const std::string page = heddle::base::read_file(arguments[1]);
    heddle::base::write_users_file(arguments[1], heddle::device::sim::with_key_tables(page));
  } catch (const heddle::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}

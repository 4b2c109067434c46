#include "random/program.hpp"

#include <fmt/format.h>

namespace heddle::test::random_kernel {

Statement Statement::lines(std::string text) {
  Statement statement;
  statement.add(std::move(text));
  return statement;
}

Statement& Statement::add(std::string text) {
  pieces.push_back({std::move(text), {}, false});
  return *this;
}

Statement& Statement::add(Body body) {
  pieces.push_back({{}, std::move(body), true});
  return *this;
}

namespace {

void write(const Body& body, std::string& text) {
  for (const Statement& statement : body)
    for (const Piece& piece : statement.pieces) {
      if (piece.is_body)
        write(piece.body, text);
      else
        text += piece.text;
    }
}

std::string extent(const Dim3& d) { return fmt::format("{} {} {}", d.x, d.y, d.z); }

}  // namespace

std::string Program::text() const {
  std::string text =
      fmt::format("// seed {}\n//: launch k grid {} block {}", seed, extent(launch.grid), extent(launch.block));
  if (launch.dynamic_shared) text += fmt::format(" shared {}", launch.dynamic_shared);
  if (launch.blocks != BlockRange{0, launch.grid.count()})
    text += fmt::format(" blocks {} {}", launch.blocks.begin, launch.blocks.end);
  if (launch.check) text += " check";
  text += " poison\n" + arguments + head;
  for (const Function& function : functions) {
    text += "\n" + function.head;
    write(function.body, text);
    text += "}\n";
  }
  return text;
}

}  // namespace heddle::test::random_kernel

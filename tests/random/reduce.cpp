// Takes away what a difference does not need.
#include <chrono>
#include <functional>
#include <sstream>

#include "random/comparison.hpp"

namespace heddle::test::random_kernel {

namespace {

using Clock = std::chrono::steady_clock;

class Reducer {
 public:
  Reducer(Program program, const Judge& judge, Verdict verdict, unsigned seconds)
      : program_(std::move(program)),
        judge_(judge),
        verdict_(verdict),
        end_(Clock::now() + std::chrono::seconds(seconds)) {}

  Program run() {
    for (bool smaller = true; smaller && !late();) {
      smaller = shrink_launch();
      for (std::size_t f = program_.functions.size(); f-- > 0;) {
        smaller |= drop_function(f);
        if (f < program_.functions.size()) smaller |= shrink(program_.functions[f].body);
      }
      if (!smaller && !split_) {
        split_ = smaller = true;
        for (Function& function : program_.functions) split(function.body);
      }
    }
    return std::move(program_);
  }

 private:
  bool late() const { return Clock::now() >= end_; }

  bool still_fails() {
    const std::string text = program_.text();
    try {
      if (reads_uninitialised(text)) return false;
    } catch (const std::exception&) {
      return false;  // no longer PTX
    }
    return judge_(text).verdict == verdict_;
  }

  // Makes a change; takes it back when the difference is gone.
  template <class T>
  bool attempt(T& part, const std::function<void(T&)>& change) {
    if (late()) return false;
    T before = part;
    change(part);
    if (still_fails()) return true;
    part = std::move(before);
    return false;
  }

  bool drop_function(std::size_t f) {
    if (f + 1 == program_.functions.size()) return false;
    return attempt<std::vector<Function>>(program_.functions,
                                          [&](auto& all) { all.erase(all.begin() + static_cast<std::ptrdiff_t>(f)); });
  }

  bool shrink_launch() {
    bool smaller = false;
    const auto change = [&](const std::function<void(Launch&)>& f) { smaller |= attempt<Launch>(program_.launch, f); };
    if (program_.launch.check) change([](Launch& l) { l.check = false; });
    if (program_.launch.grid.count() > 1) change([](Launch& l) { l.grid = {1, 1, 1}, l.blocks = {0, 1}; });
    if (program_.launch.blocks.size() > 1) change([](Launch& l) { l.blocks.end = l.blocks.begin + 1; });
    for (unsigned size : {1u, 8u, 32u, 33u, 64u})
      if (size < program_.launch.block.count()) change([&](Launch& l) { l.block = {size, 1, 1}; });
    return smaller;
  }

  // First large parts, then small ones.
  bool shrink(Body& body) {
    bool smaller = false;
    for (std::size_t part = body.size(); part > 0; part /= 2)
      for (std::size_t at = 0; at + part <= body.size() && !late();) {
        const auto begin = static_cast<std::ptrdiff_t>(at), end = static_cast<std::ptrdiff_t>(at + part);
        if (attempt<Body>(body, [&](Body& b) { b.erase(b.begin() + begin, b.begin() + end); }))
          smaller = true;
        else
          at += part;
      }
    for (std::size_t at = 0; at < body.size() && !late(); ++at) {
      for (std::size_t p = 0; p < body[at].pieces.size(); ++p)
        if (body[at].pieces[p].is_body) smaller |= shrink(body[at].pieces[p].body);
      smaller |= unwrap(body, at);
    }
    return smaller;
  }

  // Statements of single lines, where their order with those of other threads does not matter.
  static void split(Body& body) {
    Body result;
    for (Statement& statement : body) {
      bool plain = true;
      for (Piece& piece : statement.pieces) {
        if (piece.is_body) split(piece.body);
        for (const char* word : {"bar", "shared", "red.", "atom", ".sync", "call", "branchtargets", ".reg"})
          plain &= !piece.is_body && piece.text.find(word) == std::string::npos;
      }
      if (!plain) {
        result.push_back(std::move(statement));
        continue;
      }
      for (const Piece& piece : statement.pieces) {
        std::istringstream lines(piece.text);
        for (std::string line; std::getline(lines, line);) result.push_back(Statement::lines(line + "\n"));
      }
    }
    body = std::move(result);
  }

  // The inside of a branch or loop in place of it.
  bool unwrap(Body& body, std::size_t at) {
    for (std::size_t p = 0; p < body[at].pieces.size(); ++p) {
      if (!body[at].pieces[p].is_body) continue;
      const bool done = attempt<Body>(body, [&](Body& b) {
        Body inside = std::move(b[at].pieces[p].body);
        b.erase(b.begin() + static_cast<std::ptrdiff_t>(at));
        b.insert(b.begin() + static_cast<std::ptrdiff_t>(at), inside.begin(), inside.end());
      });
      if (done) return true;
    }
    return false;
  }

  Program program_;
  const Judge& judge_;
  Verdict verdict_;
  bool split_ = false;
  Clock::time_point end_;
};

}  // namespace

Program reduce(Program program, const Judge& judge, Verdict verdict, unsigned seconds) {
  return Reducer(std::move(program), judge, verdict, seconds).run();
}

}  // namespace heddle::test::random_kernel

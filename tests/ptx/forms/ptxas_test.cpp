// The form table against ptxas: what the table allows, ptxas takes; what the table refuses, ptxas refuses too.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ptx/forms/ptxas.hpp"
#include "ptx/forms/sample.hpp"

namespace heddle::ptx {
namespace {

// A form must be taken by one of these. The last has the warp operations without .sync, which newer versions dropped.
const PtxasTarget targets[] = {{"9.0", "sm_100a"}, {"9.0", "sm_90a"}, {"9.0", "sm_120a"}, {"6.3", "sm_75"}};
constexpr std::size_t batch_size = 1000;

struct Question {
  const Form* form;
  std::string text;
  std::string reason;  // why ptxas refuses it, empty when some target takes it
  bool known = true;   // false: ptxas crashed
};

std::string prologue(const PtxasTarget& target) { return sample_prologue(target.version, target.target); }

// Asks one target about the questions still refused or not yet asked.
void ask(const std::string& ptxas, const PtxasTarget& target, std::vector<Question*> open) {
  for (std::size_t begin = 0; begin < open.size(); begin += batch_size) {
    const std::size_t end = std::min(begin + batch_size, open.size());
    std::vector<std::string> lines;
    for (std::size_t i = begin; i < end; ++i) lines.push_back(open[i]->text);
    const PtxasVerdict verdict = ask_ptxas(ptxas, target, prologue(target), lines);
    for (std::size_t i = begin; i < end; ++i) {
      const auto refused = verdict.refused.find(i - begin);
      open[i]->known = !verdict.crashed;
      open[i]->reason = refused == verdict.refused.end() ? "" : refused->second;
    }
  }
}

void ask_all(const std::string& ptxas, std::vector<Question>& questions) {
  std::vector<Question*> open;
  for (Question& q : questions) open.push_back(&q);
  for (const PtxasTarget& target : targets) {
    ask(ptxas, target, open);
    std::erase_if(open, [](const Question* q) { return q->known && q->reason.empty(); });
  }
}

std::string first_lines(const std::set<std::string>& lines) {
  std::string text;
  std::size_t n = 0;
  for (const std::string& line : lines)
    if (++n <= 40) text += line + "\n";
  return text + "(" + std::to_string(lines.size()) + " in all)\n";
}

// Forms whose operands a sample cannot have: they need declarations of their own, or a target that ptxas has dropped.
bool cannot_be_sampled(const Form& form) {
  return form.opcode == Opcode::call || form.opcode == Opcode::brx ||    // prototypes, branch tables
         form.suffixes.starts_with("txq.(force_unnormalized_coords") ||  // samplers, in texmode_independent only
         form.suffixes.starts_with("mad.ftz?.sat?.f32");                 // before sm_20
}

TEST(FormsAgainstPtxas, takes_what_the_table_allows) {
  const std::optional<std::string> ptxas = find_ptxas();
  if (!ptxas) GTEST_SKIP() << "NOT TESTED: there is no ptxas. Install the CUDA toolkit or set HEDDLE_PTXAS.";
  std::vector<Question> questions;
  for (const FormFamily* family : form_families())
    for (const Form& form : family->forms) {
      if (cannot_be_sampled(form)) continue;
      for (Sample& sample : samples(*family, form, 120)) questions.push_back({&form, std::move(sample.text), {}});
    }
  ASSERT_GT(questions.size(), 10000u);
  ask_all(*ptxas, questions);
  std::set<std::string> wrong;
  for (const Question& q : questions)
    if (!q.known || !q.reason.empty()) wrong.insert(q.text + "  // " + (q.known ? q.reason : "ptxas crashed"));
  EXPECT_TRUE(wrong.empty()) << "ptxas refuses what the table allows:\n" << first_lines(wrong);
}

// What ptxas lets pass although the PTX ISA does not have it. The table follows the ISA: nobody says what these mean.
bool is_leniency(const Form& form, const std::string& text) {
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  switch (form.opcode) {
    case Opcode::addc:
    case Opcode::subc: return has(".sat") || has("16 ");
    case Opcode::madc: return has(".u16") || has(".s16");
    case Opcode::fma: return has(".bf16") || (has(".oob") && has(".sat"));
    case Opcode::rcp: return has(".ftz") && has(".f64");
    case Opcode::testp: return text.starts_with("testp.f");
    case Opcode::setmaxnreg: return has(".s32");
    case Opcode::mapa:
    case Opcode::getctarank: return has(".s32") || has(".s64");
    case Opcode::fence: return true;  // takes almost any two of its suffixes together
    case Opcode::st:
    case Opcode::red: return has(".async");  // likewise
    case Opcode::tensormap: return has("cp_fenceproxy");
    case Opcode::multimem: return has(".acc::f32");
    case Opcode::wgmma: return !has(".aligned");
    case Opcode::set: return has(".ftz");
    default: return false;
  }
}

// ptxas crashes on, or takes very long to give up over, wrong instructions of these kinds.
bool ptxas_cannot_judge(const Form& form) {
  switch (form.opcode) {
    case Opcode::mma:
    case Opcode::wmma:
    case Opcode::tex:
    case Opcode::cp: return true;
    default: return false;
  }
}

TEST(FormsAgainstPtxas, refuses_what_the_table_refuses) {
  const std::optional<std::string> ptxas = find_ptxas();
  if (!ptxas) GTEST_SKIP() << "NOT TESTED: there is no ptxas. Install the CUDA toolkit or set HEDDLE_PTXAS.";
  std::vector<Question> questions;
  for (const FormFamily* family : form_families())
    for (const Form& form : family->forms) {
      if (cannot_be_sampled(form) || ptxas_cannot_judge(form)) continue;
      for (Sample& sample : wrong_neighbours(*family, form, 60))
        questions.push_back({&form, std::move(sample.text), {}});
    }
  ASSERT_GT(questions.size(), 10000u);
  ask_all(*ptxas, questions);
  std::set<std::string> wrong;
  std::size_t refused = 0;
  for (const Question& q : questions) {
    refused += q.known && !q.reason.empty();
    if (q.known && q.reason.empty() && !is_leniency(*q.form, q.text)) wrong.insert(q.text);
  }
  EXPECT_GT(refused, questions.size() * 95 / 100);
  EXPECT_TRUE(wrong.empty()) << "ptxas takes what the table refuses:\n" << first_lines(wrong);
}

}  // namespace
}  // namespace heddle::ptx

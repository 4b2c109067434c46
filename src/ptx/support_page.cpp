#include "ptx/support_page.hpp"

#include <algorithm>
#include <set>

#include "ptx/decode_suffixes.hpp"
#include "ptx/form_rules.hpp"

namespace heddle::ptx {
namespace {

constexpr std::size_t samples_per_form = 400;
constexpr std::size_t alternatives_shown = 16;

// Number of choices at one position: its alternatives, and nothing when it is optional.
std::size_t choices(const Element& element) { return element.count + (element.optional ? 1u : 0u); }

ModifierList pick(const FormFamily& family, const Form& form, const std::vector<std::size_t>& choice) {
  ModifierList list;
  for (unsigned i = 0; i < form.element_count; ++i) {
    const Element& element = family.elements_of(form)[i];
    if (choice[i] < element.count) list.push_back(family.alternatives_of(element)[choice[i]]);
  }
  return list;
}

std::vector<std::size_t> nth_choice(std::span<const Element> elements, std::size_t n) {
  std::vector<std::size_t> choice;
  for (const Element& element : elements) {
    choice.push_back(n % choices(element));
    n /= choices(element);
  }
  return choice;
}

// Optional positions empty, others at their first alternative.
std::vector<std::size_t> plain_choice(std::span<const Element> elements) {
  std::vector<std::size_t> choice;
  for (const Element& element : elements) choice.push_back(element.optional ? element.count : 0u);
  return choice;
}

using Choices = std::set<std::vector<std::size_t>>;

Choices spread_choices(std::span<const Element> elements, std::size_t all, std::size_t limit) {
  Choices chosen;
  const std::vector<std::size_t> plain = plain_choice(elements);
  for (std::size_t i = 0; i < elements.size(); ++i)
    for (std::size_t c = 0; c < choices(elements[i]); ++c) {
      std::vector<std::size_t> choice = plain;
      choice[i] = c;
      chosen.insert(choice);
    }
  // A step near the golden section visits all parts of the range.
  const std::size_t step = static_cast<std::size_t>(static_cast<double>(all) * 0.6180339887) | 1;
  for (std::size_t n = 0, i = 0; chosen.size() < limit && i < 4 * limit; ++i, n = (n + step) % all)
    chosen.insert(nth_choice(elements, n));
  return chosen;
}

std::string since_text(const Since& since) {
  std::string text;
  if (since.ptx) text += "PTX " + std::to_string(since.ptx / 10) + "." + std::to_string(since.ptx % 10);
  if (since.sm) text += (text.empty() ? "sm_" : ", sm_") + std::to_string(since.sm);
  if (since.feature) text += since.feature;
  return text;
}

void add_family(const FormFamily& family, std::span<const SupportColumn> columns, std::string& page) {
  page += "\n## " + std::string(family.title) + "\n\n| instruction | since |";
  std::string rule = "|---|---|";
  for (const SupportColumn& column : columns) {
    page += " " + column.device + " |";
    rule += "---|";
  }
  page += "\n" + rule + "\n";
  for (const Form& form : family.forms) {
    std::string text = describe(family, form, alternatives_shown);
    // A bar would end the table's cell.
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
    page += "| `" + text + "` | " + since_text(form.since) + " |";
    for (const SupportColumn& column : columns) page += " " + support_of(family, form, column) + " |";
    page += "\n";
  }
}

}  // namespace

std::vector<ModifierList> suffix_lists(const FormFamily& family, const Form& form, std::size_t limit) {
  const std::span<const Element> elements = family.elements_of(form);
  std::size_t all = 1;
  for (const Element& element : elements) all *= choices(element);
  Choices chosen;
  if (all <= limit)
    for (std::size_t n = 0; n < all; ++n) chosen.insert(nth_choice(elements, n));
  else
    chosen = spread_choices(elements, all, limit);
  std::vector<ModifierList> lists;
  for (const auto& choice : chosen) {
    const ModifierList list = pick(family, form, choice);
    if (!find_conflict(form.opcode, list, decode_suffixes(form.opcode, list))) lists.push_back(list);
  }
  return lists;
}

std::string support_of(const FormFamily& family, const Form& form, const SupportColumn& column) {
  std::set<Modifier> in_good;
  std::vector<ModifierList> bad;
  std::size_t good = 0;
  for (const ModifierList& list : suffix_lists(family, form, samples_per_form)) {
    if (!column.runs(form, list, decode_suffixes(form.opcode, list))) {
      bad.push_back(list);
      continue;
    }
    ++good;
    in_good.insert(list.begin(), list.end());
  }
  if (bad.empty()) return "yes";
  if (good == 0) return "no";
  // Suffixes that no instruction which runs has, when they explain all that do not run.
  std::set<Modifier> culprits;
  for (const ModifierList& list : bad) {
    const auto culprit = std::find_if(list.begin(), list.end(), [&](Modifier m) { return !in_good.contains(m); });
    if (culprit == list.end()) return "in part";
    culprits.insert(*culprit);
  }
  std::string text = "but for";
  for (Modifier m : culprits) text += (m == *culprits.begin() ? " ." : ", .") + std::string(name(m));
  return text;
}

std::string support_page(std::span<const SupportColumn> columns) {
  std::string page =
      "# PTX instructions\n\n"
      "Made from the form table by `heddle_ptx_support`; a test fails when this page is old. Every instruction below "
      "is parsed,\n"
      "printed, checked and analysed. `{x}` may be left out, of `(x|y)` one is taken. \"since\" names the first PTX "
      "version and\n"
      "target that have the form, where these are newer than PTX 6.0 and sm_30; single suffixes may be newer. Suffixes "
      "may\n"
      "stand in any order as long as types keep theirs.\n";
  if (!columns.empty()) {
    std::string devices;
    for (const SupportColumn& column : columns) devices += (devices.empty() ? "`" : ", `") + column.device + "`";
    page += "\nThe last columns (" + devices +
            ") say which devices run a form, found by asking each about the form's instructions.\n"
            "A device refuses what it does not run by name and line, before the kernel starts or when the instruction "
            "is\nreached.\n";
  }
  for (const FormFamily* family : form_families()) add_family(*family, columns, page);
  return page;
}

}  // namespace heddle::ptx

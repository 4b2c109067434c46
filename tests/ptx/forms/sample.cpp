#include "ptx/forms/sample.hpp"

#include <algorithm>
#include <set>

#include "ptx/decode_suffixes.hpp"
#include "ptx/form_match.hpp"
#include "ptx/form_rules.hpp"
#include "ptx/support_page.hpp"
#include "ptx/vector_size.hpp"

namespace heddle::ptx {
namespace {

std::string suffix_text(const Form& form, const ModifierList& modifiers) {
  std::string text(name(form.opcode));
  for (Modifier m : modifiers)
    if (m != Modifier::unified) text += "." + std::string(name(m));  // stands behind the address
  return text;
}

class OperandWriter {
 public:
  OperandWriter(const Form& form, const ModifierList& modifiers, const Decoded& d)
      : form_(form), modifiers_(modifiers), d_(d) {}

  std::string operand(const SlotPattern& slot, bool vectors) {
    switch (slot.role) {
      case Role::address: return address(slot);
      case Role::label: return "L";
      case Role::callee: return "vf";
      case Role::list: return "()";
      default: break;
    }
    if (slot.sink_only) return "_";
    if (slot.plus_minus_one) return "-1";
    if (slot.immediate) return std::to_string(slot.most == slot.least ? slot.least : slot.least + slot.step);
    const unsigned count = vector_size(slot, vectors);
    const Type type = slot_type(slot);
    if (count == 0) return reg(type, bit_width(type), slot.relaxed);
    std::string text = "{";
    const unsigned width = slot.rule == TypeRule::pack ? bit_width(type) / count : bit_width(type);
    for (unsigned i = 0; i < count; ++i) text += (i > 0 ? "," : "") + reg(type, width, slot.relaxed);
    return text + "}";
  }

 private:
  // 0 for a scalar.
  unsigned vector_size(const SlotPattern& slot, bool vectors) const {
    switch (slot.shape) {
      case Shape::scalar: return 0;
      case Shape::by_suffix: return d_.vector == 1 ? 0u : d_.vector;
      case Shape::vector: return slot.count;
      case Shape::list: return std::max(1u, element_range(form_, slot, modifiers_, d_).least);
      case Shape::coordinates: return 0;
      case Shape::scalar_or_list: {
        const unsigned n = element_range(form_, slot, modifiers_, d_).least;
        if (n > 0) return n == 1 && !vectors ? 0 : n;
        return vectors && slot.role == Role::def ? 2u : 0u;
      }
    }
    return 0;
  }

  Type slot_type(const SlotPattern& slot) const {
    const Type of_suffix[] = {d_.type, d_.type2, d_.type3, d_.type4};
    switch (slot.rule) {
      case TypeRule::fixed: return slot.type;
      case TypeRule::any: return form_.opcode == Opcode::cp ? Type::b32 : Type::b64;
      case TypeRule::wide: return bit_width(of_suffix[slot.which]) == 16 ? Type::b32 : Type::b64;
      default: return of_suffix[slot.which];
    }
  }

  std::string reg(Type type, unsigned width, bool relaxed) {
    const std::string number = std::to_string(1 + next_++ % 30);
    if (type == Type::pred) return "%p" + number;
    switch (width) {
      case 128: return "%q" + number;
      case 64: return "%rd" + number;
      case 32: return "%r" + number;
      case 8: return (relaxed ? "%rs" : "%b") + number;
      default: return "%rs" + number;
    }
  }

  std::string address(const SlotPattern& slot) {
    std::string text = "[" + reg(Type::b64, 64, false) + "]";
    if (slot.shape == Shape::coordinates) return coordinates(slot);
    if (form_.opcode == Opcode::txq) return "[tx]";
    if (form_.opcode == Opcode::suq) return "[sf]";
    if (modifiers_.has(Modifier::param_func) || (modifiers_.has(Modifier::param) && form_.opcode == Opcode::st))
      text = "[pp]";
    else if (modifiers_.has(Modifier::param) || modifiers_.has(Modifier::param_entry))
      text = "[p]";
    return modifiers_.has(Modifier::unified) ? text + ".unified" : text;
  }

  std::string coordinates(const SlotPattern& slot) {
    const bool surface = form_.opcode == Opcode::suld || form_.opcode == Opcode::sust || form_.opcode == Opcode::sured;
    std::string text = form_.opcode == Opcode::cp ? "[" + reg(Type::b64, 64, false) : surface ? "[sf" : "[tx";
    const unsigned count = std::max(1u, element_range(form_, slot, modifiers_, d_).least);
    for (unsigned i = 0; i < count; ++i) text += (i > 0 ? "," : ",{") + reg(Type::b32, 32, false);
    return text + "}]";
  }

  const Form& form_;
  const ModifierList& modifiers_;
  const Decoded& d_;
  unsigned next_ = 0;
};

}  // namespace

std::string sample_text(const FormFamily& family, const Form& form, const ModifierList& modifiers, bool all_optional,
                        bool vectors) {
  const Decoded d = decode_suffixes(form.opcode, modifiers);
  OperandWriter writer(form, modifiers, d);
  std::string text = suffix_text(form, modifiers);
  const char* separator = " ";
  for (const SlotPattern& slot : family.slots_of(form)) {
    const bool there =
        slot.only_with != Modifier::none ? modifiers.has(slot.only_with) : !slot.optional || all_optional;
    if (!there) continue;
    text += slot.joined ? "|" : separator;
    text += writer.operand(slot, vectors);
    separator = ", ";
  }
  return text + ";";
}

// .unified wants a variable with an attribute of its own.
std::vector<ModifierList> sample_suffixes(const FormFamily& family, const Form& form, std::size_t limit) {
  std::vector<ModifierList> lists = suffix_lists(family, form, limit);
  std::erase_if(lists, [](const ModifierList& list) { return list.has(Modifier::unified); });
  return lists;
}

std::vector<Sample> samples(const FormFamily& family, const Form& form, std::size_t limit) {
  bool optional = false, either = false;
  for (const SlotPattern& slot : family.slots_of(form)) {
    optional |= slot.optional && slot.only_with == Modifier::none;
    either |= slot.shape == Shape::scalar_or_list;
  }
  std::vector<Sample> result;
  for (const ModifierList& list : sample_suffixes(family, form, limit)) {
    result.push_back({&form, list, sample_text(family, form, list, false, false)});
    if (optional) result.push_back({&form, list, sample_text(family, form, list, true, false)});
    if (either) result.push_back({&form, list, sample_text(family, form, list, false, true)});
  }
  return result;
}

std::vector<Sample> wrong_neighbours(const FormFamily& family, const Form& form, std::size_t limit) {
  const FormRange range = forms_of(form.opcode);
  std::set<Modifier> vocabulary;
  for (const Form& f : range.forms)
    for (const Element& element : family.elements_of(f))
      for (Modifier m : family.alternatives_of(element))
        if (m != Modifier::unified) vocabulary.insert(m);
  for (Type t :
       {Type::b8, Type::b16, Type::b32, Type::b64, Type::u8, Type::u16, Type::u32, Type::u64, Type::s8, Type::s16,
        Type::s32, Type::s64, Type::f16, Type::f16x2, Type::bf16, Type::bf16x2, Type::f32, Type::f64, Type::pred})
    vocabulary.insert(modifier_of(t));
  for (Modifier m :
       {Modifier::ftz, Modifier::sat, Modifier::rn, Modifier::rz, Modifier::relu, Modifier::approx, Modifier::v2})
    vocabulary.insert(m);

  const auto known = [&](const ModifierList& list) {
    return !find_conflict(form.opcode, list, decode_suffixes(form.opcode, list)) &&
           std::any_of(range.forms.begin(), range.forms.end(),
                       [&](const Form& f) { return suffixes_fit(family, f, list, true); });
  };
  std::vector<Sample> all;
  const auto repeats = [](const ModifierList& list) {
    for (unsigned i = 0; i < list.size(); ++i)
      for (unsigned j = 0; j < i; ++j)
        if (list[i] == list[j] && list[i] < Modifier::first_type_) return true;
    return false;
  };
  const auto consider = [&](const ModifierList& list) {
    if (!repeats(list) && !known(list)) all.push_back({&form, list, sample_text(family, form, list, false, false)});
  };
  for (const ModifierList& list : sample_suffixes(family, form, 12)) {
    for (unsigned at = 0; at <= list.size(); ++at) {
      const auto rebuild = [&](Modifier instead, bool insert) {
        ModifierList changed;
        for (unsigned i = 0; i <= list.size(); ++i) {
          if (i == at && instead != Modifier::none) changed.push_back(instead);
          if (i < list.size() && (i != at || insert)) changed.push_back(list[i]);
        }
        return changed;
      };
      if (at < list.size()) consider(rebuild(Modifier::none, false));
      for (Modifier m : vocabulary) {
        const bool type = m > Modifier::first_type_;
        if (at < list.size() && type == (list[at] > Modifier::first_type_)) consider(rebuild(m, false));
        if (!type && !list.has(m) && (at == 0 || at + 1 == list.size())) consider(rebuild(m, true));
      }
    }
  }
  std::vector<Sample> result;
  const std::size_t step = std::max<std::size_t>(1, all.size() / std::max<std::size_t>(1, limit));
  for (std::size_t i = 0; i < all.size(); i += step) result.push_back(std::move(all[i]));
  return result;
}

std::string sample_prologue(const std::string& version, const std::string& target) {
  const std::string wide = version >= "8.3" ? ".reg .b128 %q<33>; " : "";
  return ".version " + version + "\n.target " + target + "\n.address_size 64\n" +
         ".global .b32 gv[64];\n.global .texref tx;\n.global .surfref sf;\n.func vf;\n"
         ".visible .entry k(.param .align 8 .b8 p[256]) {\n"
         ".reg .b8 %b<33>; .reg .b16 %rs<33>; .reg .b32 %r<33>; .reg .b64 %rd<33>; " +
         wide +
         ".reg .pred %p<33>;\n"
         ".param .align 8 .b8 pp[64];\nL:\n";
}

}  // namespace heddle::ptx

#include "ptx/debug/entries.hpp"

#include <limits>
#include <string>

namespace heddle::ptx {
namespace {

enum : std::uint64_t {
  at_name = 0x03,
  at_abstract_origin = 0x31,
  at_specification = 0x47,
  at_type = 0x49,
  at_linkage_name = 0x6e,
  at_mips_linkage_name = 0x2007,
};

enum : std::uint64_t {
  form_addr = 0x01,
  form_block2 = 0x03,
  form_block4,
  form_data2,
  form_data4,
  form_data8,
  form_string,
  form_block,
  form_block1,
  form_data1,
  form_flag,
  form_sdata,
  form_strp,
  form_udata,
  form_ref_addr,
  form_ref1,
  form_ref2,
  form_ref4,
  form_ref8,
  form_ref_udata,
  form_indirect,
  form_sec_offset,
  form_exprloc,
  form_flag_present,
  form_ref_sig8 = 0x20,
};

std::string_view section(const SectionBytes& sections, std::string_view name) {
  const auto found = sections.find(name);
  return found == sections.end() ? std::string_view() : std::string_view(found->second);
}

// Behind the end there are zeros; `good` then is false.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes, std::size_t at = 0) : bytes_(bytes), at_(at), good_(at <= bytes.size()) {}
  bool good() const { return good_; }
  std::size_t at() const { return at_; }
  bool end() const { return !good_ || at_ == bytes_.size(); }

  std::uint64_t number(std::size_t size) {
    if (!room(size)) return 0;
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes_[at_ + i]);
    at_ += size;
    return value;
  }
  // LEB128.
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; room(1); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return 0;
  }
  std::string_view text() {
    const std::size_t end = good_ ? bytes_.find('\0', at_) : bytes_.npos;
    if (end == bytes_.npos) {
      good_ = false;
      return {};
    }
    const std::string_view found = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return found;
  }
  void skip(std::uint64_t count) {
    if (room(count)) at_ += count;
  }
  void break_off() { good_ = false; }

 private:
  bool room(std::uint64_t count) {
    good_ = good_ && count <= bytes_.size() - at_;
    return good_;
  }
  std::string_view bytes_;
  std::size_t at_;
  bool good_;
};

struct Abbreviation {
  DebugTag tag = {};
  bool children = false;
  struct Attribute {
    std::uint64_t name, form;
  };
  std::vector<Attribute> attributes = {};
};
using Abbreviations = std::map<std::uint64_t, Abbreviation>;

Abbreviations read_abbreviations(std::string_view bytes, std::uint64_t offset) {
  Abbreviations made;
  if (offset > bytes.size()) return made;
  Cursor from(bytes, offset);
  while (!from.end()) {
    const std::uint64_t code = from.number();
    if (code == 0) break;
    Abbreviation one;
    one.tag = static_cast<DebugTag>(from.number());
    one.children = from.number(1) != 0;
    while (from.good()) {
      const std::uint64_t name = from.number(), form = from.number();
      if (name == 0 && form == 0) break;
      one.attributes.push_back({name, form});
    }
    if (from.good()) made.emplace(code, std::move(one));
  }
  return made;
}

struct Unit {
  std::uint64_t begin = 0;  // references within the unit count from there
  std::uint64_t version = 0;
  std::size_t address_bytes = 0;
};

class Reader {
 public:
  explicit Reader(const SectionBytes& sections)
      : info_(section(sections, ".debug_info")),
        abbreviations_(section(sections, ".debug_abbrev")),
        strings_(section(sections, ".debug_str")) {}

  std::map<std::uint64_t, DebugEntry> read() {
    Cursor from(info_);
    while (!from.end()) {
      Unit unit{from.at()};
      const std::uint64_t length = from.number(4);
      const std::size_t end = from.at() + length;
      if (!from.good() || end > info_.size()) break;  // as for DWARF of 64 bits, which no compiler writes into PTX
      unit.version = from.number(2);
      const std::uint64_t abbreviations = from.number(4);
      unit.address_bytes = from.number(1);
      if (unit.version < 2 || unit.version > 4) break;
      read_unit(Cursor(info_.substr(0, end), from.at()), unit, read_abbreviations(abbreviations_, abbreviations));
      from = Cursor(info_, end);
    }
    return std::move(made_);
  }

 private:
  struct Value {
    std::uint64_t number = 0;
    std::string_view text = {};
  };

  void read_unit(Cursor from, const Unit& unit, const Abbreviations& abbreviations) {
    std::vector<DebugEntry*> parents;  // null: one that is not kept
    while (!from.end()) {
      const std::uint64_t at = from.at(), code = from.number();
      if (code == 0) {
        if (!parents.empty()) parents.pop_back();
        continue;
      }
      const auto found = abbreviations.find(code);
      if (found == abbreviations.end()) return;
      DebugEntry entry{found->second.tag};
      for (const Abbreviation::Attribute& attribute : found->second.attributes) {
        const Value value = read_value(from, attribute.form, unit, 0);
        if (!from.good()) return;
        keep(entry, attribute.name, value);
      }
      DebugEntry* const kept = is_wanted(entry.tag) ? &made_.emplace(at, std::move(entry)).first->second : nullptr;
      const bool parameter = kept != nullptr && kept->tag == DebugTag::formal_parameter;
      if (parameter && !parents.empty() && parents.back() != nullptr && parents.back()->tag == DebugTag::subprogram)
        parents.back()->parameters.push_back(at);
      if (found->second.children) parents.push_back(kept);
    }
  }

  static bool is_wanted(DebugTag tag) {
    switch (tag) {
      case DebugTag::array_type:
      case DebugTag::class_type:
      case DebugTag::enumeration_type:
      case DebugTag::formal_parameter:
      case DebugTag::pointer_type:
      case DebugTag::reference_type:
      case DebugTag::structure_type:
      case DebugTag::typedef_type:
      case DebugTag::union_type:
      case DebugTag::base_type:
      case DebugTag::const_type:
      case DebugTag::subprogram:
      case DebugTag::volatile_type:
      case DebugTag::restrict_type:
      case DebugTag::rvalue_reference_type: return true;
    }
    return false;
  }

  static void keep(DebugEntry& entry, std::uint64_t attribute, const Value& value) {
    switch (attribute) {
      case at_name: entry.name = value.text; break;
      case at_linkage_name:
      case at_mips_linkage_name: entry.linkage_name = value.text; break;
      case at_type: entry.type = value.number; break;
      case at_abstract_origin:
      case at_specification: entry.origin = value.number; break;
      default: break;
    }
  }

  Value read_value(Cursor& from, std::uint64_t form, const Unit& unit, unsigned depth) const {
    const auto skipped = [&](std::uint64_t count) {
      from.skip(count);
      return Value{};
    };
    switch (form) {
      case form_addr: return skipped(unit.address_bytes);
      case form_block1: return skipped(from.number(1));
      case form_block2: return skipped(from.number(2));
      case form_block4: return skipped(from.number(4));
      case form_block:
      case form_exprloc: return skipped(from.number());
      case form_data1:
      case form_flag: return {from.number(1)};
      case form_data2: return {from.number(2)};
      case form_data4:
      case form_sec_offset: return {from.number(4)};
      case form_data8:
      case form_ref_sig8: return {from.number(8)};
      case form_sdata:
      case form_udata: return {from.number()};
      case form_flag_present: return {1};
      case form_string: return {0, from.text()};
      case form_strp: return {0, Cursor(strings_, string_offset(from.number(4))).text()};
      case form_ref_addr: return {from.number(unit.version == 2 ? unit.address_bytes : 4)};
      case form_ref1: return {unit.begin + from.number(1)};
      case form_ref2: return {unit.begin + from.number(2)};
      case form_ref4: return {unit.begin + from.number(4)};
      case form_ref8: return {unit.begin + from.number(8)};
      case form_ref_udata: return {unit.begin + from.number()};
      case form_indirect:
        if (depth == 0) return read_value(from, from.number(), unit, 1);
        break;
      default: break;
    }
    from.break_off();
    return {};
  }

  std::size_t string_offset(std::uint64_t offset) const { return offset < strings_.size() ? offset : strings_.size(); }

  std::string_view info_, abbreviations_, strings_;
  std::map<std::uint64_t, DebugEntry> made_;
};

}  // namespace

std::map<std::uint64_t, DebugEntry> read_debug_entries(const SectionBytes& sections) { return Reader(sections).read(); }

}  // namespace heddle::ptx

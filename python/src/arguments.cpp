// Values of Python as arguments of kernels.
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "objects.hpp"

namespace heddle::python {
namespace {

// One argument on its way; what messages need.
struct Place {
  const Kernel& kernel;
  std::size_t index;
  py::handle value;
  const Plan& plan() const { return kernel.parameters()[index]; }
};

// "argument 2 of kernel square(float*, int), parameter n (int)"
std::string where(const Place& place) {
  return "argument " + std::to_string(place.index + 1) + " of kernel " + place.kernel.readable() + ", parameter " +
         described(place.plan());
}

[[noreturn]] void refuse(const Place& place, Wrong wrong, const std::string& advice) {
  const std::string type = Py_TYPE(place.value.ptr())->tp_name;
  raise(wrong, where(place) + ", was given a value of type " + type + "; " + advice);
}

// Python refuses to write out integers of thousands of digits.
std::string shown(const py::handle& value) {
  const auto text = py::reinterpret_steal<py::object>(PyObject_Str(value.ptr()));
  const char* const bytes = text ? PyUnicode_AsUTF8(text.ptr()) : nullptr;
  if (bytes == nullptr) {
    PyErr_Clear();
    return std::string("a value of type ") + Py_TYPE(value.ptr())->tp_name;
  }
  const std::string_view all = bytes;
  return all.size() <= 40 ? std::string(all) : std::string(all.substr(0, 37)) + "...";
}

// The value's own code has raised an exception when it was asked for a number.
[[noreturn]] void fail_in_value(const Place& place, const char* method) {
  const bool is_error = PyErr_ExceptionMatches(PyExc_Exception) != 0;  // no interrupt
  py::error_already_set error;
  if (!is_error) throw error;
  refuse(place, Wrong::type,
         std::string("its ") + method + " has raised " + Py_TYPE(error.value().ptr())->tp_name + ": " +
             shown(error.value()));
}

constexpr const char* wants_array =
    "it takes a heddle.Array or None: runtime.array(...) copies a NumPy array into one, and heddle.opaque(address) is "
    "an "
    "address of memory that belongs to no array";

std::string wants_structure(const Plan& plan) {
  return "it takes a structure of " + std::to_string(plan.bytes) +
         " bytes, padding included: a scalar of a structured NumPy dtype (align=True), bytes, a ctypes.Structure or a "
         "NumPy array of so many bytes";
}

// A scalar of NumPy, or anything else with bytes to show.
class Bytes {
 public:
  explicit Bytes(py::handle value) {
    if (PyObject_CheckBuffer(value.ptr()) == 0) return;
    if (PyObject_GetBuffer(value.ptr(), &view_, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) == 0)
      held_ = true;
    else
      PyErr_Clear();
  }
  ~Bytes() {
    if (held_) PyBuffer_Release(&view_);
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  bool there() const { return held_; }
  const Py_buffer& view() const { return view_; }
  // 'i', 'f', '?' of a single number, else 0.
  char number() const {
    if (!held_ || view_.ndim != 0 || view_.format == nullptr) return 0;
    std::string_view format = view_.format;
    while (!format.empty() && std::string_view("@=<").find(format[0]) != format.npos) format.remove_prefix(1);
    if (format.size() != 1) return 0;
    if (format[0] == '?') return '?';
    if (std::string_view("bBhHiIlLqQ").find(format[0]) != format.npos) return 'i';
    return std::string_view("efdg").find(format[0]) != format.npos ? 'f' : 0;
  }
  // Whether the bytes of some number are swapped.
  bool swapped() const { return mentions("!>"); }
  bool has_objects() const { return mentions("O"); }

 private:
  // Whether the format has one of the codes. In formats of structures names stand between colons.
  bool mentions(std::string_view codes) const {
    bool in_name = false;
    for (const char* at = held_ ? view_.format : nullptr; at != nullptr && *at != 0; ++at) {
      if (*at == ':') in_name = !in_name;
      if (!in_name && codes.find(*at) != codes.npos) return true;
    }
    return false;
  }

  Py_buffer view_{};
  bool held_ = false;
};

// Devices are little-endian, and get the bytes as they are.
void refuse_swapped(const Place& place, const Bytes& bytes) {
  if (bytes.swapped())
    refuse(place, Wrong::type,
           "its bytes are in big-endian order: convert it with value.astype(value.dtype.newbyteorder('='))");
}

void set_bytes(heddle_argument& to, heddle_argument_kind kind, const void* data, std::size_t bytes) {
  to = heddle_value(kind, data, bytes);
}

heddle_argument integer(const Place& place, const py::handle& number) {
  const Plan& plan = place.plan();
  int overflow = 0;
  const long long small = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (small == -1 && overflow == 0 && PyErr_Occurred() != nullptr) fail_in_value(place, "__index__");
  std::uint64_t bits = static_cast<std::uint64_t>(small);
  bool fits = overflow == 0 && small >= plan.least && (small < 0 || static_cast<std::uint64_t>(small) <= plan.most);
  if (overflow > 0) {
    bits = PyLong_AsUnsignedLongLong(number.ptr());
    fits = PyErr_Occurred() == nullptr && bits <= plan.most;
    PyErr_Clear();
  }
  if (!fits)
    raise(Wrong::overflow, where(place) + ", was given " + shown(number) + ", which does not fit: it takes " +
                               std::to_string(plan.least) + " to " + std::to_string(plan.most));
  heddle_argument result;
  set_bytes(result, HEDDLE_ARGUMENT_INTEGER, &bits, plan.bytes);  // little endian
  return result;
}

heddle_argument floating(const Place& place, double value) {
  if (place.plan().bytes == 8) return heddle_f64(value);
  const float narrow = static_cast<float>(value);
  if (std::isfinite(value) && !std::isfinite(narrow))
    raise(Wrong::overflow, where(place) + ", was given " + shown(place.value) + ", which does not fit into 32 bits");
  return heddle_f32(narrow);
}

// A number of Python or NumPy, or of anything that says how it becomes one, for a floating-point parameter.
heddle_argument floating(const Place& place, const Bytes& bytes) {
  PyObject* const object = place.value.ptr();
  const PyNumberMethods* const methods = Py_TYPE(object)->tp_as_number;
  const bool array = bytes.there() && bytes.view().ndim != 0;
  const bool number = methods != nullptr && (methods->nb_float != nullptr || methods->nb_index != nullptr);
  if (array || !number || (bytes.there() && bytes.number() == 0) || PyComplex_Check(object))
    refuse(place, Wrong::type, "it takes a single real number");
  const double value = PyFloat_AsDouble(object);
  if (value == -1 && PyErr_Occurred() != nullptr) {
    if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0)
      fail_in_value(place, methods->nb_float != nullptr ? "__float__" : "__index__");
    PyErr_Clear();
    raise(Wrong::overflow, where(place) + ", was given " + shown(place.value) + ", which does not fit into 64 bits");
  }
  return floating(place, value);
}

heddle_argument structure(const Place& place, const Bytes& bytes, Converted& to) {
  const Plan& plan = place.plan();
  if (!bytes.there()) refuse(place, Wrong::type, wants_structure(plan));
  if (bytes.has_objects())
    refuse(place, Wrong::type, "it holds objects of Python, which kernels cannot use; " + wants_structure(plan));
  const auto size = static_cast<std::size_t>(bytes.view().len);
  if (size != plan.bytes)
    refuse(place, Wrong::type, "it has " + std::to_string(size) + " bytes; " + wants_structure(plan));
  refuse_swapped(place, bytes);
  heddle_argument result;
  if (size <= sizeof result.value.bytes) {
    set_bytes(result, HEDDLE_ARGUMENT_STRUCTURE, bytes.view().buf, size);
    return result;
  }
  auto copy = std::make_unique<unsigned char[]>(size);
  std::memcpy(copy.get(), bytes.view().buf, size);
  set_bytes(result, HEDDLE_ARGUMENT_STRUCTURE, copy.get(), size);
  to.structures.push_back(std::move(copy));
  return result;
}

bool is_array(const Bytes& bytes) { return bytes.there() && bytes.view().ndim > 0; }

heddle_argument integer_or_bits(const Place& place, const Bytes& bytes) {
  const Plan& plan = place.plan();
  PyObject* const object = place.value.ptr();
  const bool bits = plan.kind == Plan::Kind::bits;
  const char number = bytes.number();
  if (number == '?') {  // NumPy's bool is no index
    const auto truth = static_cast<std::uint64_t>(*static_cast<const unsigned char*>(bytes.view().buf));
    heddle_argument result;
    set_bytes(result, HEDDLE_ARGUMENT_INTEGER, &truth, plan.bytes);
    return result;
  }
  // What PTX calls .b16 may be half, bfloat16 or an integer: a scalar of NumPy of that size says which.
  if (bits && bytes.there() && number != 'i' && !is_array(bytes) &&
      static_cast<std::size_t>(bytes.view().len) == plan.bytes) {
    refuse_swapped(place, bytes);
    heddle_argument result;
    set_bytes(result, HEDDLE_ARGUMENT_STRUCTURE, bytes.view().buf, plan.bytes);
    return result;
  }
  if (PyFloat_Check(object) || number == 'f')
    refuse(place, Wrong::type,
           bits ? "its type is not known from PTX, so pass a NumPy scalar of its size, as numpy.float32(...)"
                : "it takes an integer: convert it with int(...)");
  if (is_array(bytes) || PyIndex_Check(object) == 0)
    refuse(place, Wrong::type, plan.may_be_index ? wants_array : "it takes an integer");
  const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(object));
  if (!index) fail_in_value(place, "__index__");
  return integer(place, index);
}

heddle_argument array(const Place& place, const ArrayBase& value, Converted& to) {
  const Plan& plan = place.plan();
  if (plan.kind == Plan::Kind::floating || plan.kind == Plan::Kind::structure || plan.bytes != 8)
    refuse(place, Wrong::type,
           plan.kind == Plan::Kind::structure ? wants_structure(plan) : "it takes a number, no array");
  if (plan.element != HEDDLE_ELEMENT_UNKNOWN && value.element != HEDDLE_ELEMENT_UNKNOWN &&
      plan.element != value.element) {
    const std::string dtype = py::str(place.value.attr("dtype"));
    raise(Wrong::type, where(place) + ", was given a heddle.Array of dtype " + dtype +
                           "; make the array of the type that the kernel wants, or pass array.view(dtype) if the bytes "
                           "are meant");
  }
  if (value.buffer->runtime() != place.kernel.runtime())
    refuse(place, Wrong::value, "the array belongs to another heddle.Runtime than the kernel");
  to.buffers.emplace_back(value.buffer, plan.access);
  return heddle_part(value.buffer->handle(), value.offset, value.bytes);
}

// What is said of it counts where the PTX does not tell, so for what the host must wait for later.
heddle_argument said(const Place& place, const Said& value, Converted& to) {
  if (value.array.is_none()) return heddle_null();
  const auto& given = py::cast<const ArrayBase&>(value.array);
  const heddle_argument made = heddle_said(array({place.kernel, place.index, value.array}, given, to), value.kind);
  to.buffers.back().second = value.kind == HEDDLE_ARGUMENT_IN ? HEDDLE_ACCESS_READ : HEDDLE_ACCESS_READ_WRITE;
  return made;
}

heddle_argument converted(const Place& place, Converted& to) {
  const Plan& plan = place.plan();
  PyObject* const object = place.value.ptr();
  // The usual ones first.
  if (plan.kind == Plan::Kind::integer && PyLong_CheckExact(object)) return integer(place, place.value);
  if (plan.kind == Plan::Kind::floating && PyFloat_CheckExact(object))
    return floating(place, PyFloat_AS_DOUBLE(object));
  if (py::isinstance<ArrayBase>(place.value)) return array(place, py::cast<const ArrayBase&>(place.value), to);
  if (py::isinstance<Said>(place.value)) return said(place, py::cast<const Said&>(place.value), to);
  if (py::isinstance<Opaque>(place.value)) return heddle_opaque(py::cast<const Opaque&>(place.value).address);
  if (place.value.is_none()) {
    if (plan.bytes != 8 || plan.kind == Plan::Kind::floating || plan.kind == Plan::Kind::structure)
      refuse(place, Wrong::type, "it is no pointer");
    return heddle_null();
  }
  if (plan.kind == Plan::Kind::pointer) refuse(place, Wrong::type, wants_array);
  const Bytes bytes(place.value);
  if (plan.kind == Plan::Kind::floating) return floating(place, bytes);
  if (plan.kind == Plan::Kind::structure) return structure(place, bytes, to);
  return integer_or_bits(place, bytes);
}

}  // namespace

void convert(const Kernel& kernel, std::size_t index, py::handle value, Converted& to) {
  to.list.push_back(converted({kernel, index, value}, to));
}

}  // namespace heddle::python

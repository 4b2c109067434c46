// The shared library is made of the rooms' archives; a library target needs one source of its own.
namespace heddle::runtime {}

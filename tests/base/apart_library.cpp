// A library whose constructor asks for work that opens a library (apart_test.cpp has the function).
extern "C" void apart_library_loads();

__attribute__((constructor)) static void load() { apart_library_loads(); }

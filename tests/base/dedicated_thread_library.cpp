// A library whose constructor asks for work that opens a library (dedicated_thread_test.cpp has the function).
extern "C" void dedicated_thread_library_loads();

__attribute__((constructor)) static void load() { dedicated_thread_library_loads(); }

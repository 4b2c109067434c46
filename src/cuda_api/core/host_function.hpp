// Functions of the program that a stream runs, on threads of Heddle's or on one that waits.
#pragma once

namespace heddle::cuda_api {

// Whether the thread runs such a function: it makes no calls of CUDA. Not inline: each of CUDA's libraries would have a
// mark of its own.
bool in_host_function() noexcept;
// Throws cudaErrorNotPermitted in such a function. One that waited for its own stream would wait for ever.
void refuse_in_host_function();

// Marks the thread, and runs work(data). Where the function ends the thread (pthread_exit), the process ends with a
// sentence: the stream would never end. Where it throws, the process ends by std::terminate(), with a sentence.
void run_host_function(void (*work)(void*), void* data);

}  // namespace heddle::cuda_api

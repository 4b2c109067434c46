// Where an instruction of a launch comes from, and which thread of it is meant, for messages. Slow.
#pragma once

#include <cstdint>
#include <string>

#include "device/cpu/launch_job.hpp"

namespace heddle::device::cpu {

std::string block_name(const BlockContext& block);
std::string block_name(const LaunchJob& job, std::uint64_t id);
std::string thread_name(const LaunchJob& job, std::uint32_t linear);

// The instruction by the number that its code has; null: not known.
const ptx::Instruction* instruction_of(const LaunchJob& job, unsigned number);
// " at saxpy.cu:12 (PTX line 40: st.global.f32 [%rd4], %f1;)", or what of it is known. In a function it says where that
// is called, first of all for functions that the programmer has not written.
std::string code_place(const LaunchJob& job, unsigned number);

}  // namespace heddle::device::cpu

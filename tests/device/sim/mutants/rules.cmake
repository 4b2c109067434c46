# Sources of src/device/sim without one of their rules: cmake -DFOLDER=src/device/sim -DOUTPUT=... -DMUTANT=NAME -P
# rules.cmake writes one. Where it is included, it only says which there are.

# Virtual Thread, H1.
set(vt_without_owner_file sm_residency.cpp)
set(vt_without_owner_from "if (physical_.owned_by(done.physical, block.warps[done.warp].slot)) {")
set(vt_without_owner_to "if (done.physical != PhysicalWarps::nobody) {")
set(vt_registers_by_row_file policies/virtual_thread/physical_warps.cpp)
set(vt_registers_by_row_from "registers_of(std::uint32_t row) const { return rows_[row].owner; }")
set(vt_registers_by_row_to "registers_of(std::uint32_t row) const { return row; }")
set(vt_without_pending_writes_file sm_residency.cpp)
set(vt_without_pending_writes_from "block.pending_writes != 0 || block.last_write > now_;")
set(vt_without_pending_writes_to "false;")
set(vt_keeps_rows_file policies/virtual_thread/physical_warps.cpp)
set(vt_keeps_rows_from "  return rows_[row].board.clear();")
set(vt_keeps_rows_to "  Scoreboard copy = rows_[row].board;\n  return copy.clear();")
set(vt_without_limit_file policies/virtual_thread/rotation.cpp)
set(vt_without_limit_from "  return active_ + 1 <= limits_.blocks &&")
set(vt_without_limit_to "  return active_ + 1 <= 2 * limits_.blocks &&")

# Dynamic warp formation: lanes, places, and warps that have issued.
set(dwf_any_lane_file policies/formation/warp_pool.cpp)
set(dwf_any_lane_from "limits_.registers == RegisterFile::lane_aware ? limits_.home_lanes : 1")
set(dwf_any_lane_to "1")
set(dwf_occupied_lanes_file policies/formation/warp_pool.cpp)
set(dwf_occupied_lanes_from "  if (((warp.mask >> home) & 1) == 0) return home;\n")
set(dwf_occupied_lanes_to "  if (home < limits_.width) return home;\n")
set(dwf_any_place_file policies/formation/pc_warp_lut.cpp)
set(dwf_any_place_from "set[i].warp == no_warp || set[i].place != place")
set(dwf_any_place_to "set[i].warp == no_warp")
set(dwf_issued_warps_file policies/formation/warp_pool.cpp)
set(dwf_issued_warps_from "  lut_.forget(warp.index);\n")
set(dwf_issued_warps_to "")
set(dwf_forgets_the_queue_file policies/formation/warp_pool.cpp)
set(dwf_forgets_the_queue_from "      queue_.insert(queue_.end(), waiting.begin() + static_cast<std::ptrdiff_t>(i), waiting.end());\n")
set(dwf_forgets_the_queue_to "")

# Branch and warp interweaving: masks of contexts and of slots.
set(sbi_keeps_the_old_context_file policies/frontier/contexts.cpp)
set(sbi_keeps_the_old_context_from "hot_[slot].mask != 0 && !((slots >> slot) & 1)")
set(sbi_keeps_the_old_context_to "hot_[slot].mask != 0 && (slots != 3 || slot == 1)")
set(sbi_joins_without_mask_file policies/frontier/contexts.cpp)
set(sbi_joins_without_mask_from "      list[i].mask |= list[j].mask;\n")
set(sbi_joins_without_mask_to "")
set(sbi_first_part_only_file policies/frontier/frontier.cpp)
set(sbi_first_part_only_from "    one.mask |= lanes;\n")
set(sbi_first_part_only_to "    one.mask = lanes;\n")
set(swi_any_lanes_file policies/interweaving/chooser.cpp)
set(swi_any_lanes_from "return (one.lanes & first->lanes) == 0;")
set(swi_any_lanes_to "return true;")
set(sbi_second_is_the_first_file policies/frontier/contexts.cpp)
set(sbi_second_is_the_first_from "SplitContext{} : list_[1];")
set(sbi_second_is_the_first_to "SplitContext{} : list_[0];")
set(sbi_parts_twice_file sm_interweave.cpp)
set(sbi_parts_twice_from "  if (has_parted && may_part) return;\n")
set(sbi_parts_twice_to "")

# Convergence barriers and thread block compaction.
set(its_leaves_the_arrived_file policies/convergence/barriers.cpp)
set(its_leaves_the_arrived_from "    come({barrier.join, barrier.arrived, 0}, true);\n")
set(its_leaves_the_arrived_to "")
set(its_forgets_the_waiting_file policies/convergence/barriers.cpp)
set(its_forgets_the_waiting_from "  if (parts.waiting != 0) waiting_.push_back(parts.waiting);\n")
set(its_forgets_the_waiting_to "")
set(tbc_any_lane_file policies/compaction/entries.cpp)
set(tbc_any_lane_from "const unsigned lane = homes_[thread->linear];")
set(tbc_any_lane_to "const unsigned lane = (homes_[thread->linear] + 1u) % machine::warp_size;")
set(tbc_forgets_the_joined_file policies/compaction/entries.cpp)
set(tbc_forgets_the_joined_from "      entry.parent->joined.push_back(thread);\n")
set(tbc_forgets_the_joined_to "")

set(policy_mutants
  vt_without_owner
  vt_registers_by_row
  vt_without_pending_writes
  vt_keeps_rows
  vt_without_limit
  dwf_any_lane
  dwf_occupied_lanes
  dwf_any_place
  dwf_issued_warps
  dwf_forgets_the_queue
  sbi_keeps_the_old_context
  sbi_joins_without_mask
  sbi_first_part_only
  swi_any_lanes
  sbi_second_is_the_first
  sbi_parts_twice
  its_leaves_the_arrived
  its_forgets_the_waiting
  tbc_any_lane
  tbc_forgets_the_joined)

if(NOT CMAKE_SCRIPT_MODE_FILE)
  return()
endif()
file(READ ${FOLDER}/${${MUTANT}_file} text)
string(FIND "${text}" "${${MUTANT}_from}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "${${MUTANT}_file} has changed: policy_mutants.cmake finds nothing to leave out for ${MUTANT}")
endif()
string(REPLACE "${${MUTANT}_from}" "${${MUTANT}_to}" text "${text}")
file(WRITE ${OUTPUT} "${text}
namespace heddle::device::sim {
extern const char* const left_out;
const char* const left_out = \"${MUTANT}\";
}  // namespace heddle::device::sim
")

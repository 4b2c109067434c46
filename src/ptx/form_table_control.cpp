// Forms of control flow, calls, stack, barriers, warp operations and miscellaneous instructions (PTX ISA 9.0, sections
// 9.7.10, 9.7.12, 9.7.13, 9.7.19).
#include "ptx/form_text.hpp"

namespace heddle::ptx {
namespace {

constexpr form_text::FormText control_texts[] = {
    {"bra.uni?", "@target"},
    {"brx.idx.uni?", "index:u32, @targets", {60, 30}},
    {"call.uni?", "(results)?, ^callee, (arguments)?, @prototype?"},
    {"ret.uni?", ""},
    {"exit", ""},
    {"trap", ""},
    {"brkpt", ""},
    {"pmevent", "#a{0..15}"},
    {"pmevent.mask", "#a"},
    {"nanosleep.u32", "t", {63, 70}},
    {"alloca.(u32|u64)", "=d, size, #align?", {73, 52}},
    {"stacksave.(u32|u64)", "=d", {73, 52}},
    {"stackrestore.(u32|u64)", "a", {73, 52}},
    {"setmaxnreg.(inc|dec).sync.aligned.u32", "#n{24..256/8}", {80, 90, 'a'}},
    {"griddepcontrol.(launch_dependents|wait)", "", {78, 90}},
    {"clusterlaunchcontrol.try_cancel.async.shared::cta?.mbarrier::complete_tx::bytes.multicast::cluster::all?.b128",
     "[a], [mbar]",
     {86, 100}},
    {"clusterlaunchcontrol.query_cancel.is_canceled.pred.b128", "=p:pred, response:b128", {86, 100}},
    {"clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128", "=d*v, response:b128", {86, 100}},
    {"clusterlaunchcontrol.query_cancel.(get_first_ctaid::x|get_first_ctaid::y|get_first_ctaid::z).b32.b128",
     "=d, response:b128",
     {86, 100}},

    {"bar.warp.sync", "mask:u32", {60, 30}},
    {"bar.sync", "a:u32, b:u32?"},
    {"bar.cta.sync", "a:u32, b:u32?", {78, 0}},
    {"bar.arrive", "a:u32, b:u32"},
    {"bar.cta.arrive", "a:u32, b:u32", {78, 0}},
    {"bar.red.popc.u32", "=d, a:u32, b:u32?, p:pred!"},
    {"bar.cta.red.popc.u32", "=d, a:u32, b:u32?, p:pred!", {78, 0}},
    {"bar.red.(and|or).pred", "=d, a:u32, b:u32?, p:pred!"},
    {"bar.cta.red.(and|or).pred", "=d, a:u32, b:u32?, p:pred!", {78, 0}},
    {"barrier.sync.aligned?", "a:u32, b:u32?", {60, 30}},
    {"barrier.cta.sync.aligned?", "a:u32, b:u32?", {78, 30}},
    {"barrier.arrive.aligned?", "a:u32, b:u32", {60, 30}},
    {"barrier.cta.arrive.aligned?", "a:u32, b:u32", {78, 30}},
    {"barrier.red.popc.aligned?.u32", "=d, a:u32, b:u32?, p:pred!", {60, 30}},
    {"barrier.cta.red.popc.aligned?.u32", "=d, a:u32, b:u32?, p:pred!", {78, 30}},
    {"barrier.red.(and|or).aligned?.pred", "=d, a:u32, b:u32?, p:pred!", {60, 30}},
    {"barrier.cta.red.(and|or).aligned?.pred", "=d, a:u32, b:u32?, p:pred!", {78, 30}},
    {"barrier.cluster.arrive.(release|relaxed)?.aligned?", "", {78, 90}},
    {"barrier.cluster.wait.acquire?.aligned?", "", {78, 90}},

    {"shfl.sync.(up|down|bfly|idx).b32", "=d|=p:pred?, a, b:u32, c:u32, mask:u32", {60, 30}},
    {"shfl.(up|down|bfly|idx).b32", "=d|=p:pred?, a, b:u32, c:u32"},
    {"vote.sync.(all|any|uni).pred", "=d, a:pred!, mask:u32", {60, 30}},
    {"vote.sync.ballot.b32", "=d, a:pred!, mask:u32", {60, 30}},
    {"vote.(all|any|uni).pred", "=d, a:pred!"},
    {"vote.ballot.b32", "=d, a:pred!"},
    {"match.any.sync.(b32|b64)", "=d:u32, a, mask:u32", {60, 70}},
    {"match.all.sync.(b32|b64)", "=d:u32|=p:pred?, a, mask:u32", {60, 70}},
    {"activemask.b32", "=d", {62, 30}},
    {"redux.sync.(add|min|max).(u32|s32)", "=d, a, mask:u32", {70, 80}},
    {"redux.sync.(and|or|xor).b32", "=d, a, mask:u32", {70, 80}},
    {"redux.sync.(min|max).abs?.NaN?.f32", "=d, a, mask:u32", {86, 100, 'f'}},
    {"elect.sync", "=d:b32&|=p:pred, mask:u32", {80, 90}},
    {"mapa.shared::cluster?.(u32|u64)", "=d, a, b:u32", {78, 90}},
    {"getctarank.shared::cluster?.(u32|u64)", "=d:u32, a", {78, 90}},
};

}  // namespace

HEDDLE_FORM_FAMILY(control_forms, "Control flow, barriers, warp operations", control_texts)

}  // namespace heddle::ptx

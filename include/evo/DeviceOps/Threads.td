// Who am I, waiting and exchanging. Special registers, barriers, what a warp
// does together, clusters.

// Kinds of calls; what each does is a case in lib/Simulator/Decode.
def SregRead : CallKind<SREG>;
def ReservedShared : CallKind; // a constant
def Barrier : CallKind<BAR>;
def BarrierRed : CallKind<BAR>;
def WarpSync : CallKind<WARPSYNC>;
def Shuffle : CallKind<SHFL>;
def Vote : CallKind<VOTE>;
def Match : CallKind<MATCH>;
def Redux : CallKind<REDUX>;
def ActiveMask : CallKind<ACTIVEMASK>;
def Fence : CallKind<FENCE>;
def FenceStatement : CallKind<FENCE>;

/// A special register; in PTX it has an underscore for the points of `path`.
class SpecialRegister<string path, string dimension, string sreg>
    : Function<"read.ptx.sreg."#path#dimension, "SregRead",
               "int(Sreg::"#sreg#")"> {
  let Registers = "%"#!subst(".", "_", path)#dimension;
}
foreach d = ["x", "y", "z"] in {
  let Tells = "Tells::ThreadId" in
  def : SpecialRegister<"tid", "."#d, "Tid"#!toupper(d)>;
  let Tells = "Tells::BlockDim" in
  def : SpecialRegister<"ntid", "."#d, "Ntid"#!toupper(d)>;
  let Tells = "Tells::BlockId" in
  def : SpecialRegister<"ctaid", "."#d, "Ctaid"#!toupper(d)>;
  let Tells = "Tells::GridDim" in
  def : SpecialRegister<"nctaid", "."#d, "Nctaid"#!toupper(d)>;
}
let Tells = "Tells::Lane" in {
  def : SpecialRegister<"laneid", "", "LaneId">;
  def : SpecialRegister<"lanemask.eq", "", "LaneMaskEq">;
  def : SpecialRegister<"lanemask.lt", "", "LaneMaskLt">;
  def : SpecialRegister<"lanemask.le", "", "LaneMaskLe">;
  def : SpecialRegister<"lanemask.gt", "", "LaneMaskGt">;
  def : SpecialRegister<"lanemask.ge", "", "LaneMaskGe">;
  // In PTX it is a constant, WARP_SZ.
  def : Function<"read.ptx.sreg.warpsize", "SregRead", "int(Sreg::WarpSize)">;
}
// A launch without clusters has one block in each. PTX's spelling of these is
// not decoded.
let Tells = "Tells::Cluster", Scope = "Scope::Cluster" in {
  defvar inCluster = "read.ptx.sreg.cluster.";
  def : Function<inCluster#"ctaid.x "#inCluster#"ctaid.y "#inCluster#
                 "ctaid.z "#inCluster#"ctarank is_explicit_cluster",
                 "SregRead", "int(Sreg::Zero)">;
  def : Function<inCluster#"nctaid.x "#inCluster#"nctaid.y "#inCluster#
                 "nctaid.z "#inCluster#"nctarank", "SregRead",
                 "int(Sreg::One)">;
}
let Tells = "Tells::Other" in
def : Function<"read.ptx.sreg.dynamic.smem.size", "SregRead",
               "int(Sreg::DynamicSmem)">;

// Where the shared memory lies that the system reserves for cooperative groups;
// PTX alone has it.
let Tells = "Tells::Other", Kind = ReservedShared,
    Registers = "%reserved_smem_offset_1" in
def : Family<"read.ptx.sreg.reserved_smem_offset_1">;

// What is left out on purpose: numbers that the device chooses (of
// multiprocessors, warp slots, grids, clocks), which none but it can know.
let IsSupported = 0 in {
  let Tells = "Tells::Other", Memory = changesHidden in // the time
  def : Family<"read.ptx.sreg">;
  // Four numbers at once.
  let Tells = "Tells::ThreadId", Registers = "%tid" in
  def : Family<"read.ptx.sreg.tid">;
  let Tells = "Tells::BlockDim", Registers = "%ntid" in
  def : Family<"read.ptx.sreg.ntid">;
  let Tells = "Tells::BlockId", Registers = "%ctaid" in
  def : Family<"read.ptx.sreg.ctaid">;
  let Tells = "Tells::GridDim", Registers = "%nctaid" in
  def : Family<"read.ptx.sreg.nctaid">;
  let Tells = "Tells::Lane", Registers = "%warpid %nwarpid" in
  def : Family<"read.ptx.sreg.warpid read.ptx.sreg.nwarpid">;
  let Tells = "Tells::Cluster", Scope = "Scope::Cluster",
      Registers = "%clusterid %nclusterid %cluster_ctaid %cluster_nctaid "
                  "%cluster_ctarank %cluster_nctarank %is_explicit_cluster" in
  def : Family<"read.ptx.sreg.cluster read.ptx.sreg.clusterid "
               "read.ptx.sreg.nclusterid read.ptx.sreg.is.explicit.cluster">;
}

// Barriers of the block, and fences.
let Scope = "Scope::Block", HasDestination = 0, Memory = changesAll in {
  class Barrier<string names, string kind>
      : Function<names, "Barrier", "int(BarKind::"#kind#")">;
  class BarrierReduction<string names, string kind>
      : Function<names, "BarrierRed", "int(BarKind::"#kind#")">;
  def : Barrier<"barrier0 barrier.cta.sync.aligned.all barrier.cta.sync.all "
                "barrier.cta.sync.aligned.count barrier.cta.sync.count",
                "Sync">;
  def : Barrier<"barrier.cta.arrive.aligned.count barrier.cta.arrive.count",
                "Arrive">;
  foreach op = ["popc", "and", "or"] in
  def : BarrierReduction<
      !interleave(["barrier0."#op, "barrier.cta.red."#op#".aligned.all",
                   "barrier.cta.red."#op#".all",
                   "barrier.cta.red."#op#".aligned.count"], " "),
      !cond(!eq(op, "popc"): "Popc", !eq(op, "and"): "And", true: "Or")>;
  def : Family<"bar barrier barrier0">;
}
def : Spelling<"bar.sync barrier.sync barrier.cta.sync", "", "0:u32",
               "barrier.cta.sync.all">;
def : Spelling<"bar.sync barrier.sync barrier.cta.sync", "", "0:u32 1:u32",
               "barrier.cta.sync.count">;
def : Spelling<"bar.arrive barrier.arrive barrier.cta.arrive", "",
               "0:u32 1:u32", "barrier.cta.arrive.count">;
// They give each thread a value.
let Scope = "Scope::Block", IsSupported = 0, Memory = changesAll in
def : Family<"bar.red barrier.red barrier.cta.red">;
let HasDestination = 0, Memory = changesAll in {
  def : Function<"membar.cta", "Fence", "1">;
  def : Function<"membar.gl membar.sys", "Fence", "0">;
  def : DecodedFamily<"membar", "FenceStatement", "scope!=cta|gl|sys">;
  def : DecodedFamily<"fence", "FenceStatement",
                      "order=sc|acq_rel scope!=cta|cluster|gpu|sys">;
}

// What a warp does together.
def : PromptPhrase<3, "shuffles, votes, matches and `__reduce_*_sync`">;
def : PromptPhrase<9, "tiles of cooperative groups">;
let Scope = "Scope::Warp", Memory = changesHidden in {
  let Memory = changesAll in {
    def : Function<"bar.warp.sync", "WarpSync">;
    let HasDestination = 0 in def : Family<"bar.warp barrier.warp">;
  }
  foreach mode = ["up", "down", "bfly", "idx"] in
  def : Function<!interleave(!foreach(type, ["i32", "f32", "i32p", "f32p"],
                                      "shfl.sync."#mode#"."#type), " "),
                 "Shuffle",
                 "int(ShflMode::"#!cond(!eq(mode, "up"): "Up",
                                        !eq(mode, "down"): "Down",
                                        !eq(mode, "bfly"): "Bfly",
                                        true: "Idx")#")">;
  class Vote<string mode, string value>
      : Function<"vote."#mode#".sync", "Vote", "int(VoteMode::"#value#")">;
  def : Vote<"all", "All">;
  def : Vote<"any", "Any">;
  def : Vote<"uni", "Uni">;
  def : Vote<"ballot", "Ballot">;
  class Match<string which, string value>
      : Function<"match."#which, "Match", "int(MatchMode::"#value#")">;
  def : Match<"any.sync.i32", "Any32">;
  def : Match<"any.sync.i64", "Any64">;
  def : Match<"all.sync.i32p", "All32">;
  def : Match<"all.sync.i64p", "All64">;
  def : Function<"activemask", "ActiveMask">;
  def : Family<"shfl vote match activemask">;
  let IsSupported = 0 in def : Family<"elect">;
  let MinCapability = 80 in {
    class Redux<string op, string value>
        : Function<"redux.sync."#op, "Redux", "int(ReduxOp::"#value#")">;
    def : Redux<"add", "Add">;
    def : Redux<"min", "Min">;
    def : Redux<"max", "Max">;
    def : Redux<"umin", "UMin">;
    def : Redux<"umax", "UMax">;
    def : Redux<"and", "And">;
    def : Redux<"or", "Or">;
    def : Redux<"xor", "Xor">;
    def : Family<"redux">;
  }
}
// The same in PTX.
foreach mode = ["up", "down", "bfly", "idx"] in {
  def : Spelling<"shfl.sync."#mode#".b32", "b32", "1:b32 2:b32 3:b32 0:b32",
                 "shfl.sync."#mode#".i32">;
  def : Spelling<"shfl.sync."#mode#".b32", "b32|pred",
                 "1:b32 2:b32 3:b32 0:b32", "shfl.sync."#mode#".i32p">;
}
foreach mode = ["all", "any", "uni"] in
def : Spelling<"vote.sync."#mode#".pred", "pred", "1:pred 0:b32",
               "vote."#mode#".sync">;
def : Spelling<"vote.sync.ballot.b32", "b32", "1:pred 0:b32",
               "vote.ballot.sync">;
def : Spelling<"activemask.b32", "b32", "", "activemask">;
foreach op = ["and", "or", "xor"] in
def : Spelling<"redux.sync."#op#".b32", "b32", "0:b32 1:b32",
               "redux.sync."#op>;
def : Spelling<"redux.sync.add.s32 redux.sync.add.u32", "b32",
               "0:b32 1:b32", "redux.sync.add">;
foreach op = ["min", "max"] in {
  def : Spelling<"redux.sync."#op#".s32", "b32", "0:b32 1:b32",
                 "redux.sync."#op>;
  def : Spelling<"redux.sync."#op#".u32", "b32", "0:b32 1:b32",
                 "redux.sync.u"#op>;
}

// Blocks that know of each other.
let Scope = "Scope::Cluster", IsSupported = 0 in {
  def : Family<"mapa getctarank is_explicit_cluster">;
  let Memory = changesArguments in def : Family<"clusterlaunchcontrol">;
  let HasDestination = 0, Memory = changesAll in
  def : Family<"griddepcontrol barrier.cluster cluster">;
}

// What came with a target. The PTX ISA names the targets in its chapters on the
// instructions. Only what the simulator knows is listed: all else is no pass
// anyhow. Instructions of LLVM IR are not, as the back end has code for them
// everywhere. What a whole operation needs is said in its record.

// Conversions, then as LLVM's intrinsics name them.
def : Variant<"cvt", "e4m3x2|e5m2x2", 89>;
def : Variant<"cvt", "bf16|bf16x2|f16x2|tf32", 80>;
def : Variant<"cvt", "rn tf32", 90>;
def : Variant<"cvt", "bf16 f16|f64|u8|s8|u16|s16|u32|s32|u64|s64", 90>;
def : Variant<"f2bf16|ff2bf16x2|ff2f16x2|f2tf32", "", 80>;
def : Variant<"f2tf32", "rn", 90>;
// Arithmetic of halves.
def : Variant<"add|sub|mul", "bf16|bf16x2", 90>;
def : Variant<"fma", "bf16|bf16x2|relu", 80>;
def : Variant<"min|max|fmin|fmax", "f16|f16x2|bf16|bf16x2|NaN|nan", 80>;
def : Variant<"min|max|fmin|fmax", "xorsign", 86>;
def : Variant<"neg|abs", "bf16|bf16x2", 80>;
def : Variant<"set|setp", "bf16|bf16x2", 90>;
def : Variant<"ex2", "f16|f16x2|v2f16", 75>;
def : Variant<"tanh", "approx", 75>;
def : Variant<"ex2|tanh", "bf16|bf16x2|v2bf16", 90>;
// Within a warp.
def : Variant<"mma", "m16n8k8|m8n8k16", 75>;
def : Variant<"mma", "m16n8k4|m16n8k16|m16n8k32|bf16|tf32", 80>;
def : Variant<"wmma", "bf16|tf32", 80>;
def : Variant<"wmma", "s8|u8", 72>;
// Memory.
def : Variant<"atom|red", "bf16|bf16x2", 90>;
def : Variant<"atom|red", "v2|v4", 90>;
def : Variant<"ld|st|atom|red|fence", "cluster", 90>;
def : Variant<"ld|st", "v4 b64|u64|s64|f64", 100>;
def : Variant<"ld", "L2::64B|L2::128B", 75>;
def : Variant<"ld", "L2::256B", 80>;
def : Variant<"ld|st|atom|red", "L2::cache_hint", 80>;
def : Variant<"prefetch", "L2::evict_last|L2::evict_normal", 80>;

// Words that say of any operation what memory or whom it knows of, and what
// passes between statements.
def : Modifier<"shared shared::cta", "Shared">;
def : Modifier<"cluster shared::cluster", "Cluster">;
def : Modifier<"cc", "GivesCarry">;
def : Modifier<"addc subc madc", "TakesCarry">;
def : Modifier<"ftz", "FlushesDenormals">;
def : Modifier<"volatile relaxed acquire release acq_rel sc", "OrdersMemory">;

// How a kernel is launched.
def Kernel : LaunchAttribute<"nvvm.kernel">;
def RequiredBlock : LaunchAttribute<"nvvm.reqntid">;
def LargestBlock : LaunchAttribute<"nvvm.maxntid">;
def MinResidentBlocks : LaunchAttribute<"nvvm.minctasm">;
def MaxRegisters : LaunchAttribute<"nvvm.maxnreg">;
def ClusterShape : LaunchAttribute<"nvvm.cluster_dim">;
def LargestCluster : LaunchAttribute<"nvvm.maxclusterrank">;
def BlocksAreClusters : LaunchAttribute<"nvvm.blocksareclusters">;

"""Operations whose results the interpreter and a device have to agree on.

Each is a line of CUDA C++ that computes `r` from a thread's three words of 64 bits:
as floats f, g, h, doubles d, e, k, integers i, j, l (and u, v, w unsigned), wide ones
I, J, L (U, V, W), halves p, q, s, and bf16 P, Q, S. How far results may lie apart is
said in units in the last place: 0 for what PTX or IEEE 754 defines to the bit; a NaN is
as good as another. Approximations are not here: ../approximations.cu holds a device to
their bounds.
"""

# (name, statement with the result as `r`, what its bits are, ulps, or at most so far apart)
OPERATIONS = []
# Differences that are understood, and left.
KNOWN = {
    "cvt.rna.tf32.f32 $0, $1;":
        "a signalling NaN whose payload is cut off becomes an infinity on an H200",
    "jnf(v % 8, fmodf(f, 100.0f))": "the device's recurrence gives NaN at tiny arguments",
    "jn(v % 8, fmod(d, 100.0))": "the device's recurrence gives NaN at tiny arguments",
    "yn(v % 8, fmod(d, 100.0))": "at -0 and at subnormal arguments",
}
# Packed and shortened floats, which C++ knows as unsigned.
FORMS = {".f16x2": "halves", ".bf16x2": "bfloats", ".tf32": "float"}


def add(name, code, kind, ulps=0, absolute=0):
    instruction = name.split()[0]
    for word, form in FORMS.items():
        if kind == "unsigned" and (instruction.endswith(word) or
                                   (instruction.startswith("cvt") and word + "." in name)):
            kind = form
    if "f16.f64 t" in name:  # a NaN is as good as another
        kind = "halves"
    OPERATIONS.append((name, code, kind, ulps, absolute))


def value(expression, kind, ulps=0, absolute=0):
    add(expression, f"{kind} r = {expression};", kind, ulps, absolute)


def asm(text, kind, inputs):
    """`text` with $0 the result, $1... the inputs, all as PTX operands."""
    letter = {"float": "f", "double": "d", "int": "r", "unsigned": "r", "long long": "l",
              "unsigned long long": "l", "unsigned short": "h"}
    names = {"f": "f", "g": "f", "h": "f", "d": "d", "e": "d", "k": "d", "i": "r", "j": "r",
             "l": "r", "u": "r", "v": "r", "w": "r", "I": "l", "J": "l", "L": "l", "U": "l",
             "V": "l", "W": "l", "a16": "h", "b16": "h"}
    operands = ", ".join(f'"{names[name]}"({name})' for name in inputs)
    escaped = text.replace("%", "%%").replace("$", "%")
    add(text, f'{kind} r; asm volatile("{escaped}" : "={letter[kind]}"(r) : {operands});', kind)


# Rounding to integral values, and what else is exact of floats.
for name in ("ceil", "floor", "trunc", "rint", "nearbyint", "round", "fabs", "logb"):
    value(f"{name}f(f)", "float")
    value(f"{name}(d)", "double")
for name in ("fmax", "fmin", "fmod", "remainder", "copysign", "fdim", "nextafter"):
    value(f"{name}f(f, g)", "float")
    value(f"{name}(d, e)", "double")
for name in ("f + g", "f - g", "f * g", "f / g", "sqrtf(f)", "fmaf(f, g, h)", "-f", "1 / f"):
    value(name, "float")
for name in ("d + e", "d - e", "d * e", "d / e", "sqrt(d)", "fma(d, e, k)", "-d", "1 / d"):
    value(name, "double")
for mode in ("rn", "rz", "ru", "rd"):
    for name, arguments in (("fadd", "f, g"), ("fsub", "f, g"), ("fmul", "f, g"),
                            ("fdiv", "f, g"), ("fsqrt", "f"), ("frcp", "f"),
                            ("fmaf", "f, g, h"), ("double2float", "d"), ("int2float", "i"),
                            ("uint2float", "u"), ("ll2float", "I"), ("ull2float", "U")):
        value(f"__{name}_{mode}({arguments})", "float")
    for name, arguments in (("dadd", "d, e"), ("dsub", "d, e"), ("dmul", "d, e"),
                            ("ddiv", "d, e"), ("dsqrt", "d"), ("drcp", "d"),
                            ("fma", "d, e, k"), ("ll2double", "I"), ("ull2double", "U")):
        value(f"__{name}_{mode}({arguments})", "double")
    for kind, result in (("int", "int"), ("uint", "unsigned"), ("ll", "long long"),
                         ("ull", "unsigned long long")):
        value(f"__float2{kind}_{mode}(f)", result)
        value(f"__double2{kind}_{mode}(d)", result)
value("__frsqrt_rn(f)", "float")
value("__saturatef(f)", "float")
for kind in ("int", "unsigned", "long long", "unsigned long long"):
    value(f"({kind})f", kind)
    value(f"({kind})d", kind)
for expression, kind in (("__float_as_int(f)", "int"), ("__double2hiint(d)", "int"),
                         ("__double2loint(d)", "int"), ("ilogbf(f)", "int"), ("ilogb(d)", "int"),
                         ("lrintf(f)", "long long"), ("llrint(d)", "long long"),
                         ("lroundf(f)", "long long"), ("llround(d)", "long long"),
                         ("isnan(f)", "int"), ("isinf(f)", "int"), ("isfinite(d)", "int"),
                         ("signbit(f)", "int"), ("signbit(d)", "int"), ("f < g", "int"),
                         ("f == g", "int"), ("f != g", "int"), ("!(f >= g)", "int")):
    value(expression, kind)
value("ldexpf(f, i % 300)", "float")
value("ldexp(d, i % 2000)", "double")
value("scalbnf(f, i % 300)", "float")
value("scalbn(d, i % 2000)", "double")
add("frexpf", "int x; float m = frexpf(f, &x); unsigned long long r = "
    "(isfinite(f) ? (unsigned long long)(unsigned)x << 32 : 0) | (unsigned)(isnan(m) ? 0 : __float_as_int(m));",
    "unsigned long long")
add("frexp", "int x; double m = frexp(d, &x); double r = isfinite(d) ? m + x : m;", "double")
add("modf", "double w1; double r = modf(d, &w1) + 0 * w1;", "double")
for name, kind, x, y in (("remquof", "float", "f", "g"), ("remquo", "double", "d", "e")):
    # What is said of the quotient is its low three bits.
    add(name, f"int o; {kind} r = {name}({x}, {y}, &o);", kind)
    add(f"{name} quotient", f"int o; {kind} m = {name}({x}, {y}, &o); int r = isnan(m) ? 0 : o % 8;", "int")
add("modff", "float w1; float r = modff(f, &w1) + 0 * w1;", "float")
add("modff whole", "float r; modff(f, &r);", "float")

# Functions with an error of their own.
for name, ulps in (("exp", 2), ("exp2", 2), ("exp10", 2), ("expm1", 2), ("log", 2), ("log2", 2),
                   ("log10", 2), ("log1p", 2), ("rsqrt", 5), ("cbrt", 2), ("rcbrt", 4), ("sin", 2),
                   ("cos", 2), ("tan", 4), ("sinpi", 2), ("cospi", 2), ("asin", 4), ("acos", 2),
                   ("atan", 2), ("sinh", 3), ("cosh", 2), ("tanh", 2), ("asinh", 3), ("acosh", 4),
                   ("atanh", 3), ("erf", 2), ("erfc", 6), ("normcdf", 20), ("tgamma", 12),
                   ("lgamma", 6)):
    if name != "lgamma":  # whose error is absolute, near its roots
        value(f"{name}f(f)", "float", ulps)
        # The host's own functions are a little off, too.
        value(f"{name}(d)", "double", ulps + 4)
# As their documentation bounds them, on arguments where they have a value.
for name, argument, ulps in (
        ("erfinv", "fmod({x}, {one})", 5), ("erfcinv", "fabs(fmod({x}, 2 * {one}))", 7),
        ("normcdfinv", "fabs(fmod({x}, {one}))", 8), ("erfcx", "{x}", 6),
        ("cyl_bessel_i0", "{x}", 8), ("cyl_bessel_i1", "{x}", 8)):
    value(f"{name}f({argument.format(x='f', one='1.0f')})".replace("fmod", "fmodf").replace("fabs", "fabsf"),
          "float", ulps)
    value(f"{name}({argument.format(x='d', one='1.0')})", "double", ulps + 2)
for name in ("j0", "j1", "y0", "y1"):
    value(f"{name}f(fmodf(f, 100.0f))", "float", 10, 2.3e-6)
    value(f"{name}(fmod(d, 100.0))", "double", 10, 5e-12)
for name in ("jn", "yn"):
    value(f"{name}f(v % 8, fmodf(f, 100.0f))", "float", 24, 5e-6)
    value(f"{name}(v % 8, fmod(d, 100.0))", "double", 24, 1e-11)
for name, ulps in (("norm3d", 5), ("rnorm3d", 5)):
    value(f"{name}f(f, g, h)", "float", ulps)
    value(f"{name}(d, e, k)", "double", ulps)
for name in ("norm4d", "rnorm4d"):
    value(f"{name}f(f, g, h, f)", "float", 6)
    value(f"{name}(d, e, k, d)", "double", 6)
for name in ("norm", "rnorm"):
    add(f"{name}f", f"float t[3] = {{f, g, h}}; float r = {name}f(1 + v % 3, t);", "float", 6)
    add(name, f"double t[3] = {{d, e, k}}; double r = {name}(1 + v % 3, t);", "double", 6)
for name, ulps in (("pow", 8), ("atan2", 3), ("hypot", 3), ("rhypot", 3)):
    value(f"{name}f(f, g)", "float", ulps)
    value(f"{name}(d, e)", "double", ulps)

# Integers.
for expression, kind in (
        ("__clz(i)", "int"), ("__clzll(I)", "int"), ("__ffs(i)", "int"), ("__ffsll(I)", "int"),
        ("__popc(u)", "int"), ("__popcll(U)", "int"), ("__brev(u)", "unsigned"),
        ("__brevll(U)", "unsigned long long"), ("__byte_perm(u, v, w)", "unsigned"),
        ("__byte_perm(u, v, 0xbbbb)", "unsigned"), ("__mulhi(i, j)", "int"),
        ("__umulhi(u, v)", "unsigned"), ("__mul64hi(I, J)", "long long"),
        ("__umul64hi(U, V)", "unsigned long long"), ("__mul24(i, j)", "int"),
        ("__umul24(u, v)", "unsigned"), ("__sad(i, j, w)", "unsigned"),
        ("__usad(u, v, w)", "unsigned"), ("__hadd(i, j)", "int"), ("__rhadd(i, j)", "int"),
        ("__uhadd(u, v)", "unsigned"), ("__urhadd(u, v)", "unsigned"),
        ("__funnelshift_l(u, v, w)", "unsigned"), ("__funnelshift_r(u, v, w)", "unsigned"),
        ("__funnelshift_lc(u, v, w)", "unsigned"), ("__funnelshift_rc(u, v, w)", "unsigned"),
        ("min(i, j)", "int"), ("max(u, v)", "unsigned"), ("umin(u, v)", "unsigned"),
        ("llmax(I, J)", "long long"), ("ullmin(U, V)", "unsigned long long"),
        ("__dp4a(i, j, l)", "int"), ("__dp4a(u, v, w)", "unsigned"),
        ("__dp2a_lo(i, j, l)", "int"), ("__dp2a_hi(i, j, l)", "int"),
        ("u / (v | 1)", "unsigned"), ("u % (v | 1)", "unsigned"), ("U / (V | 1)", "unsigned long long"),
        ("U % (V | 1)", "unsigned long long"), ("(i | 1) / ((j & 0xffff) | 1)", "int"),
        ("I % ((J & 0xffffffff) | 1)", "long long"), ("i >> (v & 31)", "int"),
        ("I >> (v & 63)", "long long"), ("U << (v & 63)", "unsigned long long"),
        ("(signed char)i", "int"), ("(unsigned short)i", "unsigned")):
    value(expression, kind)
for expression in ("(long long)(((__int128)I * J) >> 64)", "(long long)((((__int128)I << 30) + J) >> (V & 63))",
                   "(long long)(((__int128)I * J) / ((__int128)(L >> 7) | 1))",
                   "(long long)(((__int128)I * J) % ((__int128)(L >> 7) | 1))",
                   "(long long)((((unsigned __int128)U << 64) | V) / ((unsigned __int128)W | 1))",
                   "(long long)((((unsigned __int128)U << 64) | V) % (((unsigned __int128)W << 20) | 1))",
                   "(long long)((__int128)I * J < (__int128)L << 50)",
                   "(long long)((unsigned __int128)(fabs(d) < 1e38 ? fabs(d) : 0) >> (V & 127))"):
    value(expression, "long long")
value("(double)((__int128)I * J)", "double")
value("(float)((__int128)I * J)", "float")
value("(float)(((unsigned __int128)U << 64) | V)", "float")
for expression, kind in (("__fns(u, v % 32, l % 33)", "unsigned"), ("__nv_bswap32(u)", "unsigned"),
                         ("__double2uint_rz(d)", "unsigned"),
                         ("__double2hiint(__hiloint2double(i, j))", "int")):
    value(expression, kind)
value("__hiloint2double(i, j)", "double")
for mode in ("rn", "rz", "ru", "rd"):
    value(f"__fmaf_ieee_{mode}(f, g, h)", "float")
for name in ("vadd", "vsub", "vaddss", "vsubss", "vaddus", "vsubus", "vabsdiffs", "vabsdiffu",
             "vmaxs", "vmaxu", "vmins", "vminu", "vavgs", "vavgu", "vhaddu", "vcmpeq",
             "vcmpges", "vcmpgeu", "vcmpgts", "vcmpltu", "vcmpne", "vseteq", "vsetgts", "vsetltu",
             "vsads", "vsadu"):
    for lanes in ("2", "4"):
        value(f"__{name}{lanes}(u, v)", "unsigned")
for name in ("vneg", "vabs", "vnegss", "vabsss"):
    for lanes in ("2", "4"):
        value(f"__{name}{lanes}(u)", "unsigned")
for name in ("__vimax_s32_relu(i, j)", "__vimin3_s32(i, j, l)", "__vimax3_s32(i, j, l)",
             "__viaddmax_s32(i, j, l)"):
    value(name, "int")
for name in ("__vimax3_s16x2(u, v, w)", "__viaddmin_u16x2(u, v, w)", "__vimax3_u16x2(u, v, w)",
             "__vimin_s16x2_relu(u, v)"):
    value(name, "unsigned")

for name in ("__vimax_s32_relu(i, j)", "__vimin_s32_relu(i, j)", "__vimax3_s32_relu(i, j, l)",
             "__viaddmin_s32_relu(i, j, l)"):
    value(name, "int")
for name in ("__vimax_s16x2_relu(u, v)", "__vimin3_s16x2_relu(u, v, w)", "__viaddmax_s16x2_relu(u, v, w)"):
    value(name, "unsigned")
add("__vibmax_s16x2", "bool x, y; unsigned r = __vibmax_s16x2(u, v, &x, &y) + x + 2 * y;", "unsigned")
add("__vibmin_u32", "bool x; unsigned r = __vibmin_u32(u, v, &x) + x;", "unsigned")

# Halves and bf16, by themselves and in pairs.
for word, x, y, z in (("__half2", "pp", "qq", "ss"), ("__nv_bfloat162", "PP", "QQ", "SS")):
    for name, arguments in (("__hadd2", 2), ("__hsub2", 2), ("__hmul2", 2), ("__hfma2", 3),
                            ("__hadd2_sat", 2), ("__hsub2_sat", 2), ("__hmul2_sat", 2),
                            ("__hfma2_sat", 3), ("__hfma2_relu", 3), ("__hmax2", 2), ("__hmin2", 2),
                            ("__hmax2_nan", 2), ("__hmin2_nan", 2), ("__hneg2", 1), ("__habs2", 1),
                            ("__hcmadd", 3), ("__heq2", 2), ("__hgtu2", 2), ("__hne2", 2), ("__hle2", 2),
                            ("__hisnan2", 1), ("__lowhigh2highlow", 1), ("__lows2" + ("half2" if x == "pp" else "bfloat162"), 2),
                            ("h2floor", 1), ("h2ceil", 1), ("h2rint", 1), ("h2trunc", 1)):
        value(f"{name}({', '.join([x, y, z][:arguments])})", word)
    for name, arguments in (("__heq2_mask", 2), ("__hltu2_mask", 2), ("__hge2_mask", 2)):
        value(f"{name}({', '.join([x, y, z][:arguments])})", "unsigned")
    for name in ("__hbeq2", "__hblt2", "__hbneu2"):
        value(f"(int){name}({x}, {y})", "int")
    value(f"__h2div({x}, {y})", word, 1)
    for name in ("h2exp", "h2exp2", "h2log", "h2log2", "h2rcp", "h2rsqrt", "h2sqrt"):
        value(f"{name}({x})", word, 2)
for mode in ("rn", "rz", "ru", "rd"):
    for kind, argument in (("short", "(short)i"), ("ushort", "(unsigned short)u"), ("uint", "u"), ("ull", "U")):
        value(f"__{kind}2half_{mode}({argument})", "__half")
        value(f"__{kind}2bfloat16_{mode}({argument})", "__nv_bfloat16")
    value(f"__ll2bfloat16_{mode}(I)", "__nv_bfloat16")
    for kind, result in (("uint", "unsigned"), ("ull", "unsigned long long")):
        value(f"__half2{kind}_{mode}(p)", result)
        value(f"__bfloat162{kind}_{mode}(P)", result)
value("(int)(signed char)__bfloat162char_rz(P)", "int")
value("(unsigned)(unsigned char)__bfloat162uchar_rz(P)", "unsigned")
for word, low, letters in (("__half", "h", "p q s"), ("__nv_bfloat16", "b", "P Q S")):
    x, y, z = letters.split()
    for name, arguments in (("__hadd", 2), ("__hsub", 2), ("__hmul", 2), ("__hdiv", 2),
                            ("__hfma", 3), ("__hmax", 2), ("__hmin", 2), ("__hmax_nan", 2),
                            ("__hmin_nan", 2), ("__hadd_sat", 2), ("__hmul_sat", 2),
                            ("__hfma_sat", 3), ("__hfma_relu", 3), ("__hneg", 1), ("__habs", 1),
                            ("__hadd_rn", 2), ("hfloor", 1), ("hceil", 1), ("htrunc", 1),
                            ("hrint", 1), ("hsqrt", 1)):
        # Quotients and roots are made of approximations.
        value(f"{name}({', '.join([x, y, z][:arguments])})", word,
              1 if name in ("__hdiv", "hsqrt") else 0)
    for name in ("hexp", "hexp2", "hlog", "hlog2", "hrcp", "hrsqrt", "hsin", "hcos", "htanh"):
        if name != "htanh" or word == "__half":
            value(f"{name}({x})", word, 2)
    for name in ("__heq", "__hlt", "__hge", "__hne", "__hgtu", "__hequ", "__hltu"):
        value(f"(int){name}({x}, {y})", "int")
for mode in ("rn", "rz", "ru", "rd"):
    value(f"__float2half_{mode}(f)", "__half")
    value(f"__float2bfloat16_{mode}(f)", "__nv_bfloat16")
    for kind, result in (("int", "int"), ("uint", "unsigned"), ("ll", "long long"),
                         ("short", "int"), ("ushort", "unsigned")):
        value(f"({result})__half2{kind}_{mode}(p)", result)
        value(f"({result})__bfloat162{kind}_{mode}(P)", result)
    value(f"__int2half_{mode}(i)", "__half")
    value(f"__ll2half_{mode}(I)", "__half")
    value(f"__int2bfloat16_{mode}(i)", "__nv_bfloat16")
value("__half2float(p)", "float")
value("__bfloat162float(P)", "float")
value("__double2half(d)", "__half")
value("__double2bfloat16(d)", "__nv_bfloat16")
value("(int)(signed char)__half2char_rz(p)", "int")
value("(unsigned)(unsigned char)__half2uchar_rz(p)", "unsigned")

# Eight-bit floats.
for kind in ("__NV_E4M3", "__NV_E5M2"):
    for saturation in ("__NV_SATFINITE", "__NV_NOSAT"):
        value(f"(unsigned)__nv_cvt_float_to_fp8(f, {saturation}, {kind})", "unsigned")
        value(f"(unsigned)__nv_cvt_double_to_fp8(d, {saturation}, {kind})", "unsigned")
        value(f"(unsigned)__nv_cvt_float2_to_fp8x2(make_float2(f, g), {saturation}, {kind})",
              "unsigned")
    value(f"__half2float(__half(__nv_cvt_fp8_to_halfraw(u & 255, {kind})))", "float")

# Six- and four-bit floats.
for kind in ("__NV_E3M2", "__NV_E2M3"):
    value(f"(unsigned)__nv_cvt_float_to_fp6(f, {kind}, cudaRoundNearest)", "unsigned")
    value(f"(unsigned)__nv_cvt_float2_to_fp6x2(make_float2(f, g), {kind}, cudaRoundNearest)", "unsigned")
    value(f"__half2float(__half(__nv_cvt_fp6_to_halfraw(u & 63, {kind})))", "float")
value("(unsigned)__nv_cvt_float_to_fp4(f, __NV_E2M1, cudaRoundNearest)", "unsigned")
value("__half2float(__half(__nv_cvt_fp4_to_halfraw(u & 15, __NV_E2M1)))", "float")
for mode in ("cudaRoundZero", "cudaRoundPosInf"):
    value(f"(unsigned)__nv_cvt_float_to_e8m0(f, __NV_SATFINITE, {mode})", "unsigned")
value("__bfloat162float(__nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(u & 255)))", "float")

# Instructions as text.
for mode in ("rz", "rm", "rp"):
    for name in ("add", "sub", "mul", "div"):
        asm(f"{name}.{mode}.f32 $0, $1, $2;", "float", ["f", "g"])
        asm(f"{name}.{mode}.f64 $0, $1, $2;", "double", ["d", "e"])
    asm(f"add.{mode}.ftz.sat.f32 $0, $1, $2;", "float", ["f", "g"])
    asm(f"fma.{mode}.ftz.f32 $0, $1, $2, $3;", "float", ["f", "g", "h"])
    asm(f"fma.{mode}.f64 $0, $1, $2, $3;", "double", ["d", "e", "k"])
    for name in ("rcp", "sqrt"):
        asm(f"{name}.{mode}.f32 $0, $1;", "float", ["f"])
        asm(f"{name}.{mode}.ftz.f32 $0, $1;", "float", ["f"])
        asm(f"{name}.{mode}.f64 $0, $1;", "double", ["d"])
    asm(f"cvt.{mode}.ftz.f32.f64 $0, $1;", "float", ["d"])
    for source, kind in (("s32", "i"), ("u32", "u"), ("s64", "I"), ("u64", "U")):
        asm(f"cvt.{mode}.f32.{source} $0, $1;", "float", [kind])
        asm(f"cvt.{mode}.f64.{source} $0, $1;", "double", [kind])
    asm("{ .reg .b16 t; cvt.%s.f16.f32 t, $1; cvt.u32.u16 $0, t; }" % mode, "unsigned", ["f"])
    asm("{ .reg .b16 t; cvt.%s.f16.f64 t, $1; cvt.u32.u16 $0, t; }" % mode, "unsigned", ["d"])
    asm("{ .reg .b16 t; cvt.%s.f16.s64 t, $1; cvt.u32.u16 $0, t; }" % mode, "unsigned", ["I"])
for text in ("cvt.sat.s8.s32 $0, $1;", "cvt.sat.u16.s32 $0, $1;", "cvt.s8.s32 $0, $1;"):
    asm(text, "int", ["i"])
asm("cvt.rz.relu.bf16x2.f32 $0, $1, $2;", "unsigned", ["f", "g"])
asm("cvt.rz.f16x2.f32 $0, $1, $2;", "unsigned", ["f", "g"])
asm("max.relu.s32 $0, $1, $2;", "int", ["i", "j"])
asm("min.relu.s16x2 $0, $1, $2;", "unsigned", ["u", "v"])
asm("max.xorsign.abs.f16x2 $0, $1, $2;", "unsigned", ["u", "v"])
asm("max.NaN.xorsign.abs.bf16x2 $0, $1, $2;", "unsigned", ["u", "v"])
asm("add.sat.f16x2 $0, $1, $2;", "unsigned", ["u", "v"])
# Where nothing can saturate, `.sat` is no PTX.
WHOLE = {("s64", "s32"), ("s64", "u32"), ("u64", "u32")}
FROM = {"f32": ("f", "float"), "f64": ("d", "double"), "s32": ("i", "int"), "u32": ("u", "unsigned"),
        "s64": ("I", "long long"), "u64": ("U", "unsigned long long")}
for source in ("f32", "f64"):
    for mode in ("rni", "rzi", "rmi", "rpi"):
        for target in ("s32", "u32", "s64", "u64"):
            asm(f"cvt.{mode}.{target}.{source} $0, $1;", FROM[target][1], [FROM[source][0]])
        asm(f"cvt.{mode}.{source}.{source} $0, $1;", FROM[source][1], [FROM[source][0]])
        asm("{ .reg .s16 t; cvt.%s.s16.%s t, $1; cvt.s32.s16 $0, t; }" % (mode, source), "int",
            [FROM[source][0]])
        asm("{ .reg .u16 t; cvt.%s.u16.%s t, $1; cvt.u32.u16 $0, t; }" % (mode, source), "unsigned",
            [FROM[source][0]])
        asm("{ .reg .s16 t; cvt.%s.s8.%s t, $1; cvt.s32.s16 $0, t; }" % (mode, source), "int",
            [FROM[source][0]])
        asm("{ .reg .u16 t; cvt.%s.u8.%s t, $1; cvt.u32.u16 $0, t; }" % (mode, source), "unsigned",
            [FROM[source][0]])
    asm(f"cvt.sat.{source}.{source} $0, $1;", FROM[source][1], [FROM[source][0]])
for target in ("s32", "u32", "s64", "u64"):
    for source in ("s32", "u32", "s64", "u64"):
        if source != target:
            asm(f"cvt.{target}.{source} $0, $1;", FROM[target][1], [FROM[source][0]])
            if (target, source) not in WHOLE:
                asm(f"cvt.sat.{target}.{source} $0, $1;", FROM[target][1], [FROM[source][0]])
for text, kind, inputs in (
        ("cvt.ftz.f64.f32 $0, $1;", "double", "f"), ("cvt.rn.ftz.f32.f64 $0, $1;", "float", "d"),
        ("cvt.rn.sat.f32.f64 $0, $1;", "float", "d"), ("cvt.rzi.ftz.s32.f32 $0, $1;", "int", "f"),
        ("cvt.rna.tf32.f32 $0, $1;", "unsigned", "f"),
        ("cvt.rn.f16x2.f32 $0, $1, $2;", "unsigned", "f g"),
        ("cvt.rn.relu.f16x2.f32 $0, $1, $2;", "unsigned", "f g"),
        ("cvt.rn.bf16x2.f32 $0, $1, $2;", "unsigned", "f g"),
        ("cvt.rz.bf16x2.f32 $0, $1, $2;", "unsigned", "f g"),
        ("cvt.rn.relu.bf16x2.f32 $0, $1, $2;", "unsigned", "f g"),
        ("add.ftz.f32 $0, $1, $2;", "float", "f g"), ("add.sat.f32 $0, $1, $2;", "float", "f g"),
        ("mul.ftz.sat.f32 $0, $1, $2;", "float", "f g"),
        ("fma.rn.ftz.f32 $0, $1, $2, $3;", "float", "f g h"),
        ("fma.rn.sat.f32 $0, $1, $2, $3;", "float", "f g h"),
        ("fma.rz.f32 $0, $1, $2, $3;", "float", "f g h"),
        ("min.f32 $0, $1, $2;", "float", "f g"), ("max.f32 $0, $1, $2;", "float", "f g"),
        ("min.NaN.f32 $0, $1, $2;", "float", "f g"), ("max.NaN.f32 $0, $1, $2;", "float", "f g"),
        ("max.ftz.f32 $0, $1, $2;", "float", "f g"),
        ("max.xorsign.abs.f32 $0, $1, $2;", "float", "f g"),
        ("min.ftz.NaN.xorsign.abs.f32 $0, $1, $2;", "float", "f g"),
        ("min.f64 $0, $1, $2;", "double", "d e"), ("max.f64 $0, $1, $2;", "double", "d e"),
        ("copysign.f32 $0, $1, $2;", "float", "f g"), ("abs.ftz.f32 $0, $1;", "float", "f"),
        ("neg.ftz.f32 $0, $1;", "float", "f"),
        ("shl.b32 $0, $1, $2;", "unsigned", "u v"), ("shr.u32 $0, $1, $2;", "unsigned", "u v"),
        ("shr.s32 $0, $1, $2;", "int", "i v"), ("shl.b64 $0, $1, $2;", "unsigned long long", "U v"),
        ("shr.s64 $0, $1, $2;", "long long", "I v"), ("shr.u64 $0, $1, $2;", "unsigned long long", "U v"),
        ("bfe.u32 $0, $1, $2, $3;", "unsigned", "u v w"), ("bfe.s32 $0, $1, $2, $3;", "int", "i v w"),
        ("bfe.u64 $0, $1, $2, $3;", "unsigned long long", "U v w"),
        ("bfe.s64 $0, $1, $2, $3;", "long long", "I v w"),
        ("bfi.b32 $0, $1, $2, 5, 9;", "unsigned", "u v"),
        ("bfi.b32 $0, $1, $2, $3, 7;", "unsigned", "u v w"),
        ("bfi.b64 $0, $1, $2, 40, 30;", "unsigned long long", "U V"),
        ("lop3.b32 $0, $1, $2, $3, 0x96;", "unsigned", "u v w"),
        ("lop3.b32 $0, $1, $2, $3, 0xe8;", "unsigned", "u v w"),
        ("lop3.b32 $0, $1, $2, $3, 0x1b;", "unsigned", "u v w"),
        ("shf.l.wrap.b32 $0, $1, $2, $3;", "unsigned", "u v w"),
        ("shf.r.clamp.b32 $0, $1, $2, $3;", "unsigned", "u v w"),
        ("shf.l.clamp.b32 $0, $1, $2, $3;", "unsigned", "u v w"),
        ("shf.r.wrap.b32 $0, $1, $2, $3;", "unsigned", "u v w"),
        ("prmt.b32 $0, $1, $2, $3;", "unsigned", "u v w"),
        ("prmt.b32.f4e $0, $1, $2, $3;", "unsigned", "u v w"),
        ("prmt.b32.b4e $0, $1, $2, $3;", "unsigned", "u v w"),
        ("prmt.b32.rc8 $0, $1, $2, $3;", "unsigned", "u v w"),
        ("prmt.b32.ecl $0, $1, $2, $3;", "unsigned", "u v w"),
        ("prmt.b32.ecr $0, $1, $2, $3;", "unsigned", "u v w"),
        ("prmt.b32.rc16 $0, $1, $2, $3;", "unsigned", "u v w"),
        ("mad.lo.s32 $0, $1, $2, $3;", "int", "i j l"), ("mad.hi.s32 $0, $1, $2, $3;", "int", "i j l"),
        ("mad.hi.u32 $0, $1, $2, $3;", "unsigned", "u v w"),
        ("mad.wide.s32 $0, $1, $2, $3;", "long long", "i j I"),
        ("mad.wide.u32 $0, $1, $2, $3;", "unsigned long long", "u v U"),
        ("mul.wide.s32 $0, $1, $2;", "long long", "i j"), ("mul.hi.u64 $0, $1, $2;", "unsigned long long", "U V"),
        ("mad24.lo.s32 $0, $1, $2, $3;", "int", "i j l"), ("mul24.hi.u32 $0, $1, $2;", "unsigned", "u v"),
        ("mad24.hi.u32 $0, $1, $2, $3;", "unsigned", "u v w"),
        ("sad.s32 $0, $1, $2, $3;", "int", "i j l"), ("sad.u64 $0, $1, $2, $3;", "unsigned long long", "U V W"),
        ("add.sat.s32 $0, $1, $2;", "int", "i j"), ("sub.sat.s32 $0, $1, $2;", "int", "i j"),
        ("mad.hi.sat.s32 $0, $1, $2, $3;", "int", "i j l"),
        ("{ .reg .u32 t; add.cc.u32 t, $1, $2; addc.u32 $0, $2, $3; }", "unsigned", "u v w"),
        ("{ .reg .u32 t; sub.cc.u32 t, $1, $2; subc.u32 $0, $2, $3; }", "unsigned", "u v w"),
        ("{ .reg .u32 t; mad.lo.cc.u32 t, $1, $2, $3; madc.hi.u32 $0, $1, $2, $3; }", "unsigned", "u v w"),
        ("{ .reg .u64 t; add.cc.u64 t, $1, $2; addc.u64 $0, $2, $3; }", "unsigned long long", "U V W"),
        ("bfind.u32 $0, $1;", "unsigned", "u"), ("bfind.s32 $0, $1;", "unsigned", "i"),
        ("bfind.shiftamt.u32 $0, $1;", "unsigned", "u"), ("bfind.u64 $0, $1;", "unsigned", "U"),
        ("brev.b32 $0, $1;", "unsigned", "u"), ("clz.b64 $0, $1;", "unsigned", "U"),
        ("popc.b64 $0, $1;", "unsigned", "U"), ("cnot.b32 $0, $1;", "unsigned", "u"),
        ("not.b32 $0, $1;", "unsigned", "u"), ("fns.b32 $0, $1, $2, $3;", "unsigned", "u v l"),
        ("szext.clamp.s32 $0, $1, $2;", "int", "i v"), ("szext.wrap.u32 $0, $1, $2;", "unsigned", "u v"),
        ("bmsk.clamp.b32 $0, $1, $2;", "unsigned", "u v"), ("bmsk.wrap.b32 $0, $1, $2;", "unsigned", "u v"),
        ("dp4a.s32.u32 $0, $1, $2, $3;", "int", "i v l"), ("dp2a.lo.u32.s32 $0, $1, $2, $3;", "int", "u j l"),
        ("vadd.s32.s32.s32.sat $0, $1, $2;", "int", "i j"),
        ("slct.s32.f32 $0, $1, $2, $3;", "int", "i j f"), ("slct.f32.s32 $0, $1, $2, $3;", "float", "f g i"),
        ("set.lt.u32.f32 $0, $1, $2;", "unsigned", "f g"), ("set.gtu.f32.f32 $0, $1, $2;", "float", "f g"),
        ("set.num.u32.f32 $0, $1, $2;", "unsigned", "f g"), ("set.nan.u32.f64 $0, $1, $2;", "unsigned", "d e"),
        ("set.lo.u32.u32 $0, $1, $2;", "unsigned", "u v"),
        ("{ .reg .pred p; testp.normal.f32 p, $1; selp.u32 $0, 1, 0, p; }", "unsigned", "f"),
        ("{ .reg .pred p; testp.subnormal.f32 p, $1; selp.u32 $0, 1, 0, p; }", "unsigned", "f"),
        ("{ .reg .pred p; testp.notanumber.f64 p, $1; selp.u32 $0, 1, 0, p; }", "unsigned", "d"),
        ("{ .reg .pred p, q; setp.lt.f32 p|q, $1, $2; selp.u32 $0, 1, 0, q; }", "unsigned", "f g"),
        ("{ .reg .pred p, q; setp.ltu.f32 p|q, $1, $2; selp.u32 $0, 1, 0, p; }", "unsigned", "f g"),
        ("{ .reg .pred p, q; setp.gt.s32 q, $1, 0; setp.lt.and.s32 p, $1, $2, q; selp.u32 $0, 1, 0, p; }",
         "unsigned", "i j"),
        ("fma.rn.f16x2 $0, $1, $2, $3;", "unsigned", "u v w"),
        ("fma.rn.relu.f16x2 $0, $1, $2, $3;", "unsigned", "u v w"),
        ("fma.rn.sat.f16x2 $0, $1, $2, $3;", "unsigned", "u v w"),
        ("fma.rn.bf16x2 $0, $1, $2, $3;", "unsigned", "u v w"),
        ("add.f16x2 $0, $1, $2;", "unsigned", "u v"), ("mul.ftz.f16x2 $0, $1, $2;", "unsigned", "u v"),
        ("max.f16x2 $0, $1, $2;", "unsigned", "u v"), ("min.NaN.f16x2 $0, $1, $2;", "unsigned", "u v"),
        ("max.NaN.bf16x2 $0, $1, $2;", "unsigned", "u v"), ("min.bf16x2 $0, $1, $2;", "unsigned", "u v"),
        ("neg.f16x2 $0, $1;", "unsigned", "u"), ("abs.bf16x2 $0, $1;", "unsigned", "u"),
        ("cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "unsigned short", "f g"),
        ("cvt.rn.satfinite.relu.e5m2x2.f32 $0, $1, $2;", "unsigned short", "f g"),
        ("cvt.rn.satfinite.e4m3x2.f16x2 $0, $1;", "unsigned short", "u"),
        ("cvt.rn.f16x2.e4m3x2 $0, $1;", "unsigned", "a16"), ("cvt.rn.f16x2.e5m2x2 $0, $1;", "unsigned", "a16")):
    asm(text, kind, inputs.split())

# A warp's.
for expression, kind in (
        ("__shfl_sync(~0u, i, j)", "int"), ("__shfl_sync(~0u, i, j, 8)", "int"),
        ("__shfl_up_sync(~0u, i, 3)", "int"), ("__shfl_up_sync(~0u, i, 5, 16)", "int"),
        ("__shfl_down_sync(~0u, i, 7)", "int"), ("__shfl_down_sync(~0u, i, 2, 4)", "int"),
        ("__shfl_xor_sync(~0u, i, 13)", "int"), ("__shfl_xor_sync(~0u, i, 9, 8)", "int"),
        ("__shfl_sync(~0u, d, j)", "double"), ("__shfl_xor_sync(~0u, I, 1)", "long long"),
        ("__ballot_sync(~0u, i & 1)", "unsigned"), ("__any_sync(~0u, i & 1)", "int"),
        ("__all_sync(~0u, i & 1)", "int"), ("__match_any_sync(~0u, i & 3)", "unsigned"),
        ("__match_any_sync(~0u, I & 3)", "unsigned"), ("__reduce_add_sync(~0u, i)", "int"),
        ("__reduce_min_sync(~0u, i)", "int"), ("__reduce_max_sync(~0u, u)", "unsigned"),
        ("__reduce_or_sync(~0u, u)", "unsigned"), ("__reduce_xor_sync(~0u, u)", "unsigned"),
        ("__reduce_and_sync(~0u, u)", "unsigned")):
    value(expression, kind)
add("match_all", "int x; unsigned r = __match_all_sync(~0u, i & 1, &x) + x;", "unsigned")
add("shfl.up clamp of asm", "int r; asm volatile(\"{ .reg .pred p; shfl.sync.up.b32 %0|p, %1, 3, "
    "0x1005, 0xffffffff; @!p mov.b32 %0, 77; }\" : \"=r\"(r) : \"r\"(i));", "int")
add("shfl.idx clamp of asm", "int r; asm volatile(\"{ .reg .pred p; shfl.sync.idx.b32 %0|p, %1, %2, "
    "0x1807, 0xffffffff; @!p mov.b32 %0, 77; }\" : \"=r\"(r) : \"r\"(i), \"r\"(j));", "int")

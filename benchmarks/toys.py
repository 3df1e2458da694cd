#!/usr/bin/env python3
"""Applies the examples of docs/Extending.md (an operation of the device, a check, a card) to
a copy of this tree, what is not committed included, as that page tells its reader to, and
prints the files that each touches. The copy is a worktree of git in a temporary folder, and
is removed again.

Code is taken from the page; the tests, which the page only describes, are here. Ends with 1
where the page, the tree and this file do not fit each other, or where the scripts that
check the form of sources find something in what was touched.

usage: toys.py [--build]

  --build  also builds what the page names, in the copy's own build folder (from nothing: up
           to half an hour), has docs/Checks.md written, and runs the tests; the environment
           variable EVO_CUDA_PATH may name a toolkit
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FORM = ("foundation", "diagnostics", "layering", "docs")

OPERATION_TEST = """
TEST(Values, ElectedLane) {
  const std::string declared = "declare {i32, i1} @llvm.nvvm.elect.sync(i32)\\n";
  auto v = results("%e = call {i32, i1} @llvm.nvvm.elect.sync(i32 -1)\\n"
                   "%l = extractvalue {i32, i1} %e, 0\\n"
                   "%is = extractvalue {i32, i1} %e, 1\\n"
                   "%w = zext i1 %is to i32\\n%s = shl i32 %w, 8\\n"
                   "%r = or i32 %l, %s\\n",
                   32, declared);
  for (int t = 0; t < 32; ++t)
    EXPECT_EQ(v[t], t == 0 ? 256 : 0) << t;
  // Lanes that the mask omits.
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR(
      "", "%e = call {i32, i1} @llvm.nvvm.elect.sync(i32 1)\\nret void\\n",
      declared)))
      << f.error;
  EXPECT_FINDING(f.run("k", {1, 1, 1}, {32, 1, 1}, {}), BarrierDivergence);
}
"""

LAUNCH = "// evo.launch scale<<<ceildiv(N, 64), 64>>>(x, y, N)\n"
KERNEL = """__global__ void scale(const float *x, float *y, int N) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < N)
    y[i] = 2 * x[i];
}
"""
CHECK_TEST = f"""One launch more than the budget has, and as many as it has.
Checks: many-launches
REQUIRES: cuda
RUN: rm -rf %t && split-file %s %t
RUN: not evo-opt verify %t/scale.cu %t/many.cu --seed 1 | FileCheck %s
CHECK: refuted: many-launches
CHECK: check: many-launches
CHECK: message: 17 launches
RUN: evo-opt verify %t/scale.cu %t/few.cu --seed 1

//--- scale.cu
// evo.kernel scale(x: in f32[N], y: out f32[N])
{LAUNCH}{KERNEL}//--- many.cu
{LAUNCH * 17}{KERNEL}//--- few.cu
{LAUNCH * 16}{KERNEL}"""


def run(*command, cwd=ROOT):
    """What a command prints."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, stdout=subprocess.PIPE, encoding="utf-8")
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: ended with {done.returncode}\n{done.stdout}")
    return done.stdout


def read_page(copy):
    """The sections of the page by their headings."""
    text = (copy / "docs" / "Extending.md").read_text(encoding="utf-8")
    return dict(part.split("\n", 1) for part in text.split("\n## ")[1:])


def code(section, begin):
    """The block of code of a section whose first line begins so."""
    for indent, block in re.findall(r"^( *)```\w+\n(.*?)^ *```$", section, re.M | re.S):
        block = re.sub(rf"^{indent}", "", block, flags=re.M)
        if block.lstrip().startswith(begin):
            return block
    sys.exit(f"docs/Extending.md shows no code that begins with '{begin}'")


def named(section, pattern):
    """What the section has between backticks."""
    found = re.search(rf"`({pattern})`", section)
    return found[1] if found else sys.exit(f"docs/Extending.md names no '{pattern}'")


def insert(path, text, before="", after="", replace=""):
    """Puts `text` into a file: behind `after`, there in front of `before`, in the place of
    `replace`; at the end where none of these is named."""
    old = path.read_text(encoding="utf-8")
    begin = old.find(after) + len(after)
    at = old.find(before or replace, begin) if before or replace else len(old)
    if after not in old or at < 0:
        sys.exit(f"{path}: has no '{before or replace or after}'")
    path.write_text(old[:at] + text + old[at + len(replace):], encoding="utf-8")


def add_operation(copy, page):
    section = page["Adding an operation"]
    record = code(section, "def Elect")
    threads = copy / "include/evo/DeviceOps/Threads.td"
    insert(threads, "", replace='  let IsSupported = 0 in def : Family<"elect">;\n')
    insert(threads, "\n" + record)
    case = re.sub(r"^(?=.)", "  ", code(section, "case Kind::Elect"), flags=re.M)
    insert(copy / "lib/Simulator/Decode/CallDevice.cpp", case, before="  default:", after="CallDecoder::threads()")
    insert(copy / "unittests/Simulator/ValueTest.cpp", OPERATION_TEST, before="\n} // namespace")


def add_check(copy, page):
    section = page["Adding a check"]
    source = copy / named(section, r"lib/Verification/Checks/\w+\.cpp")
    source.write_text(code(section, "// More launches"), encoding="utf-8")
    insert(copy / "include/evo/Support/Reasons.def", named(section, r"EVO_REASON\(.*?\)") + "\n", before="\n#undef")
    insert(copy / "lib/Verification/Checks/Checks.def", named(section, r"EVO_CHECK\(.*?\)") + "\n",
           before="EVO_CHECK", after="EVO_CHECK(build)\n")
    (copy / named(section, r"test/Verify/Checks/[\w-]+\.test")).write_text(CHECK_TEST, encoding="utf-8")


def add_card(copy, page):
    row = code(page["Adding a target"], '{"b300"').replace("ARCH", "sm_103")
    table = copy / "lib/Target/TargetInfo.cpp"
    insert(table, row, before="};", after="TargetInfo targets[]")
    insert(table, "// B300: an illustration, from no data sheet.\n", before="#include")


# How an example is applied, the targets that make its tests, those that write files, and its
# tests: unit tests, and what lit is to run.
TOYS = {
    "operation": (add_operation, ("EvoDeviceOpsTests", "EvoSimulatorTests", "EvoVerificationTests"), (), None),
    "check": (add_check, ("all",), ("update-docs", "fix-format"), "Docs/reference|list-checks|Format|many-launches"),
    "card": (add_card, ("EvoTargetTests",), (), None),
}


def test(build, targets, lit):
    for target in targets:
        if target.endswith("Tests"):
            run(build / "unittests" / target, "--gtest_brief=1")
    if lit:
        tool = re.search(r"^EVO_LIT:\w+=(.*)$", (build / "CMakeCache.txt").read_text(encoding="utf-8"), re.M)
        print(run(sys.executable, tool[1], "-q", f"--filter={lit}", build / "test"), end="")


def check_form(copy, touched):
    """Ends the process where the scripts have something on these files or their folders: what
    they find elsewhere is this tree's own."""
    places = touched | {str(pathlib.Path(name).parent) for name in touched}
    found = []
    for what in FORM:
        checked = subprocess.run([sys.executable, copy / "utils" / f"check-{what}.py", copy],
                                 stdout=subprocess.PIPE, encoding="utf-8")
        # The last line counts.
        found += [line for line in checked.stdout.splitlines()[:-1] if line.split(":", 1)[0] in places]
    if found:
        sys.exit("\n".join(found))


def apply_all(copy, builds):
    # The files of this tree, whether committed or not, as what git compares with.
    names = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    for name in filter(os.path.lexists, (ROOT / name for name in names if name)):
        target = copy / name.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(name, target, follow_symlinks=False)
    run("git", "add", "--all", cwd=copy)
    build = copy / "build" / "release"
    if builds:
        run("cmake", "--preset", "release", f"-DEVO_CUDA_PATH={os.environ.get('EVO_CUDA_PATH', '')}", cwd=copy)
    page, touched = read_page(copy), set()
    for name, (add, targets, writing, lit) in TOYS.items():
        add(copy, page)
        if builds:
            run("cmake", build)  # the new files are found
            for group in filter(None, (targets, writing)):
                run("ninja", "-C", build, *group)
        run("git", "add", "--all", "--intent-to-add", cwd=copy)
        lines = run("git", "diff", "--name-status", cwd=copy).replace("\t", " ")
        print(f"{name}:\n{lines}", end="", flush=True)
        touched |= {line.split(" ", 1)[1] for line in lines.splitlines()}
        run("git", "add", "--all", cwd=copy)
        if builds:
            test(build, targets, lit)
    check_form(copy, touched)


def main():
    if sys.argv[1:] not in ([], ["--build"]):
        sys.exit(__doc__.strip())
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "copy"
        run("git", "worktree", "add", "--detach", "--no-checkout", "--quiet", copy, "HEAD")
        try:
            apply_all(copy, builds=bool(sys.argv[1:]))
        finally:
            run("git", "worktree", "remove", "--force", copy)


main()

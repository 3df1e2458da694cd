#!/usr/bin/env python3
"""Checks rules of the architecture that no compiler knows.

usage: check-foundation.py ROOT [RULE]...

Prints a line with the count for each RULE, for all of them if none is named, and under it
each violation as FILE:LINE: TEXT. Exits with 1 if there is one. The rules:
"""
import bisect
import pathlib
import re
import subprocess
import sys

CODE = {".cpp", ".h", ".inc", ".def"}
SKIPPED = {"build", "out", "__pycache__"}
MAX_FILES = 40  # of a folder
MAX_LINES = 150  # of the README

# Comments and characters come before strings, so that quotes in them open nothing.
TOKEN = re.compile(r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<raw>R"(?P<mark>[^()\s]*)\(.*?\)(?P=mark)")"""
                   r"""|(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<character>(?<!\w)'(?:[^'\\\n]|\\.)+')""", re.S)


class Source:
    """A file of C++, with its comments and literals told apart from its code."""

    def __init__(self, path):
        self.text = path.read_text(encoding="utf-8")
        self.starts = [0] + [match.end() for match in re.finditer("\n", self.text)]
        self.tokens = list(TOKEN.finditer(self.text))

    def line(self, offset):
        return bisect.bisect_right(self.starts, offset)

    def strings(self):
        """The string literals."""
        return [token for token in self.tokens if token["string"] or token["raw"]]

    def code(self):
        """The text, at the same offsets, with blanks for comments and characters, and strings
        of only blanks if they have one and stars if they have none."""
        pieces, end = [], 0
        for token in self.tokens:
            fill = "*" if token["string"] and " " not in token[0] else " "
            blank = re.sub(r"[^\n]", fill, token[0])
            pieces += [self.text[end:token.start()], f'"{blank[1:-1]}"' if token["string"] else blank]
            end = token.end()
        return "".join(pieces) + self.text[end:]

    def excused(self, excuse):
        """The lines of `// EXCUSE: REASON`, and those after them."""
        lines = {self.line(token.start()) for token in self.tokens
                 if re.match(rf"//\s*{excuse}: \S", token[0])}
        return lines | {line + 1 for line in lines}


def files(root, folders, suffixes, allowed=()):
    """Path and name of the files in `folders`, but for those in `allowed`."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            relative = path.relative_to(root)
            name = relative.as_posix()
            if path.is_file() and path.suffix in suffixes and not SKIPPED & set(relative.parts) \
                    and not name.startswith(tuple(allowed)):
                yield path, name


# Accesses have short names, which files have too: what follows has to be of PTX.
ACCESS = (r"(?:(?<![-.\w])|(?<=\\[nt]))(?:ld|st|red|atom)\.(?:global|shared|local|const|param|volatile|relaxed|acquire"
          r"|release|acq_rel|weak|mmio|async|bulk|ca|cg|cs|cv|lu|wb|wt)\b")
INTRINSIC = re.compile(r"nvvm\.|__nv_|cp\.async|ldmatrix|stmatrix|mma\.sync|bar\.sync|(?<![-\w])redux|mbarrier|shfl\.sync|"
                       + ACCESS)

# Functions of the device's runtime, whose names are words that other strings have too.
RUNTIME = re.compile(r'"(?:v?printf|malloc|free|__assert_?fail)"')

# As LLVM's enumerators have it.
ENUMERATED = re.compile(r"\bIntrinsic::nvvm_\w+")

# Operations as classes of MLIR, and who creates or lowers them.
CLASS = re.compile(r"\bNVVM::\w+Op\b|\bnvgpu::\w+")
CREATORS = ("lib/Lowering/", "lib/Conversion/LinalgToKernel/EmitAttention.cpp",
            "lib/Conversion/LinalgToKernel/EmitProducts.cpp", "lib/Verification/OnDemand/ElementReference.cpp",
            "lib/Verification/OnDemand/LaneDistribution.cpp", "lib/Verification/OnDemand/SharedSums.cpp")


def intrinsics(root):
    """Nothing in C++ names an intrinsic of NVVM, a function of libdevice or of the device's
    runtime, or an instruction of PTX, as a string or an enumerator, except in the table of device
    operations, the decoder and interpreter, targets, and the tool that tries a GPU with kernels of
    PTX. Nothing names an op of the NVVM or nvgpu dialect by its class but the files that create
    or lower such ops."""
    allowed = ("lib/DeviceOps/", "include/evo/DeviceOps/", "lib/Simulator/Decode/",
               "lib/Simulator/Interp/", "lib/Simulator/IR/", "lib/Target/", "tools/evo-gpu-check/")
    for path, name in files(root, ("include", "lib", "tools"), CODE, allowed):
        source = Source(path)
        for token in source.strings():
            if RUNTIME.fullmatch(token[0]):
                yield name, source.line(token.start()), token[0]
            for found in INTRINSIC.finditer(token[0]):
                yield name, source.line(token.start() + found.start()), found[0]
        code = source.code()
        for found in ENUMERATED.finditer(code):
            yield name, source.line(found.start()), found[0]
        if not name.startswith(CREATORS):
            for found in CLASS.finditer(code):
                yield name, source.line(found.start()), found[0]


def architectures(root):
    """No file of include/, lib/ and tools/ names an architecture (sm_90), except in targets."""
    allowed = ("lib/Target/", "include/evo/Target/")
    for path, name in files(root, ("include", "lib", "tools"), CODE | {".td"}, allowed):
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            for found in re.findall(r"sm_[0-9]\w*", line):
                yield name, number, found


# Strings in what Source.code() returns.
STRING, SPACED = r'"[ *]*"', '" +"'
MESSAGE = (r"\b(?:\w*(?:Message|Failure|Why|Description|Reason|ErrorText|Obstacle)|message|failure|why|description|reason"
           r"|errorText|obstacle|stopped|undecided|said)\b")
SEARCH = r"(?:\.|->)(?:contains|starts_with|ends_with|r?find|consume_(?:front|back))(?:_insensitive)?\s*\("
DECISION = re.compile(
    rf"{SEARCH}\s*{SPACED}|[=!]=\s*{SPACED}|{SPACED}\s*[=!]="
    rf"|{MESSAGE}(?:\(\))?\)*(?:{SEARCH}|\s*[=!]=\s*{STRING})|{STRING}\s*[=!]=\s*(?:\w+(?:\.|->))*{MESSAGE}"
    # Of a member, of what is returned and of what a condition declares: elsewhere, and before a
    # question mark, texts are put together.
    rf"|(?:\.|->|\breturn\s+|;\s*!?){MESSAGE}(?:\.|->)empty\(\)(?!\s*\?)")


def messages(root):
    """Nothing is decided by the text of a message: no search for, or comparison with, a string
    that has a blank, and none in a variable that is named as a message; nor by whether that
    is empty, for what may be missing is an optional. What is a format that others define is
    excused by `// data format: REASON` on its line or before."""
    for path, name in files(root, ("lib", "tools"), CODE):
        source = Source(path)
        excused = source.excused("data format")
        for found in DECISION.finditer(source.code()):
            line = source.line(found.start())
            if line not in excused:
                yield name, line, " ".join(source.text[found.start():found.end()].split())


def folders(root):
    """No folder has more than 40 files."""
    for top in ("include", "lib", "tools", "test", "unittests"):
        inside = [path for path in (root / top).rglob("*") if path.is_dir()]
        for folder in sorted([root / top] + inside):
            relative = folder.relative_to(root)
            if folder.is_dir() and not SKIPPED & set(relative.parts):
                count = sum(path.is_file() for path in folder.iterdir())
                if count > MAX_FILES:
                    yield relative.as_posix(), 1, f"{count} files"


def readme(root):
    """README.md has at most 150 lines."""
    count = (root / "README.md").read_text(encoding="utf-8").count("\n")
    if count > MAX_LINES:
        yield "README.md", count, f"{count} lines"


# Keys of evidence are words with underscores between.
GLOSSARY = re.compile(r"(?<![^\W_])(?:ghosts?|teams?|in[\s_]+turns|planes?|dear|as[\s_]+written|as[\s_]+shipped|most|"
                      r"least|a\s+row)(?![^\W_])", re.IGNORECASE)


def glossary(root):
    """README.md and docs/*.md have no word that stands for a standard term."""
    for path in [root / "README.md"] + sorted((root / "docs").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for found in GLOSSARY.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield path.relative_to(root).as_posix(), line, " ".join(found[0].split())


# Words of names, in which humps and underscores part them; of comments, where "at most" is English;
# and of what is printed, where a row may be one of a matrix.
NAMED = {"ghost", "ghosts", "team", "teams", "plane", "planes", "dear", "most", "least"}
HUMP = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
COMMENTED = re.compile(r"\b(?:ghosts?|teams?|planes?|dear|in turns|as written|as shipped)\b", re.IGNORECASE)
PRINTED = re.compile(GLOSSARY.pattern.replace(r"|a\s+row", r"|in\s+a\s+row"), re.IGNORECASE)


def names(root):
    """No name, comment or string in C++, and no line of TableGen, has a word that stands for a
    standard term. A string is excused by `// common word: REASON` on its line or before."""
    for path, name in files(root, ("include", "lib", "tools"), {".td"}):
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            for found in COMMENTED.finditer(line):
                yield name, number, found[0]
    for path, name in files(root, ("include", "lib", "tools"), CODE):
        source = Source(path)
        excused = source.excused("common word")
        for token in source.strings():
            for found in PRINTED.finditer(token[0]):
                line = source.line(token.start() + found.start())
                if line not in excused:
                    yield name, line, found[0]
        for found in re.finditer(r"\b[A-Za-z_]\w*", source.code()):
            if NAMED & {hump.lower() for hump in HUMP.findall(found[0])}:
                yield name, source.line(found.start()), found[0]
        for token in source.tokens:
            if token["comment"]:
                for found in COMMENTED.finditer(token[0]):
                    yield name, source.line(token.start() + found.start()), found[0]


HEADING = re.compile(r"// [^-=\s][^\n]*\n(?://[^\n]*\n)*")
CONSTANT = re.compile(r"\bconstexpr\s+(?:const\s+)?[\w:<>]+\s+(?:\*\s*(?:const\s+)?)?(k[A-Z]\w*|[A-Z][A-Z0-9]*_\w*|[A-Z]{2,})"
                      r"(?:\[\w*\])?\s*[={(;]")

MACRO = re.compile(r"^#define(?:[^\n]*\\\n)*[^\n]*", re.M)


def style(root):
    """A file begins with a paragraph in comment lines, without rulers or words to editors, and
    constants are named as variables are, without a k and without capitals throughout."""
    for path, name in files(root, ("include", "lib", "tools", "unittests"), CODE | {".td"}):
        text = path.read_text(encoding="utf-8")
        heading = HEADING.match(text)
        if not heading or re.search(r"-\*-|={4}|-{4}", heading[0].split("\n", 1)[0]):
            yield name, 1, text.split("\n", 1)[0]
        if path.suffix != ".td":
            source = Source(path)
            # What a macro defines is named by its arguments.
            code = MACRO.sub(lambda macro: re.sub(r"[^\n]", " ", macro[0]), source.code())
            for found in CONSTANT.finditer(code):
                yield name, source.line(found.start()), found[1]


WARP = r"\w*(?:[wW]arp|WARP|[lL]ane|LANE)\w*"
OPERATOR = r"\s*(?:[<>=!]=|<<|>>|[-<>*/%+])\s*"
WIDTH = re.compile(rf"\b{WARP}[\])]*{OPERATOR}32u?\b|\b{WARP}\s*(?:=\s*|\{{\s*)32u?\s*[,;)}}]|\b32u?{OPERATOR}(?:\w+(?:\.|->))*{WARP}\b|\b{WARP}\[32u?\]")
# What works on 32 bits, whatever it is given.
BITS = re.compile(r"\b(?:__builtin_(?:ctz|clz|ffs|popcount|parity)|Log2_32)(?=\s*\()|\b1u?\s*<<\s*\(?(?:i|\w*[lL]ane)\b")
MASK = re.compile(r"\w*(?:mask|lanes|active)\w*", re.IGNORECASE)
# The type, and what follows to the end of the statement or of the parameters.
DECLARATION = re.compile(r"\b(?:uint32_t|u32)\b(?=([\s&*]+[^;(){}]*))")
NAME = re.compile(r"(?:^|,)[\s&*]*(?:const\b[\s&*]*)?(\w+)\s*(?=[=,:\[]|$)")


def lanes(root):
    """The simulator, what judges with it and conversions have no literal 32 beside a warp or
    lane, declare no mask of lanes as uint32_t, and count and shift no bits as those of an int:
    the warp size is a constant and the mask a type. What is of something else is excused by
    `// no lane mask: REASON` on its line or before."""
    for path, name in files(root, ("include/evo/Simulator", "lib/Simulator", "include/evo/Verification",
                                   "lib/Verification", "include/evo/Conversion", "lib/Conversion"), CODE):
        source = Source(path)
        excused = source.excused("no lane mask")
        code = source.code()
        for found in WIDTH.finditer(code):
            yield name, source.line(found.start()), " ".join(found[0].split())
        for found in BITS.finditer(code):
            if source.line(found.start()) not in excused:
                yield name, source.line(found.start()), " ".join(found[0].split())
        for found in DECLARATION.finditer(code):
            for one in NAME.finditer(found[1]):
                line = source.line(found.start(1) + one.start(1))
                if MASK.fullmatch(one[1]) and line not in excused:
                    yield name, line, f"uint32_t {one[1]}"


PARSE = re.compile(r"\b(?:IntExpr|Requirement)::parse\b")


def expressions(root):
    """Integer expressions and requirements are parsed where text comes in: by the dialect's
    attributes, and by those who read headers, host code in C++ and drafts made of it, schedules and
    rewrites. (launch.json has a type for what it says.)"""
    allowed = ("lib/Support/", "lib/Dialect/", "lib/Frontend/Contract/", "lib/Frontend/CUDA/", "lib/Draft/",
               "lib/Schedule/Schedule.cpp", "lib/Transforms/Kernel/Rewrites.cpp")
    for path, name in files(root, ("include", "lib", "tools"), CODE, allowed):
        source = Source(path)
        for found in PARSE.finditer(source.code()):
            yield name, source.line(found.start()), found[0]


TARGET_TEXT = re.compile(r"\b(?:std::string|(?:llvm::)?StringRef) target\b")


def targets(root):
    """What judges, generates code and asks models takes the target as an attribute: no text
    named `target` is declared there."""
    for path, name in files(root, ("include/evo/Verification", "lib/Verification", "include/evo/Lowering",
                                   "include/evo/Proposers", "lib/Proposers", "lib/Conversion",
                                   "include/evo/Draft", "lib/Draft", "include/evo/Interfaces", "lib/Interfaces",
                                   "include/evo/Cost", "lib/Cost", "lib/Transforms"), CODE):
        source = Source(path)
        for found in TARGET_TEXT.finditer(source.code()):
            yield name, source.line(found.start()), found[0]


# Handed to the table, it is the table that reads it.
ASSEMBLY = re.compile(r"\b(?:getAsmString|getPtxCode|readPTX)\b")
HANDED = re.compile(r"\bdevice::\w+\(\s*(?:\w+(?:\.|->))?$")
# The first word of a statement, as device::Operation has it, taken apart or compared.
WORD = re.compile(r"\boperation\.name(?:\.(?:r?split|r?find|contains|(?:starts|ends)_with|(?:consume|take|drop)_\w+)\b"
                  r"|\s*[=!]=)")


def assembly(root):
    """The text of inline PTX is read by the table of device operations, to whose functions
    others hand it and its words, and asked for as statements by the decoder alone, which
    executes them."""
    allowed = ("lib/DeviceOps/", "include/evo/DeviceOps/", "lib/Simulator/Decode/")
    for path, name in files(root, ("include", "lib", "tools"), CODE, allowed):
        source = Source(path)
        code = source.code()
        for found in ASSEMBLY.finditer(code):
            if HANDED.search(code, max(0, found.start() - 100), found.start()):
                continue
            yield name, source.line(found.start()), found[0]
        for found in WORD.finditer(code):
            yield name, source.line(found.start()), found[0]


SCOPE = re.compile(r"[{};]")
NAMESPACE = re.compile(r"\bnamespace\s*([\w:]*)\s*$")
TYPE = re.compile(r"\b(?:struct|class|union|enum)\s+(?:class\s+)?([A-Za-z_][\w:]*)\s*(?:final\s*)?(?::[^:].*)?$", re.S)


def types(root):
    """No two files define types of one name in one namespace: inline functions and templates
    of both would be linked as one."""
    defined = {}
    for path, name in files(root, ("include", "lib"), CODE):
        source = Source(path)
        code = MACRO.sub(lambda macro: re.sub(r"[^\n]", " ", macro[0]), source.code())
        scopes, begin = [], 0  # a namespace by its name; None: what is this file's alone
        for mark in SCOPE.finditer(code):
            head = code[begin:mark.start()]
            begin = mark.end()
            if mark[0] == "}":
                del scopes[-1:]
            if mark[0] != "{":
                continue
            space, kind = NAMESPACE.search(head), TYPE.search(head)
            if kind and None not in scopes:
                full = "::".join([*scopes, kind[1]])
                if defined.setdefault(full, name) != name:
                    yield name, source.line(mark.start()), full
            scopes.append((space[1] or None) if space else None)


DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
TEMPLATE_ARGUMENTS = re.compile(r"<[^<>;]*>")
# What begins no variable at the scope of a namespace.
NO_VARIABLE = re.compile(r"\b(?:using|typedef|template|friend|extern|namespace|enum|struct|class|union|return|operator"
                         r"|static_assert|case)\b")
VARIABLE = re.compile(r"[\w:]+[\s*&]+(?:[\w:]+[\s*&]+)*([\w:]+)(?:\[[^\]]*\])*$")
# Variables that change, by file and name, and why each has to be the process's.
KEPT_STATE = {
    ("lib/Interfaces/Interrupt.cpp", "interrupted"): "signals are the process's",
    ("lib/Driver/Crash.cpp", "words"): "a signal handler is handed nothing",
    ("lib/Driver/Crash.cpp", "stack"): "a signal handler runs on it",
    ("lib/Driver/Worker/WorkerMain.cpp", "whoStartedIt"): "a signal handler is handed nothing",
    ("lib/Driver/Compiler.cpp", "registered"): "MLIR's registry of passes is the process's",
    ("lib/Lowering/DeviceModule.cpp", "once"): "LLVM's registry of targets is the process's",
    ("lib/Simulator/Decode/Program.cpp", "next"): "tells programs apart, whoever decodes them",
}


def state(root):
    """No variable of a namespace, of a class or static in a function changes, but for those that
    this file lists with a reason: nothing of one search or context is seen in another. (The ID of
    an llvm::ErrorInfo is one for its address.)"""
    for path, name in files(root, ("include", "lib", "tools"), CODE):
        source = Source(path)
        code = DIRECTIVE.sub(lambda line: re.sub(r"[^\n]", " ", line[0]), source.code())
        scopes, begin = [], 0  # of each scope whether it is a namespace, a type, or code
        for mark in SCOPE.finditer(code):
            head = code[begin:mark.start()]
            begin = mark.end()
            inside = scopes[-1] if scopes else "namespace"
            if mark[0] == "}":
                del scopes[-1:]
                continue
            found = re.search(r"\b(?:static|thread_local)\b", head)
            declared = head[found.start():] if found else head
            if mark[0] == "{":
                scopes.append("namespace" if NAMESPACE.search(head) or re.search(r'\bextern\s*"', head) else
                              "type" if TYPE.search(head) else "code")
            if not found and inside != "namespace" or NO_VARIABLE.search(declared):
                continue
            # Up to its value. Arguments of a function are none, but those of a constructor may be.
            declared = declared.split("=", 1)[0]
            if inside == "code" or re.search(r'\(\s*["\d]', declared):
                declared = declared.split("(", 1)[0]
            while TEMPLATE_ARGUMENTS.search(declared):
                declared = TEMPLATE_ARGUMENTS.sub("", declared)
            declared = declared.strip()
            variable = VARIABLE.match(declared)
            if not variable or re.search(r"\bconstexpr\b|\bconst\b[^*]*$", declared) \
                    or re.match(r"(?:static )?char (?:\w+::)*ID$", declared) or (name, variable[1]) in KEPT_STATE:
                continue
            yield name, source.line(mark.start()), variable[1]


UNIT_TEST = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+),\s*(\w+)\)", re.M)


def entries(path):
    """Number and text of the lines of a table that say something."""
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if line and not line.startswith("#"):
            yield number, line


def added(root, base, folder, *options):
    """What git prints of all commits after `base` that concern `folder`; nothing where the tree
    has no history with that commit (an archive, a shallow clone) or the machine no git."""
    command = ["git", "-C", str(root), "-c", "core.quotePath=false", "log", "--format=", "--no-renames",
               "--no-ext-diff", "--no-color", *options, f"{base}..HEAD", "--", folder]
    try:
        return subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


BASE = re.compile(r"\(commit\s+(?:#\s*)?(\w+)\)")
ADDED_UNIT_TEST = re.compile(UNIT_TEST.pattern.replace("^", r"^\+", 1), re.M)
ADDED_TEST = re.compile(r"^(?!.*/Inputs/)test/.*\.(?:test|mlir|cu)$", re.M)


def successors(root):
    """Each removed test of test/successors.txt has a successor that is there, and each test of
    test/base-tests.txt, or that a commit after its base added, is there or has a line in that
    table. Without git or its history the base alone is looked at."""
    table, base = root / "test" / "successors.txt", root / "test" / "base-tests.txt"
    if not table.is_file() and not base.is_file():
        return
    units = {f"{found[1]}.{found[2]}" for path, _ in files(root, ("unittests",), CODE)
             for found in UNIT_TEST.finditer(path.read_text(encoding="utf-8"))}

    def exists(name):
        return name in units or bool(name) and (root / name).is_file()

    replaced = set()
    for number, line in entries(table):
        removed, _, after = line.partition("->")
        replaced.add(removed.strip())
        for name in after.split() or [""]:
            if not exists(name):
                yield "test/successors.txt", number, f"{removed.strip()} has no successor '{name}'"
    for number, name in entries(base):
        if not exists(name) and name not in replaced:
            yield "test/base-tests.txt", number, f"{name} is gone and has no line in test/successors.txt"
    commit = BASE.search(base.read_text(encoding="utf-8"))
    if commit:
        after = set(ADDED_TEST.findall(added(root, commit[1], "test", "--diff-filter=A", "--name-only")))
        after |= {f"{found[1]}.{found[2]}" for found in
                  ADDED_UNIT_TEST.finditer(added(root, commit[1], "unittests", "--patch", "--unified=0"))}
        for name in sorted(after - {name for _, name in entries(base)}):
            if not exists(name) and name not in replaced:
                yield "test/successors.txt", 1, f"{name} came after the base, is gone and has no line"


RULES = {rule.__name__: rule for rule in
         (intrinsics, architectures, messages, folders, readme, glossary, names, style, lanes, expressions, targets, assembly,
          types, state, successors)}


def main():
    wanted = sys.argv[2:] or list(RULES)
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "")
    if len(sys.argv) < 2 or not (root / "lib").is_dir() or not set(wanted) <= set(RULES):
        rules = "".join(f"\n  {name}: {' '.join(rule.__doc__.split())}" for name, rule in RULES.items())
        sys.exit(__doc__.strip() + rules)
    total = 0
    for name in wanted:
        found = list(RULES[name](root))
        total += len(found)
        print(f"{name}: {len(found)} violations")
        for path, line, text in found:
            print(f"{path}:{line}: {text}")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())

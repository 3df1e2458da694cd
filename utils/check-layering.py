#!/usr/bin/env python3
"""Checks who includes whom.

usage: check-layering.py ROOT

Each library may include the headers of those it is listed with below, and of
those only, and no header that lies in the folder of another library in lib/; a
foreign header (Clang, libcurl, ...) stops at the sources of the one library
that owns it. The order of the libraries in lib/CMakeLists.txt is
the layering, and the table below has to respect it. Besides, no file may name a
path of the machine it was written on, and only Target spells architectures and
the numbers of address spaces. Prints each violation as FILE:LINE: TEXT and exits
with 1 if there is one.
"""
import os
import re
import sys

# The dialect and the roles of a search, which all later stages speak.
SPOKEN = {"Support", "Dialect/Evo/IR", "Interfaces"}
# What GPUs are, as data; every library may ask.
EVERYWHERE = {"Target"}
# What a library may include besides its own headers.
MAY_USE = {
    "Support": set(),
    "Target": set(),
    "DeviceOps": set(),
    "Analysis": {"Support", "DeviceOps"},
    "Dialect/Evo/IR": {"Support"},
    "Interfaces": {"Support", "Dialect/Evo/IR"},
    "HostAnalysis": SPOKEN,
    "Lowering": SPOKEN | {"DeviceOps", "Analysis"},
    # These know neither the dialect nor each other.
    "Simulator": {"Support", "DeviceOps", "Analysis"},
    "Target/CUDA": {"Support"},
    "Runtime/CUDA": {"Support"},
    "LLM": {"Support"},
    "Journal": SPOKEN | {"LLM"},
    # Each joins what it names to the roles of a search.
    "Simulator/Plan": {"Support", "DeviceOps", "Dialect/Evo/IR", "Analysis", "Lowering",
                       "Simulator"},
    "Target/NVPTX": SPOKEN | {"DeviceOps", "Lowering", "Target/CUDA"},
    "Shapes": {"Support", "Dialect/Evo/IR"},
    # What a front end's file may hold, and nothing after it.
    "Dialect/TMTensor/IR": set(),
    "Dialect/Linalg": set(),
    "Frontend": SPOKEN | {"DeviceOps", "Dialect/TMTensor/IR", "HostAnalysis", "Lowering", "Shapes"},
    "Conversion/LLVMToStructured": SPOKEN | {"DeviceOps", "Lowering"},
    "Conversion/KernelToLinalg": {"Support", "Dialect/Evo/IR"},
    # Its passes are declared with the others.
    "Conversion/LinalgToKernel": {"Support", "DeviceOps", "Dialect/Evo/IR", "Dialect/Linalg", "Transforms"},
    "Proposers/Model": SPOKEN | {"DeviceOps", "Frontend", "LLM"},
    "Prove": {"Analysis", "Support", "DeviceOps", "Dialect/Evo/IR", "Lowering"},
    "Verification": SPOKEN | {"Analysis", "DeviceOps", "Lowering", "Shapes", "Simulator", "Simulator/Plan", "Prove"},
    "Draft": SPOKEN | {"Frontend", "Lowering", "Simulator", "Simulator/Plan", "Verification"},
    "Cost": SPOKEN | {"Lowering", "Simulator", "Simulator/Plan"},
    "Schedule": SPOKEN | {"DeviceOps", "Dialect/Linalg", "HostAnalysis", "Lowering"},
    "Transforms/Kernel": SPOKEN | {"DeviceOps", "Lowering"},
    "Proposers/Evolutionary": SPOKEN | {"DeviceOps", "Dialect/Linalg", "Lowering", "Schedule", "Transforms/Kernel"},
    "Emit": SPOKEN | {"Lowering", "Shapes", "Simulator/Plan", "Runtime/CUDA"},
    "Measure": SPOKEN | {"DeviceOps", "Lowering", "Emit", "Simulator", "Simulator/Plan",
                         "Runtime/CUDA", "Verification"},
    # A pass speaks to roles; only the driver names who plays them. A proof is
    # no role: there is one kind of it, and nobody may choose another.
    "Transforms": SPOKEN | {"Conversion/KernelToLinalg", "Prove", "Shapes"},
    # Shows what searches leave; takes no part in them.
    "Report": SPOKEN | {"Journal", "Proposers/Model", "Emit"},
    "Driver": None,  # everything
}
# Libraries that run or look at LLVM IR without MLIR.
WITHOUT_MLIR = {"Target", "DeviceOps", "Analysis", "Simulator", "Target/CUDA", "Runtime/CUDA",
                "LLM"}
# Headers in include/evo/Runtime itself are built by lib/Runtime/CUDA.
ALIASES = {"Runtime": "Runtime/CUDA"}
# Foreign headers, and the libraries in whose sources (never headers) they stop.
FOREIGN = {
    r"clang(-c)?/": {"Frontend"},
    r"curl/": {"LLM"},
    # What files say is read in Support; models say it in ways of their own.
    r"nlohmann/": {"Support", "LLM"},
    r"(nvrtc|nvJitLink|nvPTXCompiler)\.h": {"Target/CUDA"},
    r"(cuda|nvml|cupti)\w*\.h|cuda/": {"Runtime/CUDA"},
    r"sqlite3\.h": {"Journal"},
    r"z3(\+\+)?\.h": {"Prove"},
    r"llvm/Support/(BLAKE3|MD5|SHA1|SHA256|xxhash)\.h": {"Support"},
}
MACHINE_PATH = re.compile(r"/[w]ork/|/[t]mp/h/|/[r]oot/|/[h]ome/\w")
# What Target has names for, and the libraries that may spell it.
TARGET_FACTS = [(re.compile(r"\bsm_[0-9]\w*"), "architecture"),
                (re.compile(r"\b\w*[sS]pace(?:\(\))?\s*[!=]=\s*[0-9]+"
                            r"|\b[0-9]+\s*[!=]=\s*(?:\w+(?:\(\))?(?:\.|->))*\w*Addr(?:ess)?Space\(\)"
                            r"|PointerType::get\((?:[^();]|\([^();]*\))*,\s*[0-9]+\)|getPtrTy\([0-9]+\)"),
                 "number of an address space")]
SPELLS_TARGETS = {"Target", "Target/CUDA", "Target/NVPTX"}
TEXT = (".cpp", ".h", ".td", ".def", ".inc", ".py", ".sh", ".md", ".txt", ".in", ".json",
        ".cmake", ".cu", ".mlir", ".ll", ".test", ".mustache", ".yml", ".yaml")
SKIPPED = {".git", "build", "out", "__pycache__"}

INCLUDE = re.compile(r'^\s*#?\s*include\s*([<"])([^>"]+)[>"]', re.M)
RAW_STRING = re.compile(r'R"([^()\s]*)\((?:.|\n)*?\)\1"')


def walk(folder):
    for path, folders, files in os.walk(folder):
        folders[:] = sorted(set(folders) - SKIPPED)
        for name in sorted(files):
            yield os.path.join(path, name)


def library_of(relative):
    """The library a path below lib/ or include/evo/ belongs to, or None."""
    names = sorted(list(MAY_USE) + list(ALIASES), key=len, reverse=True)
    for name in names:
        if relative.startswith(name + "/"):
            return ALIASES.get(name, name)
    return None


class Check:
    def __init__(self, root):
        self.root = root
        self.violations = []
        self.files = self.edges = 0

    def report(self, path, line, text):
        self.violations.append(f"{os.path.relpath(path, self.root)}:{line}: {text}")

    def check_order(self):
        """The table against the order in which lib/CMakeLists.txt has it."""
        path = os.path.join(self.root, "lib", "CMakeLists.txt")
        with open(path, encoding="utf-8") as file:
            listed = re.search(r"foreach\(directory\s+([^)]*)\)", file.read())
        if not listed:
            return self.report(path, 1, "no foreach(directory ...) that lists the libraries")
        order = listed[1].split()
        for place, name in enumerate(order):
            if name not in MAY_USE:
                self.report(path, 1, f"library '{name}' is not in the table of check-layering.py")
                continue
            for used in sorted((MAY_USE[name] or set()) - set(order[:place])):
                self.report(path, 1, f"library '{name}' may use '{used}', which does not come before it")

    def check_foreign(self, path, line, header, library):
        if header.startswith("mlir/") and library in WITHOUT_MLIR:
            self.report(path, line, f"'{header}': library '{library}' knows no MLIR")
        for pattern, owners in FOREIGN.items():
            if not re.match(pattern, header):
                continue
            if library not in owners:
                owner = " or ".join(f"'{o}'" for o in sorted(owners)) or "no library"
                self.report(path, line, f"'{header}' belongs to {owner}")
            elif not path.endswith(".cpp"):
                self.report(path, line, f"'{header}' in a header: foreign headers stop at sources")

    def check_includes(self, path, library):
        """`library` is None for tools, which may include any of ours."""
        self.files += 1
        with open(path, encoding="utf-8") as file:
            text = file.read()
        # Code in strings is not ours; the newlines stay, for the line numbers.
        text = RAW_STRING.sub(lambda m: "\n" * m[0].count("\n"), text)
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start(2)) + 1
            header = match[2]
            if ".." in header.split("/") or header.startswith("lib/"):
                self.report(path, line, f"'{header}' reaches into another folder")
            elif header.startswith("evo/"):
                self.check_use(path, line, header, library)
            elif match[1] == '"' and library_of(header):
                self.check_private(path, line, header, library)
            else:
                self.check_foreign(path, line, header, library)

    def check_use(self, path, line, header, library):
        used = library_of(header[len("evo/"):])
        if used is None:
            return self.report(path, line, f"'{header}' is of no known library")
        if library is None or used == library:
            return
        self.edges += 1
        allowed = MAY_USE[library]
        if allowed is not None and used not in allowed | EVERYWHERE:
            self.report(path, line, f"library '{library}' may not include '{header}' of '{used}'")

    def check_private(self, path, line, header, library):
        """A header of lib/, named from there, is its own library's alone."""
        owner = library_of(header)
        if owner != library:
            self.report(path, line, f"'{header}' is private to '{owner}'")

    def check_machine_paths(self, path):
        with open(path, encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                found = MACHINE_PATH.search(line)
                if found:
                    self.report(path, number, f"a path of one machine: '{found[0]}'")

    def check_target_facts(self, path):
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        for pattern, what in TARGET_FACTS:
            for found in pattern.finditer(text):
                line = text.count("\n", 0, found.start()) + 1
                self.report(path, line, f"'{' '.join(found[0].split())}': {what} outside of Target")

    def run(self):
        self.check_order()
        for base in ("include/evo", "lib"):
            folder = os.path.join(self.root, base)
            for path in walk(folder):
                if not path.endswith((".cpp", ".h", ".td", ".def")):
                    continue
                library = library_of(os.path.relpath(path, folder))
                if library is None:
                    self.report(path, 1, "in the folder of no known library")
                else:
                    self.check_includes(path, library)
        for path in walk(os.path.join(self.root, "tools")):
            if path.endswith((".cpp", ".h")):
                self.check_includes(path, None)
        for base in ("include/evo", "lib", "tools"):
            folder = os.path.join(self.root, base)
            for path in walk(folder):
                library = library_of(os.path.relpath(path, folder))
                if path.endswith(TEXT) and library not in SPELLS_TARGETS:
                    self.check_target_facts(path)
        for path in walk(self.root):
            if path.endswith(TEXT):
                self.check_machine_paths(path)
        for violation in self.violations:
            print(violation)
        print(f"layering: {self.files} files, {self.edges} includes across libraries, "
              f"{len(self.violations)} violations")
        return 1 if self.violations else 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or not os.path.isdir(os.path.join(sys.argv[1], "lib")):
        sys.exit("usage: check-layering.py ROOT (a folder that has lib/)")
    sys.exit(Check(sys.argv[1]).run())

"""CUDA text as tokens: just enough of the language to change a kernel by rule.

Nothing here compiles. Names are floats or integers by the declarations that stand
in the file, operands are what binds tighter than any binary operator, and what the
tokens do not tell is left alone."""
import re

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      |(?P<directive>^[ \t]*\#[^\n]*)
      |(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
      |(?P<number>\.?\d(?:[eE][+-]|[\w.])*)
      |(?P<name>[A-Za-z_]\w*)
      |(?P<op><<<|>>>|<<=|>>=|->|\+\+|--|&&|\|\||[-+*/%&|^!=<>]=|<<|::|[^\s\w])""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
FLOAT_TYPES = {
    "float", "double", "float2", "float4", "__half", "__half2", "__nv_bfloat16", "__nv_bfloat162",
}
INT_TYPES = {
    "int", "unsigned", "size_t", "long", "bool", "char", "uint4", "auto", "int32_t", "int64_t",
}
TYPE_WORDS = FLOAT_TYPES | INT_TYPES | {"const", "volatile", "short", "void", "signed"}
FLOAT_CALL = re.compile(
    r"(f?(max|min|abs|ma)|expm?1?|exp2|logf?|r?sqrt|tanh|r?cbrt|pow|sin|cos|erf)f"
    r"|fma|__half2float|__bfloat162float|__int_as_float|__f(add|mul|ma|div)_r[nz]|__expf|__h\w+"
)
OPENS, CLOSES = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}


class Token:
    def __init__(self, kind, text, start, line):
        self.kind, self.text, self.start, self.line = kind, text, start, line
        self.end = start + len(text)


class Text:
    """A file's tokens, its brackets, and which of its names are what."""

    def __init__(self, text):
        self.text = text
        self.header = []  # comment tokens that are lines of the contract
        self.tokens = []
        line, at = 1, 0
        for match in TOKEN.finditer(text):
            line += text.count("\n", at, match.start())
            at = match.start()
            token = Token(match.lastgroup, match.group(), match.start(), line)
            if token.kind == "comment":
                if token.text.startswith("// evo."):
                    self.header.append(token)
            elif token.kind != "directive":
                self.tokens.append(token)
        self.partner = self._match_brackets()
        self.floats, self.ints, self.shared = set(), set(), set()
        self._collect_names()
        self._mark_templates()

    def __getitem__(self, index):
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def __len__(self):
        return len(self.tokens)

    def source(self, first, last):
        """The text of tokens first to last, both included."""
        return self.text[self.tokens[first].start : self.tokens[last].end]

    def _match_brackets(self):
        partner, stack = {}, []
        for i, token in enumerate(self.tokens):
            if token.text in OPENS:
                stack.append(i)
            elif token.text in CLOSES:
                partner[i] = stack.pop()
                partner[partner[i]] = i
        return partner

    def _collect_names(self):
        for i in range(len(self)):
            kind = self[i]
            if kind not in FLOAT_TYPES and kind not in INT_TYPES or self[i - 1] == "(" and self[i + 1] == ")":
                continue
            names = self.floats if kind in FLOAT_TYPES else self.ints
            back = i - 1
            while self[back] in TYPE_WORDS or self[back] == "__shared__":
                back -= 1
            shared = "__shared__" in [self[k] for k in range(back, i)]
            j = i + 1
            while j < len(self):
                while self[j] in TYPE_WORDS or self[j] in ("*", "&", "__restrict__"):
                    j += 1
                if not re.fullmatch(r"[A-Za-z_]\w*", self[j]):
                    break
                names.add(self[j])
                if shared:
                    self.shared.add(self[j])
                j += 1
                while self[j] == "[":
                    j = self.partner[j] + 1
                if self[j] in ("=", "{"):  # skip the initialiser
                    while self[j] not in (",", ";", ")", ""):
                        j = self.partner[j] + 1 if self[j] in OPENS else j + 1
                if self[j] != "," or self[j + 1] in TYPE_WORDS:
                    break
                j += 1
        self.ints -= self.floats

    def _mark_templates(self):
        """Angle brackets that are no comparisons."""
        self.angles = set()
        for i in range(len(self)):
            if self[i] != "<" or self.tokens[i - 1].kind != "name":
                continue
            j = i + 1
            while self[j] in ("::", ",", "*", "&") or (
                j < len(self) and self.tokens[j].kind in ("name", "number")
            ):
                j += 1
            closes = self[j] == ">" and self[i - 1] not in self.ints | self.floats
            if closes and (self[j + 1] in ("(", "::", "{", ">") or self[i - 1] == "template"
                           or self.tokens[j + 1].kind == "name"):
                self.angles |= {i, j}

    # Expressions.

    def is_cast(self, close):
        """Whether the bracket that closes here holds a type."""
        opens = self.partner[close]
        inside = [self[k] for k in range(opens + 1, close)]
        return bool(inside) and all(t in TYPE_WORDS or t == "*" for t in inside)

    def left_operand(self, op):
        """The first token of the operand that ends before `op`."""
        i = op - 1
        while True:
            if self[i] in (")", "]", "}"):
                i = self.partner[i]
                if self[i - 1] == ">" and i - 1 in self.angles:
                    while self[i] != "<":
                        i -= 1
                before = self.tokens[i - 1]
                if before.kind == "name" and before.text not in ("return", "else") or before.text in ("]",):
                    i -= 1
                    continue
                if before.text == ")" and not self.is_cast(i - 1) and self[i] == "(":
                    i -= 1
                    continue
            elif self[i - 1] in (".", "->", "::"):
                i -= 2
                continue
            break
        while self[i - 1] == ")" and self.is_cast(i - 1):
            i = self.partner[i - 1]
        return i

    def right_operand(self, op):
        """The last token of the operand that begins after `op`."""
        i = op + 1
        while self[i] in ("-", "+", "*", "&", "!", "~", "++", "--") or (
            self[i] == "(" and self.is_cast(self.partner[i])
        ):
            i = self.partner[i] + 1 if self[i] == "(" else i + 1
        if self[i] == "(":
            i = self.partner[i]
        while True:
            after = self[i + 1]
            if after in ("(", "["):
                i = self.partner[i + 1]
            elif after in (".", "->", "::"):
                i += 2
            elif after == "<" and i + 1 in self.angles:
                while self[i] != ">":
                    i += 1
            else:
                return i

    def is_float(self, first, last):
        """Whether the expression is one of floats, by names outside subscripts."""
        i = first
        while i <= last:
            token = self.tokens[i]
            if token.text == "[":
                i = self.partner[i]
            elif token.kind == "number" and re.search(r"[.]|f$", token.text) and "x" not in token.text:
                return True
            elif token.kind == "name" and self[i - 1] not in (".", "->"):
                if token.text in self.floats or FLOAT_CALL.fullmatch(token.text):
                    return True
                if self[i + 1] == "(" and token.text not in self.floats:
                    i = self.partner[i + 1]
            i += 1
        return False

    def is_binary(self, i):
        """Whether the operator at `i` stands between two operands."""
        before = self.tokens[i - 1]
        if before.text == ")":
            return not self.is_cast(i - 1)
        if before.text == "]":
            return True
        if before.text in TYPE_WORDS or before.text in ("return", ">"):
            return False
        return before.kind in ("name", "number")

    def in_subscript(self, i):
        depth_open = i
        while depth_open > 0:
            depth_open -= 1
            if self[depth_open] in CLOSES:
                depth_open = self.partner[depth_open]
            elif self[depth_open] == "[":
                return True
            elif self[depth_open] in ("{", ";"):
                return False
        return False

    # Statements.

    def statement_end(self, i):
        """The last token of the statement that begins at `i`."""
        if self[i] == "{":
            return self.partner[i]
        if self[i] in ("for", "if", "while"):
            end = self.statement_end(self.partner[i + 1] + 1)
            return self.statement_end(end + 2) if self[i] == "if" and self[end + 1] == "else" else end
        while i < len(self) and self[i] != ";" and self[i] not in CLOSES:
            i = self.partner[i] + 1 if self[i] in OPENS else i + 1
        return i

    def begins_statement(self, i):
        if self[i - 1] in (";", "{", "}", "else"):
            return True
        if self[i - 1] == ")":
            head = self.partner[i - 1] - 1
            return self[head] in ("for", "if", "while")
        return False

    def loops(self):
        """Each `for` as its index, the places of its two semicolons, its bracket."""
        for i in range(len(self)):
            if self[i] != "for":
                continue
            close = self.partner[i + 1]
            semicolons, j = [], i + 2
            while j < close:
                if self[j] == ";":
                    semicolons.append(j)
                j = self.partner[j] + 1 if self[j] in OPENS else j + 1
            if len(semicolons) == 2:
                yield i, semicolons[0], semicolons[1], close

    def assignments(self):
        """Statements `lhs op= rhs;` as (first, op, semicolon); no declarations."""
        for i in range(len(self)):
            if not self.begins_statement(i) or self[i] not in self.floats | self.ints:
                continue
            j = i + 1
            while self[j] in ("[", ".", "->"):
                j = self.partner[j] + 1 if self[j] == "[" else j + 2
            if self[j] in ("=", "+=", "-=", "*=", "/="):
                end = self.statement_end(j)
                if self[end] == ";":
                    yield i, j, end

    def function_of(self, i):
        """(first, last) token of the parameters of the function around `i`."""
        best = None
        for opens in range(i):
            if self[opens] == "{" and self.partner[opens] > i and self[opens - 1] == ")":
                head = self.partner[opens - 1]
                if self.tokens[head - 1].kind == "name" and self[head - 1] not in ("for", "if", "while"):
                    best = best or (head, opens - 1)
        return best


def edit(text, edits):
    """The text with (start, end, replacement) applied, ends first."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text

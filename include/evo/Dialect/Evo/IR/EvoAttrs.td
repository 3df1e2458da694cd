// Attributes of the evo dialect: the parts of a contract, and what the stages
// learnt about a variant. All of them round-trip through text.
#ifndef EVO_DIALECT_EVO_IR_EVOATTRS_TD
#define EVO_DIALECT_EVO_IR_EVOATTRS_TD

include "evo/Dialect/Evo/IR/EvoBase.td"
include "evo/Dialect/Evo/IR/TargetInterface.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"

class Evo_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Evo_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class Evo_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::evo";
  let genSpecializedAttr = 0;
}

def Evo_Role : Evo_Enum<"Role", "what a kernel does with an argument", [
  I32EnumAttrCase<"In", 0, "in">,
  I32EnumAttrCase<"Out", 1, "out">,
  I32EnumAttrCase<"InOut", 2, "inout">,
  I32EnumAttrCase<"Scalar", 3, "scalar">
]>;

def Evo_DomainKind : Evo_Enum<"DomainKind", "which values an argument may hold", [
  I32EnumAttrCase<"Finite", 0, "finite">,
  I32EnumAttrCase<"Any", 1, "any">,
  I32EnumAttrCase<"Range", 2, "range">,
  I32EnumAttrCase<"NonNegative", 3, "nonneg">,
  I32EnumAttrCase<"NonZero", 4, "nonzero">,
  I32EnumAttrCase<"Probability", 5, "probability">,
  I32EnumAttrCase<"Permutation", 6, "permutation">,
  I32EnumAttrCase<"Monotone", 7, "monotone">
]>;

def Evo_Grade : Evo_Enum<"Grade", "how strong the evidence of equivalence is", [
  I32EnumAttrCase<"Exact", 0, "exact">,
  I32EnumAttrCase<"Algebraic", 1, "algebraic">,
  I32EnumAttrCase<"Numeric", 2, "numeric">,
  I32EnumAttrCase<"Refuted", 3, "refuted">,
  I32EnumAttrCase<"Unsupported", 4, "unsupported">
]>;

def Evo_Genome : Evo_Enum<"Genome", "the language a proposal is written in", [
  I32EnumAttrCase<"Schedule", 0, "schedule">,
  I32EnumAttrCase<"CUDA", 1, "cuda">,
  I32EnumAttrCase<"MLIR", 2, "mlir">,
  I32EnumAttrCase<"Options", 3, "options">,
  I32EnumAttrCase<"LLVMIR", 4, "llvm">
]>;

def Evo_Effort : Evo_Enum<"Effort", "how much a verification tries", [
  I32EnumAttrCase<"Quick", 0, "quick">,
  I32EnumAttrCase<"Default", 1, "default">,
  I32EnumAttrCase<"Thorough", 2, "thorough">
]>;

def Evo_Stage : Evo_Enum<"Stage", "where a proposal came to its end", [
  I32EnumAttrCase<"Answer", 0, "answer">,
  I32EnumAttrCase<"Judged", 1, "judged">,
  I32EnumAttrCase<"Duplicate", 2, "duplicate">,
  I32EnumAttrCase<"Parse", 3, "parse">,
  I32EnumAttrCase<"Materialize", 4, "materialize">,
  // Passes that failed as such, or died; `pipeline` is any other that a search
  // was told to run.
  I32EnumAttrCase<"StripUntrustedPass", 5, "evo-strip-untrusted">,
  I32EnumAttrCase<"AbstractShapesPass", 6, "evo-abstract-shapes">,
  I32EnumAttrCase<"RaisePass", 7, "evo-raise">,
  I32EnumAttrCase<"RaiseStructuredPass", 8, "evo-raise-structured">,
  I32EnumAttrCase<"MaterializePass", 9, "evo-materialize">,
  I32EnumAttrCase<"AuditPass", 10, "evo-audit">,
  I32EnumAttrCase<"ProvePass", 11, "evo-prove">,
  I32EnumAttrCase<"VerifyPass", 12, "evo-verify">,
  I32EnumAttrCase<"LowerPass", 13, "evo-lower">,
  I32EnumAttrCase<"EstimatePass", 14, "evo-estimate">,
  I32EnumAttrCase<"MeasurePass", 15, "evo-measure">,
  I32EnumAttrCase<"SelectPass", 16, "evo-select">,
  I32EnumAttrCase<"Pipeline", 17, "pipeline">
]>;

def Evo_QuotedStage : EnumParameter<Evo_Stage> {
  let printer = [{$_printer << '"' << stringifyStage($_self) << '"'}];
}

def Evo_CostSource : Evo_Enum<"CostSource", "where a time comes from", [
  I32EnumAttrCase<"Estimated", 0, "estimated">,
  I32EnumAttrCase<"Measured", 1, "measured">
]>;

def Evo_GenomeAttr : EnumAttr<Evo_Dialect, Evo_Genome, "genome"> {
  let assemblyFormat = "`<` $value `>`";
}

def Evo_StageAttr : EnumAttr<Evo_Dialect, Evo_Stage, "stage"> {
  // Names of passes are no keywords.
  let parameters = (ins Evo_QuotedStage:$value);
  let assemblyFormat = "`<` $value `>`";
}

/// A text of the contract's language, parsed once, when the attribute is made.
/// It prints as it is spelled, and where an op or attribute of the dialect holds
/// it, as the bare string.
class Evo_ParsedText<string name, string attrMnemonic, string what, string parsed>
    : Evo_Attr<name, attrMnemonic> {
  let parameters = (ins StringRefParameter<"as it is spelled">:$text,
                        AttrParameter<parsed, "", "const " # parsed # " &">:$value);
  let genStorageClass = 0;
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Of a text that is known to be one.
    static }] # name # [{Attr get(::mlir::MLIRContext *context,
                                  ::llvm::StringRef text);
    /// Spelled canonically.
    static }] # name # [{Attr get(::mlir::MLIRContext *context,
                                  const }] # parsed # [{ &value);
    /// An error where `text` is none.
    static ::llvm::Expected<}] # name # [{Attr> parseText(
        ::mlir::MLIRContext *context, ::llvm::StringRef text);
    /// Null, after a diagnostic, where `text` is none.
    static }] # name # [{Attr getChecked(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
        ::mlir::MLIRContext *context, ::llvm::StringRef text);
    /// All of `texts`, which are known to be some.
    static ::mlir::ArrayAttr getArray(::mlir::MLIRContext *context,
                                      ::llvm::ArrayRef<std::string> texts);
    /// All of `values`, spelled canonically.
    static ::mlir::ArrayAttr getArray(
        ::mlir::MLIRContext *context,
        ::llvm::ArrayRef<}] # parsed # [{> values);
  }];
  let extraClassDefinition = [{
    ::llvm::StringRef $cppClass::getText() const { return getImpl()->text; }
    const }] # parsed # [{ &$cppClass::getValue() const {
      return getImpl()->value;
    }
    $cppClass $cppClass::get(::mlir::MLIRContext *context,
                             ::llvm::StringRef text) {
      return ::llvm::cantFail(parseText(context, text));
    }
    $cppClass $cppClass::get(::mlir::MLIRContext *context,
                             const }] # parsed # [{ &value) {
      return Base::get(context, value.str(), value);
    }
    ::llvm::Expected<$cppClass> $cppClass::parseText(
        ::mlir::MLIRContext *context, ::llvm::StringRef text) {
      auto parsed = }] # parsed # [{::parse(text);
      if (!parsed)
        return parsed.takeError();
      return Base::get(context, text, *parsed);
    }
    $cppClass $cppClass::getChecked(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
        ::mlir::MLIRContext *context, ::llvm::StringRef text) {
      auto parsed = parseText(context, text);
      if (parsed)
        return *parsed;
      emitError() << "malformed }] # what # [{ \"" << text
                  << "\": " << ::llvm::toString(parsed.takeError());
      return {};
    }
    ::mlir::ArrayAttr $cppClass::getArray(::mlir::MLIRContext *context,
                                          ::llvm::ArrayRef<std::string> texts) {
      ::llvm::SmallVector<::mlir::Attribute> attrs;
      for (const std::string &text : texts)
        attrs.push_back(get(context, text));
      return ::mlir::ArrayAttr::get(context, attrs);
    }
    ::mlir::ArrayAttr $cppClass::getArray(
        ::mlir::MLIRContext *context,
        ::llvm::ArrayRef<}] # parsed # [{> values) {
      ::llvm::SmallVector<::mlir::Attribute> attrs;
      for (const auto &value : values)
        attrs.push_back(get(context, value));
      return ::mlir::ArrayAttr::get(context, attrs);
    }
    ::mlir::Attribute $cppClass::parse(::mlir::AsmParser &parser, ::mlir::Type) {
      if (parser.parseLess())
        return {};
      $cppClass attr = parseQuoted<$cppClass>(parser);
      return attr && !parser.parseGreater() ? attr : $cppClass();
    }
    void $cppClass::print(::mlir::AsmPrinter &printer) const {
      printTexts(printer.getStream() << '<', *this);
      printer << '>';
    }
  }];
}

def Evo_ExprAttr : Evo_ParsedText<"Expr", "expr", "expression", "::evo::IntExpr"> {
  let summary = "an integer expression over the names of a contract";
  let description = [{
    Extents, launch geometry, shared memory and integer arguments of launches.
    Example: `#evo.expr<"ceildiv(M, 128)">`; in ops and in `#evo.arg` it is
    written `"ceildiv(M, 128)"`.
  }];
}

def Evo_RequirementAttr
    : Evo_ParsedText<"Requirement", "requirement", "requirement",
                     "::evo::Requirement"> {
  let summary = "a condition on sizes or on the target";
  let description = [{
    Example: `#evo.requirement<"N % 4 == 0">`; in ops it is written
    `"N % 4 == 0"`.
  }];
}

/// Extents, which may be missing.
def Evo_OptionalExprs : OptionalParameter<"::mlir::ArrayAttr"> {
  let parser = "parseOptionalExprs($_parser)";
  let printer = "printTexts($_printer.getStream(), $_self)";
}

/// An end of a range: an integer expression, or a decimal number.
def Evo_OptionalBound : OptionalParameter<"::mlir::Attribute"> {
  let parser = "parseBound($_parser)";
  let printer = "printTexts($_printer.getStream(), $_self)";
}

def Evo_DomainAttr : Evo_Attr<"Domain", "domain"> {
  let summary = "the values an argument may hold";
  let description = [{
    `lower` and `upper` are integer expressions over dimension names for integer
    arguments, decimal numbers for float arguments. Float ranges are closed,
    integer ranges half open. Only `range` and `monotone` have bounds.
  }];
  let parameters = (ins EnumParameter<Evo_DomainKind>:$kind,
                        Evo_OptionalBound:$lower, Evo_OptionalBound:$upper);
  let assemblyFormat = "`<` $kind (`,` $lower^ `to` $upper)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The attribute of a bound that is spelled so.
    static ::mlir::Attribute getBound(::mlir::MLIRContext *context,
                                      ::llvm::StringRef text);
    /// How they are spelled; only where there are some.
    ::llvm::StringRef getLowerText() const;
    ::llvm::StringRef getUpperText() const;
    /// Those of integers; only where there are some.
    const ::evo::IntExpr &getLowerExpr() const;
    const ::evo::IntExpr &getUpperExpr() const;
    /// Their values at `sizes`.
    ::llvm::Error evaluate(const ::evo::Bindings &sizes, int64_t &lower,
                           int64_t &upper) const;
  }];
}

def Evo_ArgumentAttr : Evo_Attr<"Argument", "arg"> {
  let summary = "one argument of a contract";
  let description = [{
    A buffer (`in`, `out`, `inout`) with its dimensions as integer expressions,
    row-major and dense, or a `scalar` without dimensions. `align` is the
    guaranteed alignment of the base pointer in bytes.
    Example: `#evo.arg<"x" in f32 ["M", "N"]>`.
  }];
  let parameters = (ins "::mlir::StringAttr":$name,
                        EnumParameter<Evo_Role>:$role,
                        "::mlir::Type":$elementType,
                        Evo_OptionalExprs:$dims,
                        OptionalParameter<"::evo::DomainAttr">:$domain,
                        DefaultValuedParameter<"int64_t", "16">:$align,
                        OptionalParameter<"::mlir::Attribute">:$defaultValue);
  let assemblyFormat = [{
    `<` $name $role $elementType ($dims^)? (`domain` `=` $domain^)?
    (`align` `=` $align^)? (`default` `=` $defaultValue^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isBuffer() const { return getRole() != Role::Scalar; }
    bool isWritten() const {
      return getRole() == Role::Out || getRole() == Role::InOut;
    }
    bool isRead() const {
      return getRole() == Role::In || getRole() == Role::InOut;
    }
    /// The dimension expressions, outermost first; empty for scalars.
    ::llvm::SmallVector<::evo::IntExpr> getExtents() const;
    /// How they are spelled.
    ::llvm::SmallVector<::llvm::StringRef> getDimStrings() const;
  }];
}

def Evo_WorkloadAttr : Evo_Attr<"Workload", "workload"> {
  let summary = "sizes that matter, with a weight for the cost";
  let parameters = (ins "::mlir::DictionaryAttr":$sizes,
                        DefaultValuedParameter<"int64_t", "1">:$weight);
  let assemblyFormat = "`<` $sizes (`weight` `=` $weight^)? `>`";
  let genVerifyDecl = 1;
}

def Evo_AccuracyAttr : Evo_Attr<"Accuracy", "accuracy"> {
  let summary = "arithmetic a contract allows beyond that of its argument types";
  let description = [{
    An element may be off by `rtol` times its own magnitude and `atol`, or by
    `norm` times the largest magnitude of its tensor, which is what transforms
    such as Winograd's promise.
  }];
  let parameters = (ins OptionalParameter<"::mlir::TypeAttr">:$multiply,
                        OptionalParameter<"::mlir::TypeAttr">:$accumulate,
                        OptionalParameter<"::mlir::FloatAttr">:$rtol,
                        OptionalParameter<"::mlir::FloatAttr">:$atol,
                        OptionalParameter<"::mlir::FloatAttr">:$norm);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Evo_OriginAttr : Evo_Attr<"Origin", "origin"> {
  let summary = "who made a variant, and from what";
  let parameters = (ins "::mlir::StringAttr":$proposer,
                        OptionalParameter<"::mlir::ArrayAttr">:$parents,
                        OptionalParameter<"::mlir::StringAttr">:$rationale);
  let assemblyFormat = [{
    `<` $proposer (`parents` `=` $parents^)? (`rationale` `=` $rationale^)? `>`
  }];
}

def Evo_EvidenceAttr : Evo_Attr<"Evidence", "evidence"> {
  let summary = "what the verifier found, bound to what it judged";
  let description = [{
    `hash` names the device module as handed to code generation, the contract,
    the reference's code, the target and the tool's version; evidence under
    another hash is void.
    `details` holds counts, seeds, and for a refutation its counterexample. Its
    keys and the types of their values are those of `EvidenceKeys.def`;
    [Verify.md](Verify.md) has the table.
  }];
  let parameters = (ins EnumParameter<Evo_Grade>:$grade,
                        "::mlir::StringAttr":$hash,
                        "::mlir::DictionaryAttr":$details);
  let assemblyFormat = "`<` $grade `hash` `=` $hash `details` `=` $details `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isAccepted() const {
      return getGrade() == Grade::Exact || getGrade() == Grade::Algebraic ||
             getGrade() == Grade::Numeric;
    }
    /// The value of a detail; empty, or none, where it is absent.
    ::llvm::StringRef getDetail(::evo::evidence::Text key) const;
    std::optional<int64_t> getDetail(::evo::evidence::Integer key) const;
    /// Why it is not accepted; nothing where it is, and for a word that is no
    /// reason here.
    std::optional<::evo::Reason> getReason() const;
  }];
}

def Evo_ResourcesAttr : Evo_Attr<"Resources", "resources"> {
  let summary = "what one kernel takes on the device, as the assembler reports it";
  let description = [{Registers per thread; spills, stack and shared memory in bytes.}];
  let parameters = (ins "::mlir::StringAttr":$kernel, "int64_t":$registers,
                        "int64_t":$spillStores, "int64_t":$spillLoads,
                        "int64_t":$stack, "int64_t":$shared,
                        OptionalParameter<"::mlir::ArrayAttr">:$notes);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Evo_TargetAttr : Evo_Attr<"Target", "target", [
    DeclareAttrInterfaceMethods<Evo_TargetAttrInterface, [
      "getArch", "getPTXVersion", "getWarpSize", "getLaneMaskBits",
      "getAddressSpace", "getInfo", "getObjectTarget"]>]> {
  let summary = "the device that code is compiled for and judged by";
  let description = [{
    An NVIDIA GPU, by architecture or by card. What is known of either is in one
    table, which the attribute only names; code for it carries a `#nvvm.target`.
  }];
  let parameters = (ins StringRefParameter<"an architecture or a card">:$name);
  let assemblyFormat = "`<` $name `>`";
  let genVerifyDecl = 1;
}

def Evo_CostAttr : Evo_Attr<"Cost", "cost"> {
  let summary = "time of a variant, estimated or measured";
  let description = [{
    `micros` holds one time in microseconds for each workload of the contract,
    in order, -1 for one that the variant does not serve; `machine` names the target model or the device it was measured on.
  }];
  let parameters = (ins EnumParameter<Evo_CostSource>:$source,
                        "::mlir::DenseF64ArrayAttr":$micros,
                        "::mlir::StringAttr":$machine,
                        OptionalParameter<"::mlir::DictionaryAttr">:$details);
  let assemblyFormat = [{
    `<` $source `us` `=` $micros `machine` `=` $machine
    (`details` `=` $details^)? `>`
  }];
}

#endif

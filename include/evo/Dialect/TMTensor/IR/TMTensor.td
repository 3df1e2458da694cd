// What PyTorch's way to linalg leaves for prefix sums and products.
#ifndef EVO_DIALECT_TMTENSOR_IR_TMTENSOR_TD
#define EVO_DIALECT_TMTENSOR_IR_TMTENSOR_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TMTensor_Dialect : Dialect {
  let name = "tm_tensor";
  let cppNamespace = "::evo::tm_tensor";
  let summary = "scans as torch-mlir hands them over";
  let description = [{
    The part of torch-mlir's dialect of that name which a front end's file may
    hold. It is read and turned into linalg at once; nothing of it stays.
  }];
}

def TMTensor_ScanOp : Op<TMTensor_Dialect, "scan", [Pure,
    SingleBlockImplicitTerminator<"::evo::tm_tensor::YieldOp">]> {
  let summary = "prefix combinations along a dimension";
  let description = [{
    With the region's f, first result o and second result a, along `dimension`:
    inclusive, o[0] = in[0] and o[i] = f(o[i-1], in[i]); exclusive, o[0] = the
    second destination and o[i] = f(o[i-1], in[i-1]). a is the last o, and has a
    dimension less. Limitation: one input, ranked tensors.
  }];
  let arguments = (ins I64Attr:$dimension, BoolAttr:$inclusive,
                       AnyRankedTensor:$input, AnyRankedTensor:$output,
                       AnyRankedTensor:$accumulator);
  let results = (outs AnyRankedTensor:$scanned, AnyRankedTensor:$last);
  let regions = (region SizedRegion<1>:$combination);
  let assemblyFormat = [{
    `dimension` `(` $dimension `)` `inclusive` `(` $inclusive `)`
    `ins` `(` $input `:` type($input) `)`
    `outs` `(` $output `,` $accumulator `:` type($output) `,` type($accumulator) `)`
    $combination attr-dict `->` type($scanned) `,` type($last)
  }];
  let hasVerifier = 1;
}

def TMTensor_YieldOp : Op<TMTensor_Dialect, "yield", [Pure, Terminator,
    HasParent<"::evo::tm_tensor::ScanOp">]> {
  let summary = "what two values are combined to";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif

// What the stages ask of the device that code is compiled for and judged by.
#ifndef EVO_DIALECT_EVO_IR_TARGETINTERFACE_TD
#define EVO_DIALECT_EVO_IR_TARGETINTERFACE_TD

include "mlir/IR/Interfaces.td"

def Evo_TargetAttrInterface : AttrInterface<"TargetAttrInterface"> {
  let cppNamespace = "::evo";
  let description = [{
    A device, as an attribute. The roles take this interface, so that another kind
    of device is another attribute that implements it.
  }];
  let methods = [
    InterfaceMethod<"The name of the target, as pass options have it.",
      "::llvm::StringRef", "getName">,
    InterfaceMethod<"The architecture that code is compiled for.",
      "::llvm::StringRef", "getArch">,
    InterfaceMethod<"The version of PTX that is generated, 80 for 8.0.",
      "unsigned", "getPTXVersion">,
    InterfaceMethod<"The threads that execute an instruction together.",
      "unsigned", "getWarpSize">,
    InterfaceMethod<[{
      The bits of a set of lanes, as instructions of a warp take and return it.}],
      "unsigned", "getLaneMaskBits">,
    InterfaceMethod<"The number of a memory in pointer types of its code.",
      "unsigned", "getAddressSpace", (ins "::evo::target::Memory":$memory)>,
    InterfaceMethod<"Limits and rates of the card; null where none are known.",
      "const ::evo::target::TargetInfo *", "getInfo">,
    InterfaceMethod<[{
      What the objects of a `gpu.binary` with that code name as their target: a
      `#nvvm.target`. The dialect of it must have been loaded.}],
      "::mlir::Attribute", "getObjectTarget">
  ];
}

#endif

// Interfaces of the evo dialect's operations.
#ifndef EVO_DIALECT_EVO_IR_EVOINTERFACES_TD
#define EVO_DIALECT_EVO_IR_EVOINTERFACES_TD

include "mlir/IR/OpBase.td"

def LaunchPlanOpInterface : OpInterface<"LaunchPlanOpInterface"> {
  let description = [{
    A launch plan: scratch buffers, launches in order, and the device modules
    that they name. `evo.reference` and `evo.variant` are plans, so that what
    judges, lowers, runs or prints one takes either. A reference that is
    tensor-level IR is a plan without launches.
  }];
  let cppNamespace = "::evo";
  let methods = [
    InterfaceMethod<[{
      The one block of this region holds the plan.
    }], "::mlir::Region &", "getBody">,
    InterfaceMethod<[{
      The text the plan was made from; null where there is none.
    }], "::mlir::StringAttr", "getSourceAttr">,
    InterfaceMethod<[{
      Conditions on sizes beyond the contract's; null where there are none.
    }], "::mlir::ArrayAttr", "getRequirementsAttr", (ins), /*methodBody=*/"",
      /*defaultImplementation=*/"return ::mlir::ArrayAttr();">,
    InterfaceMethod<[{
      Options of code generation; null where there are none.
    }], "::mlir::DictionaryAttr", "getOptionsAttr", (ins), /*methodBody=*/"",
      /*defaultImplementation=*/"return ::mlir::DictionaryAttr();">,
  ];
  let extraClassDeclaration = [{
    /// The kernel whose contract the plan is for.
    ::evo::KernelOp getKernel();
    /// Its launches, in the order in which they run.
    ::llvm::iterator_range<::mlir::Region::op_iterator<::evo::LaunchOp>>
    getLaunches();
    ::llvm::iterator_range<::mlir::Region::op_iterator<::evo::ScratchOp>>
    getScratches();
    /// The scratch buffer of that name; null where there is none.
    ::evo::ScratchOp lookupScratch(::llvm::StringRef name);
    ::llvm::iterator_range<
        ::mlir::Region::op_iterator<::mlir::gpu::GPUModuleOp>>
    getDeviceModules();
    /// How the source spells the kernel of each launch, `rows<128>` for one;
    /// null where no source does.
    ::mlir::ArrayAttr getKernelSpellings();
    void setKernelSpellings(::mlir::ArrayAttr spellings);
  }];
}

#endif

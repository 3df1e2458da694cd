// A context that knows what the tool knows.
#ifndef EVO_UNITTESTS_VERIFICATION_REGISTERED_H
#define EVO_UNITTESTS_VERIFICATION_REGISTERED_H

#include "evo/Driver/Registration.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

namespace evo::test {

class RegisteredTest : public testing::Test {
protected:
  RegisteredTest() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  mlir::MLIRContext context;
};

} // namespace evo::test

#endif

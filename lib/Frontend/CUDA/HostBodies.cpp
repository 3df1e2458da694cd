// The front end asks its consumer, of each function that has a body. Functions
// are told by their places, which are the same in another run.
#include "HostBodies.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/MultiplexConsumer.h"

using namespace evo;

static bool isOfHost(const clang::FunctionDecl &function) {
  return !function.hasAttr<clang::CUDADeviceAttr>() &&
         !function.hasAttr<clang::CUDAGlobalAttr>();
}

static HostFunctions::key_type placeOf(const clang::FunctionDecl &function) {
  const clang::SourceManager &sources =
      function.getASTContext().getSourceManager();
  auto [file, offset] =
      sources.getDecomposedExpansionLoc(function.getLocation());
  auto entry = sources.getFileEntryRefForID(file);
  return {entry ? entry->getName().str() : std::string(), offset};
}

static std::unique_ptr<clang::ASTConsumer>
both(std::unique_ptr<clang::ASTConsumer> first,
     std::unique_ptr<clang::ASTConsumer> second) {
  std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
  consumers.push_back(std::move(first));
  consumers.push_back(std::move(second));
  return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
}

namespace {
class PassOver : public clang::ASTConsumer {
public:
  explicit PassOver(const HostBodies &which) : which(which) {}

  bool shouldSkipFunctionBody(clang::Decl *decl) override {
    const clang::FunctionDecl *function = decl->getAsFunction();
    return function && isOfHost(*function) &&
           (which.areAllPassedOver ||
            which.passedOver.count(placeOf(*function)));
  }

private:
  const HostBodies &which;
};

/// The functions of the file, those of either side, outermost ones only.
class Functions : public clang::DynamicRecursiveASTVisitor {
public:
  std::vector<const clang::FunctionDecl *> found;

  bool TraverseFunctionDecl(clang::FunctionDecl *function) override {
    return add(function);
  }
  bool TraverseCXXMethodDecl(clang::CXXMethodDecl *method) override {
    return add(method);
  }
  bool TraverseCXXConstructorDecl(clang::CXXConstructorDecl *method) override {
    return add(method);
  }
  bool TraverseCXXDestructorDecl(clang::CXXDestructorDecl *method) override {
    return add(method);
  }
  bool TraverseCXXConversionDecl(clang::CXXConversionDecl *method) override {
    return add(method);
  }

private:
  bool add(const clang::FunctionDecl *function) {
    found.push_back(function);
    return true;
  }
};

class FindBroken : public clang::ASTConsumer {
public:
  FindBroken(clang::CompilerInstance &compiler, BrokenHostFunctions &errors)
      : compiler(compiler), errors(errors) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    decls.insert(decls.end(), group.begin(), group.end());
    return true;
  }

  void HandleTranslationUnit(clang::ASTContext &context) override {
    auto places = errors.getErrors();
    if (places.empty())
      return;
    Functions functions;
    for (clang::Decl *decl : decls)
      if (!context.getSourceManager().isInSystemHeader(decl->getLocation()))
        functions.TraverseDecl(decl);
    for (size_t i = 0; i < places.size(); ++i)
      if (const clang::FunctionDecl *function = find(functions, places[i]))
        if (isOfHost(*function))
          errors.isIn(i, {placeOf(*function), function->getNameAsString()});
  }

private:
  clang::CompilerInstance &compiler;
  BrokenHostFunctions &errors;
  std::vector<clang::Decl *> decls;

  const clang::FunctionDecl *
  find(const Functions &functions,
       const std::vector<clang::SourceLocation> &places) {
    const clang::SourceManager &sources = compiler.getSourceManager();
    for (clang::SourceLocation place : places) {
      if (place.isInvalid())
        continue;
      clang::SourceLocation at = sources.getExpansionLoc(place);
      for (const clang::FunctionDecl *function : functions.found) {
        clang::SourceRange range = function->getSourceRange();
        if (range.isValid() &&
            sources.isPointWithin(at, sources.getExpansionLoc(range.getBegin()),
                                  sources.getExpansionLoc(range.getEnd())))
          return function;
      }
    }
    return nullptr;
  }
};
} // namespace

std::unique_ptr<clang::ASTConsumer>
evo::passOverHostBodies(const HostBodies &which,
                        std::unique_ptr<clang::ASTConsumer> rest) {
  return both(std::make_unique<PassOver>(which), std::move(rest));
}

std::unique_ptr<clang::ASTConsumer>
evo::findBrokenHostFunctions(clang::CompilerInstance &compiler,
                             BrokenHostFunctions &errors,
                             std::unique_ptr<clang::ASTConsumer> rest) {
  return both(std::make_unique<FindBroken>(compiler, errors), std::move(rest));
}

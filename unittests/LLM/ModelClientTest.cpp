//===- ModelClientTest.cpp - The canonical form and hash of a request -----===//
//
// Records and exchanges are named by this hash, so it may change with content
// only, and never silently from one version of the program to the next.
//
//===----------------------------------------------------------------------===//
#include "TestSupport.h"
#include <set>

using namespace evo::llm;
using namespace evo::llm::test;

namespace {

TEST(ModelRequest, HasAFixedCanonicalForm) {
  ModelRequest request = ask("how fast?");
  request.schema = llvm::json::Object{{"type", "object"}, {"a", 1}};
  EXPECT_EQ(canonicalForm(request),
            R"({"format":1,"maxTokens":100,"messages":[)"
            R"({"role":"system","text":"be brief"},)"
            R"({"role":"user","text":"how fast?"}],)"
            R"("schema":{"a":1,"type":"object"},"temperature":0.5})");
  // Recordings outlive versions: this value may not change.
  EXPECT_EQ(requestHash(ask("how fast?")), "31fa837106699a872811d6beaccb8134");
}

TEST(ModelRequest, TheIdIsNoContent) {
  ModelRequest one = ask("x"), other = ask("x");
  other.id = "p7";
  EXPECT_EQ(requestHash(one), requestHash(other));
}

TEST(ModelRequest, AllElseIsContent) {
  std::vector<ModelRequest> requests(6, ask("x"));
  requests[1].messages.back().text = "y";
  requests[2].messages.back().role = Role::Assistant;
  requests[3].temperature.reset();
  requests[4].maxTokens = 7;
  requests[5].schema = llvm::json::Object{};
  std::set<std::string> hashes;
  for (const ModelRequest &request : requests)
    hashes.insert(requestHash(request));
  EXPECT_EQ(hashes.size(), requests.size());
}

TEST(ModelRequest, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(requestHash(ask("a\xff")), requestHash(ask("a\xef\xbf\xbd")));
}

TEST(ModelError, KindsHaveNamesBothWays) {
  for (int i = 0; i <= static_cast<int>(ModelError::Kind::Files); ++i) {
    auto kind = static_cast<ModelError::Kind>(i);
    EXPECT_EQ(kindFromName(kindName(kind)), kind);
  }
  EXPECT_EQ(kindFromName("nonsense"), std::nullopt);
}

} // namespace

// Checks of torch's host code. Their operands are compiled, as they may be the
// only use of a name.
#pragma once
#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>

namespace c10 {
class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};
namespace detail {
template <class... T> void use(const T &...);
[[noreturn]] void refuse();
} // namespace detail
} // namespace c10

#define TORCH_CHECK(condition, ...)                                            \
  do {                                                                         \
    if (!(condition)) {                                                        \
      ::c10::detail::use(__VA_ARGS__);                                         \
      ::c10::detail::refuse();                                                 \
    }                                                                          \
  } while (false)
#define TORCH_INTERNAL_ASSERT(condition, ...)                                  \
  TORCH_CHECK(condition, ##__VA_ARGS__)
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(condition, ...)                       \
  TORCH_CHECK(condition, ##__VA_ARGS__)
#define TORCH_CHECK_VALUE(condition, ...) TORCH_CHECK(condition, ##__VA_ARGS__)
#define TORCH_CHECK_TYPE(condition, ...) TORCH_CHECK(condition, ##__VA_ARGS__)
#define TORCH_CHECK_INDEX(condition, ...) TORCH_CHECK(condition, ##__VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...)                            \
  TORCH_CHECK(condition, ##__VA_ARGS__)
#define TORCH_CHECK_EQ(a, b) TORCH_CHECK((a) == (b))
#define TORCH_CHECK_NE(a, b) TORCH_CHECK((a) != (b))
#define TORCH_CHECK_LT(a, b) TORCH_CHECK((a) < (b))
#define TORCH_CHECK_LE(a, b) TORCH_CHECK((a) <= (b))
#define TORCH_CHECK_GT(a, b) TORCH_CHECK((a) > (b))
#define TORCH_CHECK_GE(a, b) TORCH_CHECK((a) >= (b))
#define TORCH_WARN(...) ::c10::detail::use(__VA_ARGS__)
#define TORCH_WARN_ONCE(...) ::c10::detail::use(__VA_ARGS__)
#define AT_ERROR(...)                                                          \
  do {                                                                         \
    ::c10::detail::use(__VA_ARGS__);                                           \
    ::c10::detail::refuse();                                                   \
  } while (false)
#define AT_ASSERT(condition) TORCH_CHECK(condition)
#define AT_ASSERTM(condition, ...) TORCH_CHECK(condition, ##__VA_ARGS__)

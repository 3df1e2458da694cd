// Registration of operators: what is registered is compiled, and nothing else.
#pragma once

namespace torch {
struct Library {
  template <class... A> Library &def(const char *schema, const A &...rest);
  template <class... A> Library &impl(const char *name, const A &...rest);
};
template <class F> int dispatch(const char *key, const F &function);
} // namespace torch

#define EVO_TORCH_LIBRARY_2(space, variable, line)                             \
  static void evo_register_##space##_##line(::torch::Library &variable)
#define EVO_TORCH_LIBRARY_1(space, variable, line)                             \
  EVO_TORCH_LIBRARY_2(space, variable, line)
#define TORCH_LIBRARY(space, variable)                                         \
  EVO_TORCH_LIBRARY_1(space, variable, __LINE__)
#define TORCH_LIBRARY_FRAGMENT(space, variable)                                \
  EVO_TORCH_LIBRARY_1(space, variable, __LINE__)
#define TORCH_LIBRARY_IMPL(space, key, variable)                               \
  EVO_TORCH_LIBRARY_1(space, variable, __LINE__)
#define TORCH_FN(function) (&function)

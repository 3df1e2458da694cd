// Bindings to Python: what is bound is compiled, and nothing else.
#pragma once
#include <string>
#include <vector>

namespace pybind11 {
struct handle {
  handle() = default;
  template <class T> T cast() const;
  template <class K> handle operator[](const K &key) const;
  template <class K> handle attr(const K &name) const;
  template <class... A> handle operator()(const A &...) const;
  bool is_none() const;
  size_t size() const;
  handle *begin() const;
  handle *end() const;
};
struct object : handle {
  template <class T> object(const T &);
  object() = default;
};
struct tuple : object {
  using object::object;
};
struct list : object {
  using object::object;
  template <class T> void append(const T &);
};
struct dict : object {
  using object::object;
};
struct str : object {
  using object::object;
};
struct none : object {};
struct arg {
  constexpr explicit arg(const char *) {}
  template <class T> arg operator=(const T &) const;
};
inline namespace literals {
inline arg operator""_a(const char *name, size_t) { return arg(name); }
} // namespace literals
template <class... A> struct init {};
template <class Guard> struct call_guard {};
struct gil_scoped_release {};
struct gil_scoped_acquire {};
template <class... A> tuple make_tuple(const A &...);
template <class T> object cast(const T &);
struct module_ {
  template <class F, class... A>
  module_ &def(const char *name, const F &function, const A &...rest);
  template <class... A> handle attr(const A &...) const;
  const char *doc() const;
};
using module = module_;
template <class T, class... Options> struct class_ {
  template <class... A> class_(const A &...);
  template <class... A> class_ &def(const A &...);
  template <class... A> class_ &def_readwrite(const A &...);
  template <class... A> class_ &def_readonly(const A &...);
};
} // namespace pybind11
namespace py = pybind11;

#define PYBIND11_MODULE(name, variable)                                        \
  static void evo_bind_module(::pybind11::module_ &variable)

#pragma once
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace c10 {
template <class T> class ArrayRef {
public:
  ArrayRef() = default;
  ArrayRef(const T &one) : first(&one), count(1) {}
  ArrayRef(const T *data, size_t length) : first(data), count(length) {}
  template <class A>
  ArrayRef(const std::vector<T, A> &list)
      : first(list.data()), count(list.size()) {}
  ArrayRef(const std::initializer_list<T> &list)
      : first(list.begin()), count(list.size()) {}
  const T *begin() const { return first; }
  const T *end() const { return first + count; }
  const T *data() const { return first; }
  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  const T &operator[](size_t i) const { return first[i]; }
  const T &at(size_t i) const { return first[i]; }
  const T &front() const { return *first; }
  const T &back() const { return first[count - 1]; }
  ArrayRef slice(size_t begin, size_t length) const {
    return {first + begin, length};
  }
  std::vector<T> vec() const { return {begin(), end()}; }
  bool equals(ArrayRef other) const;

private:
  const T *first = nullptr;
  size_t count = 0;
};
template <class T> bool operator==(ArrayRef<T> a, ArrayRef<T> b);
template <class T> bool operator!=(ArrayRef<T> a, ArrayRef<T> b);
using IntArrayRef = ArrayRef<int64_t>;
} // namespace c10

// Reduction of the lattice of all integers that a polynomial takes for zeros.
#include "ShortVector.h"
#include <cassert>
#include <cmath>
#include <utility>

using namespace evo;

namespace {
using Integer = __int128;
using Vector = std::vector<Integer>;

/// Rows are the vectors of the basis.
class Basis {
public:
  explicit Basis(std::vector<Vector> vectors) : vectors(std::move(vectors)) {}

  const Vector &reduce() {
    constexpr long double share = 0.75; // Lovász' condition
    const size_t count = vectors.size();
    orthogonalise();
    for (size_t k = 1; k < count;) {
      for (size_t j = k; j-- > 0;)
        reduceBy(k, j);
      const long double mu = factors[k][k - 1];
      if (norms[k] >= (share - mu * mu) * norms[k - 1]) {
        ++k;
        continue;
      }
      std::swap(vectors[k], vectors[k - 1]);
      orthogonalise();
      k = k > 1 ? k - 1 : 1;
    }
    return vectors.front();
  }

private:
  void reduceBy(size_t k, size_t j) {
    const long double times = std::roundl(factors[k][j]);
    if (times == 0)
      return;
    for (size_t i = 0; i < vectors[k].size(); ++i)
      vectors[k][i] -= static_cast<Integer>(times) * vectors[j][i];
    orthogonalise();
  }

  /// Gram and Schmidt's factors, and squares of lengths.
  void orthogonalise() {
    const size_t count = vectors.size();
    std::vector<std::vector<long double>> star(count);
    factors.assign(count, std::vector<long double>(count));
    norms.assign(count, 0);
    for (size_t i = 0; i < count; ++i) {
      star[i].assign(vectors[i].begin(), vectors[i].end());
      for (size_t j = 0; j < i; ++j) {
        long double product = 0;
        for (size_t c = 0; c < star[j].size(); ++c)
          product += static_cast<long double>(vectors[i][c]) * star[j][c];
        factors[i][j] = product / norms[j];
        for (size_t c = 0; c < star[j].size(); ++c)
          star[i][c] -= factors[i][j] * star[j][c];
      }
      for (long double part : star[i])
        norms[i] += part * part;
    }
  }

  std::vector<Vector> vectors;
  std::vector<std::vector<long double>> factors;
  std::vector<long double> norms;
};
} // namespace

std::vector<int64_t> evo::findShortVector(uint64_t base, unsigned bits,
                                          unsigned count) {
  assert(count >= 2 && count <= 6 && bits <= 64);
  const Integer modulus = Integer(1) << bits;
  std::vector<Vector> vectors(count, Vector(count, 0));
  Integer power = 1;
  for (unsigned i = count - 1; i-- > 0;) {
    // Below 2^128 as a number without a sign, of which the lower bits count.
    power = static_cast<Integer>(static_cast<unsigned __int128>(power) * base %
                                 static_cast<unsigned __int128>(modulus));
    vectors[i][i] = 1;
    vectors[i][count - 1] = -power;
  }
  vectors[count - 1][count - 1] = modulus;
  const Vector shortest = Basis(std::move(vectors)).reduce();
  return {shortest.begin(), shortest.end()};
}

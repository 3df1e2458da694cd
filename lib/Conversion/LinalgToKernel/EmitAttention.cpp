// Attention in one pass: a block has some rows of queries, and goes through
// keys and values by tiles. Scores stay in registers; what is exponentiated
// goes through shared memory to where it is multiplied by values. Of each row
// the largest score so far is known, and what was summed up is scaled where
// that grows, so that the result is that of the softmax over all keys.
//
// Eight lanes share a row of scores, and of results: those of a key, or of four
// columns of values. All operands lie in shared memory as they do outside, and
// are read by vectors of four along what is added up, or along values' columns.
// What depth the first product has beyond `width` comes there by parts, and
// what columns values have beyond it are other blocks', so that any size is
// right.
//
// While scores are computed values are copied, and while these are multiplied
// the next keys.
#include "EmitAttention.h"
#include "evo/Target/Warp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace evo;
using linalg::LinalgOp;

static constexpr int64_t lanes = ProductTile::lanesOfRow, quad = 4,
                         bytesOfElement = 4;

KernelEmitter::Attending::Attending(KernelEmitter &emitter,
                                    const Attention &given)
    : e(emitter), b(e.b), loc(e.loc), attention(given), tile(e.options.product),
      first(e.plan.ops.front()), last(e.plan.ops.back()),
      rank(first.getNumParallelLoops()), threads(tile.countThreads()),
      groups(threads / lanes), rows(tile.threadRows), keys(tile.threadColumns),
      columns(width / lanes) {
  queries = {attention.queries, rank - 2, rank, Value(), false};
  keysSource = {attention.keys, rank - 1, rank, Value(), false};
  values = {attention.values, rank, rank - 1, Value(), true};
}

int64_t KernelEmitter::Attending::countSharedBytes() const {
  return bytesOfElement * (pitch * (tile.rows + 2 * tile.columns) +
                           tile.rows * (tile.columns + padding));
}

Value KernelEmitter::Attending::extentOf(LinalgOp op, unsigned dim) {
  return e.extents[op][dim];
}

KernelEmitter::Values KernelEmitter::Attending::countBlocks() {
  Value before = e.constant(1);
  for (unsigned dim = 0; dim + 2 < rank; ++dim)
    before = e.mul(before, extentOf(first, dim));
  return {before, e.ceilDiv(extentOf(first, rank - 2), tile.rows),
          e.ceilDiv(extentOf(last, rank - 1), width)};
}

/// Where the block and the thread are. Of the lanes of a warp eight lie across
/// and four down, neighbours first down, as in products.
void KernelEmitter::Attending::place() {
  zero = e.constant(0);
  Values block = e.delinearize(e.block, countBlocks());
  firstRow = e.mul(block[1], e.constant(tile.rows));
  firstColumn = e.mul(block[2], e.constant(width));
  Values counts;
  for (unsigned dim = 0; dim + 2 < rank; ++dim)
    counts.push_back(extentOf(first, dim));
  if (!counts.empty())
    base = e.delinearize(block[0], counts);
  Value two = e.constant(2),
        inWarp = e.rem(e.thread, e.constant(target::warpSize)),
        warp = e.div(e.thread, e.constant(target::warpSize));
  lane = e.rem(e.div(inWarp, two), e.constant(lanes));
  group = e.add(e.rem(inWarp, two),
                e.mul(e.div(inWarp, e.constant(2 * lanes)), two));
  group = e.add(group, e.mul(warp, e.constant(target::warpSize / lanes)));
  int64_t offset = 0;
  auto take = [&](int64_t count, int64_t across) {
    Value view =
        e.viewShared({count, across}, b.getF32Type(), offset * bytesOfElement);
    offset += count * across;
    return view;
  };
  queries.tile = take(tile.rows, pitch);
  keysSource.tile = take(tile.columns, pitch);
  values.tile = take(tile.columns, pitch);
  weights = take(tile.rows, tile.columns + padding);
}

/// Whether vectors of the operand's columns are whole; unset: never.
Value KernelEmitter::Attending::areWhole(const Source &source) {
  auto op = cast<LinalgOp>(source.operand->getOwner());
  if (!liesAlong(op, *source.operand, source.column))
    return {};
  return b.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::eq,
      e.rem(extentOf(op, source.column), e.constant(quad)), zero);
}

/// Copies the `number`th four neighbours of a tile, at once or one by one, or
/// zeros where there are none.
void KernelEmitter::Attending::copyQuad(const Source &source, Value fromRow,
                                        Value fromColumn, Value number,
                                        bool isVector) {
  auto op = cast<LinalgOp>(source.operand->getOwner());
  Value across = e.constant(width / quad);
  Value row = e.div(number, across),
        column = e.mul(e.rem(number, across), e.constant(quad));
  Value atRow = e.add(fromRow, row);
  Value numRows = extentOf(op, source.row),
        numColumns = extentOf(op, source.column), one = e.constant(1);
  OpBuilder::InsertionGuard guard(b);
  if (!isVector) {
    // What is not multiplied need not be there.
    auto step = e.constant(source.isOfValues ? valuesAtOnce : depthAtOnce);
    Value at = source.isOfValues ? row : column,
          end = b.createOrFold<arith::SubIOp>(
              loc, source.isOfValues ? numRows : numColumns,
              source.isOfValues ? fromRow : fromColumn);
    auto needed =
        scf::IfOp::create(b, loc, e.less(e.mul(e.div(at, step), step), end),
                          /*withElseRegion=*/false);
    b.setInsertionPointToStart(needed.thenBlock());
  }
  // Of nothing there is nothing to repeat.
  Value isRowThere = e.less(source.isOfValues ? atRow : zero, numRows);
  Value lastRow = b.createOrFold<arith::SubIOp>(
      loc, b.createOrFold<arith::MaxUIOp>(loc, numRows, one), one);
  Values ivs(op.getNumLoops(), zero);
  llvm::copy(base, ivs.begin());
  ivs[source.row] = b.createOrFold<arith::MinUIOp>(loc, atRow, lastRow);
  const int64_t vector = isVector ? quad : 1;
  for (int64_t l = 0; l < quad; l += vector) {
    Value to = e.add(column, e.constant(l)), from = e.add(fromColumn, to);
    Value isThere = b.createOrFold<arith::AndIOp>(loc, isRowThere,
                                                  e.less(from, numColumns));
    ivs[source.column] =
        b.createOrFold<arith::SelectOp>(loc, isThere, from, zero);
    Value count =
        b.createOrFold<arith::SelectOp>(loc, isThere, e.constant(vector), zero);
    nvgpu::DeviceAsyncCopyOp::create(
        b, loc, source.tile, ValueRange{row, to}, source.operand->get(),
        e.indicesOf(op, *source.operand, ivs), b.getIndexAttr(vector), count,
        isVector ? b.getUnitAttr() : UnitAttr());
  }
}

/// Starts the copies of `count` rows, by vectors where these are whole. Those
/// that each tile has are unrolled; of others addresses would only take
/// registers.
void KernelEmitter::Attending::copy(const Source &source, Value fromRow,
                                    Value fromColumn, int64_t count,
                                    bool isUnrolled) {
  OpBuilder::InsertionGuard guard(b);
  const int64_t total = count * width / quad;
  auto copyAll = [&](bool isVector) {
    OpBuilder::InsertionGuard inner(b);
    auto all = scf::ForOp::create(b, loc, e.thread, e.constant(total),
                                  e.constant(threads));
    b.setInsertionPointToStart(all.getBody());
    copyQuad(source, fromRow, fromColumn, all.getInductionVar(), isVector);
  };
  if (Value isWhole = areWhole(source)) {
    auto kinds = scf::IfOp::create(b, loc, isWhole, /*withElseRegion=*/true);
    b.setInsertionPointToStart(kinds.thenBlock());
    if (isUnrolled && total % threads == 0)
      for (int64_t done = 0; done < total; done += threads)
        copyQuad(source, fromRow, fromColumn, e.add(e.thread, e.constant(done)),
                 /*isVector=*/true);
    else
      copyAll(/*isVector=*/true);
    b.setInsertionPointToStart(kinds.elseBlock());
  }
  copyAll(/*isVector=*/false);
}

void KernelEmitter::Attending::commit() {
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
}

/// Until all copies have arrived, for all threads, which have done what is
/// before.
void KernelEmitter::Attending::meet() {
  NVVM::CpAsyncWaitGroupOp::create(b, loc, 0u);
  gpu::BarrierOp::create(b, loc);
}

/// The thread's `i`th row in the tile. Neighbouring groups have neighbours.
Value KernelEmitter::Attending::rowAt(int64_t i) {
  return e.add(group, e.constant(i * groups));
}

Value KernelEmitter::Attending::loadVector(Value from, Value row,
                                           Value column) {
  auto type = cast<MemRefType>(from.getType());
  return vector::LoadOp::create(
      b, loc, VectorType::get({quad}, type.getElementType()), from,
      ValueRange{row, column}, /*nontemporal=*/false, alignmentOf(type, quad));
}

/// A loop from zero, whose body changes what is carried.
Value KernelEmitter::Attending::loop(
    Value end, int64_t step, Values &carried,
    llvm::function_ref<void(Value, Values &)> body) {
  auto made = scf::ForOp::create(b, loc, zero, end, e.constant(step), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(made.getBody());
  Values inside(made.getRegionIterArgs());
  body(made.getInductionVar(), inside);
  scf::YieldOp::create(b, loc, inside);
  carried.assign(made.getResults().begin(), made.getResults().end());
  return made.getInductionVar();
}

/// The thread's scores of the tile of keys, a row after the other.
KernelEmitter::Values KernelEmitter::Attending::computeScores(Value firstKey) {
  Value none = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
  Values scores(rows * keys, none);
  Value depth = extentOf(first, rank);
  constexpr int64_t together = depthAtOnce;
  loop(depth, width, scores, [&](Value from, Values &sums) {
    Value left = b.createOrFold<arith::SubIOp>(loc, depth, from);
    left = b.createOrFold<arith::MinUIOp>(loc, left, e.constant(width));
    loop(left, together, sums, [&](Value at, Values &results) {
      for (int64_t k = 0; k < together; k += quad) {
        Value column = e.add(at, e.constant(k));
        Values ofKeys;
        for (int64_t j = 0; j < keys; ++j) {
          Value key = e.add(lane, e.constant(j * lanes));
          Value whole = loadVector(keysSource.tile, key, column);
          for (int64_t l = 0; l < quad; ++l)
            ofKeys.push_back(vector::ExtractOp::create(b, loc, whole, l));
        }
        for (int64_t i = 0; i < rows; ++i) {
          Value whole = loadVector(queries.tile, rowAt(i), column);
          for (int64_t l = 0; l < quad; ++l) {
            Value query = vector::ExtractOp::create(b, loc, whole, l);
            for (int64_t j = 0; j < keys; ++j) {
              Value &result = results[i * keys + j];
              result = math::FmaOp::create(b, loc, query, ofKeys[j * quad + l],
                                           result);
            }
          }
        }
      }
    });
    // The next part of the depth, if there is one.
    Value next = e.add(from, e.constant(width));
    auto more = scf::IfOp::create(b, loc, e.less(next, depth),
                                  /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(more.thenBlock());
    meet();
    copy(queries, firstRow, next, tile.rows);
    copy(keysSource, firstKey, next, tile.columns);
    commit();
    meet();
  });
  return scores;
}

/// What the element-wise ops make of a score; nothing of one beyond the last.
Value KernelEmitter::Attending::scoreOf(Value score, Value row, Value key) {
  auto lastOf = [&](Value at, unsigned dim) {
    Value end =
        b.createOrFold<arith::SubIOp>(loc, extentOf(first, dim), e.constant(1));
    return b.createOrFold<arith::MinUIOp>(loc, at, end);
  };
  Values ivs = base;
  ivs.push_back(lastOf(row, rank - 2));
  ivs.push_back(lastOf(key, rank - 1));
  e.known.clear();
  e.known[first.getDpsInits()[0]] = {score, {}};
  for (LinalgOp op :
       ArrayRef<LinalgOp>(e.plan.ops).slice(1, attention.numScoreOps)) {
    score = e.compute(op, ivs, e.initialValues(op, ivs)).front();
    e.known[op.getDpsInits()[0]] = {score, {}};
  }
  e.known.clear();
  Value lowest = arith::ConstantOp::create(
      b, loc,
      b.getFloatAttr(b.getF32Type(),
                     APFloat::getInf(APFloat::IEEEsingle(), true)));
  return arith::SelectOp::create(b, loc, e.less(key, extentOf(first, rank - 1)),
                                 score, lowest);
}

/// Over the lanes that share a row.
Value KernelEmitter::Attending::reduceRow(Value value, bool isSum) {
  for (int32_t by = 2; by < 2 * lanes; by *= 2) {
    Value other = e.shuffle(value, by, gpu::ShuffleMode::XOR);
    if (isSum)
      value = arith::AddFOp::create(b, loc, value, other);
    else
      value = arith::MaxNumFOp::create(b, loc, value, other);
  }
  return value;
}

/// Adds the products of weights and values of the tile.
void KernelEmitter::Attending::addValues(Value there, Values &results) {
  constexpr int64_t together = valuesAtOnce;
  Value end =
      b.createOrFold<arith::MinUIOp>(loc, there, e.constant(tile.columns));
  loop(end, together, results, [&](Value at, Values &sums) {
    for (int64_t k = 0; k < together; k += quad) {
      Values ofRows;
      for (int64_t i = 0; i < rows; ++i)
        ofRows.push_back(
            loadVector(weights, rowAt(i), e.add(at, e.constant(k))));
      for (int64_t l = 0; l < quad; ++l) {
        Values ofKey;
        for (int64_t j = 0; j < columns; j += quad) {
          Value column =
              e.add(e.mul(lane, e.constant(quad)), e.constant(j * lanes));
          Value whole =
              loadVector(values.tile, e.add(at, e.constant(k + l)), column);
          for (int64_t n = 0; n < quad; ++n)
            ofKey.push_back(vector::ExtractOp::create(b, loc, whole, n));
        }
        for (int64_t i = 0; i < rows; ++i) {
          Value weight = vector::ExtractOp::create(b, loc, ofRows[i], l);
          for (int64_t j = 0; j < columns; ++j) {
            Value &sum = sums[i * columns + j];
            sum = math::FmaOp::create(b, loc, weight, ofKey[j], sum);
          }
        }
      }
    }
  });
}

/// Divides by the sums of rows, and writes what is there.
void KernelEmitter::Attending::store(ArrayRef<Value> results,
                                     ArrayRef<Value> sums) {
  OpOperand &output = *last.getDpsInitOperand(0);
  Value numRows = extentOf(last, rank - 2),
        numColumns = extentOf(last, rank - 1);
  // Where there is no key nothing was added up.
  Value isAny = e.less(zero, extentOf(first, rank - 1));
  Values quotients;
  for (auto [number, result] : llvm::enumerate(results)) {
    Value quotient =
        arith::DivFOp::create(b, loc, result, sums[number / columns]);
    quotients.push_back(
        arith::SelectOp::create(b, loc, isAny, quotient, result));
  }
  auto storeBy = [&](int64_t vector) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; j += vector) {
        Value row = e.add(firstRow, rowAt(i));
        Value column = e.add(
            firstColumn, e.add(e.mul(lane, e.constant(quad)),
                               e.constant(j / quad * quad * lanes + j % quad)));
        Values ivs = base;
        ivs.push_back(row);
        ivs.push_back(column);
        ivs.push_back(zero);
        Lanes of{ivs, rank - 1, vector,
                 b.createOrFold<arith::AndIOp>(loc, e.less(row, numRows),
                                               e.less(column, numColumns))};
        e.storeLanes(last, output, of,
                     ArrayRef<Value>(quotients).slice(i * columns + j, vector));
      }
  };
  if (!liesAlong(last, output, rank - 1))
    return storeBy(1);
  Value isWhole = b.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::eq, e.rem(numColumns, e.constant(quad)), zero);
  auto kinds = scf::IfOp::create(b, loc, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(kinds.thenBlock());
  storeBy(quad);
  b.setInsertionPointToStart(kinds.elseBlock());
  storeBy(1);
}

void KernelEmitter::Attending::emit() {
  place();
  auto number = [&](float value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  };
  Value none = number(0),
        lowest = arith::ConstantOp::create(
            b, loc,
            b.getFloatAttr(b.getF32Type(),
                           APFloat::getInf(APFloat::IEEEsingle(), true)));
  copy(queries, firstRow, zero, tile.rows);
  copy(keysSource, zero, zero, tile.columns);
  commit();
  meet();
  Value numKeys = extentOf(first, rank - 1), depth = extentOf(first, rank);
  Values carried(rows * columns, none);
  carried.append(rows, lowest);
  carried.append(rows, none);
  loop(numKeys, tile.columns, carried, [&](Value firstKey, Values &state) {
    copy(values, firstKey, firstColumn, tile.columns, /*isUnrolled=*/true);
    commit();
    Values scores = computeScores(firstKey);
    Values results(ArrayRef<Value>(state).take_front(rows * columns));
    Values largest(ArrayRef<Value>(state).slice(rows * columns, rows));
    Values sums(ArrayRef<Value>(state).take_back(rows));
    for (int64_t i = 0; i < rows; ++i) {
      Value row = e.add(firstRow, rowAt(i)), top = lowest;
      for (int64_t j = 0; j < keys; ++j) {
        Value key = e.add(firstKey, e.add(lane, e.constant(j * lanes)));
        Value &score = scores[i * keys + j];
        score = scoreOf(score, row, key);
        top = arith::MaxNumFOp::create(b, loc, top, score);
      }
      top = arith::MaxNumFOp::create(b, loc, largest[i],
                                     reduceRow(top, /*isSum=*/false));
      // Nothing has no distance from nothing.
      Value isNone = b.createOrFold<arith::CmpFOp>(
          loc, arith::CmpFPredicate::OEQ, top, lowest);
      Value from = arith::SelectOp::create(b, loc, isNone, none, top);
      auto power = [&](Value score) -> Value {
        return math::ExpOp::create(b, loc,
                                   arith::SubFOp::create(b, loc, score, from));
      };
      Value scale = power(largest[i]), sum = none;
      for (int64_t j = 0; j < keys; ++j) {
        Value weight = power(scores[i * keys + j]);
        sum = arith::AddFOp::create(b, loc, sum, weight);
        memref::StoreOp::create(
            b, loc, weight, weights,
            ValueRange{rowAt(i), e.add(lane, e.constant(j * lanes))});
      }
      sums[i] = math::FmaOp::create(b, loc, sums[i], scale, sum);
      largest[i] = top;
      for (int64_t j = 0; j < columns; ++j) {
        Value &result = results[i * columns + j];
        result = arith::MulFOp::create(b, loc, result, scale);
      }
    }
    meet();
    Value next = e.add(firstKey, e.constant(tile.columns));
    {
      auto parts = scf::IfOp::create(b, loc, e.less(e.constant(width), depth),
                                     /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(parts.thenBlock());
      copy(queries, firstRow, zero, tile.rows);
    }
    {
      auto more = scf::IfOp::create(b, loc, e.less(next, numKeys),
                                    /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(more.thenBlock());
      copy(keysSource, next, zero, tile.columns, /*isUnrolled=*/true);
    }
    commit();
    addValues(b.createOrFold<arith::SubIOp>(loc, numKeys, firstKey), results);
    meet();
    state = results;
    llvm::append_range(state, largest);
    llvm::append_range(state, sums);
  });
  Values sums(ArrayRef<Value>(carried).take_back(rows));
  for (Value &sum : sums)
    sum = reduceRow(sum, /*isSum=*/true);
  store(ArrayRef<Value>(carried).take_front(rows * columns), sums);
}

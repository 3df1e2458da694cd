"""How the two sides of each ratio are timed: in turn, round by round, until the intervals
are narrow. Knows nothing of a device; tests hand in a clock and arms of their own."""
from .statistics import relative_error

# An arm that takes so much longer than the fastest is no rival of it: it is sampled so
# often and no more, or a naive kernel of 200 ms would take the time of all others.
SLOW_FACTOR, SLOW_MICROS, SLOW_ROUNDS = 4, 1000, 5


def interleave(arms, sample, now, seconds=3.0, min_rounds=15, max_rounds=100, narrow=0.004):
    """Samples of each arm, in microseconds: lists by name, of which the i-th were taken in
    one round. `sample(arm, round)` takes one; `now()` is a clock in seconds. Ends when the
    relative errors of all arms that are no slow ones are below `narrow`, after `max_rounds`,
    or once `seconds` without the slow ones are over and there were `min_rounds`."""
    series = {arm: [] for arm in arms}
    rivals = list(arms)
    for number in range(max_rounds):
        for arm in rivals:
            series[arm].append(sample(arm, number))
        if number + 1 == SLOW_ROUNDS:
            fastest = min(sorted(values)[len(values) // 2] for values in series.values())
            rivals = [arm for arm in arms
                      if min(series[arm]) < max(SLOW_FACTOR * fastest, SLOW_MICROS)]
            end = now() + seconds
        if number + 1 < min_rounds:
            continue
        if now() >= end:
            break
        if (number + 1) % 5 == 0 and all(relative_error(series[arm]) < narrow for arm in rivals):
            break
    return series

"""Medians with bootstrap intervals, the same wherever the same samples are read."""
import random
from statistics import median

RESAMPLES = 300


def interval(samples):
    """Median of samples and the bounds of its 95 % interval."""
    return _bounds(median(samples), samples, lambda drawn: median(drawn))


def ratio(above, below):
    """Median of one series over that of another, and its 95 % interval. Samples of a round
    are drawn together, since they were taken together."""
    pairs = list(zip(above, below))
    return _bounds(median(a for a, _ in pairs) / median(b for _, b in pairs), pairs,
                   lambda drawn: median(a for a, _ in drawn) / median(b for _, b in drawn))


def _bounds(middle, samples, estimate):
    source = random.Random(1)
    estimates = sorted(estimate(source.choices(samples, k=len(samples)))
                       for _ in range(RESAMPLES))
    cut = RESAMPLES * 25 // 1000
    return middle, estimates[cut], estimates[-1 - cut]


def relative_error(samples):
    """Half the interval's width over the median."""
    middle, low, high = interval(samples)
    return (high - low) / 2 / middle

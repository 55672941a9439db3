"""Writes bootstrap.json: percentile intervals of a paired difference, by numpy.

The questions are an array of 1, -1 and 0 (wins, losses, the rest). Each resample
picks as many of them by index, question by question; numpy takes the means and the
percentiles. The indices come from PCG-DXSM, written here from its definition, so
that Go and Python draw the same questions.

    python3 bootstrap.py > bootstrap.json      needs numpy
"""

import json

import numpy

MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
INCREMENT = 0x5851F42D4C957F2D14057B7EF767814F
CHEAP = 0xDA942042E4DD58B5
WORD, DOUBLE = (1 << 64) - 1, (1 << 128) - 1


def numbers(seed):
    state = seed << 64
    while True:
        state = (state * MULTIPLIER + INCREMENT) & DOUBLE
        high, low = state >> 64, state & WORD
        high ^= high >> 32
        high = high * CHEAP & WORD
        high ^= high >> 48
        yield high * (low | 1) & WORD


def interval(wins, losses, same, resamples, seed, confidence):
    questions = numpy.array([1] * wins + [-1] * losses + [0] * same)
    draw, n = numbers(seed), wins + losses + same
    index = numpy.array([[next(draw) * n >> 64 for _ in range(n)] for _ in range(resamples)])
    means = questions[index].mean(axis=1)
    tail = 100 * (1 - confidence) / 2
    low, high = numpy.percentile(means, [tail, 100 - tail])
    return {
        "wins": wins, "losses": losses, "same": same, "resamples": resamples,
        "seed": seed, "confidence": confidence, "low": low, "high": high,
    }


print(json.dumps({
    "about": f"Percentile bootstrap of a paired difference by numpy {numpy.__version__}; made by bootstrap.py.",
    "bootstrap": [
        interval(30, 15, 255, 999, 1, 0.95),
        interval(30, 15, 255, 1000, 1, 0.9),
        interval(30, 15, 255, 1000, 2, 0.9),
        interval(7, 12, 31, 500, 2**64 - 1, 0.99),
        interval(3, 0, 2, 37, 5, 0.8),
        interval(0, 4, 0, 10, 5, 0.95),
        interval(0, 0, 9, 10, 5, 0.95),
        interval(1, 1, 1, 1, 7, 0.5),
    ],
}, indent=1))

"""The rule that names the shape of a curve, once more and in the plainest way.

    integration_test/parts/install
    ~/.cache/bookend/parts/venv/bin/python integration_test/shapes/rule.py < sweeps > words

It reads one sweep a line, {"documents": N, "slots": [...], "rows": [[score, ...], ...]}, with
one row a question and one score from 0 to 1 a measured slot. It writes one line a sweep:
what the first third, two thirds and all of the questions say. All is computed anew from
the whole table; the rule, with x = slot / (N - 1):

    zones: H has x <= .15, M has .25 <= x <= .75, T has x >= .85
    per question: h = mean H - mean M, t = mean T - mean M, e = mean H - mean T
    t_j = (j + .5) / 40 for j = 0..39, w_j in proportion to (1 - t_j)^2, their sum 1
    Above_c(m) = sum_j w_j prod_i (1 + t_j (c_i - m) / (1 + m))
    Below_c(m) = sum_j w_j prod_i (1 - t_j (c_i - m) / (1 - m))
    up: Above(0) >= 10; down: Below(0) >= 10; small: Below(.05) >= 20 and Above(-.05) >= 20
    any: the mean of the six Above(0) and Below(0)
"""

import json
import sys

import numpy as np

T = (np.arange(40) + 0.5) / 40
LOG_W = np.log((1 - T) ** 2 / np.sum((1 - T) ** 2))


def log_sum(logs):
    top = np.max(logs)
    return float(top + np.log(np.sum(np.exp(logs - top))))


def above(c, m):
    return log_sum(LOG_W + np.log(1 + np.outer(T, (c - m) / (1 + m))).sum(axis=1))


def below(c, m):
    return log_sum(LOG_W + np.log(1 - np.outer(T, (c - m) / (1 - m))).sum(axis=1))


def judge(documents, slots, scores):
    x = np.array(slots) / (documents - 1)
    zones = [x <= 0.15, (0.25 <= x) & (x <= 0.75), x >= 0.85]
    head, middle, tail = (scores[:, z].mean(axis=1) if z.any() else None for z in zones)
    contrasts = [head - tail]
    if middle is not None:
        contrasts = [head - middle, tail - middle, head - tail]
    logs = [f(c, 0.0) for c in contrasts for f in (above, below)]
    log_any = log_sum(np.array(logs)) - np.log(len(logs))
    up = [above(c, 0.0) >= np.log(10) for c in contrasts]
    down = [below(c, 0.0) >= np.log(10) for c in contrasts]
    small = [below(c, 0.05) >= np.log(20) and above(c, -0.05) >= np.log(20) for c in contrasts]
    named = log_any >= np.log(20)

    word = "undecided"
    if middle is None:
        if named and up[0]:
            word = "primacy"
        elif named and down[0]:
            word = "recency"
        return logs, log_any, word, word != "undecided"
    if named:
        if up[0] and up[1]:
            word = "U"
        elif down[0] and down[1]:
            word = "inverted"
        elif up[2] and (up[0] or down[1]):
            word = "primacy"
        elif down[2] and (up[1] or down[0]):
            word = "recency"
    elif all(small):
        word = "flat"
    known = all(u or d or s for u, d, s in zip(up, down, small))
    settled = word == "flat" or (word != "undecided" and known)
    return logs, log_any, word, settled


for line in sys.stdin:
    sweep = json.loads(line)
    scores = np.array(sweep["rows"], dtype=float)
    looks = []
    for n in (len(scores) // 3, 2 * len(scores) // 3, len(scores)):
        logs, log_any, word, settled = judge(sweep["documents"], sweep["slots"], scores[:n])
        looks.append({"questions": n, "logs": logs, "any": float(log_any), "word": word, "settled": bool(settled)})
    print(json.dumps(looks))

"""A line for each file, and the totals by cause."""
import collections

WIDTH = 44
HEAD = (f"{'file':{WIDTH}} {'convert':>7} {'lift':>5} {'level':>5} {'verified':>10} "
        f"{'accepted':>8} {'gain':>7} {'seconds':>8} {'MiB':>6}")
STAGES = ("converted", "lifted", "verified", "searched")


def _word(stage, yes="yes"):
    return "-" if stage is None else yes if stage["ok"] else "no"


def line(name, row):
    lifted, verified, searched = (row.get(stage) for stage in STAGES[1:])
    if len(name) > WIDTH:
        name = name[:WIDTH - 1] + "~"
    level = f"L{lifted['level']}" if lifted and lifted["ok"] else "-"
    grade = _word(verified, verified["grade"]) if verified and verified["ok"] else _word(verified)
    accepted = "-" if searched is None else str(searched.get("accepted", "-"))
    gain = f"{searched['gain']:.2f}" if searched and searched.get("gain") else "-"
    stages = [row[stage] for stage in STAGES if row.get(stage)]
    seconds = sum(stage["seconds"] for stage in stages)
    memory = max((stage.get("mib", 0) for stage in stages), default=0)
    return (f"{name:{WIDTH}} {_word(row.get('converted')):>7} {_word(lifted):>5} {level:>5} "
            f"{grade:>10} {accepted:>8} {gain:>7} {seconds:8.1f} {memory:6}")


def _shares(rows, stage):
    """How many were given to a stage, and how many it did."""
    tried = [row[stage] for row in rows if row.get(stage)]
    return len(tried), sum(one["ok"] for one in tried)


def totals(rows, options):
    """Lines: the share of each stage of all files, and of what it lost the causes."""
    said = {"converted": "converted", "lifted": "lifted",
            "verified": "reference verified against itself",
            "searched": f"accepted winner within {options.budget} candidates and "
                        f"{options.search_seconds:g} s"}
    for stage in STAGES:
        tried, done = _shares(rows, stage)
        if not tried:
            continue
        yield f"{said[stage]}: {done} of {len(rows)}"
        causes = collections.Counter(row[stage]["why"] for row in rows
                                     if row.get(stage) and not row[stage]["ok"])
        for cause, count in causes.most_common():
            yield f"  {count:4}  {cause}"
        if done and stage == "lifted":
            levels = collections.Counter(row[stage]["level"] for row in rows
                                         if row.get(stage) and row[stage]["ok"])
            yield "  " + ", ".join(f"L{level}: {count}" for level, count in sorted(levels.items()))
            kept = collections.Counter(row[stage]["why_not_l1"] for row in rows
                                       if row.get(stage) and "why_not_l1" in row[stage])
            for cause, count in kept.most_common():
                yield f"  {count:4}  not at L1: {cause}"
        if done and stage == "verified":
            times = sorted(row[stage]["processor"] for row in rows
                           if row.get(stage) and row[stage]["ok"])
            yield (f"  processor seconds: median {times[len(times) // 2]:.1f}, "
                   f"largest {times[-1]:.1f}")
    gains = [row["searched"]["gain"] for row in rows
             if row.get("searched") and row["searched"].get("gain")]
    if gains:
        yield f"estimated gain above 1: {sum(gain > 1 for gain in gains)} of {len(rows)}"
    peaks = [row[stage].get("mib", 0) for row in rows for stage in STAGES[1:] if row.get(stage)]
    if peaks:
        yield f"largest memory: {max(peaks)} MiB"


def share(rows, stage):
    """Percent of all files that passed a stage; of "gain" those estimated to be faster. Of
    "l1" percent of the files that lift."""
    if stage == "l1":
        levels = [row["lifted"]["level"] for row in rows
                  if row.get("lifted") and row["lifted"]["ok"]]
        return 100 * sum(level >= 1 for level in levels) / max(1, len(levels))
    if stage == "gain":
        done = sum((row.get("searched") or {}).get("gain", 0) > 1 for row in rows)
    else:
        done = _shares(rows, stage)[1]
    return 100 * done / len(rows)

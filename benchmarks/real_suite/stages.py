"""The way of one file: lifted, verified against itself, searched. Each stage answers a
dictionary with "ok", what it measured, and where it is not ok the cause: words that are
the same for the same kind of failure, so that causes can be counted."""
import json
import pathlib
import re
import shutil
import signal

from .processes import run

ACCEPTED = ("exact", "algebraic", "numeric")


def cause_of(text):
    """The first error of a diagnostic's text without what differs from file to file: its
    place, numbers, and names in quotes."""
    said = re.findall(r"error: (.*)", text) or [line for line in text.splitlines() if line.strip()]
    cause = said[0].strip() if said else "no reason was given"
    cause = re.sub(r"^\S+:\d+:\d+: ", "", cause)
    cause = re.sub(r"'[^']*'", "'_'", cause)
    cause = re.sub(r"\b\d[\d.e+-]*\b", "#", cause)
    return cause[:160]


def _measured(ended):
    return {"seconds": round(ended.seconds, 2), "processor": round(ended.processor, 2),
            "mib": ended.peak >> 20}


def _failed(ended, cause=None):
    if ended.late:
        cause = "took longer than its time limit"
    elif ended.code < 0:
        cause = f"the tool died: {signal.strsignal(-ended.code)}"
    elif not cause:
        cause = cause_of(ended.err or ended.out)
    return {"ok": False, "why": cause, "said": (ended.err or ended.out)[-2000:],
            "exit": ended.code} | _measured(ended)


def _events(text):
    """The JSON lines of an answer; what is none is passed over."""
    for line in text.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            yield event


def lift(file, options):
    ended = run([options.evo_opt, "lift", *options.flags, str(file)], options.seconds)
    if ended.code:
        return _failed(ended)
    kernels = len(re.findall(r"^\s*evo\.kernel @", ended.out, re.M))
    if not kernels:
        return _failed(ended, "no kernel in it")
    contracts = len(re.findall(r"^\s*evo\.kernel @\S+ args", ended.out, re.M))
    told = {"ok": True, "kernels": kernels, "contracts": contracts} | _measured(ended)
    if "func.func" in ended.out and "evo.reference" in ended.out:
        return told | {"level": 2}
    structured = run([options.evo_opt, "lift", "--level=l1", *options.flags, str(file)],
                     options.seconds)
    if structured.code == 0:
        return told | {"level": 1}
    kept = re.search(r"remark: (kept at L0: .*)", structured.err)
    return told | {"level": 0,
                   "why_not_l1": cause_of(kept.group(1) if kept else structured.err)}


def verify(file, options):
    """Whether the reference is accepted as a candidate for itself."""
    ended = run([options.evo_opt, "verify", "--json", "--seed=1", *options.flags, str(file),
                 str(file)], options.seconds)
    verdict = next((event for event in _events(ended.out) if event.get("event") == "verdict"), None)
    if ended.code == 0 and verdict:
        return {"ok": True, "grade": verdict["grade"]} | _measured(ended)
    if not verdict:
        said = [event.get("message", "") for event in _events(ended.out + "\n" + ended.err)
                if event.get("event") == "diagnostic" and event.get("severity") == "error"]
        return _failed(ended, cause_of(said[0]) if said else None)
    cause = f"{verdict['grade']}: {verdict.get('reason', '')}"
    if verdict["grade"] == "unsupported":
        cause += ": " + cause_of(verdict.get("message", ""))
    return _failed(ended, cause)


def _time(variant):
    """Estimated microseconds of a variant, all workloads by their weights alike."""
    micros = (variant.get("estimate") or {}).get("micros")
    return sum(micros) if micros else None


def search(file, folder, options):
    """A search: the accepted, and the estimate of the kernel as it is over the best's."""
    shutil.rmtree(folder, ignore_errors=True)
    ended = run([options.evo_opt, "optimize", *options.flags, str(file), "-o", str(folder),
                 "--json", "--seed=1", "--no-gpu", f"--budget={options.budget}",
                 f"--max-seconds={options.search_seconds}", f"--jobs={options.processors}"],
                options.search_seconds + options.seconds)
    report = pathlib.Path(folder) / "report.json"
    try:
        found = json.loads(report.read_text())
    except (OSError, ValueError):
        said = [event.get("message", "") for event in _events(ended.out + "\n" + ended.err)
                if event.get("event") == "diagnostic" and event.get("severity") == "error"]
        return _failed(ended, cause_of(said[0]) if said else None)
    accepted = {variant["name"]: variant for variant in found["variants"]
                if (variant.get("evidence") or {}).get("grade") in ACCEPTED}
    if not options.keep:
        shutil.rmtree(folder, ignore_errors=True)
    told = {"accepted": len(accepted)}
    best = accepted.get(found.get("best"))
    if not best:
        # What kept the kernel as it is from being accepted keeps its variants from it too.
        failed = [entry.get("failure", "") for entry in found.get("failed", [])]
        refused = [f"{(variant['evidence'])['grade']}: "
                   f"{(variant['evidence'].get('details') or {}).get('reason', '')}"
                   for variant in found["variants"] if variant.get("evidence")]
        causes = refused or [cause_of(text) for text in failed]
        return _failed(ended, causes[0] if causes else None) | told
    before, after = _time(accepted.get("baseline.v", {})), _time(best)
    if before and after:
        told["gain"] = round(before / after, 3)
    return {"ok": True} | told | _measured(ended)

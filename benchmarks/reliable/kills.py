"""Searches that are killed at random moments, as often as it takes.

A life is one search: started, killed after a random time, started again, until it has
ended by itself. Then it must have done and paid for what an unbroken one does and pays
for, each once; and after each kill, what had been said to be done is on record.
"""
import contextlib
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import threading
import time

from .runs import Journal, Workplace
from .server import ModelServer, answer_to

SCENARIOS = ("search", "model", "exchange")
SEEDS = 6  # unbroken searches of each scenario


class Answerer:
    """Answers the requests of a folder, each once, as a person would: by file."""

    def __init__(self, folder):
        self.folder, self.ended = folder, threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self):
        while not self.ended.wait(0.02):
            for path in glob.glob(os.path.join(self.folder, "*.request.md")):
                answer = path.replace(".request.md", ".answer.md")
                if os.path.exists(answer):
                    continue
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                # What is asked, and not by which name.
                with open(answer + ".part", "w", encoding="utf-8") as file:
                    file.write(answer_to(text.partition("\n\n")[2]))
                os.rename(answer + ".part", answer)

    def close(self):
        self.ended.set()
        self.thread.join()


class Life:
    """One search in a folder, with all that it asks."""

    def __init__(self, place, scenario, seed, name):
        self.place, self.scenario = place, scenario
        self.out = place.path(name)
        self.records, self.exchange = self.out + ".records", self.out + ".exchange"
        self.server = self.answerer = None
        more = []
        budget, kernel = 4, "scale.cu"
        if scenario == "search":
            budget, kernel = 6, ("scale.cu", "scale.mlir")[seed % 2]
        if scenario == "model":
            self.server = ModelServer(latency=0.03)
            more = place.model(self.server.url, "--record", self.records)
        if scenario == "exchange":
            os.mkdir(self.exchange)
            self.answerer = Answerer(self.exchange)
            budget = 2  # an answer by file is looked at for a second before it is taken
            more = ["--proposer", "exchange", "--exchange-dir", self.exchange,
                    "--exchange-timeout", "60", "--strategy", "evoengineer-free"]
        self.command = place.search(kernel, self.out, seed, budget, "--json", *more)

    def start(self):
        return subprocess.Popen(self.command, env=self.place.environment(),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                start_new_session=True)

    def journal(self):
        return Journal(self.place.tool, self.out + ".journal")

    def close(self):
        if self.server:
            self.server.close()
        if self.answerer:
            self.answerer.close()
        for path in glob.glob(self.out + "*"):
            if os.path.isdir(path):
                shutil.rmtree(path)
            else:
                os.remove(path)


def processes_of(session):
    """The processes that are left of a session, by /proc."""
    left = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError):
            with open(path, encoding="utf-8", errors="replace") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            if int(fields[3]) == session and fields[0] not in "ZX":
                left.append(int(path.split("/")[2]))
    return left


def wait_for_nobody(session):
    end = time.monotonic() + 5
    while time.monotonic() < end:
        left = processes_of(session)
        if not left:
            return []
        time.sleep(0.005)
    return left


def announced(output):
    """The candidates that were said to be done."""
    names = []
    for line in output.decode(errors="replace").splitlines():
        with contextlib.suppress(ValueError):
            event = json.loads(line)
            if event.get("event") == "candidate":
                names.append(event["name"])
    return names


def differences(journal, whole):
    """The questions that were paid more or less often than by the unbroken search, and all
    that is in the books about them."""
    settled = journal.settled()
    words = []
    for one in sorted(set(settled + whole["settled"])):
        here, there = settled.count(one), whole["settled"].count(one)
        if here != there:
            states = [charge["state"] for charge in journal.charges
                      if (charge["request"], charge["hash"]) == one]
            words.append(f"{one[0]} paid {here} times, unbroken {there}: {states}")
    return "; ".join(words)


def best_of(out):
    with open(os.path.join(out, "best.ptx"), encoding="utf-8") as file:
        return file.read()


class Unbroken:
    """What a search does when nobody kills it; each is run once."""

    def __init__(self, place):
        self.place, self.known = place, {}

    def get(self, scenario, seed):
        if (scenario, seed) not in self.known:
            life = Life(self.place, scenario, seed, f"whole-{scenario}-{seed}")
            try:
                begin = time.monotonic()
                process = life.start()
                _, errors = process.communicate(timeout=120)
                if process.returncode:
                    raise AssertionError("unbroken: " + errors.decode()[-1000:])
                journal = life.journal()
                self.known[scenario, seed] = {
                    "seconds": time.monotonic() - begin, "steps": journal.steps,
                    "settled": journal.settled(), "best": best_of(life.out)}
            finally:
                life.close()
        return self.known[scenario, seed]


def check_records(life):
    """Records are whole, whenever their writer was killed."""
    for path in glob.glob(os.path.join(life.records, "*.json")):
        with open(path, encoding="utf-8") as file:
            json.load(file)
    for path in glob.glob(os.path.join(life.exchange, "*.request.json")):
        with open(path, encoding="utf-8") as file:
            json.load(file)


def check_replay(life):
    """What was recorded over all kills is the search: replayed, it does the same."""
    out = life.out + ".replay"
    options = ["--proposer", "replay", "--replay-dir", life.records, "--strategy",
               life.place.path("strategy.json")]
    code, text = life.place.run(life.place.search("scale.cu", out, life.seed, 4, *options))
    assert code == 0, "the replay of the records: " + text[-800:]
    return Journal(life.place.tool, out + ".journal").candidates


def live(place, unbroken, scenario, seed, name, draw, wanted, counts):
    """One life; adds to `counts`. Raises AssertionError with what was lost or doubled."""
    whole = unbroken.get(scenario, seed)
    life = Life(place, scenario, seed, name)
    life.seed = seed
    try:
        before, kills = [], 0
        while True:
            process = life.start()
            # Time is up for it; the last one is left alone.
            limit = draw.uniform(0, 1.05 * whole["seconds"])
            if counts["kills"] + kills >= wanted or kills >= 40:
                limit = 120
            try:
                output, errors = process.communicate(timeout=limit)
                killed = False
            except subprocess.TimeoutExpired:
                killed = True
                # All at once, or the search alone: its workers must end with it.
                if draw.random() < 0.5:
                    os.killpg(process.pid, signal.SIGKILL)
                else:
                    process.kill()
                output, errors = process.communicate()
            left = wait_for_nobody(process.pid)
            assert not left, f"processes outlive the search: {left}"
            journal = life.journal()
            lost = [one for one in announced(output) if one not in journal.candidates]
            assert not lost, f"said to be done and not on record: {lost}"
            assert journal.candidates[:len(before)] == before, \
                f"candidates lost: had {before}, has {journal.candidates}"
            before = journal.candidates
            check_records(life)
            if not killed:
                assert process.returncode == 0, \
                    f"exit code {process.returncode}: {errors.decode()[-1000:]}"
                break
            kills += 1
        assert len(set(before)) == len(before), f"candidates doubled: {before}"
        assert journal.steps == whole["steps"], "it went another way than the unbroken one"
        assert best_of(life.out) == whole["best"], "another winner"
        settled = journal.settled()
        assert settled == whole["settled"], "payments: " + differences(journal, whole)
        if life.server:
            # Whatever reached the server is in the books, be it at its bound.
            asked, booked = len(life.server.asked), len(journal.charges)
            assert booked >= asked, f"payments lost: {asked} asked, {booked} booked"
            counts["payments"] += asked
            counts["asked again"] += asked - len(set(life.server.asked))
            assert check_replay(life) == before, "the records replay to another search"
        if scenario == "exchange":
            asked = glob.glob(os.path.join(life.exchange, "*.request.json"))
            assert len(asked) == len(settled), \
                f"{len(asked)} requests by file, {len(settled)} in the books"
            counts["payments"] += len(asked)
        counts["kills"] += kills
        counts["candidates"] += len(before)
        counts["searches"] += 1
    finally:
        life.close()


def run(tool, folder, wanted, deadline, seed, counts, failures, at_a_time):
    """Adds to `counts` until `wanted` kills are counted, or `deadline` (monotonic). Lives
    mostly wait, so that several are led at a time."""
    for key in ("kills", "searches", "candidates", "payments", "asked again"):
        counts.setdefault(key, 0)
    place = Workplace(tool, folder)
    unbroken = Unbroken(place)
    taking = threading.Lock()
    begun = counts["searches"]

    def lead():
        nonlocal begun
        while counts["kills"] < wanted and time.monotonic() < deadline:
            with taking:
                number, begun = begun, begun + 1
            draw = random.Random(seed + number)
            scenario = SCENARIOS[number % len(SCENARIOS)]
            which = draw.randrange(1, SEEDS + 1)
            mine = dict.fromkeys(counts, 0)
            try:
                with taking:
                    unbroken.get(scenario, which)
                live(place, unbroken, scenario, which, f"life-{number}", draw,
                     wanted - counts["kills"], mine)
            except AssertionError as error:
                with taking:
                    failures.append(f"{scenario}: {error}")
                mine["searches"] = 1
            with taking:
                for key, value in mine.items():
                    counts[key] += value

    threads = [threading.Thread(target=lead) for _ in range(at_a_time)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

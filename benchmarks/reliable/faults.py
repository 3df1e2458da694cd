"""A model's server that fails, by every fault, at every request of a search.

Each fault comes once, or from one request on for good. Whatever it is, the search ends in
time and with its reason, keeps what was accepted, has all that reached the server in its
books, and goes on to the end once the server is well.
"""
import concurrent.futures
import glob
import json
import os
import shutil
import ssl
import time

from .runs import KEY, Journal, Workplace
from .server import FAULTS, ModelServer

BUDGET = 3
# What is said of each fault that ends a search, of which one must be there.
REASONS = {
    "refused": "could not connect", "reset": "connection was lost", "stall": "in time",
    "trickle": "stalled", "429, wait 1 s": "status 429", "429, wait a day": "status 429",
    "402": "status 402", "500": "status 500", "503": "status 503", "HTML": "text/html",
    "truncated body": "connection was lost", "truncated JSON": "answer", "endless JSON":
    "exceeds", "empty body": "answer", "type: a list": "answer", "type: choices is 5": "answer",
    "type: content is null": "answer", "type: choices is empty": "answer",
    "redirect": "status 302", "no HTTP": "", "TLS where none is due": ""}
NEVER_BILLED = ("refused", "429, wait 1 s", "429, wait a day", "402", "500", "503", "redirect")


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class Case:
    def __init__(self, place, name, fault, number, lasts):
        self.place, self.fault, self.number, self.lasts = place, fault, number, lasts
        self.out = place.path(name)

    def __str__(self):
        return f"{self.fault} {'from' if self.lasts else 'at'} request {self.number}"

    def plan(self, number):
        hit = number >= self.number if self.lasts else number == self.number
        return self.fault if hit else None

    def run(self):
        """Raises AssertionError with what is not as it should be; the exit code."""
        server = ModelServer(self.plan)
        try:
            begin = time.monotonic()
            code, text = self.search(server)
            took = time.monotonic() - begin
        finally:
            server.close()
        assert code in (0, 4), f"exit code {code}: {text[-800:]}"
        assert took < 90, f"took {took:.0f} s"
        assert KEY not in text, "the key is in what is printed"
        journal = Journal(self.place.tool, self.out + ".journal")
        # What was accepted before stays, and is selected.
        report = read(os.path.join(self.out, "report.json"))
        assert report["best"], "nothing is the best"
        # What is refused is not billed, and is no entry where the next attempt was answered.
        billed = [number for number in range(1, len(server.asked) + 1)
                  if self.plan(number) not in NEVER_BILLED]
        assert len(journal.charges) >= len(billed), \
            f"{len(billed)} requests with a bill, {len(journal.charges)} in the books"
        if code == 4:
            assert REASONS[self.fault] in report.get("stopped", ""), \
                "the reason is not said: " + report.get("stopped", "nothing")
            if self.lasts and self.fault in NEVER_BILLED:
                assert journal.charges[-1]["money"] == 0, "a refusal is charged"
        elif self.lasts and len(journal.candidates) < BUDGET:
            assert REASONS[self.fault] in report.get("stopped", ""), \
                "the reason is not said: " + report.get("stopped", "nothing")
        if code == 4:
            self.go_on(journal)
        return code

    def search(self, server):
        command = self.place.search("scale.cu", self.out, 3, BUDGET,
                                    *self.place.model(server.url))
        return self.place.run(command)

    def go_on(self, before):
        server = ModelServer()
        try:
            code, text = self.search(server)
        finally:
            server.close()
        assert code == 0, f"well again, exit code {code}: {text[-800:]}"
        after = Journal(self.place.tool, self.out + ".journal")
        assert after.candidates[:len(before.candidates)] == before.candidates, "lost"
        assert len(after.candidates) == BUDGET == len(set(after.candidates)), \
            f"well again, tried {after.candidates}"
        paid = after.paid()
        assert len(paid) == len(set(paid)), "an answer was paid twice"
        for path in glob.glob(self.out + "/**", recursive=True):
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    assert KEY.encode() not in file.read(), f"the key is in {path}"

    def close(self):
        shutil.rmtree(self.out, ignore_errors=True)
        for path in glob.glob(self.out + ".*"):
            os.remove(path)


class BadTLS(Case):
    """The first requests were answered by a well server, then the address is one behind
    TLS: with a certificate that nobody trusts, or behind which there is none."""

    def __init__(self, place, name, fault, number, pem):
        super().__init__(place, name, "402" if number > 1 else fault, number, True)
        self.kind, self.pem = fault, pem

    def __str__(self):
        return f"{self.kind} from request {self.number}"

    def run(self):
        if self.number > 1:
            server = ModelServer(self.plan)
            try:
                code, text = self.search(server)
            finally:
                server.close()
            assert code == 4, text[-800:]
        tls = None
        if self.kind == "TLS: untrusted certificate":
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(self.pem)
        server = ModelServer(tls=tls)
        url = f"https://127.0.0.1:{server.port}/v1"
        try:
            code, text = self.place.run(self.place.search(
                "scale.cu", self.out, 3, BUDGET, *self.place.model(url)))
        finally:
            server.close()
        assert code == 4, f"exit code {code}: {text[-800:]}"
        report = read(os.path.join(self.out, "report.json"))
        assert report["best"], "nothing is the best"
        reason = report.get("stopped", "")
        assert "SSL" in reason or "could not connect" in reason, reason
        journal = Journal(self.place.tool, self.out + ".journal")
        assert journal.charges[-1]["money"] == 0, "what was never sent is charged"
        self.go_on(journal)
        return code


def cases(place, pem):
    """Every fault at every request; a search that nothing befalls tells how many there are."""
    well = Case(place, "well", None, 0, False)
    server = ModelServer()
    code, text = well.search(server)
    server.close()
    assert code == 0, text
    requests = len(server.asked)
    well.close()
    for number in range(1, requests + 1):
        for fault in ["refused", *FAULTS]:
            for lasts in (False, True):
                yield Case(place, "", fault, number, lasts)
        for fault in ("TLS: untrusted certificate", "TLS: not spoken"):
            yield BadTLS(place, "", fault, number, pem)


def run(tool, folder, pem, wanted, deadline, counts, failures):
    """Goes on after as many cases as `counts` has; several wait at a time."""
    for key in ("cases", "ended well", "ended with a reason"):
        counts.setdefault(key, 0)
    place = Workplace(tool, folder)
    every = list(cases(place, pem))
    counts["cases that there are"] = len(every)
    left = every[counts["cases"]:wanted]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        def one(numbered):
            number, case = numbered
            if time.monotonic() > deadline:
                return None
            case.out = place.path(f"case-{number}")
            try:
                return case, case.run(), ""
            except AssertionError as error:
                return case, 1, f"{case}: {error}"
            finally:
                case.close()
        for done in pool.map(one, enumerate(left)):
            if done is None:
                break
            _, code, failure = done
            counts["cases"] += 1
            counts["ended well" if code == 0 else "ended with a reason"] += 1
            if failure:
                failures.append(failure)

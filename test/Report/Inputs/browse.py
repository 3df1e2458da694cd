# browse.py [--screenshots FOLDER] PAGE: opens a page in headless Chromium, without
# a network, in light and in dark, and prints what a reader has before them: for
# each, "SCHEME: N texts, lowest contrast C to 1 at ELEMENT", then the visible text.
#
# Exits with 1 where the page asked for anything but itself, where the browser
# reported an error or a violation of the page's policy, where a script ran, where
# a text has less contrast than 4.5 to 1, or where something is wider than the page.
import argparse
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PIECE = 1400  # pixels of height that a screenshot has at most

# What the page looks like to its reader. This runs in the browser's own world.
LOOK = r"""(() => {
  const parse = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const light = (color) => {
    const [r, g, b] = color.slice(0, 3).map((value) => {
      const c = value / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  let worst = 99, where = '', count = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility() || element.closest('title')) continue;
    const style = getComputedStyle(element);
    const front = light(parse(element.closest('svg') ? style.fill : style.color));
    const back = light(behind(element));
    const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    ++count;
    if (contrast < worst) {
      worst = contrast;
      where = element.tagName.toLowerCase() + '.' + (element.getAttribute('class') || '') + ': ' + node.data.trim().slice(0, 40);
    }
  }
  return {count, worst, where, text: document.body.innerText, title: document.title,
          ran: window.evoScriptRan === undefined ? '' : String(window.evoScriptRan),
          scripts: document.scripts.length, handlers: [...document.querySelectorAll('*')]
            .filter((e) => e.getAttributeNames().some((n) => n.startsWith('on'))).length,
          tooWide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
          background: getComputedStyle(document.body).backgroundColor};
})()"""


class Browser:
    """Chromium, spoken to through a pair of pipes: JSON objects, each with a zero byte behind."""

    def __init__(self, program, profile):
        read_there, self.out = os.pipe()
        self.into, write_there = os.pipe()

        def pipes():  # the browser has them at 3 and 4
            os.dup2(read_there, 100)
            os.dup2(write_there, 101)
            os.dup2(100, 3)
            os.dup2(101, 4)

        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9",
             f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=pipes, close_fds=False, stdout=self.log, stderr=self.log)
        os.close(read_there)
        os.close(write_there)
        self.rest, self.last, self.events = b"", 0, []

    def read(self):
        while b"\0" not in self.rest:
            more = os.read(self.into, 1 << 16)
            if not more:
                self.log.seek(0)
                sys.exit("the browser ended:\n" + self.log.read().decode(errors="replace")[-2000:])
            self.rest += more
        line, self.rest = self.rest.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, session=None, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.last:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.read())

    def close(self):
        os.write(self.out, json.dumps({"id": 0, "method": "Browser.close"}).encode() + b"\0")
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def complaints(events, url):
    """What the browser said that it should not have had to say."""
    for event in events:
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            asked = parameters["request"]["url"]
            if asked != url and not asked.startswith("data:"):
                yield f"asked for {asked}"
        elif method == "Log.entryAdded":
            yield f"log: {parameters['entry']['text']}"
        elif method == "Runtime.exceptionThrown":
            yield f"exception: {parameters['exceptionDetails']['text']}"
        elif method == "Runtime.consoleAPICalled":
            yield f"console: {parameters['args']}"
        elif method == "Page.javascriptDialogOpening":
            yield f"dialog: {parameters['message']}"


def look(browser, session, scheme, screenshots):
    browser.call("Emulation.setEmulatedMedia", session,
                 features=[{"name": "prefers-color-scheme", "value": scheme}])
    seen = browser.call("Runtime.evaluate", session, expression=LOOK, returnByValue=True)["result"]["value"]
    print(f"{scheme}: {seen['count']} texts, lowest contrast {seen['worst']:.1f} to 1 at {seen['where']}")
    if screenshots:
        size = browser.call("Page.getLayoutMetrics", session)["cssContentSize"]
        for top in range(0, int(size["height"]), PIECE):
            clip = {**size, "y": top, "height": min(PIECE, size["height"] - top), "scale": 1}
            image = browser.call("Page.captureScreenshot", session, captureBeyondViewport=True, clip=clip)
            path = screenshots / f"{scheme}-{top // PIECE}.png"
            path.write_bytes(base64.b64decode(image["data"]))
    if seen["worst"] < 4.5:
        yield f"{scheme}: contrast {seen['worst']:.1f} to 1 at {seen['where']}"
    if seen["ran"] or seen["scripts"] or seen["handlers"]:
        yield f"{scheme}: scripts: {seen['scripts']}, handlers: {seen['handlers']}, ran: {seen['ran']}"
    if seen["tooWide"]:
        yield f"{scheme}: something is wider than the page"
    return seen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--width", type=int, default=1200)
    parser.add_argument("page", type=pathlib.Path)
    arguments = parser.parse_args()
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    url = arguments.page.resolve().as_uri()
    if arguments.screenshots:
        arguments.screenshots.mkdir(parents=True, exist_ok=True)
    wrong, looks = [], {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            browser.call(f"{domain}.enable", session)
        browser.call("Emulation.setDeviceMetricsOverride", session, width=arguments.width, height=900,
                     deviceScaleFactor=1, mobile=False)
        browser.call("Page.navigate", session, url=url)
        browser.wait_for("Page.loadEventFired")
        for scheme in ("light", "dark"):
            found = look(browser, session, scheme, arguments.screenshots)
            while True:
                try:
                    wrong.append(next(found))
                except StopIteration as end:
                    looks[scheme] = end.value
                    break
        wrong += complaints(browser.events, url)
        browser.close()
    if looks["light"]["background"] == looks["dark"]["background"]:
        wrong.append("light and dark have the same background")
    print("title:", looks["light"]["title"])
    print(looks["light"]["text"])
    for line in wrong:
        print("WRONG:", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

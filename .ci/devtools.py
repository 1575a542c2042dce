"""Headless Chromium by the DevTools protocol, with nothing but the standard library."""

import json
import os
import subprocess
import time
from pathlib import Path


class Browser:
    """Chromium, spoken to through two pipes: the DevTools protocol, messages ended by a zero byte."""

    def __init__(self, chromium, profile):
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()

        def connect():
            # Chromium reads descriptor 3 and writes descriptor 4. Copies first: the pipes may have these numbers.
            read, write = os.dup(to_read), os.dup(from_write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={profile}",
                 "--no-first-run", "--disable-background-networking", "--window-size=1280,900", "about:blank"]
        self.process = subprocess.Popen([chromium, *flags], preexec_fn=connect, close_fds=False,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.out, self.into, self.rest, self.next, self.session, self.events = to_write, from_read, b"", 0, None, []
        target = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"][0]["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Network", "Log"]:
            self.call(f"{domain}.enable")

    def receive(self):
        while b"\0" not in self.rest:
            part = os.read(self.into, 1 << 20)
            if not part:
                raise SystemExit("chromium has gone")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.next += 1
        message = {"id": self.next, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.next:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def run(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise SystemExit(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def open(self, page, address=""):
        self.events = []
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=f"{Path(page).resolve().as_uri()}#{address}")
        end = time.time() + 60
        while not self.run("document.readyState === 'complete' && typeof pathqp !== 'undefined'"):
            if time.time() > end:
                raise SystemExit(f"{page} does not load: {self.events[-5:]}")
            time.sleep(0.05)

    def key(self, key, code=0, text=""):
        more = {"text": text} if text else {}
        for kind in ["keyDown", "keyUp"]:
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **more)

    def mouse(self, kind, x, y):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=0 if kind == "mouseReleased" else 1, clickCount=1)

    def rest_frames(self):
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def cell(self, key):
        value = self.run(f"document.getElementById('{key}').dataset.value")
        return float("nan") if value is None else float(value.replace("Infinity", "inf"))

    def errors(self):
        """Exceptions, complaints, and whatever was asked of the network."""
        found = [e for e in self.events if e.get("method") in ["Runtime.exceptionThrown", "Log.entryAdded"]]
        asked = [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return found + [url for url in asked if not url.startswith(("file:", "about:", "data:"))]

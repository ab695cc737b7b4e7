"""A browser without a window, driven through its pipe of the DevTools protocol; nothing but the browser is needed."""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
from contextlib import contextmanager

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SECONDS = 60
"""After so much silence the browser is given up."""
QUIET = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--remote-debugging-pipe",
]
KEYS = {"Tab": (9, ""), "Enter": (13, "\r")}
"""Their numbers, and what they write."""
START = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
for number, end in zip((3, 4), ends):
    os.dup2(end, number)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""The browser reads commands at 3 and writes answers at 4."""

MEASURE = """
(() => {
  const all = [...document.querySelectorAll('*')], root = document.documentElement;
  document.querySelectorAll('details').forEach(d => d.open = true);
  const shown = e => e.getClientRects().length > 0;
  const where = e => e.outerHTML.slice(0, 120);
  const layers = e => { const found = []; for (let p = e; p; p = p.parentElement) found.push(getComputedStyle(p).backgroundColor); return found; };
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const mixed = colors => { canvas.fillStyle = '#fff'; canvas.fillRect(0, 0, 1, 1);
    for (const c of colors) { canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); } return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3); };
  const light = rgb => { const [r, g, b] = rgb.map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const contrast = e => { const under = layers(e).reverse(), style = getComputedStyle(e);
    const ink = e instanceof SVGElement ? style.fill : style.color;
    const pair = [light(mixed(under)), light(mixed([...under, ink]))].sort((a, b) => b - a);
    return (pair[0] + 0.05) / (pair[1] + 0.05); };
  const texts = all.filter(e => shown(e) && (!(e instanceof SVGElement) || e.style.fill.includes('var(')) && !['SCRIPT', 'STYLE', 'TITLE', 'OPTION'].includes(e.tagName)
    && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()));
  const named = e => e.getAttribute('alt') || e.getAttribute('aria-label') || e.closest('[aria-hidden=true]');
  const stops = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')].filter(shown);
  const wide = all.filter(e => ['auto', 'scroll'].includes(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth + 1 && e.tagName !== 'TEXTAREA');
  return JSON.stringify({
    inner: innerWidth, scroll: root.scrollWidth,
    dark: light(mixed([getComputedStyle(document.body).backgroundColor])) < 0.2,
    unnamed: [...document.querySelectorAll('img, svg, canvas')].filter(e => !named(e)).map(where),
    unlabelled: [...document.querySelectorAll('input, select, textarea')].filter(e => !e.labels.length).map(where),
    unreachable: stops.filter(e => { e.focus(); return document.activeElement !== e; }).map(where),
    unscrollable: wide.filter(e => e.tabIndex < 0).map(where),
    pale: texts.filter(e => contrast(e) < 4.5).map(e => contrast(e).toFixed(2) + ' ' + where(e)),
    headings: [...document.querySelectorAll('h1, h2, h3')].map(e => +e.tagName[1]),
    stops: stops.length, texts: texts.length,
  });
})()
"""  # noqa: E501


class Tab:
    """One tab of the browser."""

    def __init__(self, send, receive):
        self._send, self._receive, self._number, self._session = send, receive, 0, None
        self._heard, self._events = b"", []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def call(self, method, **parameters):
        """The result of one command of the protocol."""
        self._number += 1
        asked = {"id": self._number, "method": method, "params": parameters}
        self._send.write(json.dumps(asked | ({"sessionId": self._session} if self._session else {})).encode() + b"\0")
        self._send.flush()
        while (told := self._told()).get("id") != self._number:
            self._events.append(told.get("method"))
        assert "error" not in told, told
        return told["result"]

    def wait(self, event):
        """Read on until this event, which may have come while a command was answered."""
        while event not in self._events:
            self._events.append(self._told().get("method"))
        self._events.clear()

    def _told(self):
        while b"\0" not in self._heard:
            ready, _, _ = select.select([self._receive], [], [], SECONDS)
            more = os.read(self._receive.fileno(), 1 << 20) if ready else b""
            assert more, "the browser says nothing"
            self._heard += more
        text, _, self._heard = self._heard.partition(b"\0")
        return json.loads(text)

    def open(self, url, width, theme):
        """Load a page at this width, "light" or "dark"."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600
        )
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self._events.clear()
        self.call("Page.navigate", url=url)
        self.wait("Page.loadEventFired")

    def value(self, script):
        """What a script on the page says."""
        return self.call("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def measured(self):
        """What `MEASURE` finds on the page."""
        return json.loads(self.value(MEASURE))

    def press(self, key):
        """Press one key."""
        number, text = KEYS[key]
        for kind in ("rawKeyDown", *(["char"] if text else []), "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=number, text=text)

    def picture(self, path):
        """The whole page as a file."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))


@contextmanager
def browser(folder):
    """A tab of a new browser with an empty profile in `folder`."""
    from_us, to_browser = os.pipe()
    from_browser, to_us = os.pipe()
    job = subprocess.Popen(
        [sys.executable, "-I", "-c", START, str(from_us), str(to_us), CHROMIUM, *QUIET, f"--user-data-dir={folder}"],
        pass_fds=(from_us, to_us), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(from_us)
    os.close(to_us)
    with open(to_browser, "wb") as send, open(from_browser, "rb", buffering=0) as receive:
        try:
            tab = Tab(send, receive)
            yield tab
        finally:
            job.terminate()
            job.wait(60)

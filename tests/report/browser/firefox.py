"""Firefox without a window, driven through Marionette, the protocol that it brings itself."""

import json
import os
import shutil
import socket
import subprocess
import time
from itertools import count
from pathlib import Path

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
PATIENCE = 60.0
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
SETTINGS = {
    "app.update.disabledForTesting": True,
    "browser.download.folderList": 2,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "marionette.port": 0,  # any that is free
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "ui.prefersReducedMotion": 1,
}
# Errors and warnings of a page itself, among what Firefox says of everything.
SAID = """return Services.console.getMessageArray()
  .filter((said) => said instanceof Ci.nsIScriptError && said.sourceName.startsWith("file:"))
  .map((said) => said.errorMessage);"""


class Firefox:
    """A browser with an empty profile in a folder, which is offline."""

    def __init__(self, folder):
        self.downloads = folder / "downloads"
        self.downloads.mkdir()
        settings = SETTINGS | {"browser.download.dir": str(self.downloads)}
        lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in settings.items()]
        (folder / "user.js").write_text("".join(lines), encoding="utf-8")
        flags = ["--headless", "--marionette", "--remote-allow-system-access", "--profile", folder]
        self._process = subprocess.Popen(
            [FIREFOX, *flags],
            env=os.environ | {"HOME": str(folder)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            port = int(_wait_for(folder / "MarionetteActivePort"))
            self._socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
            self._stream, self._numbers = self._socket.makefile("rb"), count()
            self._receive()  # says which version of the protocol it speaks
            self.command("WebDriver:NewSession")
            self._say("Services.io.offline = true;")
        except BaseException:
            self._process.kill()
            raise

    def close(self):
        self._socket.close()
        self._process.terminate()
        self._process.wait(PATIENCE)

    def _receive(self):
        length = b"".join(iter(lambda: self._stream.read(1), b":"))
        return json.loads(self._stream.read(int(length)))

    def command(self, name, **parameters):
        """What Firefox answers to a command; messages are preceded by their length."""
        number = next(self._numbers)
        message = json.dumps([0, number, name, parameters]).encode()
        self._socket.sendall(b"%d:%b" % (len(message), message))
        _, answered, error, result = self._receive()
        assert answered == number
        if error:
            raise RuntimeError(f"{name}: {error['error']}: {error['message']}")
        return result["value"] if isinstance(result, dict) and set(result) == {"value"} else result

    def _say(self, script):
        """Run a script that may do what the browser itself may do."""
        self.command("Marionette:SetContext", value="chrome")
        try:
            return self.command("WebDriver:ExecuteScript", script=script, args=[])
        finally:
            self.command("Marionette:SetContext", value="content")

    def open(self, path):
        self._say("Services.console.reset();")
        self.command("WebDriver:Navigate", url=Path(path).as_uri())

    def faults(self):
        return self._say(SAID)

    def evaluate(self, function, *arguments):
        """What a function in JavaScript gives."""
        script = f"return ({function})(...arguments);"
        return self.command("WebDriver:ExecuteScript", script=script, args=arguments)

    def _do(self, action, selector, **parameters):
        found = self.command("WebDriver:FindElement", using="css selector", value=selector)
        return self.command(f"WebDriver:Element{action}", id=found[ELEMENT], **parameters)

    def click(self, selector):
        self._do("Click", selector)

    def press(self, selector, keys):
        self._do("SendKeys", selector, text=keys)

    def fill(self, selector, text):
        self._do("Clear", selector)
        self.press(selector, text)

    def count(self, selector):
        return self.evaluate("(which) => document.querySelectorAll(which).length", selector)

    def text(self, selector):
        return self.evaluate("(which) => document.querySelector(which).innerText", selector)

    def download(self, selector, name):
        """What a button saves under a name, as text."""
        self.click(selector)
        path = self.downloads / name
        text = _wait_for(path)
        path.unlink()
        return text


def _wait_for(path):
    """The text of a file as soon as there is one."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if path.is_file() and (text := path.read_text(encoding="utf-8")):
            return text
        time.sleep(0.05)
    raise TimeoutError(f"there is no {path.name}")

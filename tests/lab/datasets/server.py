"""A real server on this machine, which serves well or badly."""

from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

TABLE = b"size,kind,label\n" + b"".join(b"%d,a,%d\n" % (i, i % 2) for i in range(2000))


@dataclass
class Server:
    """What is sent for a path: a function that takes the handler of the request."""

    address: str
    answers: dict = field(default_factory=dict)
    asked: list = field(default_factory=list)
    over: Event = field(default_factory=Event)

    def serve(self, content=TABLE, status=200, length=None, path="/toy.csv", **headers):
        """Send this content, and say that it is of this length."""
        headers = {"Content-Length": len(content) if length is None else length, **headers}

        def answer(handler):
            send_headers(handler, status, headers)
            handler.wfile.write(content)

        self.answers[path] = answer

    def drip(self, piece, pause=0.01, **headers):
        """Send the same piece again and again, until the client leaves."""

        def answer(handler):
            send_headers(handler, 200, headers)
            self.repeat(handler, piece, pause)

        self.answers["/toy.csv"] = answer

    def drip_headers(self):
        """Send headers without end."""

        def answer(handler):
            handler.wfile.write(b"HTTP/1.0 200 OK\r\nX-Slow: ")
            self.repeat(handler, b"x", 0.01)

        self.answers["/toy.csv"] = answer

    def say_nothing(self):
        self.answers["/toy.csv"] = lambda handler: self.over.wait(10)

    def redirect(self, location):
        self.serve(b"", status=302, Location=location)

    def repeat(self, handler, piece, pause):
        while not self.over.is_set():
            handler.wfile.write(piece)
            handler.wfile.flush()
            self.over.wait(pause)


def send_headers(handler, status, headers):
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), str(value))
    handler.end_headers()


@contextmanager
def running_server():
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            known.asked.append(self.path)
            self.close_connection = True
            with suppress(ConnectionError):  # the client has seen enough
                known.answers.get(self.path, not_found)(self)

        def log_message(self, *_):
            pass

    def not_found(handler):
        send_headers(handler, 404, {"Content-Length": 12})
        handler.wfile.write(b"nothing here")

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        known = Server(f"http://127.0.0.1:{running.server_port}")
        thread = Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield known
        finally:
            known.over.set()
            running.shutdown()
            thread.join()

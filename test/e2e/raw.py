"""A client on bare sockets: sends any bytes and tells exactly what came back. Not a library that
repairs, follows or retries anything.
"""
import json
import select
import socket
import struct
import time

PATIENCE = 30  # seconds; a test that waits so long has failed


class Answer:
    """One HTTP answer: status, headers as pairs, body, and whether it ended as it should."""

    def __init__(self, head, body, complete, raw_body):
        self.head = head
        self.body = body
        self.complete = complete
        self.raw_body = raw_body
        first, *lines = head.decode("latin-1").split("\r\n")
        self.version, status, *_ = first.split(" ", 2)
        self.status = int(status)
        self.headers = [tuple(part.strip() for part in line.split(":", 1)) for line in lines if line]

    def all(self, name):
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def get(self, name):
        found = self.all(name)
        return found[0] if found else None

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]

    @property
    def events(self):
        """The data of each event, as text."""
        blocks = self.body.decode().replace("\r\n", "\n").split("\n\n")
        return ["\n".join(line[5:].removeprefix(" ") for line in block.split("\n")
                          if line.startswith("data:"))
                for block in blocks if "data:" in block]

    def __repr__(self):
        return f"<{self.status} {self.body[:300]!r}>"


class Connection:
    """One connection to a port of 127.0.0.1."""

    def __init__(self, port, tls=None, receive_buffer=None):
        self.sock = socket.socket()
        if receive_buffer:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(("127.0.0.1", port))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            self.sock = tls.wrap_socket(self.sock, server_hostname="localhost")
        self.data = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def send(self, data):
        self.sock.sendall(data)
        return self

    def close(self):
        self.sock.close()

    def reset(self):
        """Ends the connection with RST."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def more(self):
        """Reads once into data; False: the other side ended."""
        try:
            got = self.sock.recv(1 << 16)
        except ConnectionError:
            return False
        self.data += got
        return bool(got)

    def read_until(self, mark):
        while mark not in self.data:
            if not self.more():
                raise AssertionError(f"the connection ended before {mark!r}: {self.data[:500]!r}")
        return self.data

    def closed_within(self, seconds):
        """Whether the other side closes, reading what still comes."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if select.select([self.sock], [], [], left)[0] and not self.more():
                return True
        return False

    def answer(self, method="POST"):
        """Reads one whole answer; bytes after it stay for the next."""
        while b"\r\n\r\n" not in self.data:
            if not self.more():
                raise AssertionError(f"no answer: the connection ended after {self.data[:300]!r}")
        head, self.data = self.data.split(b"\r\n\r\n", 1)
        lower = head.lower()
        status = int(head.split(b" ", 2)[1])
        if status == 100:
            return self.answer(method)
        if method == "HEAD" or status in (204, 304):
            return Answer(head, b"", True, b"")
        if b"\r\ntransfer-encoding:" in lower:
            return self.chunked(head)
        if b"\r\ncontent-length:" in lower:
            length = int(lower.split(b"\r\ncontent-length:", 1)[1].split(b"\r\n", 1)[0])
            while len(self.data) < length and self.more():
                pass
            body, self.data = self.data[:length], self.data[length:]
            return Answer(head, body, len(body) == length, body)
        while self.more():
            pass
        body, self.data = self.data, b""
        return Answer(head, body, True, body)

    def chunked(self, head):
        body = raw = b""
        while True:
            while b"\r\n" not in self.data:
                if not self.more():
                    return Answer(head, body, False, raw)
            size_line, rest = self.data.split(b"\r\n", 1)
            size = int(size_line.split(b";")[0], 16)
            while len(rest) < size + 2:
                before = len(self.data)
                if not self.more():
                    return Answer(head, body + rest, False, raw)
                rest += self.data[before:]
            raw += size_line + b"\r\n" + rest[:size + 2]
            self.data = rest[size + 2:]
            if size == 0:
                return Answer(head, body, True, raw)
            body += rest[:size]


def request_bytes(method, path, body=None, headers=None, version="HTTP/1.1"):
    """The bytes of a request; a body that is not bytes goes as JSON."""
    fields = {"Host": "gw"}
    if body is not None:
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        fields |= {"Content-Type": "application/json", "Content-Length": len(body)}
    fields |= headers or {}
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value is not None)
    return f"{method} {path} {version}\r\n{lines}\r\n".encode() + (body or b"")


def exchange(port, data, method="POST", tls=None):
    """Sends bytes on a connection of their own and reads one answer."""
    with Connection(port, tls=tls) as line:
        return line.send(data).answer(method)

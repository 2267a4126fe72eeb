"""A scripted engine: answers each request it gets with the lines of a script, as raw bytes.

Not a model server and not an HTTP library: it sends what the script says, right or wrong. One line is
one write (after @sse one HTTP chunk). `\\r` and `\\n` are escapes; <sleep N> waits N ms, <close> and
<rst> end the connection, <hex FF> is a raw byte, <repeat x N> is a long run of one letter;
<repeat N xMms: LINE> and <repeat-write NxSIZE of 'T'> send a line many times; [k] at the start of a
line means: only for the k-th request.
"""
import json
import re
import select
import socket
import ssl
import struct
import threading
import time

ANSWER = ('{"id":"c1","object":"chat.completion","created":1,"model":"small","choices":[{"index":0,'
          '"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}],'
          '"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}')
WHOLE = "@json 200 " + ANSWER
ROLE = '{"role":"assistant","content":""}'
STREAM = "@sse\n@role\n@txt Hi\n@stop\n@usage 9 1\n@done\n@end"


class HungUp(Exception):
    """The other side closed the connection while the script still ran."""


def chunk_json(delta, finish="null"):
    return ('{"id":"c1","object":"chat.completion.chunk","created":1,"model":"small","choices":'
            f'[{{"index":0,"delta":{delta},"finish_reason":{finish}}}]}}')


def event(line):
    """The text of one event macro, or None where the line is not one."""
    if line == "@role":
        return f"data: {chunk_json(ROLE)}\n\n"
    if line.startswith("@txt "):
        return f"data: {chunk_json(json.dumps({'content': line[5:]}, ensure_ascii=False))}\n\n"
    if line == "@stop":
        return f"data: {chunk_json('{}', json.dumps('stop'))}\n\n"
    if line.startswith("@usage "):
        prompt, completion = (int(word) for word in line.split()[1:3])
        used = {"prompt_tokens": prompt, "completion_tokens": completion,
                "total_tokens": prompt + completion}
        return ('data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"small",'
                f'"choices":[],"usage":{json.dumps(used)}}}\n\n')
    if line == "@done":
        return "data: [DONE]\n\n"
    return None


def raw_bytes(text):
    """A script line as bytes: escapes, <hex ..> and <repeat c n>."""
    text = text.replace("\\r", "\r").replace("\\n", "\n")
    text = re.sub(r"<repeat (\S) (\d+)>", lambda m: m[1] * int(m[2]), text)
    out = b""
    for part in re.split(r"(<hex [0-9A-Fa-f ]+>)", text):
        out += bytes.fromhex(part[5:-1]) if part.startswith("<hex ") else part.encode()
    return out


class Request:
    """One request as it arrived."""

    def __init__(self, head, body):
        self.head = head
        self.body = body
        self.at = time.monotonic()
        first, *lines = head.decode("latin-1").split("\r\n")
        self.method, self.target, self.version = first.split(" ", 2)
        self.headers = [tuple(part.strip() for part in line.split(":", 1)) for line in lines if line]

    def get(self, name):
        found = [value for key, value in self.headers if key.lower() == name.lower()]
        return found[0] if found else None

    @property
    def json(self):
        return json.loads(self.body)


class Player:
    """Plays one script on one connection."""

    def __init__(self, sock):
        self.sock = sock
        self.chunked = False

    def write(self, data):
        if self.chunked:
            data = b"%x\r\n%s\r\n" % (len(data), data)
        try:
            self.sock.sendall(data)
        except OSError as error:
            raise HungUp from error

    def sleep(self, seconds):
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            ready, _, _ = select.select([self.sock], [], [], left)
            if not ready:
                return
            try:
                if not self.sock.recv(1, socket.MSG_PEEK):
                    raise HungUp
            except (ConnectionError, ssl.SSLError) as error:
                raise HungUp from error
            except ValueError:  # TLS knows no peeking
                pass
            time.sleep(min(left, 0.01))

    def line(self, line):
        """Plays one line; False: the connection is over."""
        if line == "@sse":
            self.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                       b"Transfer-Encoding: chunked\r\n\r\n")
            self.chunked = True
        elif line == "@end":
            self.chunked = False
            self.write(b"0\r\n\r\n")
        elif line.startswith("@json "):
            _, status, body = line.split(" ", 2)
            body = raw_bytes(body)
            self.write(b"HTTP/1.1 %s Status\r\nContent-Type: application/json\r\n"
                       b"Content-Length: %d\r\n\r\n%s" % (status.encode(), len(body), body))
        elif m := re.fullmatch(r"<sleep (\d+)>", line):
            self.sleep(int(m[1]) / 1000)
        elif line in ("<close>", "<rst>"):
            if line == "<rst>":
                self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        elif m := re.fullmatch(r"<repeat (\d+)(?: x(\d+)ms)?: (.*)>", line):
            for _ in range(int(m[1])):
                self.sleep(int(m[2] or 0) / 1000)
                self.line(m[3])
        elif m := re.fullmatch(r"<repeat-write (\d+)x(\d+) of '(.*)'>", line):
            self.many(int(m[1]), int(m[2]), m[3])
        else:
            text = event(line)
            self.write(raw_bytes(line) if text is None else text.encode())
        return True

    def many(self, count, size, of):
        text = event(of + "x" * size) if of.startswith("@txt ") else of * size
        for _ in range(count):
            self.write(text.encode())


class Upstream:
    """Listens on a port of its own; `script` is text, or a function from a Request to text."""

    def __init__(self, script=None, tls=None, port=0):
        self.script = script or (lambda r: STREAM if b'"stream":true' in r.body.replace(b" ", b"")
                                 else WHOLE)
        self.tls = tls
        self.requests = []
        self.hangups = []  # when somebody closed a connection while a script ran
        self.sockets = set()
        self.guard = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", port), backlog=1024, reuse_port=False)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def url(self):
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"

    @property
    def open_connections(self):
        return len(self.sockets)

    def close(self):
        """Closes the port and every connection: from now on it is refused."""
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        with self.guard:
            left = list(self.sockets)
        for sock in left:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def accept(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.converse, args=(sock,), daemon=True).start()

    def converse(self, sock):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.guard:
            self.sockets.add(sock)
        try:
            if self.tls:
                sock = self.tls.wrap_socket(sock, server_side=True)
            while self.one_request(sock):
                pass
        except HungUp:
            self.hangups.append(time.monotonic())
        except OSError:
            pass
        finally:
            with self.guard:
                self.sockets = {one for one in self.sockets if one.fileno() not in (-1, sock.fileno())}
            sock.close()

    def one_request(self, sock):
        request = read_request(sock)
        if request is None:
            return False
        with self.guard:
            self.requests.append(request)
            number = len(self.requests)
        script = self.script(request) if callable(self.script) else self.script
        lines = [m[2] for m in re.finditer(r"(?m)^(?:\[(\d+)\] ?)?(.+)$", script)
                 if m[1] is None or int(m[1]) == number]
        player = Player(sock)
        return all(player.line(line) for line in (lines or [WHOLE]))


def read_request(sock):
    """The next request of a connection; None: it ended before one."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = sock.recv(65536)
        if not more:
            return None
        data += more
    head, body = data.split(b"\r\n\r\n", 1)
    found = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    length = int(found[1]) if found else 0
    while len(body) < length:
        more = sock.recv(1 << 20)
        if not more:
            return None
        body += more
    return Request(head, body)

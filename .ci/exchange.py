"""What scripts need that run an exchange on the loopback: processes, and calls as a customer."""

import http.client
import json
import random
import signal
import socket
import ssl
import struct
import subprocess
import time
import uuid
import zlib

STARTUP = 30
running = []


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def start(command, log, **options):
    process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, **options)
    running.append(process)
    return process


def stop(process):
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    running.remove(process)


def until(what, is_so):
    end = time.monotonic() + STARTUP
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError(f"not so: {what}")
        time.sleep(0.1)


class Site:
    """The exchange at an address."""

    def __init__(self, port, tls=False, host="127.0.0.1"):
        self.port, self.tls, self.host = port, tls, host

    def connect(self):
        if not self.tls:
            return http.client.HTTPConnection(self.host, self.port, timeout=30)
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return http.client.HTTPSConnection(self.host, self.port, timeout=30, context=context)

    def call(self, method, path, body=None, headers=None):
        connection = self.connect()
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def post(self, path, body):
        headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
        status, text = self.call("POST", path, json.dumps(body), headers)
        return status, json.loads(text or b"null") if status < 500 else None

    def answers(self):
        try:
            return self.call("GET", "/health/ready")[0] == 200
        except OSError:
            return False


def picture(size):
    """A PNG of noise with about so many bytes."""
    side = int((size / 3) ** 0.5)
    noise = random.Random(1)
    rows = b"".join(b"\0" + noise.randbytes(3 * side) for _ in range(side))
    part = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(rows, 0)) + part(b"IEND", b"")


def upload(site, path, content):
    edge = "----agio-upload"
    form = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="receipt.png"\r\nContent-Type: image/png\r\n\r\n'
    body = form.encode() + content + f"\r\n--{edge}--\r\n".encode()
    try:
        return site.call("POST", path, body, {"Content-Type": f"multipart/form-data; boundary={edge}"})
    except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
        # Refused before all of it was read.
        return 413, b""


def new_claim(site, give="BTC", amount="0.001"):
    """Creates a claim at the current rate; its terms come from a first try."""
    directions = json.loads(site.call("GET", "/api/v1/calculator/")[1])["directions"]
    ids = {direction["code"]: direction["id"] for direction in directions}
    claim = {
        "email": f"{uuid.uuid4().hex}@example.com",
        "fromPs": ids[give],
        "toPs": ids["SBERRUB"],
        "fromSumma": amount,
        "toSumma": "0",
        "fromRequisites": {},
        "toRequisites": {"card": "2200000000000004", "holder": "IVAN IVANOV"},
    }
    status, refused = site.post("/api/v1/claim/", claim)
    if status != 409:
        return status, refused
    return site.post("/api/v1/claim/", {**claim, "toSumma": refused["params"]["toSumma"]})

#!/usr/bin/env python3
"""An example of a screening service for Agio, written from openapi.yaml with the standard library alone.

    SCREENING_KEY=at-least-16-characters screening.py HOST PORT DATABASE REGISTRY

Its registry is imaginary: a JSON file with what is known about transactions, such as

    {"ab12": {"riskscore": "0.125", "signals": {"exchange": "0.9"}}}

A transaction that is not in it yet is pending. Replace `verdict` with a call to your service, and keep the rest: a
screening is paid for when its key comes for the first time, and never again.
"""

import hmac
import json
import os
import re
import sqlite3
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BODY_MAX = 64 * 1024
KEY = re.compile(r"[a-z0-9-]{1,64}")

SCHEMA = """
CREATE TABLE IF NOT EXISTS screening (number INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, hash TEXT NOT NULL);
"""


class Refused(Exception):
    """A request that is wrong."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status, self.answer = status, {"message": message}


def verdict(registry, tx):
    """The score and what it consists of, from 0 to 1, or None while nobody knows."""
    with open(registry, encoding="utf-8") as file:
        return json.load(file).get(tx)


def create_screening(db, key, fields):
    tx = fields.get("hash")
    if not KEY.fullmatch(key) or not isinstance(tx, str):
        raise Refused(400, "the key or the transaction is missing or wrong")
    # A repeated key finds the screening that is there already.
    db.execute("INSERT INTO screening (key, hash) VALUES (?, ?) ON CONFLICT (key) DO NOTHING", (key, tx))
    return db.execute("SELECT number, hash FROM screening WHERE key = ?", (key,)).fetchone()


def find_screening(db, path):
    number = path.removeprefix("/s-")
    row = db.execute("SELECT number, hash FROM screening WHERE number = ?", (number,)).fetchone()
    if row is None:
        raise Refused(404, "there is no such screening")
    return row


def serve(host, port, database, registry, key):
    db = sqlite3.connect(database, check_same_thread=False)
    db.executescript(SCHEMA)
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def answer(self, method):
            if not hmac.compare_digest(self.headers.get("x-api-key", "").encode(), key.encode()):
                raise Refused(401, "the key is wrong")
            fields = self.fields() if method == "POST" else None
            # The screening is on disk before the answer leaves.
            with lock, db:
                if fields is None:
                    number, tx = find_screening(db, self.path)
                else:
                    number, tx = create_screening(db, self.headers.get("idempotency-key", ""), fields)
            known = verdict(registry, tx)
            screening = {"id": f"s-{number}"}
            return screening | ({"status": "pending"} if known is None else {"status": "success"} | known)

        def fields(self):
            size = self.headers.get("content-length", "")
            if not size.isdecimal() or int(size) > BODY_MAX:
                raise Refused(413, "the body is too long")
            try:
                fields = json.loads(self.rfile.read(int(size)))
            except ValueError:
                fields = None
            if not isinstance(fields, dict):
                raise Refused(400, "the body is no JSON object")
            return fields

        def handle_method(self, method):
            try:
                status, answer = 200, self.answer(method)
            except Refused as refused:
                status, answer = refused.status, refused.answer
            except Exception as error:
                # Not now: the payment waits, and Agio asks again with the same key.
                print(error, file=sys.stderr)
                status, answer = 503, {"message": "the service failed"}
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            self.handle_method("GET")

        def do_POST(self):
            self.handle_method("POST")

        def log_message(self, *_):
            pass

    ThreadingHTTPServer((host, port), Handler).serve_forever()


if __name__ == "__main__":
    if len(sys.argv) != 5 or len(os.environ.get("SCREENING_KEY", "")) < 16:
        sys.exit(__doc__)
    serve(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4], os.environ["SCREENING_KEY"])

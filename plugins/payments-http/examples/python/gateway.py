#!/usr/bin/env python3
"""An example of a payment gateway for Agio, written from openapi.yaml with the standard library alone.

    GATEWAY_SECRET=at-least-16-characters GATEWAY_CURRENCIES="SBERRUB TCSBRUB" gateway.py HOST PORT FILE

It keeps everything in one SQLite file. Its bank is imaginary: what is under /bank stands for customers who pay and for
the bank that confirms. Replace Bank with calls to yours, and leave /bank out.
"""

import hmac
import json
import os
import re
import sqlite3
import sys
import threading
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

BODY_MAX = 64 * 1024
PAGE = 500
FEE = Decimal("0.01")
PAYOUT_MAX = "100000"
OPERATIONS = ["invoices", "payouts", "refunds", "balance", "fee"]
# Payments with so many confirmations do not change any more.
FINAL = 1000
KEY = re.compile(r"[a-z0-9-]{1,64}")
AMOUNT = re.compile(r"[0-9]{1,18}([.][0-9]{1,18})?")
CURRENCY = re.compile(r"[A-Za-z0-9]{1,40}")

# The amounts are text: SQLite would make floating-point numbers of them.
SCHEMA = """
CREATE TABLE IF NOT EXISTS bank (one INTEGER PRIMARY KEY CHECK (one = 1), balance TEXT NOT NULL,
    changes INTEGER NOT NULL);
INSERT OR IGNORE INTO bank VALUES (1, '0', 0);
CREATE TABLE IF NOT EXISTS invoice (number INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, currency TEXT NOT NULL,
    callback TEXT);
CREATE TABLE IF NOT EXISTS payment (number INTEGER PRIMARY KEY, invoice INTEGER NOT NULL REFERENCES invoice,
    amount TEXT NOT NULL, confirmations INTEGER NOT NULL, reversed INTEGER NOT NULL, change INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS payment_change ON payment (change);
CREATE TABLE IF NOT EXISTS payout (number INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, address TEXT NOT NULL,
    amount TEXT NOT NULL, refusal TEXT, confirmations INTEGER NOT NULL);
"""


class Refused(Exception):
    """A request that is wrong."""

    def __init__(self, status, code, message):
        super().__init__(message)
        self.status, self.answer = status, {"code": code, "message": message}


def text(fields, name, form):
    value = fields.get(name)
    if not isinstance(value, str) or not form.fullmatch(value):
        raise Refused(400, "bad_request", f"{name} is missing or wrong")
    return value


def callback_url(fields):
    url = fields.get("callbackUrl")
    if url is not None and not (isinstance(url, str) and url.startswith(("https://", "http://"))):
        raise Refused(400, "bad_request", "callbackUrl is wrong")
    return url


def call_back(url):
    """Tells Agio to ask now. If that fails, it asks some seconds later."""
    try:
        urlopen(Request(url, method="POST"), timeout=5).close()
    except OSError:
        pass


class Gateway:
    """What the document asks for. Each method runs in one transaction."""

    def __init__(self, db, currencies):
        self.db, self.currencies = db, currencies

    def get_capabilities(self, _):
        served = [{"currency": one, "operations": OPERATIONS, "payoutMax": PAYOUT_MAX} for one in self.currencies]
        return {"currencies": served}

    def create_invoice(self, fields):
        key, currency = text(fields, "key", KEY), text(fields, "currency", CURRENCY)
        text(fields, "amount", AMOUNT)
        # A repeated key finds the invoice that is there already. The callback may be a new one.
        self.db.execute(
            "INSERT INTO invoice (key, currency, callback) VALUES (?, ?, ?)"
            " ON CONFLICT (key) DO UPDATE SET callback = excluded.callback",
            (key, currency, callback_url(fields)),
        )
        number, = self.db.execute("SELECT number FROM invoice WHERE key = ?", (key,)).fetchone()
        account = f"4070281090000{number:07d}"
        return {"id": f"inv-{number}", "details": {"value": account, "holder": "Example LLC", "memo": None}}

    def list_movements(self, query):
        after = query.get("after", "0")
        if not after.isdecimal() or len(after) > 18:
            raise Refused(400, "bad_cursor", "after is no cursor of this gateway")
        rows = self.db.execute(
            "SELECT payment.number, invoice, amount, confirmations, reversed, change FROM payment"
            " JOIN invoice ON invoice.number = invoice WHERE change > ? AND currency = ? ORDER BY change LIMIT ?",
            (int(after), text(query, "currency", CURRENCY), PAGE),
        ).fetchall()
        movements = [
            {"id": f"pay-{number}", "invoice": f"inv-{invoice}", "amount": amount, "confirmations": confirmations,
             "reversed": bool(is_reversed)}
            for number, invoice, amount, confirmations, is_reversed, _ in rows
        ]
        return {"movements": movements, "cursor": str(rows[-1][-1]) if rows else after}

    def send_payout(self, fields):
        key, amount, address = text(fields, "key", KEY), text(fields, "amount", AMOUNT), fields.get("address")
        if not isinstance(address, str):
            raise Refused(400, "bad_request", "address is missing or wrong")
        if self.payout(key) is None:
            balance, = self.db.execute("SELECT balance FROM bank").fetchone()
            rest = Decimal(balance) - Decimal(amount) - FEE
            refusal = "not_enough_money" if rest < 0 else None
            self.db.execute(
                "INSERT INTO payout (key, address, amount, refusal, confirmations) VALUES (?, ?, ?, ?, 0)",
                (key, address, amount, refusal),
            )
            if refusal is None:
                # A real bank is asked after this transaction, with the key; until its answer is stored, the state is
                # unknown.
                self.db.execute("UPDATE bank SET balance = ?", (str(rest),))
        return self.payout(key)

    def get_payout(self, key):
        if not KEY.fullmatch(key):
            raise Refused(400, "bad_request", "the key is wrong")
        # What never came is refused if it comes later. Only then it is certain that nothing is sent.
        self.db.execute(
            "INSERT INTO payout (key, address, amount, refusal, confirmations) VALUES (?, '', '0', 'not_found', 0)"
            " ON CONFLICT DO NOTHING",
            (key,),
        )
        return self.payout(key)

    def get_balance(self, query):
        # This bank has one account, for all currencies.
        text(query, "currency", CURRENCY)
        balance, = self.db.execute("SELECT balance FROM bank").fetchone()
        return {"amount": balance}

    def payout(self, key):
        row = self.db.execute("SELECT number, refusal, confirmations FROM payout WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        number, refusal, confirmations = row
        if refusal is not None:
            messages = {"not_enough_money": "The account has too little.", "not_found": "The request never came."}
            return {"state": "never_sent", "code": refusal, "message": messages[refusal]}
        return {"state": "sent", "id": f"out-{number}", "confirmations": confirmations, "fee": str(FEE)}


class Bank:
    """The imaginary bank, and its customers."""

    def __init__(self, db):
        self.db = db
        # Whom to tell after the transaction.
        self.callbacks = set()

    def changed(self, where, *values):
        """Gives each payment that has changed a place of its own after the cursors that were given out."""
        changed = f"SELECT payment.number, callback FROM payment JOIN invoice ON invoice.number = invoice WHERE {where}"
        for number, callback in self.db.execute(changed, values).fetchall():
            if callback is not None:
                self.callbacks.add(callback)
            self.db.execute("UPDATE bank SET changes = changes + 1")
            self.db.execute("UPDATE payment SET change = (SELECT changes FROM bank) WHERE number = ?", (number,))

    def pay(self, fields):
        number = int(fields["account"][-7:])
        row = self.db.execute(
            "INSERT INTO payment (invoice, amount, confirmations, reversed, change) VALUES (?, ?, 0, 0, 0)"
            " RETURNING number",
            (number, text(fields, "amount", AMOUNT)),
        ).fetchone()
        self.changed("payment.number = ?", row[0])
        return {"id": f"pay-{row[0]}"}

    def reverse(self, fields):
        number = int(fields["id"].removeprefix("pay-"))
        self.db.execute("UPDATE payment SET reversed = 1, confirmations = 0 WHERE number = ?", (number,))
        self.changed("payment.number = ?", number)
        invoice, amount = self.db.execute("SELECT invoice, amount FROM payment WHERE number = ?", (number,)).fetchone()
        return {"account": f"4070281090000{invoice:07d}", "amount": amount}

    def confirm(self, fields):
        times = int(fields["times"])
        moving = "reversed = 0 AND confirmations < ?"
        self.changed(moving, FINAL)
        self.db.execute(f"UPDATE payment SET confirmations = max(0, confirmations + ?) WHERE {moving}", (times, FINAL))
        self.db.execute("UPDATE payout SET confirmations = max(0, confirmations + ?) WHERE refusal IS NULL", (times,))
        return {}

    def fill(self, fields):
        self.db.execute("UPDATE bank SET balance = ?", (text(fields, "balance", AMOUNT),))
        return {}

    def totals(self, query):
        """What came, and what arrived at an address or anywhere, with so many confirmations."""
        least = int(query["confirmations"])
        came = self.db.execute("SELECT amount FROM payment WHERE reversed = 0 AND confirmations >= ?", (least,))
        left = self.db.execute(
            "SELECT amount FROM payout WHERE refusal IS NULL AND confirmations >= ? AND address = coalesce(?, address)",
            (least, query.get("address")),
        )
        return {name: str(sum((Decimal(amount) for amount, in rows), Decimal(0))) for name, rows in
                (("received", came), ("sent", left))}


def serve(host, port, path, secret, currencies):
    db = sqlite3.connect(path, check_same_thread=False)
    db.executescript(SCHEMA)
    lock = threading.Lock()
    gateway, bank = Gateway(db, currencies), Bank(db)
    routes = {
        ("POST", "/invoices"): gateway.create_invoice,
        ("GET", "/capabilities"): gateway.get_capabilities,
        ("GET", "/movements"): gateway.list_movements,
        ("POST", "/payouts"): gateway.send_payout,
        ("GET", "/balance"): gateway.get_balance,
        ("POST", "/bank/pay"): bank.pay,
        ("POST", "/bank/reverse"): bank.reverse,
        ("POST", "/bank/confirm"): bank.confirm,
        ("POST", "/bank/fill"): bank.fill,
        ("GET", "/bank/totals"): bank.totals,
    }

    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def answer(self, method):
            given = self.headers.get("authorization", "").encode()
            if not hmac.compare_digest(given, f"Bearer {secret}".encode()):
                raise Refused(401, "unauthorised", "the secret is wrong")
            url = urlsplit(self.path)
            if method == "GET" and url.path.startswith("/payouts/"):
                handler, fields = gateway.get_payout, url.path.removeprefix("/payouts/")
            elif (method, url.path) not in routes:
                raise Refused(404, "not_found", "there is no such operation")
            else:
                handler, fields = routes[method, url.path], self.fields(method, url)
            # The transaction is on disk before the answer leaves.
            with lock, db:
                answer = handler(fields)
                callbacks, bank.callbacks = bank.callbacks, set()
            for url in callbacks:
                call_back(url)
            return answer

        def fields(self, method, url):
            if method == "GET":
                return {name: values[0] for name, values in parse_qs(url.query).items()}
            size = self.headers.get("content-length", "")
            if not size.isdecimal() or int(size) > BODY_MAX:
                raise Refused(413, "too_long", "the body is too long")
            try:
                fields = json.loads(self.rfile.read(int(size)))
            except ValueError:
                fields = None
            if not isinstance(fields, dict):
                raise Refused(400, "bad_request", "the body is no JSON object")
            return fields

        def handle_method(self, method):
            try:
                status, answer = 200, self.answer(method)
            except Refused as refused:
                status, answer = refused.status, refused.answer
            except Exception:
                # Nobody knows how far it came, so the answer is none of the contract.
                status, answer = 500, {"code": "failed", "message": "the gateway failed"}
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
    if len(sys.argv) != 4 or len(os.environ.get("GATEWAY_SECRET", "")) < 16:
        sys.exit(__doc__)
    serve(sys.argv[1], int(sys.argv[2]), sys.argv[3], os.environ["GATEWAY_SECRET"],
          os.environ.get("GATEWAY_CURRENCIES", "").split())

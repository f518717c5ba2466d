#!/usr/bin/env python3
"""An example of a source of rates for Agio, written from openapi.yaml with the standard library alone.

    RATES_SECRET=at-least-16-characters rates.py HOST PORT FILE

It serves the prices of a CSV file that somebody, or another program, keeps:

    base,quote,bid,ask
    USDT,RUB,92.1,92.35

They hold since the file was written. Replace the file by another one in one step (`mv`), so that no half is ever read.
"""

import csv
import hmac
import json
import os
import re
import sys
from datetime import datetime, timezone
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

COLUMNS = ["base", "quote", "bid", "ask"]
PRICE = re.compile(r"[0-9]{1,18}([.][0-9]{1,18})?")


def price_list(path):
    """Everything in the file, or nothing: an error in one line says that the others may be wrong as well."""
    with open(path, encoding="utf-8", newline="") as file:
        held_since = datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, timezone.utc)
        lines = csv.DictReader(file)
        if lines.fieldnames != COLUMNS:
            raise ValueError("the first line does not name the columns")
        prices = [{name: (line[name] or "").strip() for name in COLUMNS} for line in lines]
    for price in prices:
        if not all(PRICE.fullmatch(price[side]) for side in ("bid", "ask")):
            raise ValueError(f"{price} has no prices")
        if not 0 < Decimal(price["bid"]) <= Decimal(price["ask"]):
            raise ValueError(f"{price} is the wrong way round")
    return {"time": held_since.isoformat(timespec="milliseconds"), "prices": prices}


def serve(host, port, path, secret):
    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def do_GET(self):
            given = self.headers.get("authorization", "").encode()
            if not hmac.compare_digest(given, f"Bearer {secret}".encode()):
                return self.answer(401, {"message": "the secret is wrong"})
            if urlsplit(self.path).path != "/rates":
                return self.answer(404, {"message": "the list is at /rates"})
            try:
                self.answer(200, price_list(path))
            except (OSError, ValueError, csv.Error) as error:
                print(f"{path}: {error}", file=sys.stderr)
                self.answer(503, {"message": "there are no prices now"})

        def answer(self, status, value):
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    ThreadingHTTPServer((host, port), Handler).serve_forever()


if __name__ == "__main__":
    if len(sys.argv) != 4 or len(os.environ.get("RATES_SECRET", "")) < 16:
        sys.exit(__doc__)
    serve(sys.argv[1], int(sys.argv[2]), sys.argv[3], os.environ["RATES_SECRET"])

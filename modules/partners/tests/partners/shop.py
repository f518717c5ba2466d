"""A shop that exchanges through the house, written from its published guide: partner.py is the guide's example.

It is told by lines of JSON what to do and tells what it did: first the port it listens on; then, given a key, it makes its orders;
then, asked to, it compares its own book with the house's list.
"""
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import time

import partner
from partner import House, Refused, is_genuine

WORKERS = 8

# One connection in five breaks here: of thousands of calls some would not come through in as many tries as are enough elsewhere.
partner.ATTEMPTS = 20


class Book:
    """What the shop knows of its orders."""

    def __init__(self):
        self.lock = threading.Lock()
        self.ids, self.told, self.events = {}, {}, set()
        self.doubles = self.forged = self.replayed = 0
        self.ready = None

    def hears(self, headers, body):
        house, secret = self.ready
        genuine = lambda: is_genuine(secret, headers, body, int(time.time()) + house.ahead)
        # The house's clock jumps in this trial; a shop in service would not ask.
        if not genuine() and not (set_clock(house) or genuine()):
            self.forged += 1
            return False
        news = json.loads(body)
        with self.lock:
            if news["id"] in self.events:
                self.doubles += 1
                return True
            self.events.add(news["id"])
            claim = news["claim"]
            known = self.told.get(claim["reference"])
            if known is None or known["revision"] < claim["revision"]:
                self.told[claim["reference"]] = claim
        return True


book = Book()


class Listener(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200 if book.hears(self.headers, body) else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def set_clock(house):
    for _ in range(20):
        try:
            return house.set_clock()
        except Exception:
            continue


class Server(ThreadingHTTPServer):
    request_queue_size = 256


def quote_of(house, summa):
    return house.call("POST", "/api/partner/v1/quotes/", body={"from": "BTC", "to": "SBERRUB", "fromSumma": summa})


def buys(house, number, summa):
    """One order from the quote to the payment."""
    reference = f"order-{number}"
    quote = quote_of(house, summa)
    order = {
        "from": "BTC", "to": "SBERRUB", "fromSumma": quote["fromSumma"], "toSumma": quote["toSumma"], "quoteId": quote["id"],
        "email": f"customer-{number}@example.com", "toRequisites": {"card": "2200000000000004", "holder": "IVAN PETROV"},
        "reference": reference, "amlConsent": True,
    }
    claim = house.call("POST", "/api/partner/v1/claims/", body=order, once="once-" + reference)
    with book.lock:
        book.ids[reference] = claim["id"]
    if number % 10 == 0:
        replays(house, order, reference, claim["id"])
    house.call("POST", f"/api/partner/v1/claims/{claim['id']}/paid/")


def replays(house, order, reference, expected):
    """Sends a call to the byte as it was sent before, as somebody who has heard it would."""
    path, body = "/api/partner/v1/claims/", json.dumps(order).encode()
    headers = house.signed("POST", path, "", body)
    headers.update({"Content-Type": "application/json", "Idempotency-Key": "once-" + reference})
    for _ in range(3):
        try:
            status, answer = house._send("POST", path, body, headers)
        except Exception:
            continue
        if status == 401 and answer["code"] == "nonce_reused":
            book.replayed += 1
        elif status == 201 and answer["id"] != expected:
            raise SystemExit("a repeated call made another claim")


def reconciled(house):
    """The house's list, by reference."""
    listed, page = {}, 1
    while True:
        answer = house.call("GET", "/api/partner/v1/claims/", {"page": page, "size": 100})
        for claim in answer["items"]:
            listed.setdefault(claim["reference"], set()).add((claim["id"], claim["state"], claim["revision"]))
        if page * answer["size"] >= answer["total"]:
            return listed, answer["total"]
        page += 1


def say(what):
    print(json.dumps(what), flush=True)


def main():
    server = Server(("127.0.0.1", 0), Listener)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    say({"port": server.server_port})
    told = json.loads(sys.stdin.readline())
    house = House(told["root"], told["key"], told["secret"])
    book.ready = (house, told["webhookSecret"])
    set_clock(house)
    summa = house.call("GET", "/api/partner/v1/pairs/", {"from": "BTC", "to": "SBERRUB"})[0]["fromSumma"]["min"]
    with ThreadPoolExecutor(WORKERS) as workers:
        list(workers.map(lambda number: buys(house, number, summa), range(told["orders"])))
    say({"made": len(book.ids)})
    sys.stdin.readline()
    try:
        listed, total = reconciled(house)
    except Refused as refused:
        raise SystemExit(str(refused))
    wrong = [
        reference
        for reference, id in book.ids.items()
        if listed.get(reference) != {(id, book.told[reference]["state"], book.told[reference]["revision"])}
    ]
    finished = sum(claim["status"] == "finished" and claim["isFinal"] for claim in book.told.values())
    say({
        "orders": len(book.ids), "listed": total, "wrong": wrong, "finished": finished, "events": len(book.events),
        "doubles": book.doubles, "forged": book.forged, "replayed": book.replayed, "claims": len(set(book.ids.values())),
    })


main()

"""A partner's shop, based on partner.py, the example of the published guide.

It is controlled by lines of JSON: it prints the port of its webhook receiver; given a key, it creates its orders; then it compares
its own records with the list of claims.
"""
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import time

import partner
from partner import ApiError, Client, is_genuine

WORKERS = 8

# One connection in five breaks here, so more attempts are needed than usual.
partner.ATTEMPTS = 20


class Records:
    """What the shop knows about its orders."""

    def __init__(self):
        self.lock = threading.Lock()
        self.ids, self.claims, self.events = {}, {}, set()
        self.doubles = self.forged = self.replayed = 0
        self.ready = None

    def receive(self, headers, body):
        client, secret = self.ready
        genuine = lambda: is_genuine(secret, headers, body, int(time.time()) + client.clock_offset)
        # The server clock jumps in this test; a real shop would not need this.
        if not genuine() and not (sync_clock(client) or genuine()):
            self.forged += 1
            return False
        webhook = json.loads(body)
        with self.lock:
            if webhook["id"] in self.events:
                self.doubles += 1
                return True
            self.events.add(webhook["id"])
            claim = webhook["claim"]
            known = self.claims.get(claim["reference"])
            if known is None or known["revision"] < claim["revision"]:
                self.claims[claim["reference"]] = claim
        return True


records = Records()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200 if records.receive(self.headers, body) else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def sync_clock(client):
    for _ in range(20):
        try:
            return client.sync_clock()
        except Exception:
            continue


class Server(ThreadingHTTPServer):
    request_queue_size = 256


def quote_for(client, summa):
    return client.request("POST", "/api/partner/v1/quotes/", body={"from": "BTC", "to": "SBERRUB", "fromSumma": summa})


def place_order(client, number, summa):
    """Places one order, from the quote to the payment."""
    reference = f"order-{number}"
    quote = quote_for(client, summa)
    order = {
        "from": "BTC", "to": "SBERRUB", "fromSumma": quote["fromSumma"], "toSumma": quote["toSumma"], "quoteId": quote["id"],
        "email": f"customer-{number}@example.com", "toRequisites": {"card": "2200000000000004", "holder": "IVAN PETROV"},
        "reference": reference, "amlConsent": True,
    }
    claim = client.request("POST", "/api/partner/v1/claims/", body=order, idempotency_key="once-" + reference)
    with records.lock:
        records.ids[reference] = claim["id"]
    if number % 10 == 0:
        replay(client, order, reference, claim["id"])
    client.request("POST", f"/api/partner/v1/claims/{claim['id']}/paid/")


def replay(client, order, reference, expected):
    """Sends identical requests, as an eavesdropper would."""
    path, body = "/api/partner/v1/claims/", json.dumps(order).encode()
    headers = client.sign("POST", path, "", body)
    headers.update({"Content-Type": "application/json", "Idempotency-Key": "once-" + reference})
    for _ in range(3):
        try:
            status, response = client._send("POST", path, body, headers)
        except Exception:
            continue
        if status == 401 and response["code"] == "nonce_reused":
            records.replayed += 1
        elif status == 201 and response["id"] != expected:
            raise SystemExit("a repeated request created another claim")


def list_claims(client):
    """All claims, by reference."""
    listed, page = {}, 1
    while True:
        response = client.request("GET", "/api/partner/v1/claims/", {"page": page, "size": 100})
        for claim in response["items"]:
            listed.setdefault(claim["reference"], set()).add((claim["id"], claim["state"], claim["revision"]))
        if page * response["size"] >= response["total"]:
            return listed, response["total"]
        page += 1


def report(what):
    print(json.dumps(what), flush=True)


def main():
    server = Server(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    report({"port": server.server_port})
    task = json.loads(sys.stdin.readline())
    client = Client(task["root"], task["key"], task["secret"])
    records.ready = (client, task["webhookSecret"])
    sync_clock(client)
    summa = client.request("GET", "/api/partner/v1/pairs/", {"from": "BTC", "to": "SBERRUB"})[0]["fromSumma"]["min"]
    with ThreadPoolExecutor(WORKERS) as workers:
        list(workers.map(lambda number: place_order(client, number, summa), range(task["orders"])))
    report({"made": len(records.ids)})
    sys.stdin.readline()
    try:
        listed, total = list_claims(client)
    except ApiError as error:
        raise SystemExit(str(error))
    wrong = [
        reference
        for reference, id in records.ids.items()
        if listed.get(reference) != {(id, records.claims[reference]["state"], records.claims[reference]["revision"])}
    ]
    finished = sum(claim["status"] == "finished" and claim["isFinal"] for claim in records.claims.values())
    report({
        "orders": len(records.ids), "listed": total, "wrong": wrong, "finished": finished, "events": len(records.events),
        "doubles": records.doubles, "forged": records.forged, "replayed": records.replayed, "claims": len(set(records.ids.values())),
    })


main()

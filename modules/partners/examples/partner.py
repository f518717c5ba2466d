#!/usr/bin/env python3
"""A partner of the house, with nothing but the standard library.

AGIO_ROOT, AGIO_KEY and AGIO_SECRET say where the house is and who calls. Run with a sandbox key first: it moves no money.
"""
import hashlib
import hmac
import http.client
import json
import os
import secrets
import time
import urllib.parse

PATIENCE_SECONDS = 15
ATTEMPTS = 8


class Refused(Exception):
    """The house understood and refused: `code` says why, `errors` at which fields."""

    def __init__(self, status, problem):
        super().__init__(f"{status} {problem.get('code')}: {problem.get('detail')}")
        self.status, self.code, self.errors = status, problem.get("code"), problem.get("errors")


class House:
    def __init__(self, root, key, secret):
        self.root = urllib.parse.urlsplit(root)
        self.key, self.secret = key, secret.encode()
        self.ahead = 0

    def set_clock(self):
        """Measures how far the house's clock is from ours. The one call that is not signed."""
        _, answer = self._send("GET", "/api/partner/v1/time/", b"", {})
        self.ahead = answer["seconds"] - int(time.time())

    def signed(self, method, path, query, body):
        """The headers by which a call shows who makes it."""
        timestamp, nonce = str(int(time.time()) + self.ahead), secrets.token_hex(12)
        digest = hashlib.sha256(body).hexdigest()
        text = "\n".join(["v1", method, path, query, digest, timestamp, nonce])
        signature = hmac.new(self.secret, text.encode(), hashlib.sha256).hexdigest()
        return {
            "X-Agio-Key": self.key,
            "X-Agio-Timestamp": timestamp,
            "X-Agio-Nonce": nonce,
            "X-Agio-Signature": "v1=" + signature,
        }

    def call(self, method, path, query=None, body=None, once=None):
        """Makes a call until it is answered.

        A lost connection tells nothing about the call, so it is made again: signed anew, but with the same Idempotency-Key, and the
        house does it once. Everything else that is called here may be said twice.
        """
        pairs = sorted((query or {}).items())
        quoted = "&".join(f"{urllib.parse.quote(k, safe='')}={urllib.parse.quote(str(v), safe='')}" for k, v in pairs)
        content = b"" if body is None else json.dumps(body).encode()
        fault, is_stale = None, False
        for attempt in range(ATTEMPTS):
            try:
                if is_stale:
                    self.set_clock()
                headers = self.signed(method, path, quoted, content)
                if body is not None:
                    headers["Content-Type"] = "application/json"
                if once is not None:
                    headers["Idempotency-Key"] = once
                status, answer = self._send(method, path + ("?" + quoted if quoted else ""), content, headers)
            except (OSError, http.client.HTTPException, ValueError) as lost:
                # Broken off, be it in the middle of the answer.
                fault = lost
                time.sleep(0.05 * attempt)
                continue
            if status < 400:
                return answer
            fault = Refused(status, answer)
            is_stale = fault.code == "signature_stale"
            if status in (429, 503):
                time.sleep(1)
            elif not is_stale:
                raise fault
        raise fault

    def _send(self, method, target, body, headers):
        kind = http.client.HTTPSConnection if self.root.scheme == "https" else http.client.HTTPConnection
        connection = kind(self.root.netloc, timeout=PATIENCE_SECONDS)
        try:
            connection.request(method, target, body, headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()


def is_genuine(secret, headers, body, now):
    """Whether news come from the house. `body` is the bytes as they came, before anything reads them."""
    timestamp, event, attempt = (headers.get(name, "") for name in ("X-Agio-Timestamp", "X-Agio-Event", "X-Agio-Attempt"))
    text = f"v1\n{timestamp}\n{event}\n{attempt}\n".encode() + body
    signature = "v1=" + hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()
    is_fresh = timestamp.isdigit() and abs(now - int(timestamp)) <= 300
    return is_fresh and hmac.compare_digest(signature.encode(), headers.get("X-Agio-Signature", "").encode())


def main():
    house = House(os.environ["AGIO_ROOT"], os.environ["AGIO_KEY"], os.environ["AGIO_SECRET"])
    house.set_clock()
    pair = house.call("GET", "/api/partner/v1/pairs/", {"from": "BTC", "to": "SBERRUB"})[0]
    wish = {"from": pair["from"], "to": pair["to"], "fromSumma": pair["fromSumma"]["min"]}
    quote = house.call("POST", "/api/partner/v1/quotes/", body=wish)
    order = {
        "from": quote["from"],
        "to": quote["to"],
        "fromSumma": quote["fromSumma"],
        "toSumma": quote["toSumma"],
        "quoteId": quote["id"],
        "email": "customer@example.com",
        "toRequisites": {"card": "2200000000000004", "holder": "IVAN PETROV"},
        "reference": "order-" + secrets.token_hex(4),
        "amlConsent": True,
    }
    claim = house.call("POST", "/api/partner/v1/claims/", body=order, once=order["reference"])
    print("pay", claim["from"]["amount"], claim["from"]["ticker"], "to", claim["payment"]["value"])
    claim = house.call("GET", f"/api/partner/v1/claims/{claim['id']}/")
    print(json.dumps({"id": claim["id"], "status": claim["status"], "isFinal": claim["isFinal"]}))


if __name__ == "__main__":
    main()

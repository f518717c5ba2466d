#!/usr/bin/env python3
"""A partner API client with the standard library only.

Set AGIO_ROOT, AGIO_KEY and AGIO_SECRET. Start with a sandbox key: it moves no money.
"""
import hashlib
import hmac
import http.client
import json
import os
import secrets
import time
import urllib.parse

TIMEOUT_SECONDS = 15
ATTEMPTS = 8


class ApiError(Exception):
    """An error response: `code` is stable, `errors` are field errors."""

    def __init__(self, status, problem):
        super().__init__(f"{status} {problem.get('code')}: {problem.get('detail')}")
        self.status, self.code, self.errors = status, problem.get("code"), problem.get("errors")


class Client:
    def __init__(self, root, key, secret):
        self.root = urllib.parse.urlsplit(root)
        self.key, self.secret = key, secret.encode()
        self.clock_offset = 0

    def sync_clock(self):
        """Measures the offset of the server clock. The only unsigned request."""
        _, response = self._send("GET", "/api/partner/v1/time/", b"", {})
        self.clock_offset = response["seconds"] - int(time.time())

    def sign(self, method, path, query, body):
        """The authentication headers of a request."""
        timestamp, nonce = str(int(time.time()) + self.clock_offset), secrets.token_hex(12)
        digest = hashlib.sha256(body).hexdigest()
        text = "\n".join(["v1", method, path, query, digest, timestamp, nonce])
        signature = hmac.new(self.secret, text.encode(), hashlib.sha256).hexdigest()
        return {
            "X-Agio-Key": self.key,
            "X-Agio-Timestamp": timestamp,
            "X-Agio-Nonce": nonce,
            "X-Agio-Signature": "v1=" + signature,
        }

    def request(self, method, path, query=None, body=None, idempotency_key=None):
        """Sends a request and retries it until there is a response.

        After a lost connection the request is signed again and repeated with the same Idempotency-Key, so it takes effect once.
        The other requests here can be repeated safely.
        """
        pairs = sorted((query or {}).items())
        quoted = "&".join(f"{urllib.parse.quote(k, safe='')}={urllib.parse.quote(str(v), safe='')}" for k, v in pairs)
        content = b"" if body is None else json.dumps(body).encode()
        error, is_stale = None, False
        for attempt in range(ATTEMPTS):
            try:
                if is_stale:
                    self.sync_clock()
                headers = self.sign(method, path, quoted, content)
                if body is not None:
                    headers["Content-Type"] = "application/json"
                if idempotency_key is not None:
                    headers["Idempotency-Key"] = idempotency_key
                status, response = self._send(method, path + ("?" + quoted if quoted else ""), content, headers)
            except (OSError, http.client.HTTPException, ValueError) as failure:
                # The connection was lost, possibly within the response.
                error = failure
                time.sleep(0.05 * attempt)
                continue
            if status < 400:
                return response
            error = ApiError(status, response)
            is_stale = error.code == "signature_stale"
            if status in (429, 503):
                time.sleep(1)
            elif not is_stale:
                raise error
        raise error

    def _send(self, method, target, body, headers):
        kind = http.client.HTTPSConnection if self.root.scheme == "https" else http.client.HTTPConnection
        connection = kind(self.root.netloc, timeout=TIMEOUT_SECONDS)
        try:
            connection.request(method, target, body, headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()


def is_genuine(secret, headers, body, now):
    """Verifies the signature of a webhook. `body` is the raw request body."""
    timestamp, event, attempt = (headers.get(name, "") for name in ("X-Agio-Timestamp", "X-Agio-Event", "X-Agio-Attempt"))
    text = f"v1\n{timestamp}\n{event}\n{attempt}\n".encode() + body
    signature = "v1=" + hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()
    is_fresh = timestamp.isdigit() and abs(now - int(timestamp)) <= 300
    return is_fresh and hmac.compare_digest(signature.encode(), headers.get("X-Agio-Signature", "").encode())


def main():
    client = Client(os.environ["AGIO_ROOT"], os.environ["AGIO_KEY"], os.environ["AGIO_SECRET"])
    client.sync_clock()
    pair = client.request("GET", "/api/partner/v1/pairs/", {"from": "BTC", "to": "SBERRUB"})[0]
    quote_request = {"from": pair["from"], "to": pair["to"], "fromSumma": pair["fromSumma"]["min"]}
    quote = client.request("POST", "/api/partner/v1/quotes/", body=quote_request)
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
    claim = client.request("POST", "/api/partner/v1/claims/", body=order, idempotency_key=order["reference"])
    print("pay", claim["from"]["amount"], claim["from"]["ticker"], "to", claim["payment"]["value"])
    claim = client.request("GET", f"/api/partner/v1/claims/{claim['id']}/")
    print(json.dumps({"id": claim["id"], "status": claim["status"], "isFinal": claim["isFinal"]}))


if __name__ == "__main__":
    main()

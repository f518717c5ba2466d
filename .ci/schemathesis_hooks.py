"""Hooks for schemathesis: authentication of callers and signatures of requests."""

import hashlib
import hmac
import ipaddress
import json
import os
import secrets
import time
import uuid
from decimal import Decimal
from urllib.parse import parse_qsl, quote, urlsplit

import requests
import schemathesis
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation import GenerationMode

CREDENTIALS = json.loads(os.environ["AGIO_CREDENTIALS"])
PARTNER_HEADER = "X-Agio-Key"
WALLET_HEADER = "trustee-public-key"
SIGNATURE_HEADERS = [
    {"x-agio-key", "x-agio-timestamp", "x-agio-nonce", "x-agio-signature"},
    {"trustee-public-key", "trustee-timestamp", "trustee-signature"},
]


@schemathesis.auth(refresh_interval=300)
class Credentials:
    """Adds the key name or the access token to operations that need one."""

    def get(self, case, context):
        if "login" not in CREDENTIALS:
            return CREDENTIALS
        account = CREDENTIALS["account"]
        headers = {"X-Forwarded-For": "192.0.2.1"}
        token = requests.post(CREDENTIALS["login"], json=account, headers=headers, timeout=30).json()["accessToken"]
        if "confirm" in CREDENTIALS:
            headers["Authorization"] = f"Bearer {token}"
            requests.post(CREDENTIALS["confirm"], json={"password": account["password"]}, headers=headers, timeout=30)
        return {"token": token}

    def set(self, case, data, context):
        schemes = {name for option in case.operation.definition.raw.get("security", []) for name in option}
        if "PartnerAuth" in schemes:
            case.headers[PARTNER_HEADER] = data["partner"]["key"]
        elif "TrusteeAuth" in schemes:
            case.headers[WALLET_HEADER] = data["wallet"]["key"]
        elif schemes:
            case.headers["Authorization"] = f"Bearer {data['token']}"


class Signature(requests.auth.AuthBase):
    """Signs requests of the partner API whose key is known."""

    def __call__(self, request):
        body = request.body or b""
        body = body.encode() if isinstance(body, str) else body
        if "partner" in CREDENTIALS and request.headers.get(PARTNER_HEADER) == CREDENTIALS["partner"]["key"]:
            sign_partner(request, body)
        elif "wallet" in CREDENTIALS and request.headers.get(WALLET_HEADER) == CREDENTIALS["wallet"]["key"]:
            sign_wallet(request, body)
        return request


def sign_partner(request, body):
    url = urlsplit(request.url)
    pairs = sorted((quote(name, safe="-._~"), quote(value, safe="-._~")) for name, value in query(url))
    timestamp, nonce = str(int(time.time())), secrets.token_hex(12)
    lines = [
        "v1",
        request.method,
        url.path,
        "&".join(f"{name}={value}" for name, value in pairs),
        hashlib.sha256(body).hexdigest(),
        timestamp,
        nonce,
    ]
    digest = hmac.new(CREDENTIALS["partner"]["secret"].encode(), "\n".join(lines).encode(), hashlib.sha256)
    request.headers.update({
        "X-Agio-Timestamp": timestamp,
        "X-Agio-Nonce": nonce,
        "X-Agio-Signature": f"v1={digest.hexdigest()}",
    })


def sign_wallet(request, body):
    """Bodies that are not objects are not signed, so the server refuses them."""
    try:
        fields = json.loads(body, parse_float=Decimal) if body else dict(query(urlsplit(request.url)))
    except ValueError:
        return
    if not isinstance(fields, dict):
        return
    timestamp = str(time.time_ns() // 1_000_000)
    text = "".join(f"{name.lower()}{written}" for name, value in sorted(fields.items()) if (written := flat(value)))
    text += f"timestamp{timestamp}"
    digest = hmac.new(CREDENTIALS["wallet"]["secret"].encode(), text.encode(errors="replace"), hashlib.sha512)
    request.headers.update({"trustee-timestamp": timestamp, "trustee-signature": digest.hexdigest()})


def flat(value):
    """A value as Trustee signs it; empty for empty text, zero, false, null, lists and objects."""
    if value is True:
        return "true"
    if isinstance(value, str):
        return value.lower()
    if isinstance(value, (int, Decimal)) and value:
        return format(value, "f") if Decimal("1e-6") <= abs(value) < Decimal("1e21") else str(value).lower()
    return ""


def query(url):
    return parse_qsl(url.query, keep_blank_values=True)


def whole(value):
    """Writes whole numbers without a fraction: JSON Schema accepts 1.0 as an integer, the server does not."""
    if isinstance(value, dict):
        return {name: whole(one) for name, one in value.items()}
    if isinstance(value, list):
        return [whole(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@schemathesis.hook
def map_body(context, body):
    return whole(body)


def is_negated(case, location):
    """Whether the runner made this part of the request invalid on purpose."""
    component = case.meta and case.meta.components.get(location)
    return bool(component) and component.mode == GenerationMode.NEGATIVE


def is_unsigned(case):
    """Whether the runner left out a header of the signature on purpose."""
    names = {name.lower() for name in case.headers}
    return is_negated(case, ParameterLocation.HEADER) and not any(names >= one for one in SIGNATURE_HEADERS)


@schemathesis.hook
def before_call(context, case, kwargs):
    # A cursor is opaque: only one that a page returned is valid.
    if case.query and not is_negated(case, ParameterLocation.QUERY):
        case.query.pop("cursor", None)
    # A link may start from a null, which a path cannot contain.
    for name, value in (case.path_parameters or {}).items():
        if value is None:
            case.path_parameters[name] = str(uuid.UUID(int=0))
    # A random address, so that rate limits do not end the run.
    case.headers["X-Forwarded-For"] = str(ipaddress.IPv4Address(0x0A000000 + secrets.randbelow(1 << 24)))
    if "login" not in CREDENTIALS and not is_unsigned(case):
        kwargs["auth"] = Signature()

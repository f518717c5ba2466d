#!/usr/bin/env bash
# A quote with curl and openssl. Set AGIO_ROOT, AGIO_KEY and AGIO_SECRET.
set -euo pipefail

method=POST
path=/api/partner/v1/quotes/
query=
body='{"from":"BTC","to":"SBERRUB","fromSumma":"0.015"}'

timestamp=$(curl -sS "$AGIO_ROOT/api/partner/v1/time/" | sed 's/.*"seconds":\([0-9]*\).*/\1/')
nonce=$(openssl rand -hex 12)
digest=$(printf %s "$body" | openssl dgst -sha256 -r | cut -d' ' -f1)
signature=$(printf 'v1\n%s\n%s\n%s\n%s\n%s\n%s' "$method" "$path" "$query" "$digest" "$timestamp" "$nonce" |
  openssl dgst -sha256 -hmac "$AGIO_SECRET" -r | cut -d' ' -f1)

curl -sS -X "$method" "$AGIO_ROOT$path" \
  -H "Content-Type: application/json" \
  -H "X-Agio-Key: $AGIO_KEY" \
  -H "X-Agio-Timestamp: $timestamp" \
  -H "X-Agio-Nonce: $nonce" \
  -H "X-Agio-Signature: v1=$signature" \
  -d "$body"

"""Verifies a published draw with Python's standard library only.

Usage: check.py FILE. Prints "right", or the errors, one per line.
"""

import hashlib
import json
import struct
import sys


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def numbers(seed):
    count = 0
    while True:
        yield struct.unpack(">Q", sha256(b"agio-contest-1 ticket", seed, struct.pack(">Q", count))[:8])[0]
        count += 1


def winners(seed, entries, prizes):
    won = []
    stream = numbers(seed)
    while len(won) < prizes and entries:
        total = sum(entry["weight"] for entry in entries)
        number = next(n for n in stream if n < 2**64 // total * total)
        ticket = number % total
        for entry in entries:
            if ticket < entry["weight"]:
                break
            ticket -= entry["weight"]
        won.append(entry["entry"])
        entries = [other for other in entries if other["person"] != entry["person"]]
    return won


def faults(draw):
    if draw["format"] != "agio-contest-1":
        return ["unknown format"]
    found = []
    secret = bytes.fromhex(draw["secret"])
    if sha256(secret).hex() != draw["commitment"]:
        found.append("secret")
    digest = sha256("".join(line + "\n" for line in draw["entrants"]).encode())
    if digest.hex() != draw["entrantsSha256"]:
        found.append("entrants")
    void = set(draw["void"])
    entries = [entry for entry in map(json.loads, draw["entrants"]) if entry["entry"] not in void]
    seed = sha256(b"agio-contest-1 seed", secret, digest, draw["publicValue"].encode())
    if winners(seed, entries, draw["prizes"]) != draw["winners"]:
        found.append("winners")
    return found


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        verdict = faults(json.load(file))
    print("\n".join(verdict) or "right")

"""Fills an empty database with so many currencies and a pair, and prints the token of a customer."""

import sys

import django
from django.core.management import call_command

django.setup()

from django.contrib.auth.models import User
from rest_framework_simplejwt.tokens import AccessToken

from drf_exchange.models import Currency, Pair

call_command("migrate", run_syncdb=True, verbosity=0)
common = {"network": "RUB", "kind": "bank", "icon": "sber", "scale": 2, "reserve": 10**14}
codes = ["BTC", "SBERRUB"] + [f"CURRENCY{number}" for number in range(2, int(sys.argv[1]))]
give, receive, *_ = [Currency.objects.create(code=code, name=f"Currency {code}", **common) for code in codes]
Pair.objects.create(id=1, give=give, receive=receive, rate=6_000_000, minimum="0.0005", maximum=2)
print(AccessToken.for_user(User.objects.create_user("customer")))

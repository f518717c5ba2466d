import functools

from django.db import models

Text = functools.partial(models.CharField, max_length=60)
Amount = functools.partial(models.DecimalField, max_digits=24, decimal_places=8)


class Currency(models.Model):
    code, name, network, kind, icon = Text(), Text(), Text(), Text(), Text()
    scale = models.IntegerField()
    # What can be promised to new claims.
    reserve = Amount()


class Pair(models.Model):
    give = models.ForeignKey(Currency, models.PROTECT, related_name="+")
    receive = models.ForeignKey(Currency, models.PROTECT, related_name="+")
    rate, minimum, maximum = Amount(), Amount(), Amount()


class Claim(models.Model):
    pair = models.ForeignKey(Pair, models.PROTECT)
    give_amount, receive_amount = Amount(), Amount()
    email, card, status = models.EmailField(), Text(), Text(default="new")
    created_at = models.DateTimeField(auto_now_add=True)


class Transfer(models.Model):
    claim = models.ForeignKey(Claim, models.PROTECT)
    debit, credit, amount = Text(), Text(), Amount()

"""A pair, for everybody and for customers with a token; currencies; new claims."""

from django.db import transaction
from django.db.models import F
from django.urls import path
from rest_framework.exceptions import ValidationError
from rest_framework.generics import CreateAPIView, ListAPIView, RetrieveAPIView
from rest_framework.permissions import IsAuthenticated
from rest_framework.serializers import ModelSerializer
from rest_framework_simplejwt.authentication import JWTAuthentication

from drf_exchange.models import Claim, Currency, Pair, Transfer


class CurrencySerializer(ModelSerializer):
    class Meta:
        model, fields = Currency, "__all__"


class PairSerializer(ModelSerializer):
    class Meta:
        # With its currencies.
        model, fields, depth = Pair, "__all__", 1


class ClaimSerializer(ModelSerializer):
    class Meta:
        model, fields, read_only_fields = Claim, "__all__", ["status", "receive_amount"]


class PairView(RetrieveAPIView):
    queryset, serializer_class = Pair.objects.select_related("give", "receive"), PairSerializer


class CustomerPairView(PairView):
    authentication_classes, permission_classes = [JWTAuthentication], [IsAuthenticated]


class CurrencyListView(ListAPIView):
    queryset, serializer_class = Currency.objects.all(), CurrencySerializer


class ClaimView(CreateAPIView):
    serializer_class = ClaimSerializer

    @transaction.atomic
    def perform_create(self, serializer):
        pair = serializer.validated_data["pair"]
        amount = serializer.validated_data["give_amount"] * pair.rate
        enough = Currency.objects.filter(id=pair.receive_id, reserve__gte=amount)
        if not enough.update(reserve=F("reserve") - amount):
            raise ValidationError("the reserve is too small")
        claim = serializer.save(receive_amount=amount)
        Transfer.objects.create(claim=claim, debit="reserve", credit="hold", amount=amount)


urlpatterns = [
    path("pairs/<int:pk>/", PairView.as_view()),
    path("customer/pairs/<int:pk>/", CustomerPairView.as_view()),
    path("currencies/", CurrencyListView.as_view()),
    path("claims/", ClaimView.as_view()),
]

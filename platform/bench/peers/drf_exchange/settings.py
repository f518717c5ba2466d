"""What an exchange's API needs and nothing else, in favour of Django."""

from datetime import timedelta

import dj_database_url

DATABASE = dj_database_url.config(conn_max_age=None)
if DATABASE["ENGINE"].endswith("sqlite3"):
    pragmas = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"
    DATABASE["OPTIONS"] = {"timeout": 30, "transaction_mode": "IMMEDIATE", "init_command": pragmas}
DATABASES = {"default": DATABASE}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
SECRET_KEY = "signs the tokens of a benchmark on the loopback"
ALLOWED_HOSTS = ["127.0.0.1"]
INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth", "drf_exchange"]
# It sets `Content-Length`.
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
ROOT_URLCONF = "drf_exchange.views"
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
}
# For as long as a run may take.
SIMPLE_JWT = {"ACCESS_TOKEN_LIFETIME": timedelta(days=1)}

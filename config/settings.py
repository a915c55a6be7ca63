"""Settings, each read once from the environment, with a default that works (docs/reference/settings.md).

Secrets may come from files: ``NAME_FILE`` names a file that holds the value of ``NAME``. An unknown variable that
starts with ``ABL_`` stops the start, so that a typo does not silently select a default.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from config import options
from config.environment import BROKERS, Environment
from config.private import private_folder
from web.limits import MAX_BODY

BASE_DIR = Path(__file__).resolve().parent.parent
env = Environment()
options.refuse_unknown()

VAR_DIR = Path(env.text("ABL_VAR_DIR", str(BASE_DIR / "var"))).resolve()
private_folder(VAR_DIR)

DEBUG = env.flag("ABL_DEBUG")
SECRET_KEY = env.text("ABL_SECRET_KEY") or options.secret_key(VAR_DIR)
HOST = env.text("HOST", "127.0.0.1")
PORT = env.number("PORT", 8000, 0, 65535)
ALLOWED_HOSTS = env.words("ABL_ALLOWED_HOSTS", options.allowed_hosts(HOST))
TRUSTED_PROXIES = env.networks("ABL_TRUSTED_PROXIES")
CSRF_TRUSTED_ORIGINS = env.words("ABL_TRUSTED_ORIGINS", [])
PREFIX = env.text("ABL_PATH_PREFIX").strip("/")
FORCE_SCRIPT_NAME = f"/{PREFIX}" if PREFIX else None

INSTALLED_APPS = [
    "web.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "template_partials",
    "rules",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "csp",
    "web.apps.WebConfig",
    "editor",
    "memory",
    "constraints",
    "config",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "web.middleware.request_log",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "web.middleware.ErrorMiddleware",
    "web.middleware.some_at_once",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "web.context.frame",
            ],
            "builtins": ["web.templatetags.wb", "template_partials.templatetags.partials"],
        },
    }
]

SQLITE_OPTIONS: dict[str, Any] = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-65536; PRAGMA mmap_size=268435456;"
    ),
}
DATABASES = {"default": env.database("DATABASE_URL", f"sqlite:///{VAR_DIR / 'workbench.sqlite3'}")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {**SQLITE_OPTIONS}
    # A file for tests too: worker processes and threads of live tests must see one database.
    DATABASES["default"]["TEST"] = {"NAME": env.text("ABL_TEST_DB", str(VAR_DIR / "test.sqlite3"))}
else:
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 5)
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "editor.User"
AUTHENTICATION_BACKENDS = ["rules.permissions.ObjectPermissionBackend", "django.contrib.auth.backends.ModelBackend"]
PASSWORD_HASHERS = ["web.sign_in.hashing.PBKDF2"]
ADMIN_PASSWORD = env.text("ABL_ADMIN_PASSWORD")
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "editor:home"
LOGOUT_REDIRECT_URL = "login"

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = f"{FORCE_SCRIPT_NAME or ''}/static/"
STATIC_ROOT = VAR_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

# Files of sessions; nothing serves this folder but signed links (memory.stores).
MEDIA_ROOT = VAR_DIR / "media"
UPLOAD_BYTES = env.number("ABL_UPLOAD_BYTES", 10_000_000, 1, 1_000_000_000)
PROJECT_FILES_MB = env.number("ABL_PROJECT_FILES_MB", 1000, 1, 1_000_000_000)
USER_FILES_MB = env.number("ABL_USER_FILES_MB", 2000, 1, 1_000_000_000)
PROJECT_CONVERSATIONS_MB = env.number("ABL_PROJECT_CONVERSATIONS_MB", 2000, 1, 1_000_000_000)
USER_CONVERSATIONS_MB = env.number("ABL_USER_CONVERSATIONS_MB", 4000, 1, 1_000_000_000)
PROJECT_TEXTS_MB = env.number("ABL_PROJECT_TEXTS_MB", 1000, 1, 1_000_000_000)
USER_TEXTS_MB = env.number("ABL_USER_TEXTS_MB", 2000, 1, 1_000_000_000)
PROJECT_MEMORY_MB = env.number("ABL_PROJECT_MEMORY_MB", 5000, 1, 1_000_000_000)
USER_PROJECTS = env.number("ABL_USER_PROJECTS", 100, 1, 1_000_000)
FILE_UPLOAD_PERMISSIONS = 0o600
# Bodies and files while a request lasts; what a killed process leaves here is removed at the next start.
FILE_UPLOAD_TEMP_DIR = VAR_DIR / "uploads"
FILE_UPLOAD_TEMP_DIR.mkdir(exist_ok=True)
# A form that saves a document holds as much as the same request by script.
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_BODY

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_NAME = f"abl_session_{options.cookie_suffix(SECRET_KEY)}"
CSRF_COOKIE_NAME = f"abl_csrf_{options.cookie_suffix(SECRET_KEY)}"
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = f"{FORCE_SCRIPT_NAME or ''}/"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.flag("ABL_HTTPS")
CSRF_FAILURE_VIEW = "web.views.csrf_failed"
CONTENT_SECURITY_POLICY = options.content_security_policy()

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "editor.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["web.api.parsers.ForgivingJSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["web.api.parsers.BoundedJSONParser"],
    "DEFAULT_THROTTLE_CLASSES": ["web.throttling.TokenThrottle"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_PAGINATION_CLASS": "web.api.pagination.KeysetPagination",
    "PAGE_SIZE": 50,
    "EXCEPTION_HANDLER": "web.problems.exception_handler",
    "URL_FORMAT_OVERRIDE": None,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
CONNECTIONS = env.number("ABL_CONNECTIONS", 1000, 10, 3000)
HEAD_SECONDS = env.number("ABL_HEAD_SECONDS", 15, 1, 600)
BODY_SECONDS = env.number("ABL_BODY_SECONDS", 300, 1, 86_400)
IDLE_SECONDS = env.number("ABL_IDLE_SECONDS", 20, 1, 3600)
READ_SECONDS = env.number("ABL_READ_SECONDS", 30, 1, 3600)
BODIES_BYTES = env.number("ABL_BODIES_BYTES", 500_000_000, 25_000_000, 10**12)
HANG_SECONDS = env.number("ABL_HANG_SECONDS", 30, 1, 3600)
API_RATE = env.number("ABL_API_RATE", 600, 0, 1_000_000)
SPECTACULAR_SETTINGS = {
    "TITLE": "ABL Workbench API",
    "DESCRIPTION": "Projects, agents, facts and test conversations. See docs/spec/12-interfaces.md §5.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "DEFAULT_GENERATOR_CLASS": "web.api.description.Generator",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "web.api.schema.describe_errors",
    ],
    "ENUM_NAME_OVERRIDES": {
        "DocumentKindEnum": "editor.models.Document.Kind",
        "TurnKindEnum": "constraints.models.Turn.Kind",
        "FactScopeEnum": "memory.models.Scope",
        "BlockScopeEnum": "memory.models.blocks.Block.Scope",
    },
}

BROKER_DIR = VAR_DIR / "broker"
CELERY_BROKER_URL = env.url("BROKER_URL", "embedded://", BROKERS)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True  # the Turn row is the truth; no result backend
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = env.number("ABL_PREFETCH", 4, 1, 100)
CELERY_WORKER_ENABLE_REMOTE_CONTROL = not CELERY_BROKER_URL.startswith("embedded:")
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = "UTC"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat")
CELERY_BROKER_TRANSPORT_OPTIONS = options.broker_transport(CELERY_BROKER_URL, BROKER_DIR)
CELERY_BEAT_SCHEDULE = options.beat_schedule()
CELERY_TASK_DEFAULT_QUEUE = options.TURNS
CELERY_TASK_QUEUES = options.queues()
CELERY_TASK_ROUTES = {entry["task"]: {"queue": options.PERIODIC} for entry in CELERY_BEAT_SCHEDULE.values()}

WORKERS = env.number("ABL_WORKERS", 4, 1, 64)
TURN_SECONDS = env.number("ABL_TURN_SECONDS", 30, 1, 300)
TURN_LEASE_SECONDS = env.number("ABL_TURN_LEASE_SECONDS", 4, 1, 3600)
TURN_MAX_ATTEMPTS = env.number("ABL_TURN_MAX_ATTEMPTS", 10, 1, 100)
MEMORY_SETTLE_SECONDS = env.number("ABL_MEMORY_SETTLE_SECONDS", 300, 1, 86_400)

LOGGING = options.logging(debug=DEBUG)
TEST_RUNNER = "django.test.runner.DiscoverRunner"

"""Every setting works, typing errors stop the start, and the list of settings is the list that is read."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from config import options
from tests.workbench import ROOT, plain_environment

pytestmark = pytest.mark.slow  # a process for each

SHOW = """
import json, sys
from config import settings
print(json.dumps([getattr(settings, name) for name in sys.argv[1:]], default=str))
"""


def load(tmp_path, *names: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Settings as a fresh process sees them."""
    env = {**plain_environment(), "ABL_VAR_DIR": str(tmp_path), **env}
    return subprocess.run(
        [sys.executable, "-c", SHOW, *names], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )


def read(tmp_path, *names: str, **env: str):
    """Values of settings; one value if one name is asked for."""
    answer = load(tmp_path, *names, **env)
    assert answer.returncode == 0, answer.stderr
    values = json.loads(answer.stdout)
    return values[0] if len(names) == 1 else values


def test_the_list_of_settings_is_the_list_that_is_read():
    source = (ROOT / "config/settings.py").read_text()
    assert set(re.findall(r'env(?:\.\w+)?\(\s*"([A-Z_]+)"', source)) == set(options.KNOWN)


def test_the_page_about_settings_names_each_with_its_meaning():
    page = (ROOT / "docs/reference/settings.md").read_text()
    for name, meaning in options.KNOWN.items():
        assert f"| `{name}` | {meaning.partition(' Default: ')[0]}" in page, name


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("ABL_DEBUGG", "ABL_DEBUG"), ("ABL_SECRETKEY", "ABL_SECRET_KEY"), ("ABL_VARDIR_FILE", "ABL_VAR_DIR")],
)
def test_a_typing_error_stops_the_start_with_a_suggestion(tmp_path, typed, meant):
    answer = load(tmp_path, **{typed: "x"})
    assert answer.returncode != 0
    assert f"Unknown setting {typed}. Did you mean {meant}?" in answer.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "eighty"),
        ("ABL_PREFETCH", "many"),
        ("DATABASE_URL", "oracle-at-home"),
        ("BROKER_URL", "nowhere"),
        ("ABL_DEBUG", "perhaps"),
    ],
)
def test_a_value_that_cannot_be_read_is_named(tmp_path, name, value):
    answer = load(tmp_path, **{name: value})
    assert answer.returncode != 0
    assert f"{name}: {value}" in answer.stderr


def test_a_secret_may_come_from_a_file(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("from-a-file")
    assert read(tmp_path, "SECRET_KEY", ABL_SECRET_KEY_FILE=str(secret)) == "from-a-file"
    assert read(tmp_path, "ADMIN_PASSWORD", ABL_ADMIN_PASSWORD_FILE=str(secret)) == "from-a-file"


def test_the_secret_key_is_made_once_and_only_its_owner_can_read_it(tmp_path):
    first = read(tmp_path, "SECRET_KEY")
    assert first == read(tmp_path, "SECRET_KEY")
    assert len(first) > 40
    assert (tmp_path / "secret_key").stat().st_mode & 0o077 == 0


def test_the_default_is_sqlite_and_the_embedded_broker_in_the_data_folder(tmp_path):
    databases, broker, transport = read(tmp_path, "DATABASES", "CELERY_BROKER_URL", "CELERY_BROKER_TRANSPORT_OPTIONS")
    assert databases["default"]["NAME"] == str(tmp_path / "workbench.sqlite3")
    assert databases["default"]["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert broker == "embedded://"
    assert transport["data_folder_in"] == str(tmp_path / "broker" / "queue")


def test_servers_are_chosen_by_url(tmp_path):
    databases, broker, remote = read(
        tmp_path,
        "DATABASES",
        "CELERY_BROKER_URL",
        "CELERY_WORKER_ENABLE_REMOTE_CONTROL",
        DATABASE_URL="postgres://ann:secret@db.example:5433/wb",
        BROKER_URL="redis://cache.example/3",
    )
    database = databases["default"]
    assert database["ENGINE"] == "django.db.backends.postgresql"
    assert [database[k] for k in ("USER", "PASSWORD", "HOST", "PORT", "NAME")] == [
        "ann",
        "secret",
        "db.example",
        5433,
        "wb",
    ]
    assert broker == "redis://cache.example/3"
    assert remote is True


@pytest.mark.parametrize("prefix", ["/abl", "abl", "/abl/"])
def test_a_path_prefix_may_be_written_with_or_without_slashes(tmp_path, prefix):
    name, cookies = read(tmp_path, "FORCE_SCRIPT_NAME", "SESSION_COOKIE_PATH", ABL_PATH_PREFIX=prefix)
    assert name == "/abl"
    assert cookies == "/abl/"


def test_https_makes_cookies_secure(tmp_path):
    names = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE")
    assert read(tmp_path, *names) == [False, False]
    assert read(tmp_path, *names, ABL_HTTPS="true") == [True, True]


@pytest.mark.parametrize(
    ("host", "allowed"), [("192.0.2.7", "192.0.2.7"), ("2001:db8::7", "[2001:db8::7]"), ("0.0.0.0", "localhost")]
)
def test_browsers_may_use_the_address_that_the_workbench_listens_on(tmp_path, host, allowed):
    assert allowed in read(tmp_path, "ALLOWED_HOSTS", HOST=host)


def test_host_names_may_be_set(tmp_path):
    assert read(tmp_path, "ALLOWED_HOSTS", ABL_ALLOWED_HOSTS="abl.example,abl2.example") == [
        "abl.example",
        "abl2.example",
    ]
    assert read(tmp_path, "CSRF_TRUSTED_ORIGINS", ABL_TRUSTED_ORIGINS="https://abl.example") == ["https://abl.example"]


def test_limits_of_work_may_be_set(tmp_path):
    names = ("WORKERS", "CELERY_WORKER_PREFETCH_MULTIPLIER", "TURN_SECONDS", "TURN_LEASE_SECONDS", "TURN_MAX_ATTEMPTS")
    env = {"ABL_WORKERS": "3", "ABL_PREFETCH": "1", "ABL_TURN_SECONDS": "60", "ABL_TURN_LEASE_SECONDS": "9"}
    env["ABL_TURN_MAX_ATTEMPTS"] = "5"
    assert read(tmp_path, *names) == [4, 4, 30, 4, 10]
    assert read(tmp_path, *names, **env) == [3, 1, 60, 9, 5]

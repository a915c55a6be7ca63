"""Files of a session: what they are by content, their text within bounds, their links, their end."""

from __future__ import annotations

import errno
import io
import json
import time
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.storage import FileSystemStorage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from memory.models import Artifact, FactChange
from memory.stores import extraction, filetypes, selectors, services
from memory.stores.filetypes import clean_name, type_of
from memory.stores.links import download_path, read_token
from memory.stores.services import artifacts
from tests.memory.files import OLE, docx, office, pdf, zipped
from tests.memory.stores.kit import session_of
from web.errors import Conflict, Invalid, NotFound, TooLarge

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    """A media folder of its own."""
    settings.MEDIA_ROOT = tmp_path / "media"
    return settings.MEDIA_ROOT / "artifacts"


@pytest.fixture
def upload(project, people):
    """Upload bytes under a name to the session s-1."""
    session_of(project)

    def add(data, name="notes.txt", **more):
        file = SimpleUploadedFile("x", data)
        file._name = name  # SimpleUploadedFile takes folders away, as a browser of old may not
        return services.artifact_add(project=project, session="s-1", file=file, actor=people["editor"], **more)

    return add


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (pdf("Hello"), "a.pdf", "PDF"),
        (pdf("Hello"), "a.txt", "PDF"),
        (docx("Hello"), "a.docx", "DOCX"),
        (office("xl/workbook.xml"), "a.xlsx", "XLSX"),
        (office("ppt/presentation.xml"), "a.docx", "PPTX"),
        (OLE + "Workbook\0".encode("utf-16-le"), "a.xls", "XLS"),
        (OLE + "PowerPoint Document\0".encode("utf-16-le"), "a.xls", "PPT"),
        (PNG, "a.html", "PNG"),
        (b"\xff\xd8\xff\xe0" + bytes(9), "a.jpg", "JPG"),
        (b"GIF89a" + bytes(9), "a.gif", "GIF"),
        (b"<!DOCTYPE html><p>x", "a.txt", "HTML"),
        (b"  <!-- a --><html>", "a", "HTML"),
        (b"<svg onload=alert(1)>", "a.txt", "HTML"),
        (b"just words", "a.htm", "HTML"),
        (b'{"a": 1}', "a.txt", "JSON"),
        (b"[1, 2", "a.json", "TXT"),
        (b"name,age\nines,42\nnoor,37\n", "a.csv", "CSV"),
        (b"name,age\nines,42\n", "a.txt", "TXT"),
        ("Grüße".encode("utf-16"), "a.txt", "TXT"),
        ("\ufeffGrüße".encode(), "a.md", "TXT"),
    ],
)
def test_the_content_decides_what_a_file_is(data, name, kind):
    found = type_of(data, name)
    assert found is not None
    assert found.name == kind


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"MZ\x90\x00" + bytes(60), "a.txt"),
        (b"\x7fELF" + bytes(60), "a.pdf"),
        (zipped({"a.txt": b"x"}), "a.docx"),
        (office("word/document.xml", extra={"word/vbaProject.bin": b"x"}), "a.docx"),
        (OLE + "WordDocument\0".encode("utf-16-le"), "a.xls"),
        (b"PK\x03\x04 broken", "a.docx"),
        (b"text with \x00 in it", "a.txt"),
        (b"\xff\xfe\x00\xd8", "a.txt"),
        (bytes(range(128, 256)), "a.csv"),
    ],
)
def test_anything_else_is_refused_naming_what_is_allowed(upload, data, name):
    assert type_of(data, name) is None
    with pytest.raises(Invalid) as refused:
        upload(data, name)
    assert filetypes.ALLOWED in refused.value.fields["file"]
    assert not Artifact.objects.exists()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("report.pdf", "report.pdf"),
        ("report", "report.pdf"),
        ("photo.html", "photo.html.pdf"),
        ("../../etc/passwd", "passwd.pdf"),
        ("C:\\Users\\ines\\My plan.PDF", "My plan.PDF"),
        ("", "file.pdf"),
        (".pdf", "pdf.pdf"),
        ("a\x00\r\nb\u202egpj.pdf", "abgpj.pdf"),
        ('a<b>:"|?*.pdf', "a_b______.pdf"),
        ("CON.pdf", "_CON.pdf"),
        ("x" * 400 + ".pdf", "x" * 146 + ".pdf"),
        ("Gru\u0308ße.pdf", "Grüße.pdf"),
    ],
)
def test_a_file_name_is_made_harmless(given, kept):
    assert clean_name(given, filetypes.PDF) == kept


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "name", "text"),
    [
        (pdf("Rates of March", "Rates of April"), "a.pdf", "Rates of March\n\nRates of April"),
        (docx("First line", table=[["a", "b"], ["1", "2"]]), "a.docx", "First line\na\tb\n1\t2"),
        ("Grüße\n".encode(), "a.txt", "Grüße\n"),
        (b'{"a": [1]}', "a.json", '{"a": [1]}'),
    ],
)
def test_the_text_of_a_document_is_read(upload, data, name, text):
    artifact = upload(data, name)
    assert (artifact.text, artifact.text_problem) == (text, "")


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"a,b\n1,2\n", "a.csv"),
        (b"<html>secret", "a.html"),
        (PNG, "a.png"),
        (office("xl/workbook.xml"), "a.xlsx"),
    ],
)
def test_other_files_are_kept_by_link_only(upload, data, name):
    artifact = upload(data, name)
    assert (artifact.text, artifact.text_problem) == (None, "")
    assert services.content_of(artifact) == data


BOMBS = [
    (docx("x", bomb=70 * 1024 * 1024), "docx", "is too much"),
    (docx("x", bomb=10 * 1024 * 1024), "docx", "far more than its size"),
    (office("word/document.xml"), "docx", "could not be read"),
    (b"%PDF-1.7\nnothing", "pdf", "could not be read"),
    (pdf("x", times=1500), "pdf", ""),
]


@pytest.mark.slow
@pytest.mark.parametrize(("data", "kind", "words"), BOMBS)
def test_a_document_that_cannot_be_read_says_why_and_ends_soon(data, kind, words):
    began = time.monotonic()
    text, problem = extraction.extract(kind, data)
    assert time.monotonic() - began < 60
    assert words in problem
    assert text is None or len(text) <= extraction.CHARACTERS


@pytest.mark.slow
def test_a_stream_that_unpacks_without_end_stops_its_reader_only():
    text, problem = extraction.extract("pdf", pdf(stream=b" " * (90 * 1024 * 1024)))
    assert text in (None, "")
    assert problem or text == ""


@pytest.mark.slow
def test_a_reader_that_takes_too_long_is_ended(monkeypatch):
    text, problem = extraction.extract("pdf", pdf("Hello"), seconds=0.001)
    assert (text, problem) == (None, "the text could not be read within 0.001 seconds")


@pytest.mark.slow
def test_a_long_pdf_is_read_up_to_the_bound():
    text, problem = extraction.extract("pdf", pdf(*(f"p{n}" for n in range(extraction.PAGES + 5))))
    assert problem == "only the first 300 pages are read"
    assert text.endswith("p299")


def test_a_long_text_is_cut(upload):
    artifact = upload(b"x" * (extraction.CHARACTERS + 1))
    assert len(artifact.text) == extraction.CHARACTERS
    assert artifact.text_problem == "only the first 500,000 characters are kept"
    assert artifact.size == extraction.CHARACTERS + 1


@pytest.mark.slow
def test_a_locked_pdf_is_kept_and_says_so(upload):
    artifact = upload(pdf("secret", password="sesame"), "a.pdf")
    assert (artifact.text, artifact.text_problem) == (None, "the PDF is password-protected")


def test_a_file_that_is_too_large_or_empty_is_refused(upload, settings):
    settings.UPLOAD_BYTES = 10
    with pytest.raises(Invalid) as refused:
        upload(b"x" * 11)
    assert (refused.value.code, refused.value.fields["file"]) == ("too-large", "has 11 bytes; at most 10 are allowed")
    with pytest.raises(Invalid, match="is empty"):
        upload(b"")


def test_a_file_is_kept_privately_under_a_name_of_ours(upload, media):
    artifact = upload(b"words", "../secret plan.txt")
    (path,) = media.iterdir()
    assert artifact.filename == "secret plan.txt"
    assert "secret" not in path.name
    assert path.stat().st_mode & 0o077 == 0
    assert path.read_bytes() == b"words"


def test_a_session_takes_so_many_files(upload, monkeypatch, media):
    monkeypatch.setattr("memory.stores.services.artifacts.MOST_FILES", 1)
    upload(b"one")
    with pytest.raises(Invalid, match="no more are allowed"):
        upload(b"two")
    assert len(list(media.iterdir())) == 1


@pytest.mark.parametrize(
    ("setting", "whose"),
    [("PROJECT_FILES_MB", "the project"), ("USER_FILES_MB", "editor, in all projects")],
)
def test_files_take_no_more_than_their_project_and_who_uploads_them_may(upload, settings, media, setting, whose):
    setattr(settings, setting, 1)
    first = upload(picture(990_000))
    with pytest.raises(TooLarge) as refused:
        upload(picture(10_001))
    words = refused.value.fields["file"]
    assert refused.value.code == "quota-exceeded"
    assert f"has 10,001 bytes; files of {whose} take 990,000 of 1,000,000 bytes. Delete files" in words
    assert f"ABL_{setting}" in words
    assert len(list(media.iterdir())) == 1, "nothing of the refused one is left"
    upload(picture(10_000))
    with pytest.raises(TooLarge):
        upload(b"x")
    Artifact.objects.filter(pk=first.pk).delete()
    upload(picture(900_000))


def picture(size):
    """A file of so many bytes whose text is not read."""
    return b"\x89PNG\r\n\x1a\n".ljust(size, b"\0")


def test_the_text_of_a_file_counts_with_it(upload, settings):
    settings.PROJECT_FILES_MB = 1
    assert upload(b"x" * 300_000).stored_bytes == 600_000
    with pytest.raises(TooLarge, match="has 200,001 bytes and counts as 400,002 with the text read from it; files of"):
        upload(b"x" * 200_001)
    upload(b"x" * 200_000)


def test_the_text_of_a_file_counts_as_bytes(upload):
    assert upload("é".encode() * 10_000).stored_bytes == 40_000


def test_small_files_count_as_what_they_take_on_a_disk(upload, settings):
    settings.PROJECT_FILES_MB = 1
    upload(picture(993_000))
    upload(b"x")
    with pytest.raises(TooLarge, match="997,097 of 1,000,000"):
        upload(b"x")


def test_files_of_others_count_for_others(project, people, upload, settings):
    settings.USER_FILES_MB = 1
    upload(picture(990_000))
    file = SimpleUploadedFile("more.png", picture(990_000))
    assert services.artifact_add(project=project, session="s-1", file=file, actor=people["owner"]).pk


def test_a_session_that_is_unknown_or_over_takes_no_file(project, upload, now):
    with pytest.raises(NotFound):
        services.artifact_add(project=project, session="nowhere", file=SimpleUploadedFile("a.txt", b"x"))
    services.session_end(project=project, session="s-1", now=now)
    with pytest.raises(Conflict):
        upload(b"x")


def test_session_meta_lists_the_files(project, upload):
    upload(b"The first thing", "one.txt")
    upload(PNG, "two.png", active=False)
    meta = selectors.meta_dict(selectors.session_get(project=project, session="s-1"), now=timezone.now())
    first, second = meta["artifacts"]
    assert {name: first[name] for name in ("filename", "mimetype", "isActive", "content")} == {
        "filename": "one.txt",
        "mimetype": "text/plain",
        "isActive": True,
        "content": "The first thing",
    }
    assert set(second) == {"filename", "mimetype", "downloadUrl", "isActive"}
    assert first["downloadUrl"].startswith("/artifacts/")


def test_a_file_that_is_not_active_gives_agents_no_text(project, upload, people, log):
    artifact = upload(b"words")
    services.artifact_set_active(project=project, pk=artifact.pk, active=False, actor=people["editor"])
    services.artifact_set_active(project=project, pk=artifact.pk, active=False, actor=people["editor"])
    meta = selectors.meta_dict(selectors.session_get(project=project, session="s-1"), now=timezone.now())
    assert "content" not in meta["artifacts"][0]
    assert log() == [("write", 1), ("write", 2)]


def fetch(client, artifact, **headers):
    return client.get(download_path(artifact), headers=headers)


def test_a_link_gives_the_file_to_whoever_holds_it(client, upload):
    artifact = upload(b"<html><script>alert(1)</script>", "Grüße page.html")
    answer = fetch(client, artifact)
    assert (answer.status_code, answer.content) == (200, b"<html><script>alert(1)</script>")
    assert answer["Content-Disposition"] == "attachment; filename*=utf-8''Gr%C3%BC%C3%9Fe%20page.html"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Type"] == "text/html"
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox; frame-ancestors 'none'"
    assert answer["Cross-Origin-Resource-Policy"] == "same-origin"


@pytest.mark.parametrize(
    ("data", "name", "shown"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "a.svg", None),
        (b"<!doctype html><script>alert(1)</script>", 'a";filename="b.html', None),
        (b"words", "two\r\nSet-Cookie: a=1.txt", None),
        (b"words", "100%20 off.txt", 'attachment; filename="100%20 off.txt"'),
        (b"words", "\u5831\u544a.txt", "attachment; filename*=utf-8''%E5%A0%B1%E5%91%8A.txt"),
    ],
)
def test_whatever_a_file_is_and_is_called_it_is_saved_and_runs_nothing(client, upload, data, name, shown):
    answer = fetch(client, upload(data, name))
    assert answer.content == data
    assert answer["Content-Disposition"].startswith("attachment; filename")
    assert shown in (None, answer["Content-Disposition"])
    assert "Set-Cookie" not in answer
    assert "sandbox" in answer["Content-Security-Policy"]
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_a_link_ends_after_thirty_days(client, upload, monkeypatch):
    artifact = upload(b"words")
    _, until = read_token(download_path(artifact).split("/")[-2])
    assert abs(until - artifact.uploaded_at - timedelta(days=30)) < timedelta(seconds=1)
    monkeypatch.setattr("memory.stores.session_views.timezone.now", lambda: until - timedelta(seconds=1))
    assert fetch(client, artifact).status_code == 200
    monkeypatch.setattr("memory.stores.session_views.timezone.now", lambda: until)
    assert fetch(client, artifact).status_code == 410


def test_a_link_to_a_deleted_file_ends(client, project, upload, *, people, media, django_capture_on_commit_callbacks):
    artifact = upload(b"words")
    with django_capture_on_commit_callbacks(execute=True):
        services.artifact_delete(project=project, pk=artifact.pk, actor=people["editor"])
    artifact.pk = FactChange.objects.get(kind="delete").path.removeprefix("artifacts/")
    assert fetch(client, artifact).status_code == 410
    assert list(media.iterdir()) == []


@pytest.mark.parametrize("change", [lambda t: t[:-3] + "abc", lambda t: "x" + t, lambda t: t.split(":")[0]])
def test_a_link_that_was_changed_is_not_found(client, upload, change):
    token = download_path(upload(b"words")).split("/")[-2]
    assert client.get(f"/artifacts/{change(token)}/").status_code == 404


def test_every_file_is_in_the_log(project, people, upload, *, log, whole, django_capture_on_commit_callbacks):
    artifact = upload(b"words", "plan.txt")
    change = FactChange.objects.get()
    about = json.loads(change.value)
    assert (change.system, change.owner, change.path) == ("artifact", "s-1", f"artifacts/{artifact.pk}")
    assert (about["filename"], about["size"], change.actor) == ("plan.txt", 5, people["editor"].username)
    with django_capture_on_commit_callbacks(execute=True):
        services.artifact_delete(project=project, pk=artifact.pk, actor=people["editor"], reason="wrong file")
    assert log() == [("write", 1), ("delete", 1)]
    assert not FactChange.objects.filter(value__isnull=False).exists()
    assert whole()


def test_a_file_is_purged_when_its_links_have_ended(upload, media, log, django_capture_on_commit_callbacks):
    upload(b"words")
    later = timezone.now() + timedelta(days=30, seconds=1)
    with django_capture_on_commit_callbacks(execute=True):
        assert services.purge(now=later - timedelta(days=1)) == 0
        assert services.purge(now=later) == 1
    assert list(media.iterdir()) == []
    assert log() == [("write", 1), ("expire", 1)]


def test_a_file_that_no_row_names_is_removed_when_it_is_old(upload, media):
    upload(b"words")
    (media / "left-over").write_bytes(b"half")
    services.purge()
    assert len(list(media.iterdir())) == 2
    services.purge(now=timezone.now() + timedelta(hours=2))
    assert [path.read_bytes() for path in media.iterdir()] == [b"words"]


def test_an_upload_that_cannot_be_stored_leaves_no_file(upload, media, monkeypatch):
    monkeypatch.setattr("memory.stores.services.artifacts._log", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        upload(b"words")
    assert list(media.iterdir()) == []


def test_the_files_of_a_user_are_erased_with_the_user(project, upload, media, django_capture_on_commit_callbacks):
    upload(b"words")
    with django_capture_on_commit_callbacks(execute=True):
        assert services.owner_erase(project=project, user="ines") == {"records": 0, "artifacts": 1, "sessions": 1}
    assert list(media.iterdir()) == []


def test_a_package_is_read_no_further_than_its_directory_says():
    packed = io.BytesIO(docx("x"))
    with zipfile.ZipFile(packed) as package:
        assert sum(part.file_size for part in package.infolist()) < extraction.UNPACKED
    assert extraction.bomb_in(packed.getvalue()) == ""


class Full(FileSystemStorage):
    """A disk that takes a name and then no more bytes, as a full one does."""

    def _save(self, name, content):
        Path(self.path(name)).parent.mkdir(parents=True, exist_ok=True)
        Path(self.path(name)).touch()
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_keeps_no_empty_file(project, tmp_path, monkeypatch):
    session_of(project)
    monkeypatch.setattr(artifacts, "default_storage", Full(tmp_path))
    with pytest.raises(OSError, match="No space left"):
        services.artifact_add(project=project, session="s-1", file=SimpleUploadedFile("a.txt", b"some words"))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert not Artifact.objects.exists()

"""Projects, members, documents, revisions and drafts; the editing page."""

from django.apps import AppConfig


class EditorConfig(AppConfig):
    """Application ``editor``."""

    name = "editor"

    def ready(self) -> None:
        """Permissions and the API's security scheme register themselves on import."""
        from editor import permissions, schema  # noqa: F401

"""Django's admin for projects and documents. What is history is read-only here too."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from editor.models import ApiToken, Document, Draft, Membership, Project, Revision, User
from web.read_only import ReadOnlyAdmin

admin.site.register(User, UserAdmin)


class MembershipInline(admin.TabularInline):  # type: ignore[type-arg]
    """Members on the page of their project."""

    model = Membership
    extra = 0
    autocomplete_fields = ("user",)


@admin.register(Project)
class ProjectAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Projects with their members."""

    list_display = ("name", "slug", "created_at")
    list_filter = ("created_at",)
    search_fields = ("name", "slug", "description")
    readonly_fields = ("created_at",)
    inlines = (MembershipInline,)


@admin.register(Membership)
class MembershipAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Who may do what."""

    list_display = ("user", "project", "role")
    list_filter = ("role", "project")
    search_fields = ("user__username", "project__name", "project__slug")
    autocomplete_fields = ("user", "project")


@admin.register(Document)
class DocumentAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Documents; their texts are revisions."""

    list_display = ("path", "project", "kind", "revision", "created_at")
    list_filter = ("kind", "project")
    list_select_related = ("project", "head")
    search_fields = ("path", "project__name")
    readonly_fields = ("project", "path", "kind", "head", "created_at")

    @admin.display(description="newest revision", ordering="head__number")
    def revision(self, document: Document) -> int | None:
        """Number of the newest revision."""
        return document.head.number if document.head else None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


@admin.register(Revision)
class RevisionAdmin(ReadOnlyAdmin):
    """The history of documents."""

    list_display = ("document", "number", "author", "message", "created_at")
    list_filter = ("document__project", "created_at")
    list_select_related = ("document", "author")
    search_fields = ("document__path", "message", "author__username")
    date_hierarchy = "created_at"


@admin.register(Draft)
class DraftAdmin(ReadOnlyAdmin):
    """Unsaved text of a user."""

    list_display = ("document", "user", "base", "updated_at")
    list_filter = ("document__project", "updated_at")
    list_select_related = ("document", "user", "base")
    search_fields = ("document__path", "user__username")


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    """Tokens: their secrets are kept nowhere, their digests are not shown."""

    list_display = ("prefix", "user", "project", "name", "created_at", "last_used_at", "revoked_at")
    list_filter = ("project", ("revoked_at", admin.EmptyFieldListFilter))
    list_select_related = ("user", "project")
    search_fields = ("prefix", "name", "user__username")
    exclude = ("digest",)
    actions = ("revoke",)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """A user with the change permission may revoke tokens, although no field can be changed."""
        return request.user.has_perm("editor.change_apitoken")

    @admin.action(description="Revoke the chosen tokens", permissions=["revoke"])
    def revoke(self, request: HttpRequest, tokens: QuerySet[ApiToken]) -> None:
        """Revokes tokens at once."""
        count = tokens.filter(revoked_at__isnull=True).update(revoked_at=timezone.now())
        self.message_user(request, f"{count} token{'s' if count != 1 else ''} revoked.")

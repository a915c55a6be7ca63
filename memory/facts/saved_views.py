"""Saved views of the facts page: filters that a member keeps under a name in a project."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from django.utils import timezone

from editor.models import Project, User
from memory.lists.query import FactQuery
from memory.models import SavedView, Scope
from memory.values import storable_text
from web.errors import Invalid, NotFound

NAME_LENGTH = 100
MOST_VIEWS = 50
_IN_IDS = r"\w@+/-"
"""Characters of ids and addresses; a dot is one too, unless it ends a sentence."""


def view_list(*, project: Project, user: User) -> list[SavedView]:
    """The user's own views of a project, in order of name."""
    return list(SavedView.objects.filter(project=project, user=user).order_by("name"))


def view_save(*, project: Project, user: User, name: str, query: FactQuery) -> SavedView:
    """Keep filters under a name; one of that name is replaced. Raises ``Invalid`` for a bad name or one too many."""
    name = name.strip()
    if not 0 < len(name) <= NAME_LENGTH or not storable_text(name):
        raise Invalid(fields={"name": f"give the view a name of 1 to {NAME_LENGTH} characters, without NUL"})
    own = SavedView.objects.filter(project=project, user=user)
    if own.exclude(name=name).count() >= MOST_VIEWS:
        raise Invalid(fields={"name": f"You have {MOST_VIEWS} views already; delete one first"})
    kept = {"query": query.text().removeprefix("?"), "saved_at": timezone.now()}
    view, _ = own.update_or_create(project=project, user=user, name=name, defaults=kept)
    return view


def view_delete(*, project: Project, user: User, pk: int) -> SavedView:
    """Delete one of the user's own views and return what it was. Raises ``NotFound``."""
    view = SavedView.objects.filter(project=project, user=user, pk=pk).first()
    if view is None:
        raise NotFound("This view does not exist.")
    view.delete()
    return view


def views_about(*, project: Project, owner: str) -> list[SavedView]:
    """The views of all members that are about a user: narrowed to the user's facts, or searching for the id.

    The id counts as a whole, in any case, among other words or alone; a part of another word or id does not.
    """
    return [view for view in SavedView.objects.filter(project=project).iterator() if is_about(view.query, owner)]


def is_about(query: str, owner: str) -> bool:
    """Whether filters, written as in an address, name a user."""
    given = dict(parse_qsl(query))
    if given.get("owner") == owner and given.get("scope") != Scope.EXECUTION_TREE:
        return True
    whole = rf"(?<![.{_IN_IDS}]){re.escape(owner.strip())}(?![{_IN_IDS}]|\.\w)"
    return bool(owner.strip()) and re.search(whole, given.get("search", ""), re.IGNORECASE) is not None


def views_forget(*, project: Project, owner: str) -> int:
    """Delete the views of all members that are about a user whose data is erased. Returns how many."""
    gone = [view.pk for view in views_about(project=project, owner=owner)]
    return SavedView.objects.filter(pk__in=gone).delete()[0]

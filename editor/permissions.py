"""Who may do what in a project, as predicates (``user.has_perm("project.edit", project)``)."""

from __future__ import annotations

from collections.abc import Callable

from rules import permissions, predicates

from editor.models import Membership, Project, User

Role = Membership.Role


def role_of(user: User, project: Project) -> str | None:
    """The user's role, or None. The admin of the installation is an owner everywhere."""
    if not user.is_authenticated or not user.is_active:
        return None
    if user.is_superuser:
        return Role.OWNER
    found = Membership.objects.filter(project=project, user=user).values_list("role", flat=True).first()
    return str(found) if found else None


ROLES_THAT_MAY: dict[str, tuple[str, ...]] = {
    "project.view": (Role.OWNER, Role.EDITOR, Role.REVIEWER, Role.VIEWER),
    "project.test": (Role.OWNER, Role.EDITOR, Role.REVIEWER),
    "project.review": (Role.OWNER, Role.EDITOR, Role.REVIEWER),
    "project.edit": (Role.OWNER, Role.EDITOR),
    "project.manage": (Role.OWNER,),
}


def has_role(roles: tuple[str, ...]) -> Callable[[User, Project], bool]:
    """A predicate that holds when the user's role in the project is one of ``roles``."""

    @predicates.predicate  # type: ignore[untyped-decorator]
    def test(user: User, project: Project) -> bool:
        return role_of(user, project) in roles

    return test  # type: ignore[no-any-return]


for permission, roles in ROLES_THAT_MAY.items():
    permissions.add_perm(permission, has_role(roles))  # type: ignore[no-untyped-call]

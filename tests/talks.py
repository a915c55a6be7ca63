"""Test conversations that run at once, without a worker."""

from __future__ import annotations

from constraints.conversations import services
from tests.factories import DocumentFactory, ProjectFactory


def library(**agents):
    """The project ``library`` with a document per agent: ``desk=…`` is ``desk.agent.abl``."""
    found = ProjectFactory(name="Library", slug="library")
    for name, text in agents.items():
        DocumentFactory(project=found, path=f"{name}.agent.abl", text=text)
    return found


def talked(project, owner, *messages, entry):
    """A new conversation of the user ada in which these messages were said."""
    conversation = services.conversation_start(project=project, started_by=owner, entry=entry, user="ada")
    services.turn_run(turn_id=conversation.turns.get().pk)
    for text in messages:
        turn, _ = services.turn_post(conversation=conversation, author=owner, kind="say", data={"text": text})
        services.turn_run(turn_id=turn.pk)
    return conversation

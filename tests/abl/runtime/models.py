"""Models for tests: they answer a request by computing, as a language model would, but always the same."""

from abl.runtime.ports import ModelReply


class Fibonacci:
    """Follows the procedure of docs/spec 11 §3: read the memory, write the next pair, answer with the number."""

    def next(self, request, memory):
        calls = {call["tool"]: call for call in request["calls"]}
        if "memory_read" not in calls:
            return ModelReply(call="memory_read")
        before = calls["memory_read"]["result"]
        if before == "":
            previous, current = 0, 1
        else:
            first, second = map(int, before.split("|"))
            previous, current = second, first + second
        if "memory_write" not in calls:
            return ModelReply(call="memory_write", args={"content": f"{previous}|{current}"})
        return ModelReply(reply=str(current))


class Steps:
    """Asks each function in order for its answer: a call as ``(tool, args)``, or a reply as a text.

    ``requests`` keeps what the model was given.
    """

    def __init__(self, *answers):
        self._answers = answers
        self.requests = []

    def next(self, request, memory):
        self.requests.append(request)
        at = memory.get("at", 0)
        if at >= len(self._answers):
            return None
        memory["at"] = at + 1
        answer = self._answers[at]
        answer = answer(request) if callable(answer) else answer
        return ModelReply(reply=answer) if isinstance(answer, str) else ModelReply(call=answer[0], args=answer[1])

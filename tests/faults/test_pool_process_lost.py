"""A process of the worker's pool that is killed, as by the kernel when memory runs out, stops nothing for long."""

from __future__ import annotations

import os
import signal

import pytest

from tests.workbench import eventually, running

pytestmark = pytest.mark.slow

PROJECT = "/api/v1/projects/hotel-desk/conversations/"


def test_turns_go_on_after_the_idle_processes_of_the_pool_were_killed(tmp_path):
    with running(tmp_path) as workbench, workbench.client() as client:
        worker, *pool = workbench.pids("config worker")
        assert pool
        for pid in pool:
            os.kill(pid, signal.SIGKILL)
        eventually(lambda: worker not in workbench.pids("config worker"), what="the worker without its pool has ended")
        for _ in range(3):
            begun = client.post(PROJECT, json={})
            assert begun.status_code == 201, begun.text
            address = f"{PROJECT}{begun.json()['number']}/turns/0/"
            eventually(lambda at=address: client.get(at).json()["status"] == "done", what="the conversation begins")
        eventually(lambda: workbench.health()["status"] == "ok", what="everything is well")

"""Taking a question back."""

from __future__ import annotations

from tests.mcp_server.support import HOST
from tests.mcp_server.tools.rig import Rig

TOOL = "withdraw_elicitation"


def test_a_withdrawn_question_ends_as_cancel() -> None:
    rig = Rig()
    rig.backend.add("e_1", "s_host")
    shown = rig.call(TOOL, {"request_id": "e_1"}, principal=HOST)["elicitation"]
    assert shown["status"] == "cancel"
    assert rig.text(TOOL, {"request_id": "e_1"}, principal=HOST).startswith("Withdrawn. e_1 in ")


def test_a_question_of_another_host_is_not_found() -> None:
    rig = Rig()
    rig.backend.add("e_ada", "s_ada")
    text = rig.complaint(TOOL, {"request_id": "e_ada"}, principal=HOST)
    assert text.startswith("not_found: ")

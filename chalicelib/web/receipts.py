"""Whether the agent has read an answer, in words that the page and its script share."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from chalicelib.domain.elicitation import SILENT_AFTER, Elicitation
from chalicelib.web.times import stamp


class ReceiptState(StrEnum):
    """`waiting` is worth asking about again; the other two are final as far as a page can tell."""

    READ = "read"
    WAITING = "waiting"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Receipt:
    """A receipt's state and the sentence that tells it."""

    state: ReceiptState
    text: str


def receipt_of(elicitation: Elicitation, now: datetime) -> Receipt:
    """The receipt of an answered elicitation.

    A poll after the answer would have stamped it, so `last_seen_at` is the asker's last sign of
    life. An asker never polls at or after its deadline (facts zimmer 1.5).
    """
    if elicitation.receipt_at is not None:
        read = stamp(elicitation.receipt_at).text
        return Receipt(ReceiptState.READ, f"The agent has read it at {read}.")
    seen = elicitation.last_seen_at or elicitation.created_at
    if now >= elicitation.expires_at or now - seen > SILENT_AFTER:
        last = stamp(seen).text
        text = f"The agent had stopped waiting: it was last heard of at {last}."
        return Receipt(ReceiptState.GONE, text)
    return Receipt(ReceiptState.WAITING, "The agent has not read it yet.")


def receipt_status(elicitation: Elicitation, now: datetime) -> dict[str, str]:
    """The JSON that the script asks for at a page's `status_path`."""
    receipt = receipt_of(elicitation, now)
    return {"state": receipt.state.value, "text": receipt.text}

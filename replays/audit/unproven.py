"""What a check says when a proof does not hold. Law: a code for programs, and words that say what was found."""


class Unproven(Exception):  # noqa: N818 - says what became of the proof
    """A proof that does not hold: `code` is one of docs/audit.md (`E-CHECKPOINT`), `text` says what was found."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code} {text}")
        self.code = code
        self.text = text

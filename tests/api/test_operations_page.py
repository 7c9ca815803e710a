"""The page `docs/operations.md` lists every setting as it is."""

from pathlib import Path

from api.settings import Settings

PAGE = Path(__file__).parents[2] / "docs" / "operations.md"


def settings_table() -> str:
    """The rows of the table as they have to stand in the page."""
    rows = []
    for name, field in Settings.model_fields.items():
        default = f"`{field.default}`" if field.default != "" else "(empty)"
        rows.append(f"| `BATTLELOG_{name.upper()}` | {default} | {field.description} |")
    return "\n".join(rows)


def test_the_page_lists_every_setting() -> None:
    assert settings_table() in PAGE.read_text(encoding="utf-8")

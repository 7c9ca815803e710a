"""A page, read as a browser without scripts does, and strictly; and the ids of the recorded battles."""

import re
from html.parser import HTMLParser

from httpx2 import Response

SUMP = "5e1f0c2a9d7b4e6688aa010203040506"
YARD = "0b51c4e0f7a84d3c9e2d112233445566"
HELD = "c0ffee11d0a94b7f8e6a5b4c3d2e1f00"
WIDE = "d15c0de5a1b24c3d8e9f00112233aabb"
VOID = {"meta", "link", "input", "br", "img", "path", "circle", "polygon", "polyline", "rect"}


class Page(HTMLParser):
    """A page, read strictly: every tag closed, every id once."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.ids: list[str] = []
        self.text = ""
        self.struck = ""
        self.feed(html)
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.append((tag, found))
        if "id" in found:
            assert found["id"] not in self.ids, found["id"]
            self.ids.append(found["id"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, (tag, self.getpos())

    def handle_data(self, data: str) -> None:
        self.text += data
        if "del" in self.open:
            self.struck += data

    def links(self) -> list[str]:
        return [found["href"] for tag, found in self.tags if tag == "a"]

    def count(self, tag: str) -> int:
        return [name for name, _ in self.tags].count(tag)


def page(answer: Response, status: int = 200) -> Page:
    """A page as it has to be: no script, nothing from elsewhere, and to be read by anybody."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    read = Page(answer.text)
    for tag, found in read.tags:
        assert tag not in {"script", "style", "iframe", "object", "embed", "base"}
        assert not any(name == "style" or name.startswith("on") for name in found), (tag, found)
        assert not any(re.match(r"(?i)(https?:)?//|data:|javascript:", value) for value in found.values()), found
    assert ("html", {"lang": "en"}) in read.tags
    assert read.count("h1") == 1
    assert read.count("table") == read.count("caption")
    assert all("scope" in found for tag, found in read.tags if tag == "th")
    assert read.tags[[tag for tag, _ in read.tags].index("a")][1] == {"class": "skip", "href": "#main"}
    references = [w for _, f in read.tags for name in ("aria-labelledby", "for") for w in f.get(name, "").split()]
    assert set(references) <= set(read.ids)
    return read

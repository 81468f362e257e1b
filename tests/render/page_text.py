"""Reads a page with the standard library's parser: its elements, attributes and the values it shows."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = {"meta", "link", "input", "wbr"}


class PageText(HTMLParser):
    """The values of a page as they were before they became HTML, and everything that could load or run something."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.values: list[str] = []
        self.texts: dict[str, list[str]] = {"script": [], "style": [], "title": []}
        self.text = ""
        self._open: list[str] = []
        self._in_value = 0
        self._in_mark = False
        self.feed(page)
        self.close()
        assert self._open == [], "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += attrs
        given = dict(attrs)
        classes = (given.get("class") or "").split()
        if tag not in _VOID:
            self._open.append(tag)
        if tag == "bdi":
            self.values.append("")
            self._in_value = len(self._open)
        if "unseen" in classes and self._in_value:
            self.values[-1] += chr(int((given["title"] or "")[2:].split()[0], 16))
            self._in_mark = True

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        if len(self._open) == self._in_value:
            self._in_value = 0
        opened = self._open.pop()
        assert opened == tag, f"</{tag}> closes <{opened}>"
        self._in_mark = False

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in self.texts:
            self.texts[self._open[-1]].append(data)
        elif self._in_value and not self._in_mark:
            self.values[-1] += data
        self.text += data

"""Bundles: what is written is read again, and nothing else is."""

import pytest

from replays.audit.bundle import SECTIONS, Bundle, Meta, is_bundle
from replays.audit.unproven import Unproven
from tests.replays.audit.notes import WITNESS
from tests.replays.audit.wrapped import alone, sound, with_global


def test_a_bundle_is_read_as_it_was_written() -> None:
    bundle = with_global(sound(alone(), cosigners=[WITNESS]))
    data = bundle.to_bytes()
    assert Bundle.parse(data) == bundle
    assert Bundle.parse(data).to_bytes() == data
    assert is_bundle(data)
    assert not is_bundle(b'{"action":1')


def test_the_frame_byte_for_byte() -> None:
    meta = Meta("ab" * 16, "a.example", "nme.1", closed=False)
    said = b'{"battle":"%s","closed":false,"cosigners":[],"host":"a.example","rules":"nme.1"}' % (b"ab" * 16)
    wanted = (
        b"wlog-bundle/1\nmeta %d\n%b\nevents 6\n{}\n{}\n\ncheckpoint 1\nc\nglobal 1\ng\ntsr 0\n\nnames 2\n{}\nend\n"
    )
    bundle = Bundle(meta, (b"{}", b"{}"), b"c", b"g", b"", b"{}")
    assert bundle.to_bytes() == wanted % (len(said), said)
    assert SECTIONS == ("meta", "events", "checkpoint", "global", "tsr", "names")


@pytest.mark.parametrize(
    ("was", "now", "where"),
    [
        (b"events ", b"event ", "bad section header at byte"),
        (b"tsr 0\n", b"tsr 7\n", "section tsr is cut short"),
        (b"end\n", b"end\n\n", "bytes after the end"),
        (b'"rules":"nme.1"', b'"rules":"nme.1" ', "section"),
        (b"wlog-bundle/1", b"wlog-bundle/9", "no bundle"),
        (b'"host":"warlog.example"', b'"host":"WARLOG.example"', "section meta"),
    ],
)
def test_what_is_not_said_exactly_so_is_refused(was: bytes, now: bytes, where: str) -> None:
    data = sound(alone()).to_bytes()
    assert was in data
    with pytest.raises(Unproven, match=where) as caught:
        Bundle.parse(data.replace(was, now))
    assert caught.value.code == "E-BUNDLE"


def test_meta_is_read_strictly() -> None:
    meta = Meta("ab" * 16, "a.example", "nme.1", closed=True, cosigners=(WITNESS.public,))
    assert Meta.parse(meta.to_bytes()) == meta
    vkey = WITNESS.public.vkey.encode()
    for was, now in (
        (vkey, vkey + b'","' + vkey),
        (b'"closed":true,', b""),
        (b'"closed":true', b'"closed":null'),
        (vkey, vkey[:-1]),
        (b"ab" * 16, b"AB" * 16),
    ):
        with pytest.raises(ValueError, match=r"\w"):
            Meta.parse(meta.to_bytes().replace(was, now))

"""Weak keys: the 14 encodings are derived here from the curve, and each is shown to verify what nobody has signed."""

from itertools import product

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from replays.audit.weakkeys import LOW_ORDER, WeakKey, refuse_weak
from tests.replays.audit.notes import LOG, PUBLIC_LOG, VKEY, known

P = 2**255 - 19
D = -121_665 * pow(121_666, -1, P) % P
ORDER = 2**252 + 27_742_317_777_372_353_535_851_937_790_883_648_493
Point = tuple[int, int]
NEUTRAL: Point = (0, 1)


def root_of(square: int) -> int | None:
    """A square root modulo p, which is 5 modulo 8."""
    root = pow(square, (P + 3) // 8, P)
    if root * root % P != square % P:
        root = root * pow(2, (P - 1) // 4, P) % P
    return root if root * root % P == square % P else None


def decoded(encoding: bytes) -> Point | None:
    """The point of an encoding, as RFC 8032, 5.1.3 without its check of y, which libraries leave out."""
    number = int.from_bytes(encoding, "little")
    sign, y = number >> 255, number % 2**255 % P
    x = root_of((y * y - 1) * pow(D * y * y + 1, -1, P))
    if x is None:
        return None
    return (-x % P if x % 2 != sign else x), y


def added(one: Point, other: Point) -> Point:
    (x1, y1), (x2, y2) = one, other
    k = D * x1 * x2 * y1 * y2
    return (x1 * y2 + x2 * y1) * pow(1 + k, -1, P) % P, (y1 * y2 + x1 * x2) * pow(1 - k, -1, P) % P


def times(number: int, point: Point) -> Point:
    total = NEUTRAL
    while number:
        if number & 1:
            total = added(total, point)
        point, number = added(point, point), number >> 1
    return total


def encodings(point: Point) -> set[bytes]:
    """All ways to write a point: y and y + p as far as 255 bits reach, and a sign that means nothing where x is 0."""
    x, y = point
    ys = [way for way in (y, y + P) if way < 2**255]
    signs = (0, 1) if x == 0 else (x % 2,)
    return {(way | sign << 255).to_bytes(32, "little") for way, sign in product(ys, signs)}


def torsion() -> list[Point]:
    """The points of order 1, 2, 4 and 8: any point, times the order of the large group, until there are eight."""
    found: set[Point] = set()
    for y in range(2, 100):
        point = decoded(y.to_bytes(32, "little"))
        if point is not None:
            generator = times(ORDER, point)
            found |= {times(number, generator) for number in range(8)}
        if len(found) == 8:
            return sorted(found)
    raise AssertionError("there are eight")


def verifies(key: bytes, signature: bytes, message: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def test_the_list_holds_every_way_to_write_a_point_of_low_order() -> None:
    assert set().union(*(encodings(point) for point in torsion())) == LOW_ORDER
    assert len(LOW_ORDER) == 14


def test_the_library_takes_a_signature_that_nobody_made_under_every_key_of_the_list() -> None:
    messages = [b"event %d" % number for number in range(100)]
    for key in LOW_ORDER:
        tries = product(messages, LOW_ORDER)
        assert any(verifies(key, nonce + bytes(32), message) for message, nonce in tries), key.hex()


def test_under_the_neutral_key_one_signature_fits_every_message() -> None:
    neutral = b"\1" + bytes(31)
    assert all(verifies(neutral, neutral + bytes(32), b"event %d" % number) for number in range(100))


@pytest.mark.parametrize("key", sorted(LOW_ORDER), ids=bytes.hex)
def test_every_weak_key_is_refused(key: bytes) -> None:
    with pytest.raises(WeakKey, match=key.hex()):
        refuse_weak(key)


def test_other_keys_are_taken() -> None:
    for key in (LOG.public, *known(VKEY, PUBLIC_LOG)):
        refuse_weak(key.public)
    for number in range(2, 256):
        refuse_weak(number.to_bytes(32, "little"))


@pytest.mark.parametrize("key", [b"", bytes(31), bytes(33), b"\1"])
def test_a_key_has_thirty_two_bytes(key: bytes) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        refuse_weak(key)

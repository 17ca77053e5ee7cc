"""The page unpacks what zlib has packed."""

import base64
import random
import zlib

from report.javascript_core import needs_node, run_core

UNPACK = """({ packed }) =>
  Buffer.from(inflate_.inflate(Buffer.from(packed, "base64"))).toString("base64")"""
FAULT = """({ packed }) => {
  try { inflate_.inflate(Buffer.from(packed, "base64")); } catch (error) { return error.message; }
}"""


def texts():
    rng = random.Random(0)
    yield from (b"", b"a", b"abc" * 300, bytes(range(256)) * 200, rng.randbytes(70_000))
    for letters in (2, 10, 60, 250):
        for length in (10, 1_000, 60_000):
            words = [rng.randbytes(rng.randint(1, 9)) for _ in range(letters)]
            yield b"".join(rng.choices(words, k=length // 5))


def packings(text):
    yield from (zlib.compress(text, level) for level in (0, 1, 6, 9))
    for strategy in (zlib.Z_FIXED, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE):
        packer = zlib.compressobj(9, zlib.DEFLATED, 15, 9, strategy)
        yield packer.compress(text) + packer.flush()


@needs_node
def test_what_zlib_packs_is_unpacked():
    found = [(text, packed) for text in texts() for packed in packings(text)]
    cases = [{"packed": base64.b64encode(packed).decode()} for _, packed in found]
    unpacked = run_core(UNPACK, cases)
    assert [base64.b64decode(text) for text in unpacked] == [text for text, _ in found]


@needs_node
def test_a_page_that_is_cut_off_says_so():
    packed = zlib.compress(random.Random(0).randbytes(500), 9)[:-20]
    (fault,) = run_core(FAULT, [{"packed": base64.b64encode(packed).decode()}])
    assert fault == "the data of this page are cut off"

"""Decodes the QR codes that a running server renders, with an independent decoder.

usage: qr_codes.py, with the URL of a server in TERSE_URL and a key without limits in TERSE_KEY. Prints
one line per wrong image, and `N passed, N failed` as the last line.
"""

import io
import math
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import requests
import resvg_py
import zxingcpp
from PIL import Image, ImageChops, ImageColor

LEVELS = "LMQH"
MARGINS = (0, 1, 4, 16)
COLOURS = (
    ("#000000", "#ffffff"),
    ("#FFFFFF", "#000000"),
    ("#1a237e", "#fff8e1"),
    ("#b71c1c", "#e0f7fa"),
    # Just above the minimum contrast of 3.
    ("#949494", "#ffffff"),
)
SIZES = (None, 128, 333, 640)
# A generated code, and one of the maximum length, which needs a larger symbol.
MAX_CODE_LENGTH = 64

# Minimum width to which an image is enlarged, as by moving a camera closer.
CLOSE = 512


@dataclass(frozen=True)
class Setting:
    """The settings of a link's QR code."""

    level: str
    margin: int
    foreground: str
    background: str
    long_code: bool

    @property
    def custom_code(self) -> str | None:
        """Returns a code of the maximum length that describes the settings, and is therefore unique."""
        if not self.long_code:
            return None
        words = [self.level, str(self.margin), self.foreground[1:], self.background[1:]]
        return "-".join(words).ljust(MAX_CODE_LENGTH, "x")


class Terse:
    """A client with one connection."""

    def __init__(self, base_url: str, key: str) -> None:
        self.base_url = base_url
        self.session = requests.Session()
        self.session.headers["X-API-Key"] = key

    def post(self, path: str, body: dict[str, object]) -> dict[str, object]:
        response = self.session.post(f"{self.base_url}/api/v1/{path}", json=body, timeout=10)
        if response.status_code != 201:
            raise RuntimeError(f"POST {path} with {body}: {response.status_code} {response.text}")
        return response.json()

    def link_with_qr_code(self, setting: Setting) -> str:
        """Creates a link, enables its QR code, and returns its short URL."""
        link = {"url": "https://www.iso.org/standard/83389.html"}
        if setting.custom_code:
            link["custom_code"] = setting.custom_code
        made = self.post("shorten", link)
        self.post(
            "qrcodes",
            {
                "short_code": made["short_code"],
                "error_correction": setting.level,
                "margin": setting.margin,
                "foreground": setting.foreground,
                "background": setting.background,
            },
        )
        return str(made["short_url"])

    def image(self, address: str, media_type: str) -> bytes:
        response = self.session.get(address, timeout=10)
        if response.status_code != 200:
            raise AssertionError(f"returns {response.status_code} {response.text}")
        found = response.headers["Content-Type"]
        assert found.split(";")[0] == media_type, f"has the content type {found}"
        return response.content


def from_png(content: bytes) -> tuple[Image.Image, Image.Image]:
    """Returns the image at its own size, and enlarged."""
    image = Image.open(io.BytesIO(content)).convert("RGB")
    zoom = math.ceil(CLOSE / image.width)
    return image, image.resize((image.width * zoom, image.height * zoom), Image.Resampling.NEAREST)


def from_svg(content: bytes) -> tuple[Image.Image, Image.Image]:
    """Returns the image at its own size, and enlarged."""
    text = content.decode("utf-8")

    def drawn(zoom: int) -> Image.Image:
        png = resvg_py.svg_to_bytes(svg_string=text, skip_system_fonts=True, zoom=zoom)
        return Image.open(io.BytesIO(bytes(png))).convert("RGB")

    image = drawn(1)
    return image, drawn(math.ceil(CLOSE / image.width))


FORMATS = {"png": ("image/png", from_png), "svg": ("image/svg+xml", from_svg)}


def check_symbol(image: Image.Image, setting: Setting, short_url: str) -> None:
    """Asserts that the image encodes the short URL and has the settings."""
    # Pastes the image onto a larger page of the same background, which replaces a missing margin.
    around = image.width // 8
    page = Image.new("RGB", (image.width + 2 * around, image.height + 2 * around), setting.background)
    page.paste(image, (around, around))
    found = zxingcpp.read_barcodes(page, formats=zxingcpp.BarcodeFormat.QRCode)
    assert len(found) == 1, f"contains {len(found)} readable QR codes"
    assert found[0].text == short_url, f"encodes {found[0].text!r}"

    facts = found[0].extra
    assert facts["ECLevel"] == setting.level, f"corrects at level {facts['ECLevel']}"

    foreground, background = (ImageColor.getrgb(c) for c in (setting.foreground, setting.background))
    colours = {colour for _, colour in image.getcolors() or []}
    assert colours == {foreground, background}, f"has the colours {colours or 'more than 256'}"
    check_margin(image, background, setting.margin, modules=17 + 4 * int(facts["Version"]))


def check_margin(image: Image.Image, background: tuple[int, ...], margin: int, modules: int) -> None:
    """Asserts that a symbol with this number of modules has at least the margin on each side."""
    # Finder patterns fill three corners, so the bounding box is the symbol.
    drawn = ImageChops.difference(image, Image.new("RGB", image.size, background)).getbbox()
    assert drawn, "is empty"
    left, top, right, bottom = drawn
    module = (right - left) / modules
    # Half a module exceeds all rounding to pixels.
    for side in (left, top, image.width - right, image.height - bottom):
        assert side / module > margin - 0.5, f"has a margin of {side / module:.2f} modules"


def failures(terse: Terse, setting: Setting) -> Iterator[str | None]:
    """Yields the fault of each image of a link, or None for a correct image."""
    short_url = terse.link_with_qr_code(setting)
    for (suffix, (media_type, draw)), size in product(FORMATS.items(), SIZES):
        address = f"{short_url}/qr.{suffix}" + (f"?size={size}" if size else "")
        try:
            image, close = draw(terse.image(address, media_type))
            assert image.width == image.height, f"is {image.width} by {image.height} pixels"
            assert size in (None, image.width), f"is {image.width} pixels wide"
            check_symbol(close, setting, short_url)
        except Exception as error:
            yield f"{address} for {setting}: {error}"
        else:
            yield None


def main() -> int:
    terse = Terse(os.environ["TERSE_URL"], os.environ["TERSE_KEY"])
    passed = failed = 0
    for level, margin, colours, long_code in product(LEVELS, MARGINS, COLOURS, (False, True)):
        for failure in failures(terse, Setting(level, margin, *colours, long_code)):
            if failure is None:
                passed += 1
            else:
                failed += 1
                print(failure)
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0 or passed == 0)


sys.exit(main())

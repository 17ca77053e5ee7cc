"""What is in the text of a page."""

import base64
import json
import re
import zlib


def data_in(text):
    """The data of a page, read as the page itself does."""
    packed = re.search(r'<script type="text/plain" id="data">([A-Za-z0-9+/=]*)</script>', text)[1]
    return json.loads(zlib.decompress(base64.b64decode(packed)))

"""Makes the links of a file exist as the file says, in batches."""

import json
import os
import sys

from terse_client import Terse

terse = Terse(os.environ["TERSE_URL"], os.environ["TERSE_KEY"])
with open(sys.argv[1], encoding="utf-8") as file:
    done = terse.links.create_many(json.load(file), if_exists="update")
if done.failed:
    sys.exit(f"{len(done.failed)} links failed: {done.failed[0].error}")

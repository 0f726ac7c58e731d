"""What servers are given to prepare a guest that has heat-cfntools, as cloud-init takes it."""

from typing import Final

CLOUD_CONFIG: Final = """\
#cloud-config
output:
  all: "| tee -a /var/log/cloud-init-output.log"
"""

BOOTHOOK: Final = """\
#!/bin/sh
# Programs of heat-cfntools are looked for where the tools of AWS are. Whatever fails here must not
# keep the guest from booting.
tools=$(command -v cfn-create-aws-symlinks) && "$tools" --force || true
exit 0
"""

PART_HANDLER: Final = """\
#part-handler
\"\"\"Stores the parts of the user data that heat-cfntools reads, each under its name.\"\"\"

import os

FOLDERS = ("/var/lib/heat-cfntools", "/var/lib/cloud/data")


def list_types():
    return ["text/x-cfninitdata"]


def handle_part(data, ctype, filename, payload):
    if ctype in ("__begin__", "__end__"):
        return
    content = payload if isinstance(payload, bytes) else payload.encode("utf-8")
    for folder in FOLDERS:
        os.makedirs(folder, 0o700, exist_ok=True)
        path = os.path.join(folder, os.path.basename(filename))
        with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as file:
            file.write(content)
"""

RUN_USER_DATA: Final = """\
#!/usr/bin/env python3
\"\"\"Runs the user data that the part handler has stored, and keeps what it prints.\"\"\"

import os
import subprocess
import sys
import time

SCRIPT = "/var/lib/cloud/data/cfn-userdata"
LOG = "/var/log/heat-provision.log"
FINISHED = "/var/lib/heat-cfntools/provision-finished"


def main():
    with open(os.open(LOG, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600), "ab", 0) as log:
        log.write(time.strftime("%Y-%m-%dT%H:%M:%S begins\\n").encode())
        code = 0
        if os.path.exists(SCRIPT) and os.path.getsize(SCRIPT):
            os.chmod(SCRIPT, 0o700)
            try:
                code = subprocess.call([SCRIPT], stdout=log, stderr=log)
            except OSError as error:
                # It has no line that names its interpreter: it is data for others.
                log.write((str(error) + "\\n").encode())
        log.write(time.strftime("%Y-%m-%dT%H:%M:%S ends\\n").encode())
    if code == 0:
        with open(FINISHED, "w"):
            pass
    return code


sys.exit(main())
"""

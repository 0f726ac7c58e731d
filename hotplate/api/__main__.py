"""`python -m hotplate.api` prints the OpenAPI document, as it is kept in the manual."""

import sys

from hotplate.api.endpoints import ENDPOINTS, OPEN_ENDPOINTS
from hotplate.api.openapi import openapi_document, openapi_text
from hotplate.api.workflows.endpoints import WORKFLOW_ENDPOINTS

if __name__ == "__main__":
    sys.stdout.write(openapi_text(openapi_document(ENDPOINTS, OPEN_ENDPOINTS, WORKFLOW_ENDPOINTS)))

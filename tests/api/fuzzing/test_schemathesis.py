"""No request that can be made up from the OpenAPI document gets an answer that is not in it."""

from pathlib import Path

import pytest

from tests.api.fuzzing.openapi import ROUNDS_SEED, fuzzed
from tests.api.fuzzing.workflows import fuzzed_workflows

_EXAMPLES = 15
_WORKFLOW_EXAMPLES = 8

pytestmark = pytest.mark.slow


def test_every_answer_is_one_that_the_document_foresees(tmp_path: Path) -> None:
    with fuzzed(tmp_path) as tester:
        for operation in tester.operations:
            tester.fuzz(operation, _EXAMPLES, ROUNDS_SEED)
        reached = filter(tester.can_reach, tester.operations)
        labels = {operation.label for operation in reached}
    findings = tester.findings
    assert not findings.failures, "\n".join(dict.fromkeys(findings.failures))
    assert findings.accepted >= labels, "some operations were never carried out"


def test_every_answer_of_the_workflow_api_is_one_that_the_document_foresees(
    tmp_path: Path,
) -> None:
    with fuzzed_workflows(tmp_path) as tester:
        for operation in tester.operations:
            tester.fuzz(operation, _WORKFLOW_EXAMPLES, ROUNDS_SEED)
        labels = {operation.label for operation in tester.operations}
    findings = tester.findings
    assert not findings.failures, "\n".join(dict.fromkeys(findings.failures))
    assert findings.accepted >= labels, labels - findings.accepted

"""The cases of the differential test on a real Mistral: the recording is what it answers today.

A third of the cases is run, enough to notice that the recording has grown old; with
HOTPLATE_ALL_CASES in the environment all of them.
"""

import os
from concurrent.futures import ThreadPoolExecutor

from tests.mistral_server import Mistral
from tests.workflows.case import all_cases
from tests.workflows.over_api import WorkflowApi
from tests.workflows.test_recorded import RECORDED

AT_ONCE = 4
EVERY = 1 if os.environ.get("HOTPLATE_ALL_CASES") else 3


def test_a_real_mistral_answers_as_recorded(mistral: Mistral) -> None:
    cases = all_cases()[::EVERY]
    by_name = {case.name: case for case in cases}
    with WorkflowApi(mistral.url) as real:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            found = dict(zip(by_name, pool.map(real.run, cases), strict=True))
        # On a busy machine Mistral now and then loses a run for good; it has a second chance.
        lost = [name for name, outcome in found.items() if "stuck" in outcome]
        found.update({name: real.run(by_name[name]) for name in lost})
    assert found == {case.name: RECORDED[case.name] for case in cases}

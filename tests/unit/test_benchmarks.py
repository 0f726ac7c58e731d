from tests.benchmarks.__main__ import benchmarks


def test_every_module_with_figures_is_a_benchmark_and_no_other() -> None:
    found = benchmarks()
    assert {"engine", "template", "sealing"} <= found.keys()
    assert "process_tree" not in found

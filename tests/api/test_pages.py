"""Pages beside the API."""

from tests.api.conftest import Api


def test_a_healthy_server_says_ok(api: Api) -> None:
    answer = api.get("http://testserver/healthcheck")
    assert (answer.status_code, answer.text) == (200, "OK")


def test_the_description_of_the_api_is_openapi(api: Api) -> None:
    document = api.get("http://testserver/openapi.json").json()
    assert document["openapi"].startswith("3.1")


def test_figures_count_requests_by_route_and_never_by_address(api: Api) -> None:
    for address in ("/healthcheck", "/healthcheck///", "/v1/project/no/such/place", "/else/where"):
        api.get(f"http://testserver{address}")
    text = api.get("http://testserver/metrics").text
    assert 'hotplate_requests_total{method="GET",route="/healthcheck",status="200"} 2.0' in text
    assert 'hotplate_requests_total{method="GET",route="none",status="404"} 2.0' in text
    assert "no/such/place" not in text
    assert "hotplate_traversals_in_progress 0.0" in text
    assert 'hotplate_database_seconds_count{kind="write"}' in text
    assert "process_cpu_seconds_total" in text

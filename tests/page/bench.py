"""Figures of the page with 10,000 resources in 500 nested stacks: `make bench-page`.

A real server and Debian's Chromium. The stack is made by the server; the burst of events is put
into the page's own stream, 1,000 in a second, so that the time from the arrival of an event to its
row is that of the page alone.
"""

import json
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route, sync_playwright

from tests.acceptance.serving import Served, end, start
from tests.page.browsing import Browsing

MEMBERS = int(os.environ.get("HOTPLATE_PAGE_MEMBERS", "500"))
EACH = 19
BUILT = Path(__file__).resolve().parents[2] / "hotplate" / "page" / "static"

_LIMITS = "[limits]\nmost_resources = 20000\n"

_WATCH = """
    window.longTasks = [];
    new PerformanceObserver(list => {
        for (const each of list.getEntries()) window.longTasks.push(each.duration);
    }).observe({type: 'longtask', buffered: true});
    window.firstRow = 0;
    new MutationObserver((_, watching) => {
        if (document.querySelector('.tree-row')) {
            watching.disconnect();
            requestAnimationFrame(() => { window.firstRow = performance.now(); });
        }
    }).observe(document, {childList: true, subtree: true});
"""

_FEED = """
    const real = window.fetch;
    window.fetch = (address, options) => {
        if (!String(address).includes('/events/stream')) return real(address, options);
        const body = new ReadableStream({start(feed) { window.feed = feed; }});
        return Promise.resolve(new Response(body));
    };
"""

_SCROLL = """async () => {
    window.longTasks.length = 0;
    const frame = document.querySelector('.tree-frame');
    const begun = performance.now();
    let frames = 0;
    while (performance.now() - begun < 4000) {
        frame.scrollTop = (frame.scrollTop + 400) % frame.scrollHeight;
        await new Promise(requestAnimationFrame);
        frames += 1;
    }
    return {longest: Math.max(0, ...window.longTasks), frames: frames / 4};
}"""

_BURST = """async ([resources, seconds]) => {
    window.longTasks.length = 0;
    const row = document.querySelector(`.tree-row[data-key="${resources[0].key}"]`);
    const delays = [];
    let sent = 0;
    let wanted = '';
    new MutationObserver(() => {
        if (row.dataset.status === wanted) { delays.push(performance.now() - sent); wanted = ''; }
    }).observe(row, {attributes: true, attributeFilter: ['data-status']});
    const encoder = new TextEncoder();
    let number = 0;
    const begun = performance.now();
    for (let batch = 0; batch < seconds * 20; batch += 1) {
        const due = begun + batch * 50;
        const pause = Math.max(0, due - performance.now());
        await new Promise(resolve => setTimeout(resolve, pause));
        let text = '';
        for (let each = 0; each < 50; each += 1) {
            const isFirst = each === 0 && wanted === '';
            const one = isFirst ? resources[0] : resources[1 + number % (resources.length - 1)];
            const status = number % 2 ? 'UPDATE_COMPLETE' : 'UPDATE_IN_PROGRESS';
            const other = number % 2 ? 'UPDATE_IN_PROGRESS' : 'UPDATE_COMPLETE';
            const told = isFirst && row.dataset.status === status ? other : status;
            if (isFirst) { wanted = told; sent = performance.now(); }
            const event = {...one.event, id: `burst-${number}`, resource_status: told};
            text += `id: burst-${number}\\nevent: resource\\ndata: ${JSON.stringify(event)}\\n\\n`;
            number += 1;
        }
        window.feed.enqueue(encoder.encode(text));
    }
    await new Promise(resolve => setTimeout(resolve, 1500));
    return {delays, longest: Math.max(0, ...window.longTasks), events: number};
}"""


def _recipe() -> dict[str, Any]:
    leaf = {"type": "OS::Heat::None"}
    member = {
        "heat_template_version": "wallaby",
        "resources": {f"part{number}": leaf for number in range(EACH)},
    }
    group = {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"count": MEMBERS, "resource_def": {"type": "member.yaml"}},
    }
    return {
        "stack_name": "large",
        "template": {"heat_template_version": "wallaby", "resources": {"group": group}},
        "files": {"member.yaml": json.dumps(member)},
    }


def _made(browsing: Browsing) -> str:
    begun = time.monotonic()
    browsing.api("POST", "/stacks", _recipe())
    while True:
        stack = browsing.stack("large")
        if stack["stack_status"] != "CREATE_IN_PROGRESS":
            break
        time.sleep(1)
    assert stack["stack_status"] == "CREATE_COMPLETE", stack["stack_status_reason"]
    print(f"  (made by the server in {time.monotonic() - begun:.0f} s)", file=sys.stderr)
    return str(stack["id"])


def _burst_events(browsing: Browsing) -> list[dict[str, Any]]:
    resources = browsing.resources("large")
    leaves = [each for each in resources if "stack" not in each]
    return [
        {
            "key": each["key"],
            "event": {
                "event_time": "2026-01-01T00:00:00Z",
                "resource_name": each["resource_name"],
                "logical_resource_id": each["resource_name"],
                "resource_status_reason": "state changed",
                "physical_resource_id": each["physical_resource_id"],
                "resource_type": each["resource_type"],
                "links": [link for link in each["links"] if link["rel"] == "stack"],
            },
        }
        for each in leaves
    ]


def _memory(page: Page) -> str:
    """Return what the tab's scripts keep, and what its process has in all."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    used: float = session.send("Runtime.getHeapUsage")["usedSize"]
    browser = page.context.browser
    assert browser is not None
    found = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    tabs = [int(each["id"]) for each in found if each["type"] == "renderer"]
    return f"{used / 1e6:.0f} MB of objects, {max(map(_resident, tabs)):.0f} MB of the process"


def _resident(process: int) -> float:
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def sizes(packing: str) -> dict[str, float]:
    """Return the compressed kilobytes of what the page loads first, of all, and of the layout.

    ``packing`` is gz or br. The layout engine of the topology is loaded when that is shown, and
    does not count as the page.
    """
    packed = {
        path.name: path.with_name(f"{path.name}.{packing}").stat().st_size / 1000
        for path in BUILT.rglob("*")
        if path.suffix in {".js", ".css", ".html"}
    }
    index = (BUILT / "index.html").read_text(encoding="utf-8")
    first = sum(size for name, size in packed.items() if name in index or name == "index.html")
    layout = sum(size for name, size in packed.items() if name.startswith("elk"))
    return {"first": first, "all": sum(packed.values()) - layout, "layout": layout}


def _various(tree: Any) -> None:
    """Let no two nested stacks of a tree be alike: other requirements in each of them."""
    chance = random.Random(1)
    for group in tree["stack"]["resources"]:
        for member in group.get("stack", {}).get("resources", []):
            inner = member.get("stack", {}).get("resources", [])
            for place, each in enumerate(inner):
                later = [other["resource_name"] for other in inner[place + 1 :]]
                each["required_by"] = [name for name in later if chance.random() < 1.5 / len(inner)]


def _topologies(page: Page, browsing: Browsing, at: str) -> None:
    """Print how long the picture takes: closed at first, all open and equal, all open and not."""
    topology = at.replace("/tree", "/topology")
    done = "() => document.querySelector('.topology-frame[aria-busy=false]')?.dataset.took"
    for words, query in (("at first", ""), ("500 equal boxes open", "?boxes=all")):
        page.goto("about:blank")
        browsing.open(f"{topology}{query}")
        took = page.wait_for_function(done, timeout=120_000).json_value()
        print(f"topology, {words}: {took} ms")

    def answer(route: Route) -> None:
        tree = route.fetch().json()
        _various(tree)
        route.fulfill(json=tree)

    page.route("**/tree?*", answer)
    page.goto("about:blank")
    browsing.open(f"{topology}?boxes=all")
    took = page.wait_for_function(done, timeout=120_000).json_value()
    tasks = page.evaluate("Math.max(0, ...window.longTasks)")
    print(f"topology, 500 boxes open that all differ: {took} ms, longest task {tasks:.0f} ms")
    page.unroute("**/tree?*")


def measure(served: Served, executable: str) -> None:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=executable, args=arguments)
        page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
        browsing = Browsing(page, served)
        at = f"#/default/stacks/large/{_made(browsing)}/tree"
        page.add_init_script(_WATCH)
        paints = []
        for _ in range(3):
            page.goto("about:blank")
            browsing.open(at)
            page.wait_for_function("() => window.firstRow > 0", timeout=120_000)
            paints.append(page.evaluate("window.firstRow"))
        print(f"first useful paint: {min(paints):.0f} ms (goal 1,000; tries {_list(paints)})")
        count = page.evaluate("document.querySelector('.tree-toolbar [role=status]').textContent")
        browsing.open(f"{at}?open=all")
        page.wait_for_function("() => document.querySelectorAll('.tree-row').length > 20")
        scrolled = page.evaluate(_SCROLL)
        print(f"longest task while scrolling: {scrolled['longest']:.0f} ms (goal below 200)")
        print(f"frames drawn while scrolling: {scrolled['frames']:.0f} per second")
        print(f"memory of the tab: {_memory(page)} ({count})")
        _topologies(page, browsing, at)
        page.add_init_script(_FEED)
        events = _burst_events(browsing)
        page.goto("about:blank")
        browsing.open(f"{at}?open=all")
        page.wait_for_function(
            "() => document.querySelectorAll('.tree-row').length > 20 && window.feed"
        )
        burst = page.evaluate(_BURST, [events, 10])
        delays = sorted(burst["delays"])
        print(
            f"{burst['events']} events at 1,000 per second: drawn after "
            f"{delays[len(delays) // 2]:.0f} ms in the middle, {delays[-1]:.0f} ms at most "
            f"(goal below 1,000; {len(delays)} looked at), longest task {burst['longest']:.0f} ms"
        )
        print(f"memory of the tab after them: {_memory(page)}")
        browser.close()


def _list(values: list[float]) -> str:
    return ", ".join(f"{each:.0f}" for each in values)


def main() -> None:
    """Print the figures."""
    for words, packing in (("gzip", "gz"), ("brotli", "br")):
        found = sizes(packing)
        print(
            f"{words}: {found['first']:.0f} kB first, {found['all']:.0f} kB all (budget 300), "
            f"{found['layout']:.0f} kB layout engine on demand"
        )
    executable = shutil.which("chromium")
    assert executable, "the figures need Chromium: apt-get install chromium"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = folder / "hotplate.toml"
        settings.write_text(_LIMITS, encoding="utf-8")
        database = f"sqlite:///{folder / 'hotplate.db'}"
        served = start("--config", str(settings), database=database, folder=folder)
        try:
            measure(served, executable)
        finally:
            end(served)


if __name__ == "__main__":
    main()

/** The frame of the page: what is always there, and the section that the address names. */
import { effect } from "@preact/signals";
import { lazy } from "../../parts/Lazy";
import { ErrorBox, Loading } from "../../parts/Messages";
import { navigate, route, sectionHref, stackPlace } from "../../state/route";
import { enterProject, needsSignIn, session, sessionError, version } from "../../state/session";
import { sections } from "../registry";
import { SignIn } from "../sign-in/SignIn";
import { StackByName } from "../stack/StackByName";
import { StackFrame } from "../stack/StackFrame";
import { Who } from "./Who";

const VIEWS = new Map(sections.map((section) => [section.id, lazy(section.load)]));

/** The project in the address and that of the session are one. */
effect(() => {
    const who = session.value;
    if (!who) return;
    if (route.value.project) enterProject(route.value.project);
    else navigate({ ...route.value, project: who.project }, true);
});

effect(() => {
    const { section, rest } = route.value;
    const title = rest[0] ?? sections.find((each) => each.id === section)?.title;
    document.title = title ? `${title} · Hotplate` : "Hotplate";
});

/** A page that has no entry of its own, such as an update, belongs to the stacks. */
function currentOf(id: string, section: string): { "aria-current"?: "page" | "true" } {
    if (id === section) return { "aria-current": "page" };
    const isOther = sections.some((each) => each.id === section && each.isHidden);
    return isOther && id === "stacks" ? { "aria-current": "true" } : {};
}

export function Shell() {
    if (needsSignIn.value) return <SignIn />;
    if (!session.value)
        return sessionError.value ? (
            <ErrorBox error={new Error(sessionError.value)} onRetry={() => location.reload()} />
        ) : (
            <Loading what="Hotplate" />
        );
    const { section, rest } = route.value;
    const View = VIEWS.get(section);
    const place = stackPlace.value;
    return (
        <div class="shell">
            <a class="skip" href="#main" onClick={skip}>
                Skip to the content
            </a>
            <header class="top">
                <a
                    class="brand"
                    href={sectionHref("stacks")}
                    title={`Hotplate ${version.value}`}
                >
                    <img src="/icon.svg" alt="" /> Hotplate
                </a>
                <nav aria-label="Sections">
                    {sections
                        .filter((each) => !each.isHidden)
                        .map((each) => (
                            <a
                                key={each.id}
                                href={sectionHref(each.id)}
                                {...currentOf(each.id, section)}
                            >
                                {each.title}
                            </a>
                        ))}
                </nav>
                <Who who={session.value} />
            </header>
            <main class="main" id="main" tabIndex={-1}>
                {place ? (
                    <StackFrame place={place} />
                ) : section === "stacks" && rest[0] ? (
                    <StackByName name={rest[0]} />
                ) : View ? (
                    <View />
                ) : (
                    <ErrorBox error={new Error(`There is no page "${section}".`)} />
                )}
            </main>
        </div>
    );
}

/** The fragment of the address is the route: going to the content must not change it. */
function skip(event: Event): void {
    event.preventDefault();
    document.getElementById("main")?.focus();
}

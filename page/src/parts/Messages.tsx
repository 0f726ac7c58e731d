/** What a page says when there is nothing, when something is wrong, and while it waits. */
import type { ComponentChildren } from "preact";
import { ApiError } from "../api/http";
import { Button } from "./Button";
import { Icon } from "./Icon";

/** An empty place that teaches the first step. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
    return (
        <div class="empty">
            <h2>{title}</h2>
            {children}
        </div>
    );
}

const HINTS: Record<number, string> = {
    0: "Start it again with `hotplate serve`; the page goes on by itself when it answers.",
    403: "Ask your administrator for a role that may do this, or change the project.",
    404: "It may have been deleted. Go back to the list of stacks.",
    409: "Something else is going on with it. Wait until that has ended, and try again.",
    412: "The stack has changed since this was shown. Look at it again before you go on.",
    503: "The server says that it is busy. Try again in some seconds.",
};

/** What went wrong, where, and what to do next. */
export function ErrorBox({
    error,
    onRetry,
}: {
    error: unknown;
    onRetry?: (() => void) | undefined;
}) {
    const known = error instanceof ApiError ? error : null;
    const message = error instanceof Error ? error.message : String(error);
    const hint = known ? HINTS[known.status] : undefined;
    return (
        <div class="error-box" role="alert">
            <p>
                <strong>{known?.type || "That did not work."}</strong> {message}
            </p>
            {known && known.problems.length > 0 && (
                <ul>
                    {known.problems.map((problem, index) => (
                        <li key={index}>
                            {problem.file && (
                                <code>
                                    {problem.file}:{problem.line}:{problem.column}{" "}
                                </code>
                            )}
                            {problem.message}
                            {problem.hint && <span class="muted">; {problem.hint}</span>}
                        </li>
                    ))}
                </ul>
            )}
            {hint && <p class="muted">{hint}</p>}
            {onRetry && (
                <div>
                    <Button onClick={onRetry}>Try again</Button>
                </div>
            )}
        </div>
    );
}

export function Loading({ what }: { what: string }) {
    return (
        <div class="spinner running" role="status">
            <Icon name="turning" />
            <span>{what} …</span>
        </div>
    );
}

/** A status: an icon, a colour and the word, never one of them alone. */
import { toneOf } from "../model/status";
import type { Tone } from "../model/status";
import { Icon } from "./Icon";
import type { IconName } from "./Icon";

export const ICONS: Record<Tone, IconName> = {
    done: "check",
    running: "turning",
    failed: "cross",
    waiting: "pause",
    idle: "dash",
};

export const TONE_WORDS: Record<Tone, string> = {
    done: "complete",
    running: "in progress",
    failed: "failed",
    waiting: "waiting at a hook",
    idle: "not there",
};

export function StatusBadge({
    status,
    hook = "",
}: {
    status: string;
    hook?: string | undefined;
}) {
    const tone = toneOf(status, hook);
    return (
        <span class={`badge ${tone}`}>
            <Icon name={ICONS[tone]} />
            {hook ? `${status} (${hook})` : status}
        </span>
    );
}

/** The icon alone, with its word for screen readers, where the word stands beside it anyway. */
export function ToneIcon({ tone, label }: { tone: Tone; label?: string }) {
    return (
        <span class={`tone-icon ${tone}`} title={label ?? TONE_WORDS[tone]}>
            <Icon name={ICONS[tone]} />
            <span class="hidden-text">{label ?? TONE_WORDS[tone]}</span>
        </span>
    );
}

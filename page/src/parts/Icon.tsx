/** The page's few icons, drawn with the colour of the text around them. */

const PATHS = {
    check: "M3 8.5 6.5 12 13 4.5",
    cross: "M4 4l8 8M12 4l-8 8",
    turning: "M14 8a6 6 0 1 1-3-5.2",
    pause: "M5.5 3.5v9M10.5 3.5v9",
    dash: "M3.5 8h9",
    right: "M6 3.5 10.5 8 6 12.5",
    down: "M3.5 6 8 10.5 12.5 6",
    up: "M3.5 10 8 5.5l4.5 4.5",
    search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.7 10.7 14 14",
    more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
    plus: "M8 3v10M3 8h10",
    external: "M6 3H3v10h10v-3M9 3h4v4M13 3 7.5 8.5",
    copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
    old: "M8 4v4l2.5 1.5M14 8a6 6 0 1 1-12 0 6 6 0 0 1 12 0Z",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 14 }: { name: IconName; size?: number }) {
    return (
        <svg
            class={name}
            width={size}
            height={size}
            viewBox="0 0 16 16"
            fill="none"
            stroke="currentColor"
            stroke-width="2"
            stroke-linecap="round"
            stroke-linejoin="round"
            aria-hidden="true"
        >
            <path d={PATHS[name]} />
        </svg>
    );
}

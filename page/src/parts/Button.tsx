import type { ComponentChildren, JSX } from "preact";

type Kind = "" | "primary" | "danger" | "quiet";

interface Props extends Omit<JSX.IntrinsicElements["button"], "class" | "type"> {
    kind?: Kind;
    type?: "button" | "submit";
    children?: ComponentChildren;
}

export function Button({ kind = "", type = "button", children, ...rest }: Props) {
    return (
        <button {...rest} type={type} class={`button ${kind}`}>
            {children}
        </button>
    );
}

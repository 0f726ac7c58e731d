/** A dialog of the browser: it holds the focus, and Escape closes it. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "./Button";
import { Icon } from "./Icon";

interface Props {
    title: string;
    onClose: () => void;
    isWide?: boolean;
    /** The buttons; the safe one first. */
    footer?: ComponentChildren;
    children?: ComponentChildren;
}

export function Dialog({ title, onClose, isWide = false, footer, children }: Props) {
    const dialog = useRef<HTMLDialogElement>(null);
    const id = useId();
    useEffect(() => {
        const opener = document.activeElement;
        dialog.current?.showModal();
        return () => {
            if (opener instanceof HTMLElement) opener.focus();
        };
    }, []);
    return (
        <dialog
            ref={dialog}
            class={`dialog ${isWide ? "wide" : ""}`}
            aria-labelledby={id}
            onCancel={(event) => {
                event.preventDefault();
                onClose();
            }}
        >
            <header>
                <h2 id={id}>{title}</h2>
                <Button kind="quiet" aria-label="Close" onClick={onClose}>
                    <Icon name="cross" />
                </Button>
            </header>
            <div class="body">{children}</div>
            {footer && <footer>{footer}</footer>}
        </dialog>
    );
}

/** A button that opens a list of things to do; arrows move, Escape closes. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "./Icon";

export interface MenuItem {
    id: string;
    title: string;
    isDangerous?: boolean;
    /** Why it cannot be done now, or empty. */
    refusal?: string;
    onChoose: () => void;
}

export function Menu({ title, items }: { title: string; items: readonly MenuItem[] }) {
    const [isOpen, setOpen] = useState(false);
    const frame = useRef<HTMLDivElement>(null);
    const button = useRef<HTMLButtonElement>(null);
    useEffect(() => {
        if (!isOpen) return;
        frame.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
        const close = (event: Event): void => {
            if (!frame.current?.contains(event.target as Node)) setOpen(false);
        };
        document.addEventListener("pointerdown", close);
        return () => document.removeEventListener("pointerdown", close);
    }, [isOpen]);
    const onKey = (event: KeyboardEvent): void => {
        const all = [
            ...(frame.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? []),
        ];
        const at = all.indexOf(document.activeElement as HTMLElement);
        const goTo = (index: number): void => {
            all[(index + all.length) % all.length]?.focus();
            event.preventDefault();
        };
        if (event.key === "ArrowDown") goTo(at + 1);
        else if (event.key === "ArrowUp") goTo(at - 1);
        else if (event.key === "Home") goTo(0);
        else if (event.key === "End") goTo(all.length - 1);
        else if (event.key === "Escape") {
            setOpen(false);
            button.current?.focus();
            event.stopPropagation();
        } else if (event.key === "Tab") setOpen(false);
    };
    const choose = (item: MenuItem): void => {
        if (item.refusal) return;
        setOpen(false);
        button.current?.focus();
        item.onChoose();
    };
    return (
        <div class="menu" ref={frame} {...(isOpen ? { onKeyDown: onKey } : {})}>
            <button
                ref={button}
                type="button"
                class="button"
                aria-haspopup="menu"
                aria-expanded={isOpen}
                onClick={() => setOpen(!isOpen)}
            >
                {title} <Icon name="down" size={11} />
            </button>
            {isOpen && (
                <ul class="menu-list" role="menu" aria-label={title}>
                    {items.map((item) => (
                        <li key={item.id} role="none">
                            <button
                                type="button"
                                role="menuitem"
                                tabIndex={-1}
                                class={item.isDangerous ? "danger" : ""}
                                aria-disabled={!!item.refusal}
                                onClick={() => choose(item)}
                            >
                                {item.title}
                                {item.refusal && <small>{item.refusal}</small>}
                            </button>
                        </li>
                    ))}
                </ul>
            )}
        </div>
    );
}

/** A component that is drawn again only when one of its properties is another one. */
import { Component } from "preact";
import type { ComponentChild, ComponentType } from "preact";

export function memo<P extends object>(draw: (props: P) => ComponentChild): ComponentType<P> {
    return class extends Component<P> {
        override shouldComponentUpdate(next: Readonly<P>): boolean {
            const before = this.props as Record<string, unknown>;
            const after = next as Record<string, unknown>;
            for (const name in after)
                if (name !== "children" && before[name] !== after[name]) return true;
            return false;
        }
        override render(): ComponentChild {
            return draw(this.props as P);
        }
    };
}

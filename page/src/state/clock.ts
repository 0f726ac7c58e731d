/** The time, once a second, for what shows how long something takes. */
import { signal } from "@preact/signals";

export const now = signal(Date.now());

window.setInterval(() => {
    if (!document.hidden) now.value = Date.now();
}, 1000);

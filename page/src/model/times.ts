/** Times and spans in words that are short and the same everywhere. */

export function timeOf(text: string | null): number {
    return text ? Date.parse(text) : NaN;
}

/** `8 s`, `3 min 20 s`, `2 h 5 min`, `4 d 3 h`. */
export function span(milliseconds: number): string {
    const seconds = Math.max(0, Math.round(milliseconds / 1000));
    if (seconds < 60) return `${seconds} s`;
    const minutes = Math.floor(seconds / 60);
    if (minutes < 10) return `${minutes} min ${seconds % 60} s`;
    if (minutes < 60) return `${minutes} min`;
    const hours = Math.floor(minutes / 60);
    if (hours < 24) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
    const days = Math.floor(hours / 24);
    return hours % 24 && days < 10 ? `${days} d ${hours % 24} h` : `${days} d`;
}

export function ago(text: string | null, now: number): string {
    const time = timeOf(text);
    return Number.isNaN(time) ? "" : `${span(now - time)} ago`;
}

/** Time of day in the user's place; with the date if it is not today. */
export function clock(text: string | null, now: number = Date.now()): string {
    const time = timeOf(text);
    if (Number.isNaN(time)) return "";
    const date = new Date(time);
    const day =
        date.toDateString() === new Date(now).toDateString()
            ? ""
            : `${date.toLocaleDateString()} `;
    return `${day}${date.toLocaleTimeString()}`;
}

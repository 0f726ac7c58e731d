/** Give the user a text as a file. */
export function download(name: string, text: string): void {
    const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

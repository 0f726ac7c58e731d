// The build: hashed files in hotplate/page/static/, each with a gzip copy beside it.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { defineConfig } from "vite";
import type { Plugin } from "vite";

const OUT = "../hotplate/page/static";
const PACKED = /\.(js|css|html|svg|json)$/;

function packed(): Plugin {
    return {
        name: "packed",
        closeBundle() {
            const pack = (folder: string): void => {
                for (const name of readdirSync(folder)) {
                    const path = join(folder, name);
                    if (statSync(path).isDirectory()) pack(path);
                    else if (PACKED.test(name))
                        writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
                }
            };
            pack(OUT);
        },
    };
}

export default defineConfig({
    base: "/",
    esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
    build: {
        outDir: OUT,
        emptyOutDir: true,
        target: "es2021",
        // A style or a picture inside a script would need a weaker policy.
        assetsInlineLimit: 0,
        cssCodeSplit: true,
        modulePreload: { polyfill: false },
    },
    worker: { format: "es" },
    plugins: [packed()],
});

// The build: hashed files in hotplate/page/static/, each with compressed copies beside it.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { defineConfig } from "vite";
import type { Plugin } from "vite";

const OUT = "../hotplate/page/static";
const PACKED = /\.(js|css|html|svg|json)$/;

const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
};

function packed(): Plugin {
    return {
        name: "packed",
        closeBundle() {
            const pack = (folder: string): void => {
                for (const name of readdirSync(folder)) {
                    const path = join(folder, name);
                    if (statSync(path).isDirectory()) pack(path);
                    else if (PACKED.test(name)) {
                        const body = readFileSync(path);
                        writeFileSync(`${path}.gz`, gzipSync(body, { level: 9 }));
                        writeFileSync(`${path}.br`, brotliCompressSync(body, { params }));
                    }
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

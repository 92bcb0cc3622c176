import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { gzipSync } from "node:zlib";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { build } from "vite";

export type Reference = { url: string; close(): void };

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

/** The bare page (front-skeleton), built as ours is and served compressed as ours is. */
export async function serveReference(folder: string): Promise<Reference> {
  const outDir = path.join(folder, "skeleton");
  await build({
    configFile: false,
    logLevel: "warn",
    root: path.join(import.meta.dirname, "front-skeleton"),
    plugins: [react(), tailwindcss()],
    build: { outDir, emptyOutDir: true, assetsInlineLimit: 0, target: ["chrome123"] },
  });
  const files = new Map<string, Buffer>(
    fs
      .readdirSync(outDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [`/${path.relative(outDir, file)}`, gzipSync(fs.readFileSync(file))] as const),
  );
  const server = http.createServer((request, response) => {
    const asked = request.url === "/" ? "/index.html" : (request.url ?? "");
    const bytes = files.get(asked);
    if (!bytes) return response.writeHead(404).end();
    const type = TYPES[path.extname(asked)] ?? "application/octet-stream";
    return response.writeHead(200, { "content-type": type, "content-encoding": "gzip" }).end(bytes);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

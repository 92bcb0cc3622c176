import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { build } from "vite";
import { cssModules } from "../scripts/css-modules.ts";

export type Reference = { url: string; close(): void };

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
};

const PEERS = path.join(import.meta.dirname, "peers");

export function serveSkeleton(folder: string): Promise<Reference> {
  return serveReference(path.join(import.meta.dirname, "front-skeleton"), path.join(folder, "skeleton"));
}

export async function serveRecharts(folder: string): Promise<Reference | null> {
  if (!fs.existsSync(path.join(PEERS, "node_modules", "recharts"))) return null;
  return serveReference(path.join(PEERS, "dashboard"), path.join(folder, "recharts"), dashboard());
}

async function serveReference(root: string, outDir: string, data?: object): Promise<Reference> {
  await build({
    configFile: false,
    logLevel: "warn",
    root,
    plugins: [react()],
    css: { modules: cssModules },
    build: { outDir, emptyOutDir: true, assetsInlineLimit: 0, target: ["chrome123"] },
  });
  const files = new Map<string, Buffer>(
    fs
      .readdirSync(outDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [`/${path.relative(outDir, file)}`, gzipSync(fs.readFileSync(file))] as const),
  );
  if (data) files.set("/dashboard.json", gzipSync(JSON.stringify(data)));
  const server = http.createServer((request, response) => {
    const { url = "/" } = request;
    const asked = path.extname(url) === "" ? "/index.html" : url;
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

function dashboard(): object {
  const days = Array.from({ length: 30 }, (_, day) => ({
    day: `${String(day + 1).padStart(2, "0")}/11`,
    sent: 400 + ((day * 37) % 160),
    read: 250 + ((day * 53) % 120),
  }));
  const campaigns = Array.from({ length: 10 }, (_, at) => {
    const id = at + 1;
    return { id, name: `Campanha ${id}`, status: "Concluída", sent: 360 + id, read: 300 + id, errors: id };
  });
  const figures = ["Enviadas", "Entregues", "Lidas", "Erros"].map((name, at) => ({
    name,
    value: 12_480 - 3_100 * at,
  }));
  return { figures, days, campaigns };
}

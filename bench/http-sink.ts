import http from "node:http";
import type { AddressInfo } from "node:net";
import { serveWorker } from "./worker.ts";

export type SinkStats = { url: string; received: number; distinct: number; duplicates: number; cpuS: number };

const PLACES = 10_000_000;
const NUMBER = Buffer.from('"number":"');
const ANSWER = Buffer.from('{"success":true}');
const HEAD = { "content-type": "application/json", "content-length": ANSWER.length };
const QUOTE = 34;
const ZERO = 48;

const seen = new Uint8Array(PLACES);
let stats = { received: 0, distinct: 0, duplicates: 0 };

function take(body: Buffer): void {
  stats.received += 1;
  const start = body.indexOf(NUMBER) + NUMBER.length;
  const end = body.indexOf(QUOTE, start);
  let place = 0;
  for (let at = end - 7; at < end; at++) place = place * 10 + (body[at] ?? 0) - ZERO;
  if (seen[place] === 1) stats.duplicates += 1;
  else stats.distinct += 1;
  seen[place] = 1;
}

const server = http.createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    take(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts));
    response.writeHead(200, HEAD);
    response.end(ANSWER);
  });
});
server.keepAliveTimeout = 120_000;
await new Promise<void>((resolve) => {
  server.listen(0, "127.0.0.1", resolve);
});
const { port } = server.address() as AddressInfo;

let usedBefore = process.cpuUsage();
serveWorker(async (): Promise<SinkStats> => {
  const { user, system } = process.cpuUsage(usedBefore);
  const answer = { url: `http://127.0.0.1:${port}`, ...stats, cpuS: (user + system) / 1e6 };
  seen.fill(0);
  stats = { received: 0, distinct: 0, duplicates: 0 };
  usedBefore = process.cpuUsage();
  return answer;
});

import fs from "node:fs";
import path from "node:path";

export type RecordedCall = {
  name: string;
  method: string;
  path: string;
  key: string | null;
  body?: unknown;
  status: number;
  answer: unknown;
};

export type RecordedWebhook = {
  url: string;
  headers: Record<string, string>;
  body: { event: string; instance: string; data: unknown; [field: string]: unknown };
};

const FOLDER = path.join(import.meta.dirname, "../recordings/evolution-api");

export const recordedLines = <T>(file: string): T[] =>
  JSON.parse(fs.readFileSync(path.join(FOLDER, `${file}.json`), "utf8")) as T[];

const TELLING = new RegExp(
  `^(${[
    "status|state|statusReason|connectionStatus|disconnectionReasonCode|exists|jid|remoteJid|remoteJidAlt|fromMe",
    "number|name|integration|ownerJid|messageType|source|pushName|conversation|mediaUrl|caption|enabled|events",
    "webhookByEvents|webhookBase64|count|message|error|event|instance|addressingMode|participant|wuid|sender",
  ].join("|")})$`,
);

export function shapeOf(value: unknown, name = ""): unknown {
  if (value === null) return "null";
  // A recorded page is cut off, and the order within one second is chance.
  if (name === "lastMessage" || name === "quotedMessage") return Object.keys(value as object).sort();
  if (name === "records") return [...new Set((value as object[]).flatMap(Object.keys))].sort();
  if (Array.isArray(value)) {
    const kinds = new Map(value.map((item) => [JSON.stringify(shapeOf(item, name)), shapeOf(item, name)]));
    return [...kinds.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
  }
  if (typeof value !== "object") return TELLING.test(name) ? value : typeof value;
  const entries = Object.entries(value as object).map(([key, item]) => [key, shapeOf(item, key)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

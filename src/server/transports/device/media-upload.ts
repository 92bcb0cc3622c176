import { Agent } from "node:https";
import {
  DEFAULT_CONNECTION_CONFIG,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  getWAUploadToServer,
  type MediaConnInfo,
  S_WHATSAPP_NET,
  type WAMediaUploadFunction,
  type WASocket,
} from "baileys";
import type { Logger } from "pino";
import { baileysLog } from "./baileys-log.ts";

/** Trying all media hosts may take this many times the limit of one. */
const LIMIT = 2;

/**
 * Limit: `LIMIT` × `timeoutMs`. Baileys waits for ever on a truncated answer, which would block the device,
 * and keeps a failed host answer for the socket's life; here a good answer is kept for `ttl` seconds.
 */
export function mediaUploads(
  now: () => Date,
  log: Logger,
  timeoutMs: number,
): (sock: WASocket) => WAMediaUploadFunction {
  const known = new WeakMap<WASocket, Promise<MediaConnInfo>>();
  const config = { ...DEFAULT_CONNECTION_CONFIG, logger: baileysLog(log) };

  async function hostOf(sock: WASocket, refetch: boolean): Promise<MediaConnInfo> {
    const kept = await known.get(sock)?.catch(() => undefined);
    if (kept && !refetch && now().getTime() - kept.fetchDate.getTime() <= kept.ttl * 1000) return kept;
    const asked = askHost(sock, now);
    known.set(sock, asked);
    return asked;
  }

  return (sock) => async (filePath, options) => {
    const fetchAgent = new Agent();
    const upload = getWAUploadToServer({ ...config, fetchAgent }, (refetch) => hostOf(sock, refetch));
    return withinTime(upload(filePath, { ...options, timeoutMs }), LIMIT * timeoutMs, () =>
      cutOff(fetchAgent),
    );
  };
}

async function withinTime<T>(work: Promise<T>, ms: number, cutOffWork: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      cutOffWork();
      reject(new Error("the upload takes too long"));
    }, ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function cutOff(agent: Agent): void {
  agent.createConnection = () => {
    throw new Error("the upload is over");
  };
  agent.destroy();
}

async function askHost(sock: WASocket, now: () => Date): Promise<MediaConnInfo> {
  const answer = await sock.query({
    tag: "iq",
    attrs: { type: "set", xmlns: "w:m", to: S_WHATSAPP_NET },
    content: [{ tag: "media_conn", attrs: {} }],
  });
  const node = getBinaryNodeChild(answer, "media_conn");
  if (!node?.attrs.auth) throw new Error("WhatsApp names no media host");
  const hosts = getBinaryNodeChildren(node, "host").map(({ attrs }) => ({
    hostname: attrs.hostname ?? "",
    maxContentLengthBytes: Number(attrs.maxContentLengthBytes),
  }));
  return { hosts, auth: node.attrs.auth, ttl: Number(node.attrs.ttl), fetchDate: now() };
}

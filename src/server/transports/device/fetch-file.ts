import { createHash, type Hash } from "node:crypto";
import {
  type BaileysEventMap,
  decryptMediaRetryData,
  downloadContentFromMessage,
  encryptMediaRetryRequest,
  type MediaType,
  proto,
  type WASocket,
} from "baileys";
import type { FileField } from "../content/said-file.ts";
import { FileError, type WantedFile } from "../transport.ts";
import { type FileSource, isPath, unpackSource } from "./file-source.ts";

export type FetchTimes = {
  silenceMs: number;
  phoneMs: number;
};

const TYPES: Readonly<Record<FileField, MediaType>> = {
  imageMessage: "image",
  videoMessage: "video",
  ptvMessage: "ptv",
  audioMessage: "audio",
  documentMessage: "document",
  stickerMessage: "sticker",
};

const AWAY = new Set([403, 404, 410]);

export async function fetchFile(
  sock: WASocket,
  { source, most, signal }: WantedFile,
  times: FetchTimes,
): Promise<AsyncIterable<Uint8Array>> {
  const file = source && unpackSource(source);
  if (!file) throw new FileError("gone", "the message names no file");
  const within = (ms: number) => AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  const at = (path: string) => download(file, path, within(times.silenceMs));
  const found = await at(file.directPath).catch((error: unknown) => {
    if (AWAY.has(statusOf(error))) return null;
    throw unreachable(error);
  });
  const stream = found ?? (await at(await reupload(sock, file, within(times.phoneMs))).catch(notThere));
  return checked(stream, { most, signal, sha256: file.fileSha256, silenceMs: times.silenceMs });
}

const statusOf = (error: unknown) =>
  Number((error as { output?: { statusCode?: number } } | null)?.output?.statusCode ?? 0);

const unreachable = (error: unknown) =>
  error instanceof FileError
    ? error
    : new FileError("unreachable", error instanceof Error ? error.message : undefined);

function notThere(error: unknown): never {
  throw AWAY.has(statusOf(error)) ? new FileError("gone") : unreachable(error);
}

type Stream = Awaited<ReturnType<typeof downloadContentFromMessage>>;

async function download({ field, mediaKey }: FileSource, directPath: string, signal: AbortSignal) {
  const started = downloadContentFromMessage({ mediaKey, directPath }, TYPES[field]);
  try {
    return await unlessAborted<Stream>(started, signal);
  } catch (error) {
    started.then((late) => late.destroy()).catch(() => undefined);
    throw error;
  }
}

type Checks = { most: number; signal: AbortSignal; sha256: Uint8Array | null; silenceMs: number };

/** Baileys does not check the hash, and ends quietly where a stream was cut. */
async function* checked(stream: Stream, { most, signal, sha256, silenceMs }: Checks): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  if (signal.aborted) throw new FileError("unreachable", "the process ends");
  const stop = () => stream.destroy(new FileError("unreachable", "the process ends"));
  signal.addEventListener("abort", stop, { once: true });
  const timer = setTimeout(
    () => stream.destroy(new FileError("unreachable", "the file stays away")),
    silenceMs,
  );
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      timer.refresh();
      size += chunk.byteLength;
      if (size > most) throw new FileError("too_large");
      hash.update(chunk);
      yield chunk;
    }
    requireSame(hash, sha256);
  } catch (error) {
    throw unreachable(error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    stream.destroy();
  }
}

function requireSame(hash: Hash, sha256: Uint8Array | null): void {
  if (sha256 && !hash.digest().equals(sha256)) throw new FileError("changed");
}

type Updates = BaileysEventMap["messages.media-update"];

/** Answers the new path. Baileys' own request waits for ever for a phone that is off. */
async function reupload(sock: WASocket, { key, mediaKey }: FileSource, signal: AbortSignal): Promise<string> {
  const { me } = sock.authState.creds;
  if (!me || !key.id) throw new FileError("unreachable");
  const { id } = key;
  const answer = Promise.withResolvers<Updates[number]>();
  const listen = (updates: Updates) => {
    const own = updates.find((update) => update.key.id === id);
    if (own) answer.resolve(own);
  };
  sock.ev.on("messages.media-update", listen);
  try {
    await sock.sendNode(encryptMediaRetryRequest(key, mediaKey as Buffer, me.id));
    const { media, error } = await unlessAborted(answer.promise, signal);
    if (!media) throw statusOf(error) === 404 ? new FileError("gone") : unreachable(error);
    return newPath(media, mediaKey, id);
  } finally {
    sock.ev.off("messages.media-update", listen);
  }
}

type Sealed = NonNullable<Updates[number]["media"]>;

function newPath(media: Sealed, mediaKey: Uint8Array, id: string): string {
  const { SUCCESS, NOT_FOUND } = proto.MediaRetryNotification.ResultType;
  const { result, directPath } = decryptMediaRetryData(media, mediaKey, id);
  if (result === NOT_FOUND) throw new FileError("gone");
  if (result !== SUCCESS || !directPath || !isPath(directPath)) throw new FileError("unreachable");
  return directPath;
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(new FileError("unreachable", String(signal.reason)));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

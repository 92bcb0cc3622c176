import type { QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { invalidateQuery } from "./invalidate.ts";

/** `id`: the changed row; null: any number of rows. */
export type Change = { topic: string; id: number | null };
type Heard = { kind: "change"; change: Change } | { kind: "live"; live: boolean };

const TOPICS = ["campaigns", "contacts", "connections", "imports", "chats", "agents", "templates", "account"];
/** Each process sends changes at most twice a second; a list is refetched at most once in this time. */
const GAP_MS = 800;
const REOPEN_MS = 15_000;
/**
 * The server sends something every 15 s. After an unnoticed loss the stream would look open for minutes,
 * until TCP gives up.
 */
const SILENT_MS = 35_000;

let live = false;
const watchers = new Set<() => void>();

function setLive(next: boolean) {
  if (next === live) return;
  live = next;
  for (const watcher of watchers) watcher();
}

export function useLive(): boolean {
  return useSyncExternalStore(
    (changed) => {
      watchers.add(changed);
      return () => watchers.delete(changed);
    },
    () => live,
  );
}

export function usePollingWhenDown(milliseconds: number): number | false {
  return useLive() ? false : milliseconds;
}

const listeners = new Set<(change: Change) => void>();

/** Reports every change in every tab, and changes without ids after a gap. */
export function whenChanged(listener: (change: Change) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notifyListeners(change: Change) {
  for (const listener of listeners) listener(change);
}

/**
 * Invalidates the queries of a changed topic. One tab holds the `/api/events` stream for all, since HTTP/1.1
 * allows six connections per server; this needs a secure context.
 */
export function listenToEvents(queries: QueryClient): () => void {
  const channel = "BroadcastChannel" in window ? new BroadcastChannel("recado-events") : null;
  const refresh = refresher(queries);
  const hear = (heard: Heard) => {
    if (heard.kind === "change") {
      refresh(heard.change.topic);
      notifyListeners(heard.change);
      return;
    }
    // What changed while this tab was not live is unknown: refetch everything on the screen.
    if (heard.live && !live)
      for (const topic of TOPICS) {
        invalidateQuery(queries, [topic]);
        notifyListeners({ topic, id: null });
      }
    setLive(heard.live);
  };
  channel?.addEventListener("message", (event: MessageEvent<Heard | "who">) => {
    if (event.data !== "who") hear(event.data);
  });
  const tell = (heard: Heard) => {
    hear(heard);
    channel?.postMessage(heard);
  };
  const ended = new AbortController();
  if (channel && navigator.locks) {
    channel.postMessage("who");
    navigator.locks
      .request("recado-events", { signal: ended.signal }, () => hold(tell, ended.signal, channel))
      .catch(() => undefined);
  } else void hold(tell, ended.signal, channel);
  return () => {
    ended.abort();
    channel?.close();
    setLive(false);
  };
}

function hold(
  tell: (heard: Heard) => void,
  ended: AbortSignal,
  channel: BroadcastChannel | null,
): Promise<void> {
  let silence: ReturnType<typeof setTimeout> | undefined;
  let source = open();
  function open() {
    const stream = new EventSource("/api/events");
    const change = (event: MessageEvent<string>) => {
      alive();
      tell({ kind: "change", change: JSON.parse(event.data) as Change });
    };
    alive();
    stream.onopen = () => {
      alive();
      tell({ kind: "live", live: true });
    };
    stream.onmessage = change;
    stream.addEventListener("change", change);
    stream.addEventListener("beat", alive);
    stream.onerror = () => {
      alive();
      tell({ kind: "live", live: false });
      // The browser reconnects after a lost line, but not after an answer that is not a stream.
      if (stream.readyState !== EventSource.CLOSED) return;
      clearTimeout(silence);
      if (!ended.aborted) setTimeout(reopen, REOPEN_MS);
    };
    return stream;
  }
  function alive() {
    clearTimeout(silence);
    silence = setTimeout(() => {
      tell({ kind: "live", live: false });
      source.close();
      reopen();
    }, SILENT_MS);
  }
  function reopen() {
    if (!ended.aborted) source = open();
  }
  channel?.addEventListener("message", (event) => {
    if (event.data === "who") tell({ kind: "live", live: source.readyState === EventSource.OPEN });
  });
  return new Promise((resolve) => {
    ended.addEventListener("abort", () => {
      clearTimeout(silence);
      source.close();
      resolve();
    });
  });
}

/** Refetches at once on the first change, then at most every `GAP_MS`; the last change is never dropped. */
function refresher(queries: QueryClient) {
  const resting = new Map<string, boolean>();
  const ask = (topic: string) => {
    resting.set(topic, false);
    invalidateQuery(queries, [topic]);
    setTimeout(() => {
      const more = resting.get(topic);
      resting.delete(topic);
      if (more) ask(topic);
    }, GAP_MS);
  };
  return (topic: string) => (resting.has(topic) ? resting.set(topic, true) : ask(topic));
}

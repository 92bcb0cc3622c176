import type { QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { invalidateQuery } from "./invalidate.ts";

/** `id` names the row that changed; null: any number of them. */
export type Change = { topic: string; id: number | null };
/** `missed`: whether something may have changed that nobody was told; without it, whoever had not been live must take it that way. */
type Live = { kind: "live"; live: boolean; missed?: boolean };
type Heard = { kind: "change"; change: Change } | Live;

const TOPICS = ["campaigns", "contacts", "connections", "imports", "chats", "agents", "account"];
/** Changes come at most twice a second from each process; a list is asked for at most once in this time. */
const GAP_MS = 800;
const REOPEN_MS = 15_000;
/** A stream that takes longer to open than this says nothing of what was missed before. */
const OPENING_MS = 10_000;
/** The server says something every 15 s. A line that went dead unnoticed leaves the stream open until TCP gives up, many minutes. */
const SILENT_MS = 35_000;
/** As long as the server surely remembers what changed (changes.ts). */
const REMEMBERED_MS = 55_000;

let live = false;
const watchers = new Set<() => void>();

function setLive(next: boolean) {
  if (next === live) return;
  live = next;
  for (const watcher of watchers) watcher();
}

/** Whether changes arrive by themselves. */
export function useLive(): boolean {
  return useSyncExternalStore(
    (changed) => {
      watchers.add(changed);
      return () => watchers.delete(changed);
    },
    () => live,
  );
}

/** For `refetchInterval`: while the event stream is down the page asks every `milliseconds`, else not at all. */
export function usePollingWhenDown(milliseconds: number): number | false {
  return useLive() ? false : milliseconds;
}

const hearers = new Set<(change: Change) => void>();

/** Tells of every change in every tab, also, without ids, when nobody had listened for a while. Returns how to stop. */
export function whenChanged(hearer: (change: Change) => void): () => void {
  hearers.add(hearer);
  return () => hearers.delete(hearer);
}

function tellHearers(change: Change) {
  for (const hearer of hearers) hearer(change);
}

/**
 * Listens to `/api/events` and lets the queries of a changed topic be asked anew. Browsers allow six connections to a server over
 * HTTP/1.1, so that only one tab holds the stream and tells the others, where the browser can choose one (secure context).
 */
export function listenToEvents(queries: QueryClient): () => void {
  const channel = "BroadcastChannel" in window ? new BroadcastChannel("recado-events") : null;
  const refresh = refresher(queries);
  const hear = (heard: Heard) => {
    if (heard.kind === "change") {
      refresh(heard.change.topic);
      tellHearers(heard.change);
      return;
    }
    // What happened while nobody listened is unknown: ask for everything that is on the screen.
    if (heard.live && (heard.missed ?? !live))
      for (const topic of TOPICS) {
        invalidateQuery(queries, [topic]);
        tellHearers({ topic, id: null });
      }
    setLive(heard.live);
  };
  channel?.addEventListener("message", (event: MessageEvent<Heard | "who">) => {
    if (event.data !== "who") hear(event.data);
  });
  const tell = (heard: Heard) => {
    hear(heard);
    // That this tab missed nothing does not hold for one that was opened before it.
    const { missed, ...rest } = heard.kind === "live" ? heard : { ...heard, missed: undefined };
    channel?.postMessage(missed ? heard : rest);
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

/** Holds the stream until the signal. A tab that comes later asks "who", and learns whether the stream is up. */
function hold(
  tell: (heard: Heard) => void,
  ended: AbortSignal,
  channel: BroadcastChannel | null,
): Promise<void> {
  let silence: ReturnType<typeof setTimeout> | undefined;
  let source = open(youngPage());
  function open(ago: number | null = null) {
    const stream = new EventSource(ago === null ? "/api/events" : `/api/events?ago=${ago}`);
    const asked = age();
    // The browser opens a stream that broke once more under the same address, and `ago` is no longer true then.
    let trusted = ago !== null;
    const change = (event: MessageEvent<string>) => {
      alive();
      tell({ kind: "change", change: JSON.parse(event.data) as Change });
    };
    alive();
    stream.onopen = () => {
      alive();
      tell({ kind: "live", live: true, missed: !trusted || age() - asked > OPENING_MS });
      trusted = false;
    };
    stream.onmessage = change;
    stream.addEventListener("change", change);
    stream.addEventListener("beat", alive);
    stream.onerror = () => {
      alive();
      tell({ kind: "live", live: false });
      // The browser tries again by itself after a lost line, but never after an answer that is no stream.
      if (stream.readyState !== EventSource.CLOSED) return;
      clearTimeout(silence);
      if (!ended.aborted) setTimeout(reopen, REOPEN_MS);
    };
    return stream;
  }
  /** Also a stream that does not open says nothing. */
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

/**
 * How long ago the oldest data of this page can have been read, with the time that opening the stream may take: the server then tells
 * what changed since, and nothing is asked for twice. `null` for a page that is older than what the server remembers.
 */
function youngPage(): number | null {
  const ago = Math.ceil(age()) + OPENING_MS;
  return ago < REMEMBERED_MS ? ago : null;
}

/** Milliseconds since the page was opened. While a computer sleeps, not every browser's first clock goes on. */
const age = () => Math.max(performance.now(), Date.now() - performance.timeOrigin);

/** Asks at once for the first change, then at most once every `GAP_MS`, and never forgets the last one. */
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

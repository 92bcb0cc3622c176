import { type Change, events } from "../../contract/events.ts";
import { AppError } from "../../domain/errors.ts";
import type { Changes } from "../db/live-updates.ts";
import type { App } from "./app.ts";
import { mount } from "./mount.ts";

/** Pages treat twice this silence as a dead stream (web/api/events.ts). */
const HEARTBEAT_MS = 15_000;
/** Pages cannot see comments. */
const BEAT = "event: beat\ndata:\n\n";
/** Tabs share one stream; more is a broken program. */
const MAX_STREAMS = 50;

/** Returns an unsubscribe function. */
type WatchSession = (sessionId: string, onEnd: () => void) => () => void;

/** Server-sent events until the session or server ends. */
export function mountEvents(app: App, changes: Changes, watchSession: WatchSession): void {
  const streams = new Map<string, number>();
  mount(app, events.stream, ({ account, request }) => {
    const { accountId } = account;
    const count = streams.get(accountId) ?? 0;
    if (count >= MAX_STREAMS) throw new AppError("too_many_requests", { retryAfter: HEARTBEAT_MS / 1000 });
    streams.set(accountId, count + 1);
    const stream = eventStream({
      subscribe(onChange, onEnd) {
        const unsubscribe = changes.subscribe({ accountId, onChange, onEnd });
        const unwatch = account.via === "session" ? watchSession(account.sessionId, onEnd) : () => undefined;
        return () => {
          unsubscribe();
          unwatch();
          streams.set(accountId, (streams.get(accountId) ?? 1) - 1);
          if (streams.get(accountId) === 0) streams.delete(accountId);
        };
      },
      stillSignedIn: async () => (await app.authenticate(request)) !== null,
    });
    return new Response(stream, {
      headers: {
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
      },
    });
  });
}

type Source = {
  subscribe(onChange: (change: Change) => void, onEnd: () => void): () => void;
  stillSignedIn(): Promise<boolean>;
};

function eventStream({ subscribe, stillSignedIn }: Source): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  // Unsent changes, each once: slow readers must not fill the memory.
  const waiting = new Set<string>();
  let stop: (() => void) | null = null;

  return new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string) => controller.enqueue(encoder.encode(text));
      const close = () => {
        if (!stop) return;
        stop();
        stop = null;
        controller.close();
      };
      const unsubscribe = subscribe((change) => {
        const data = `data: ${JSON.stringify(change)}\n\n`;
        if ((controller.desiredSize ?? 0) > 0) write(data);
        else waiting.add(data);
      }, close);
      // Proxies drop silent streams, and sessions may expire without an event.
      const heartbeat = setInterval(() => {
        stillSignedIn().then(
          (signedIn) => (signedIn ? stop && write(BEAT) : close()),
          () => undefined,
        );
      }, HEARTBEAT_MS);
      stop = () => {
        clearInterval(heartbeat);
        unsubscribe();
      };
      write("retry: 2000\n\n");
    },
    pull(controller) {
      for (const data of waiting) controller.enqueue(encoder.encode(data));
      waiting.clear();
    },
    cancel() {
      stop?.();
      stop = null;
    },
  });
}

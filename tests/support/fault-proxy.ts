import { once } from "node:events";
import net from "node:net";

export type Way = "there" | "back";

export type FaultProxy = {
  port: number;
  delay(way: Way, ms: number): void;
  /** Resets each connection after so many bytes one way, counted from now; those bytes still pass. */
  cutAfter(way: Way, bytes: number): void;
  /** Each connection passes so many bytes one way from now and silently keeps the rest: half an answer. */
  stopAfter(way: Way, bytes: number): void;
  /**
   * Drops bytes one way or both without a reset, as a cut cable does. Current connections stay silent even
   * after `heal`; later ones until then.
   */
  swallow(...ways: Way[]): void;
  cut(): number;
  refuse(): void;
  /** New connections, and those not yet affected, pass. */
  heal(): void;
  open(): number;
  close(): Promise<void>;
};

export type Target = { port: number; host?: string } | { path: string };

type Trouble = { delayMs: number; cutAfter: number; stopAfter: number };
type Wire = { near: net.Socket; far: net.Socket; passed: Record<Way, number>; silent: Set<Way> };

const NONE: Trouble = { delayMs: 0, cutAfter: Number.POSITIVE_INFINITY, stopAfter: Number.POSITIVE_INFINITY };

export async function openFaultProxy(target: Target): Promise<FaultProxy> {
  const troubles: Record<Way, Trouble> = { there: NONE, back: NONE };
  const lost = new Set<Way>();
  const wires = new Set<Wire>();
  let refusing = false;

  const server = net.createServer((near) => {
    if (refusing) {
      near.resetAndDestroy();
      return;
    }
    const far = net.connect("path" in target ? { path: target.path } : target);
    const wire: Wire = { near, far, passed: { there: 0, back: 0 }, silent: new Set(lost) };
    wires.add(wire);
    carry(wire, "there", troubles);
    carry(wire, "back", troubles);
    near.on("close", () => wires.delete(wire));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");

  const change = (way: Way, trouble: Partial<Trouble>) => {
    troubles[way] = { ...troubles[way], ...trouble };
    for (const wire of wires) wire.passed[way] = 0;
  };
  const cut = () => {
    const all = [...wires];
    for (const { near, far } of all) {
      near.resetAndDestroy();
      far.destroy();
    }
    return all.length;
  };

  return {
    port: (server.address() as net.AddressInfo).port,
    delay: (way, delayMs) => change(way, { delayMs }),
    cutAfter: (way, bytes) => change(way, { cutAfter: bytes }),
    stopAfter: (way, bytes) => change(way, { stopAfter: bytes }),
    swallow(...ways) {
      for (const way of ways) {
        lost.add(way);
        for (const { silent } of wires) silent.add(way);
      }
    },
    cut,
    refuse() {
      refusing = true;
    },
    heal() {
      refusing = false;
      lost.clear();
      troubles.there = NONE;
      troubles.back = NONE;
    },
    open: () => wires.size,
    async close() {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}

function carry(wire: Wire, way: Way, troubles: Readonly<Record<Way, Trouble>>): void {
  const { near, far, passed, silent } = wire;
  const [from, to] = way === "there" ? [near, far] : [far, near];
  let last: Promise<void> = Promise.resolve();
  const inOrder = (delayMs: number, act: () => void) => {
    last = last.then(() => waited(delayMs)).then(act);
  };
  from.on("data", (piece: Buffer) => {
    if (silent.has(way)) return;
    const { delayMs, cutAfter, stopAfter } = troubles[way];
    const room = Math.min(cutAfter, stopAfter) - passed[way];
    passed[way] += piece.length;
    const rest = room >= piece.length ? piece : piece.subarray(0, Math.max(0, room));
    // The rest of a half answer never follows, even after `heal`.
    if (passed[way] > stopAfter) silent.add(way);
    inOrder(delayMs, () => {
      if (rest.length > 0 && to.writable) to.write(rest);
      // A reset overtakes unread bytes: let them be read first.
      if (passed[way] > cutAfter) setTimeout(reset, rest.length > 0 ? 20 : 0, wire);
    });
  });
  // A dead connection does not report the other side's end either.
  from.on("end", () => inOrder(0, () => void (silent.has(way) || to.end())));
  from.on("error", () => void (silent.has(way) || to.destroy()));
  from.on("close", () => inOrder(0, () => void (silent.has(way) || to.destroy())));
}

function reset({ near, far }: Wire): void {
  near.resetAndDestroy();
  far.destroy();
}

const waited = async (ms: number): Promise<void> => {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
};

/** An embedded server is reached at its Unix socket. */
export function databaseTarget(url: string): Target {
  const { searchParams, port, hostname } = new URL(url.replace("@/", "@localhost/"));
  const folder = searchParams.get("host");
  if (folder?.startsWith("/")) return { path: `${folder}/.s.PGSQL.${port || "5432"}` };
  return { port: Number(port || 5432), host: folder ?? hostname };
}

export function databaseThrough(url: string, port: number): string {
  const through = new URL(url.replace("@/", "@localhost/"));
  through.hostname = "127.0.0.1";
  through.port = String(port);
  through.searchParams.delete("host");
  return through.href;
}

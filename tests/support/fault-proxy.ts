import { once } from "node:events";
import net from "node:net";

/** There: what the caller says. Back: what is answered. */
export type Way = "there" | "back";

export type FaultProxy = {
  port: number;
  /** Every piece waits so long, one way. 0: none does. */
  delay(way: Way, ms: number): void;
  /** Each connection is reset once so many bytes, counted from now, have passed one way; those before them still pass. */
  cutAfter(way: Way, bytes: number): void;
  /** Of what passes from now on each connection lets so many bytes through one way and keeps the rest, without a word: half an answer. */
  stopAfter(way: Way, bytes: number): void;
  /**
   * What passes one way, or either, is lost without a reset, as behind a cut cable. Connections of now never speak again, healed or not;
   * later ones are as silent until the wire is healed.
   */
  swallow(...ways: Way[]): void;
  /** Resets what is open now, and answers how many connections that were. */
  cut(): number;
  /** New connections are reset at once. */
  refuse(): void;
  /** New connections, and those that met nothing yet, pass unharmed. */
  heal(): void;
  /** Connections of now, silent ones too. */
  open(): number;
  close(): Promise<void>;
};

/** Where the wire leads: a port of this machine, or the path of a Unix socket. */
export type Target = { port: number; host?: string } | { path: string };

type Trouble = { delayMs: number; cutAfter: number; stopAfter: number };
type Wire = { near: net.Socket; far: net.Socket; passed: Record<Way, number>; silent: Set<Way> };

const NONE: Trouble = { delayMs: 0, cutAfter: Number.POSITIVE_INFINITY, stopAfter: Number.POSITIVE_INFINITY };

/** A wire on loopback in front of a server, which can be told to fail in the ways in which real ones do. */
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

/** Carries one way of a wire, piece by piece in its order, through whatever trouble there is when the piece comes. */
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
    // A half answer is never followed by its other half, whatever is healed.
    if (passed[way] > stopAfter) silent.add(way);
    inOrder(delayMs, () => {
      if (rest.length > 0 && to.writable) to.write(rest);
      // A reset overtakes what the other side has not read yet: let it be read first.
      if (passed[way] > cutAfter) setTimeout(reset, rest.length > 0 ? 20 : 0, wire);
    });
  });
  // A silent wire does not say that the other side has gone, either.
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

/** A database's address through a wire. Of an embedded server the wire leads to its Unix socket. */
export function databaseTarget(url: string): Target {
  const { searchParams, port, hostname } = new URL(url.replace("@/", "@localhost/"));
  const folder = searchParams.get("host");
  if (folder?.startsWith("/")) return { path: `${folder}/.s.PGSQL.${port || "5432"}` };
  return { port: Number(port || 5432), host: folder ?? hostname };
}

/** The same database, reached at this port. */
export function databaseThrough(url: string, port: number): string {
  const through = new URL(url.replace("@/", "@localhost/"));
  through.hostname = "127.0.0.1";
  through.port = String(port);
  through.searchParams.delete("host");
  return through.href;
}

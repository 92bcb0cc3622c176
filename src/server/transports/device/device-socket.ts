import {
  type AuthenticationCreds,
  type ConnectionState as BaileysUpdate,
  makeWASocket,
  type WASocket,
} from "baileys";
import type { Logger } from "pino";
import type { Clock } from "../../../domain/clock.ts";
import type { LaneHost } from "../transport.ts";
import { boundMappings } from "./bounded-cache.ts";
import { containErrors } from "./hand-over.ts";
import { watchQrCodes } from "./pairing.ts";
import { boundCatchUp, boundLogin, endRefusedUpgrade } from "./raw-socket.ts";
import { boundClosing } from "./socket-end.ts";
import type { DeviceTiming } from "./timing.ts";

type DeviceSocketDeps = {
  config: Parameters<typeof makeWASocket>[0];
  creds: AuthenticationCreds;
  timing: DeviceTiming;
  host: Pick<LaneHost, "mayAct">;
  clock: Clock;
  log: Logger;
};

export type SocketEvents = {
  /** WhatsApp let us in or showed a code. */
  answered(): void;
  /** No answer to the login; `gaveUp` follows. */
  unanswered(): void;
  credsChanged(): void;
  update(update: Partial<BaileysUpdate>): void;
  qr(qr: string, fresh: boolean): void;
  /** We end it, though WhatsApp did not. */
  gaveUp(error: Error): void;
};

type Listener = { listen(sock: WASocket): void };

/** Connecting and login each. */
const LOGIN_STEPS = 2;

/** One socket from login to its end; after `leave` it reports nothing. */
export class DeviceSocket {
  readonly sock: WASocket;
  caughtUp = false;
  readonly #deps: DeviceSocketDeps;
  readonly #limits: (() => void)[] = [];
  #openedAt: number | null = null;
  #left = false;

  constructor(deps: DeviceSocketDeps) {
    const { config, timing, log } = deps;
    this.#deps = deps;
    this.sock = makeWASocket(config);
    containErrors(this.sock, log);
    endRefusedUpgrade(this.sock, log);
    boundClosing(this.sock, timing.closeGraceMs);
    boundMappings(this.sock);
  }

  get isOpen(): boolean {
    return this.#openedAt !== null;
  }

  /** Monotonic ms; 0 unless open. */
  openFor(): number {
    return this.#openedAt === null ? 0 : this.#deps.clock.monotonic() - this.#openedAt;
  }

  opened(): void {
    this.#openedAt = this.#deps.clock.monotonic();
  }

  listen(listeners: readonly Listener[], events: SocketEvents): void {
    const { sock } = this;
    this.#limits.push(this.#boundLogin(events));
    sock.ws.once("CB:success", events.answered);
    sock.ws.once("CB:iq,type:set,pair-device", events.answered);
    sock.ev.on("creds.update", () => {
      if (!this.#left) events.credsChanged();
    });
    sock.ev.on("connection.update", (update) => {
      if (!this.#left) events.update(update);
    });
    watchQrCodes(sock, this.#deps.creds, (qr, fresh) => {
      if (!this.#left) events.qr(qr, fresh);
    });
    for (const listener of listeners) listener.listen(sock);
    const late = () => this.#giveUp("pending stanzas not reported", events);
    this.#limits.push(boundCatchUp(sock, this.#deps.timing.catchUpMs, late));
  }

  leave(): void {
    this.#left = true;
    for (const callOff of this.#limits) callOff();
  }

  #boundLogin(events: SocketEvents): () => void {
    const { timing, host } = this.#deps;
    return boundLogin(this.sock, LOGIN_STEPS * timing.connectTimeoutMs, () => host.mayAct(), {
      unanswered: () => {
        events.unanswered();
        this.#giveUp("no answer to the login", events);
      },
      notOurs: () => this.#giveUp("not certainly ours at the login", events),
    });
  }

  #giveUp(why: string, events: SocketEvents): void {
    if (!this.#left) events.gaveUp(new Error(why));
  }
}

import type { BinaryNode, proto } from "baileys";
import { WebSocket } from "ws";
import type { Account, Device } from "./accounts.ts";
import type { NoiseCertificates } from "./certificates.ts";
import { frameReader, noiseServer } from "./noise.ts";

export type Registration = {
  keys: proto.ClientPayload.IDevicePairingRegistrationData;
  retiredSecrets: Set<string>;
  refreshAsked: boolean;
  pairingCode?: { phone: string; ref: string; wrappedEphemeral: Buffer };
  signed?: { account: Account; deviceId: number; identity: Buffer; details: Buffer };
};

export type SessionEvents = {
  onLogin(session: Session, payload: proto.IClientPayload): void;
  onStanza(session: Session, node: BinaryNode): Promise<void> | void;
  onClose(session: Session): void;
  onError(error: unknown): void;
};

export class Session {
  clientKey: Buffer = Buffer.alloc(0);
  registration?: Registration;
  login?: { account: Account; device: Device };
  ready = false;
  silent = false;
  readonly #socket: WebSocket;
  readonly #events: SessionEvents;
  readonly #noise: ReturnType<typeof noiseServer>;
  readonly #readFrames = frameReader();
  #stage: "hello" | "finish" | "open" = "hello";
  #work: Promise<void> = Promise.resolve();

  constructor(socket: WebSocket, certificates: NoiseCertificates, events: SessionEvents) {
    this.#socket = socket;
    this.#events = events;
    this.#noise = noiseServer(certificates);
    socket.on("message", (bytes: Buffer) => this.#onBytes(bytes));
    socket.on("error", (error) => events.onError(error));
    socket.on("close", () => {
      this.ready = false;
      events.onClose(this);
    });
  }

  send(node: BinaryNode): void {
    if (!this.silent && this.#socket.readyState === WebSocket.OPEN)
      this.#socket.send(this.#noise.encode(node));
  }

  endWith(node: BinaryNode): void {
    this.send(node);
    this.ready = false;
    this.#socket.close();
  }

  cut(): void {
    this.ready = false;
    this.#socket.terminate();
  }

  /** One at a time: Noise counts frames, and Signal sessions advance with each. */
  #onBytes(bytes: Buffer): void {
    this.#work = this.#work
      .then(() => this.#takeBytes(bytes))
      .catch((error: unknown) => {
        this.#events.onError(error);
        this.cut();
      });
  }

  async #takeBytes(bytes: Buffer): Promise<void> {
    for (const frame of this.#readFrames(bytes)) await this.#takeFrame(frame);
  }

  async #takeFrame(frame: Buffer): Promise<void> {
    if (this.#stage === "hello") {
      this.#socket.send(this.#noise.hello(frame));
      this.#stage = "finish";
    } else if (this.#stage === "finish") {
      const { clientKey, payload } = this.#noise.finish(frame);
      this.clientKey = clientKey;
      this.#stage = "open";
      this.#events.onLogin(this, payload);
    } else {
      const node = await this.#noise.decode(frame);
      if (!this.silent) await this.#events.onStanza(this, node);
    }
  }
}

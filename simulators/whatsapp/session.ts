import type { BinaryNode, proto } from "baileys";
import { WebSocket } from "ws";
import type { Account, Device } from "./accounts.ts";
import type { NoiseCertificates } from "./certificates.ts";
import { frameReader, noiseServer } from "./noise.ts";

/** One socket of a client, from the handshake to its end. */
export type Session = {
  /** The client's long-lived Noise key, known after the handshake. */
  clientKey: Buffer;
  /** Set while the client registers as a new device. */
  registration?: Registration;
  /** Set once the client is logged in. */
  login?: { account: Account; device: Device };
  /** Logged in and ready for stanzas: before that they wait in the outbox. */
  ready: boolean;
  /** A dead link: bytes still arrive and leave nowhere. */
  silent: boolean;
  send(node: BinaryNode): void;
  /** Says the stanza and closes the socket, as WhatsApp does after an error. */
  endWith(node: BinaryNode): void;
  /** Cuts the socket without a word. */
  cut(): void;
};

export type Registration = {
  keys: proto.ClientPayload.IDevicePairingRegistrationData;
  /** Secrets that the server declared void (`companion_reg_refresh`). */
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

/** Speaks Noise on a socket and hands over what the client says, one stanza after the other. */
export function openSession(
  socket: WebSocket,
  certificates: NoiseCertificates,
  events: SessionEvents,
): Session {
  const noise = noiseServer(certificates);
  const readFrames = frameReader();
  let stage: "hello" | "finish" | "open" = "hello";
  let work: Promise<void> = Promise.resolve();

  const session: Session = {
    clientKey: Buffer.alloc(0),
    ready: false,
    silent: false,
    send(node) {
      if (!session.silent && socket.readyState === WebSocket.OPEN) socket.send(noise.encode(node));
    },
    endWith(node) {
      session.send(node);
      session.ready = false;
      socket.close();
    },
    cut() {
      session.ready = false;
      socket.terminate();
    },
  };

  async function takeFrame(frame: Buffer) {
    if (stage === "hello") {
      socket.send(noise.hello(frame));
      stage = "finish";
    } else if (stage === "finish") {
      const { clientKey, payload } = noise.finish(frame);
      session.clientKey = clientKey;
      stage = "open";
      events.onLogin(session, payload);
    } else {
      const node = await noise.decode(frame);
      if (!session.silent) await events.onStanza(session, node);
    }
  }
  async function takeBytes(bytes: Buffer) {
    for (const frame of readFrames(bytes)) await takeFrame(frame);
  }

  socket.on("message", (bytes: Buffer) => {
    // In order, one at a time: Noise counts frames, and Signal sessions advance with each.
    work = work
      .then(() => takeBytes(bytes))
      .catch((error: unknown) => {
        events.onError(error);
        session.cut();
      });
  });
  socket.on("error", events.onError);
  socket.on("close", () => {
    session.ready = false;
    events.onClose(session);
  });
  return session;
}

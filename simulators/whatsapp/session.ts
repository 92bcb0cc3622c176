import type { BinaryNode, proto } from "baileys";
import { WebSocket } from "ws";
import type { Account, Device } from "./accounts.ts";
import type { NoiseCertificates } from "./certificates.ts";
import { frameReader, noiseServer } from "./noise.ts";

export type Session = {
  clientKey: Buffer;
  registration?: Registration;
  login?: { account: Account; device: Device };
  ready: boolean;
  silent: boolean;
  send(node: BinaryNode): void;
  endWith(node: BinaryNode): void;
  cut(): void;
};

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
    // One at a time: Noise counts frames, and Signal sessions advance with each.
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

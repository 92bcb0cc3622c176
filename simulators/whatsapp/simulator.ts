import { EventEmitter } from "node:events";
import type { AddressInfo } from "node:net";
import type { BinaryNode, proto } from "baileys";
import { WebSocketServer } from "ws";
import { makeAccounts } from "./accounts.ts";
import { makeNoiseCertificates } from "./certificates.ts";
import { makeFaultDesk } from "./faults.ts";
import { resendTo } from "./inbound.ts";
import { Ledger } from "./ledger.ts";
import { startMediaHost } from "./media.ts";
import { takeMessage } from "./messages.ts";
import { endPairing, offerPairing } from "./pairing.ts";
import { makePairingDesk } from "./pairing-desk.ts";
import { makePeople } from "./people.ts";
import { answerQuery } from "./queries.ts";
import { makeSchedule } from "./schedule.ts";
import { uploadAgain } from "./sent-files.ts";
import { Session } from "./session.ts";
import { SignalWorld } from "./signal.ts";
import { SERVER, stanza, unixSeconds } from "./stanza.ts";
import { lidJid, type World, type WorldEvents, type WorldOptions } from "./world.ts";

export type SimulatorOptions = Partial<WorldOptions> & {
  port?: number;
  maxSessions?: number;
};

export type SimulatorAddress = {
  url: string;
  noiseRoot: string;
  mediaCa: string;
  mediaHost: string;
};

export type Simulator = { world: World; address: SimulatorAddress; stop(): Promise<void> };

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const world = await makeWorld(options);
  const server = new WebSocketServer({
    port: options.port ?? 0,
    host: "127.0.0.1",
    perMessageDeflate: false,
    verifyClient: (_client, decide) => {
      const status = world.faults.takeUpgradeRefusal();
      decide(status === undefined, status);
    },
  });
  server.on("connection", (socket) => {
    if (world.faults.current().unreachable) return socket.terminate();
    const session = new Session(socket, world.certificates, {
      onLogin: (one, payload) => logIn(world, one, payload),
      onStanza: (one, node) => takeStanza(world, one, node),
      onClose: (one) => forgetSession(world, one),
      onError: (error) => world.events.emit("problem", error),
    });
    world.sessions.add(session);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("listening", resolve);
    server.once("error", reject);
  });
  const { port } = server.address() as AddressInfo;
  return {
    world,
    address: {
      url: `ws://127.0.0.1:${port}/ws/chat`,
      noiseRoot: world.certificates.rootPublic.toString("base64"),
      mediaCa: world.media.authority,
      mediaHost: world.media.host,
    },
    async stop() {
      world.schedule.clear();
      for (const session of world.sessions) session.cut();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await world.media.stop();
    },
  };
}

async function makeWorld(options: SimulatorOptions): Promise<World> {
  const schedule = makeSchedule();
  const faults = makeFaultDesk();
  const signal = new SignalWorld({ maxSessions: options.maxSessions });
  const people = makePeople(signal);
  const events = new EventEmitter<WorldEvents>();
  events.setMaxListeners(0);
  return {
    options: {
      decrypt: options.decrypt ?? true,
      keepContent: options.keepContent ?? true,
      receiptsFrom: options.receiptsFrom ?? "lid",
    },
    events,
    schedule,
    certificates: makeNoiseCertificates(),
    signal,
    people,
    accounts: makeAccounts(people),
    groups: new Map(),
    ledger: new Ledger(schedule.now),
    faults,
    media: await startMediaHost(faults),
    phoneFiles: new Map(),
    pairing: makePairingDesk(),
    sessions: new Set(),
    resendable: new Map(),
  };
}

export function forgetMessages(world: World): void {
  world.schedule.clear();
  world.schedule.release();
  world.ledger.reset();
  world.people.forgetMessages();
  world.accounts.forgetMessages();
  world.faults.reset();
  world.resendable.clear();
  world.phoneFiles.clear();
}

export function resetWorld(world: World): void {
  for (const session of world.sessions) session.cut();
  forgetMessages(world);
  world.accounts.reset();
  world.people.reset();
  world.signal.forget();
  world.groups.clear();
  world.media.reset();
}

function logIn(world: World, session: Session, payload: proto.IClientPayload) {
  const phone = payload.username ? String(payload.username) : null;
  const failure = world.faults.takeLoginFailure(phone);
  if (failure?.code === null) return;
  if (failure) return refuseLogin(session, failure.code, failure.expire);
  if (payload.devicePairingData) return offerPairing(world, session, payload.devicePairingData);
  const account = phone ? world.accounts.find(phone) : undefined;
  const device = account?.devices.get(payload.device ?? 0);
  if (!account || !device?.noiseKey.equals(session.clientKey)) return refuseLogin(session, 401);
  // A second login replaces the first, which may belong to a dead process.
  device.session?.endWith(stanza("stream:error", {}, [stanza("conflict", { type: "replaced" })]));
  device.session = session;
  session.login = { account, device };
  const t = unixSeconds(world.schedule.now());
  session.send(stanza("success", { t, lid: lidJid(account.lid, device.id), creation: t, props: 0 }));
  world.events.emit("login", account.phone, device.id);
}

/** `expire`: seconds. */
function refuseLogin(session: Session, reason: number, expire: number | null = null): void {
  const ends = expire === null ? {} : { expire };
  session.endWith(stanza("failure", { reason, location: "simulator", ...ends }));
}

function forgetSession(world: World, session: Session): void {
  world.sessions.delete(session);
  endPairing(world, session);
  const device = session.login?.device;
  if (device?.session === session) device.session = undefined;
  world.events.emit("closed", session);
}

async function takeStanza(world: World, session: Session, node: BinaryNode): Promise<void> {
  world.events.emit("stanza", node, session);
  if (node.tag === "iq") return answerQuery(world, session, node);
  if (!session.login) return;
  if (node.tag === "message") return takeMessage(world, session, session.login, node);
  if (node.tag === "receipt") return takeReceipt(world, session, session.login, node);
  if (node.tag === "ack") takeAck(session.login, node);
}

async function takeReceipt(
  world: World,
  session: Session,
  login: NonNullable<Session["login"]>,
  node: BinaryNode,
) {
  const { id = "", to, type, participant } = node.attrs;
  session.send(stanza("ack", { class: "receipt", id, from: to ?? SERVER, type, participant }));
  if (type === "server-error") await uploadAgain(world, login.device, node);
  else if (type === "retry") await resendTo(world, login.account, login.device, node);
  else login.device.outbox.taken("message", id);
  world.events.emit("receipt", node.attrs);
}

function takeAck({ device }: NonNullable<Session["login"]>, node: BinaryNode): void {
  const { class: tag = "", id = "", type, participant } = node.attrs;
  device.outbox.taken(tag, id, type, participant);
}

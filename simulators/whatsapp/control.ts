import { randomBytes } from "node:crypto";
import type { proto } from "baileys";
import type { z } from "zod";
import type { Account } from "./accounts.ts";
import type { AccountView, Control, ControlHandlers, Stats } from "./control-answers.ts";
import { CALL_NAMES, type CallName, REQUESTS } from "./control-requests.ts";
import { sendEdit, sendMessage, sendSeenOnce, sendToGroup, typeOnPhone } from "./inbound.ts";
import { listMessages, readImage } from "./message-views.ts";
import { notifyQuota, notifyTimelock } from "./notices.ts";
import { enterPairingCode, scanQr } from "./pairing.ts";
import type { Person } from "./people.ts";
import { describeQuota } from "./quota.ts";
import { readOnPhone, sendReceipt } from "./receipts.ts";
import { refusal } from "./refusal.ts";
import { fileMessage, removeFile } from "./sent-files.ts";
import type { Session } from "./session.ts";
import { forgetMessages, resetWorld, type Simulator } from "./simulator.ts";
import { stanza } from "./stanza.ts";
import type { World } from "./world.ts";

const PROBLEMS_KEPT = 100;
const REPLACED = 440;
const DEVICE_REMOVED = 401;

export function controlOf(simulator: Simulator, onShutdown: () => void): Control {
  const handlers = makeHandlers(simulator, onShutdown);
  const call = async <Name extends CallName>(name: Name, request: unknown) => {
    const parsed = REQUESTS[name].safeParse(request);
    if (!parsed.success) throw refusal(`bad_request: ${parsed.error.issues[0]?.path.join(".")} ${name}`);
    const handler = handlers[name] as (request: unknown) => unknown;
    return handler(parsed.data);
  };
  return Object.fromEntries(
    CALL_NAMES.map((name) => [name, (request: unknown) => call(name, request)]),
  ) as Control;
}

function makeHandlers(simulator: Simulator, onShutdown: () => void): ControlHandlers {
  const { world } = simulator;
  const problems: string[] = [];
  world.events.on("problem", (error) => {
    problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    if (problems.length > PROBLEMS_KEPT) problems.shift();
  });
  return {
    info: () => simulator.address,
    ...pairingHandlers(world),
    ...peopleHandlers(world),
    ...faultHandlers(world),
    accounts: () => ({ accounts: [...world.accounts.all()].map(viewAccount) }),
    messages: (request) => listMessages(world, request),
    image: (request) => readImage(world, request),
    stats: () => readStats(world, problems),
    reset({ keepDevices }) {
      if (keepDevices) forgetMessages(world);
      else resetWorld(world);
      problems.length = 0;
      return {};
    },
    shutdown() {
      onShutdown();
      return {};
    },
  };
}

function pairingHandlers(world: World) {
  const name = (phone: string, text: string | undefined) => {
    if (text !== undefined) world.people.set(phone, { name: text });
  };
  return {
    async scan(request: z.output<(typeof REQUESTS)["scan"]>) {
      name(request.phone, request.name);
      return { device: await scanQr(world, request.qr, request.phone) };
    },
    async typeCode(request: z.output<(typeof REQUESTS)["typeCode"]>) {
      name(request.phone, request.name);
      return { device: await enterPairingCode(world, request.code, request.phone) };
    },
    removeDevice({ phone, device }: z.output<(typeof REQUESTS)["removeDevice"]>) {
      const account = needAccount(world, phone);
      for (const one of account.devices.values()) {
        if (device !== undefined && one.id !== device) continue;
        account.devices.delete(one.id);
        one.session?.endWith(streamError(DEVICE_REMOVED));
      }
      return {};
    },
  } satisfies Partial<ControlHandlers>;
}

function peopleHandlers(world: World) {
  return {
    people({ phones, settings }: z.output<(typeof REQUESTS)["people"]>) {
      if (phones) for (const phone of phones) world.people.set(phone, settings);
      else world.people.setUsual(settings);
      return {};
    },
    async write(request: z.output<(typeof REQUESTS)["write"]>) {
      const account = needAccount(world, request.to);
      const { text, imageBase64, mimetype, id, seenOnce, toList } = request;
      const person = needPerson(world, request.from);
      if (seenOnce) return { id: sendSeenOnce(world, person, account, id) };
      const messageContextInfo = { messageSecret: randomBytes(32) };
      let message: proto.IMessage = { conversation: text ?? "", messageContextInfo };
      if (imageBase64 !== undefined) {
        message = { imageMessage: await world.media.put(Buffer.from(imageBase64, "base64"), mimetype, text) };
      }
      const sent = request.file && (await fileMessage(world, request.file, text));
      const wire = sent ? { ...sent.message, messageContextInfo } : message;
      const messageId = await sendMessage(world, person, account, wire, id, toList);
      if (sent) world.phoneFiles.set(messageId, sent.file);
      return { id: messageId };
    },
    removeFile({ id, phoneKeeps }: z.output<(typeof REQUESTS)["removeFile"]>) {
      removeFile(world, id, phoneKeeps);
      return {};
    },
    async edit({ from, to, id, text }: z.output<(typeof REQUESTS)["edit"]>) {
      return { id: await sendEdit(world, needPerson(world, from), needAccount(world, to), { id, text }) };
    },
    async typeOnPhone({ phone, to, text, id }: z.output<(typeof REQUESTS)["typeOnPhone"]>) {
      return { id: await typeOnPhone(world, needAccount(world, phone), to, { conversation: text }, id) };
    },
    createGroup({ subject, members, id }: z.output<(typeof REQUESTS)["createGroup"]>) {
      const group = id ?? `1203630${randomBytes(5).readUIntBE(0, 5)}@g.us`;
      world.groups.set(group, { id: group, subject, members });
      return { id: group };
    },
    async writeToGroup(request: z.output<(typeof REQUESTS)["writeToGroup"]>) {
      const group = world.groups.get(request.group);
      if (!group) throw refusal("group_not_found");
      const message = { conversation: request.text };
      return { id: await sendToGroup(world, needPerson(world, request.from), group, message, request.id) };
    },
    receipts({ from, to, ids, type, group }: z.output<(typeof REQUESTS)["receipts"]>) {
      const receipt = { ids, type: type === "delivered" ? undefined : type, group };
      sendReceipt(world, needAccount(world, to), needPerson(world, from), receipt);
      return {};
    },
    readOnPhone({ phone, from, group, ids, quietly }: z.output<(typeof REQUESTS)["readOnPhone"]>) {
      const by = needPerson(world, from);
      readOnPhone(world, needAccount(world, phone), { chat: group ?? from, ids, by, quietly });
      return {};
    },
  } satisfies Partial<ControlHandlers>;
}

function faultHandlers(world: World) {
  return {
    faults(changes: z.output<(typeof REQUESTS)["faults"]>) {
      world.faults.set(changes);
      return world.faults.current();
    },
    timelock({ phone, until, kind, endless, notify }: z.output<(typeof REQUESTS)["timelock"]>) {
      const account = needAccount(world, phone);
      const lock = until === null ? null : { until, kind, endless };
      if (notify !== "only") account.timelock = lock;
      if (notify !== "no") notifyTimelock(world, account, lock);
      return {};
    },
    quota({ phone, total, used, until, notify }: z.output<(typeof REQUESTS)["quota"]>) {
      const account = needAccount(world, phone);
      account.quota = total === null ? null : { total, used, until, begun: new Set() };
      if (notify) notifyQuota(world, account, describeQuota(world, account));
      return {};
    },
    cut: ({ phone }: z.output<(typeof REQUESTS)["cut"]>) =>
      forSessions(world, phone, (session) => session.cut()),
    silence: ({ phone, silent }: z.output<(typeof REQUESTS)["silence"]>) =>
      forSessions(world, phone, (session) => {
        // A dead link stays dead: after the silence the socket ends.
        if (session.silent && !silent) session.cut();
        session.silent = silent;
      }),
    endStream: ({ phone, code }: z.output<(typeof REQUESTS)["endStream"]>) =>
      forSessions(world, phone, (session) => session.endWith(streamError(code))),
    clock({ hold, advanceMs }: z.output<(typeof REQUESTS)["clock"]>) {
      if (hold === true) world.schedule.hold();
      const ran = advanceMs === undefined ? 0 : world.schedule.advance(advanceMs);
      if (hold === false) world.schedule.release();
      return { now: world.schedule.now(), ran };
    },
  } satisfies Partial<ControlHandlers>;
}

/** 440 and 401 arrive as conflicts. */
function streamError(code: number) {
  if (code === REPLACED) return stanza("stream:error", {}, [stanza("conflict", { type: "replaced" })]);
  if (code === DEVICE_REMOVED)
    return stanza("stream:error", { code }, [stanza("conflict", { type: "device_removed" })]);
  return stanza("stream:error", { code });
}

function forSessions(world: World, phone: string | undefined, act: (session: Session) => void) {
  const chosen = [...world.sessions].filter((session) => !phone || session.login?.account.phone === phone);
  for (const session of chosen) act(session);
  return { sockets: chosen.length };
}

function needAccount(world: World, phone: string): Account {
  const account = world.accounts.find(phone);
  if (!account) throw refusal("no_such_account");
  return account;
}

function needPerson(world: World, phone: string): Person {
  const registered = world.people.registeredNumber(phone);
  if (!registered) throw refusal("not_on_whatsapp");
  return world.people.get(registered);
}

const viewAccount = (account: Account): AccountView => ({
  phone: account.phone,
  lid: account.lid,
  devices: [...account.devices.values()].map((device) => ({
    id: device.id,
    online: device.session?.ready ?? false,
    waiting: device.outbox.size,
    preKeys: device.preKeys.length,
  })),
});

function readStats(world: World, problems: readonly string[]): Stats {
  const { user, system } = process.cpuUsage();
  return {
    ...world.ledger.counts,
    messages: world.ledger.size,
    people: world.people.size,
    sessions: world.signal.sessionCount,
    sockets: world.sessions.size,
    uploads: world.media.uploadCount(),
    problems: [...problems],
    memoryBytes: process.memoryUsage.rss(),
    cpuMs: Math.round((user + system) / 1000),
  };
}

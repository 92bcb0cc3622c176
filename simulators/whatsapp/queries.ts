import { type BinaryNode, encodeBigEndian, KEY_BUNDLE_TYPE, QueryIds } from "baileys";
import type { Device } from "./accounts.ts";
import { takeBundle } from "./inbound.ts";
import { lookUp } from "./lookup.ts";
import { describeTimelock } from "./notices.ts";
import { answerCodePairing, finishPairing, isPairingSignature } from "./pairing.ts";
import { describeQuota } from "./quota.ts";
import type { Session } from "./session.ts";
import type { KeyBundle } from "./signal.ts";
import {
  bytesOf,
  childOf,
  childrenOf,
  firstChild,
  needChild,
  SERVER,
  stanza,
  uintOf,
  unixSeconds,
} from "./stanza.ts";
import { addressOf, type Group, lidJid, numberJid, type World } from "./world.ts";

type Query = {
  world: World;
  session: Session;
  node: BinaryNode;
  asked: BinaryNode | undefined;
  ok(content?: BinaryNode[]): void;
  fail(code: number, text: string): void;
};

/** Queries that are not modelled get an empty answer, which suits most. */
export function answerQuery(world: World, session: Session, node: BinaryNode) {
  const asked = firstChild(node);
  if (node.attrs.type === "result" || node.attrs.type === "error") {
    if (isPairingSignature(asked)) finishPairing(world, session, asked);
    return;
  }
  const { id, to = SERVER, xmlns } = node.attrs;
  const from = to;
  const delay = world.faults.takeQueryDelay(xmlns);
  const ok = (content?: BinaryNode[]) => {
    const answer = stanza("iq", { from, type: "result", id, t: unixSeconds(world.schedule.now()) }, content);
    if (delay === undefined) session.send(answer);
    else world.schedule.after(delay, () => session.send(answer));
  };
  const fail = (code: number, text: string) =>
    session.send(stanza("iq", { from, type: "error", id }, [stanza("error", { code, text })]));
  const failure = world.faults.takeQueryFailure(xmlns);
  if (failure) {
    if (failure.code === "cut") session.cut();
    else if (failure.code !== null)
      fail(failure.code, failure.code === 429 ? "rate-overlimit" : "internal-server-error");
    return;
  }
  const answer = ANSWERS[xmlns ?? ""];
  if (answer) answer({ world, session, node, asked, ok, fail });
  else ok();
}

const ANSWERS: Record<string, (query: Query) => void> = {
  md: answerDevices,
  encrypt: answerKeys,
  passive: goLive,
  usync: ({ world, asked, ok }) => ok(asked && [lookUp(world, asked)]),
  "w:m": ({ world, ok }) => {
    const host = stanza("host", { hostname: world.media.host, maxContentLengthBytes: 104_857_600 });
    ok([stanza("media_conn", { auth: "simulator", ttl: 3600, max_buckets: 12 }, [host])]);
  },
  privacy: ({ node, ok }) => {
    const categories = [stanza("category", { name: "readreceipts", value: "all" })];
    ok(node.attrs.type === "get" ? [stanza("privacy", {}, categories)] : undefined);
  },
  blocklist: ({ ok }) => ok([stanza("list", {}, [])]),
  abt: ({ ok }) =>
    ok([stanza("props", { hash: "simulator" }, [stanza("prop", { config_code: 1, config_value: 1 })])]),
  "w:mex": answerRestrictions,
  "w:g2": answerGroups,
};

function answerDevices({ world, session, asked, ok, fail }: Query) {
  if (asked?.tag === "link_code_companion_reg") return answerCodePairing(world, session, asked, { ok, fail });
  if (asked?.tag === "remove-companion-device" && session.login) {
    const { account, device } = session.login;
    account.devices.delete(device.id);
    ok();
    world.events.emit("logout", account.phone, device.id);
    session.cut();
    return;
  }
  ok();
}

function goLive({ session, ok }: Query) {
  ok();
  const device = session.login?.device;
  if (!device || session.ready) return;
  session.ready = true;
  const waiting = device.outbox.all();
  for (const node of waiting) session.send({ ...node, attrs: { ...node.attrs, offline: "1" } });
  session.send(stanza("ib", {}, [stanza("offline", { count: waiting.length })]));
}

function answerKeys(query: Query) {
  const { world, session, node, asked, ok } = query;
  const device = session.login?.device;
  if (!device) return ok();
  if (node.attrs.type === "set") {
    storeKeys(device, node);
    return ok();
  }
  if (asked?.tag === "count") return ok([stanza("count", { value: device.preKeys.length })]);
  if (asked?.tag === "digest") {
    const registration = stanza("registration", {}, encodeBigEndian(device.keys.registrationId));
    return ok([stanza("digest", {}, [registration])]);
  }
  if (asked?.tag !== "key") return ok();
  ok([
    stanza(
      "list",
      {},
      childrenOf(asked, "user").map((user) => bundleNode(world, user.attrs.jid, device)),
    ),
  ]);
}

function storeKeys(device: Device, node: BinaryNode): void {
  for (const key of childrenOf(childOf(node, "list"), "key")) {
    device.preKeys.push({
      keyId: uintOf(bytesOf(needChild(key, "id"))),
      publicKey: Buffer.from(bytesOf(needChild(key, "value"))),
    });
  }
  const signed = childOf(node, "skey") ?? childOf(childOf(node, "rotate"), "skey");
  if (!signed) return;
  device.keys.signedPreKey = {
    keyId: uintOf(bytesOf(needChild(signed, "id"))),
    publicKey: Buffer.from(bytesOf(needChild(signed, "value"))),
    signature: Buffer.from(bytesOf(needChild(signed, "signature"))),
  };
}

function bundleNode(world: World, jid: string | undefined, asking: Device): BinaryNode {
  const bundle = bundleOf(world, jid, asking);
  if (!bundle) return stanza("user", { jid }, [stanza("error", { code: 406, text: "not-acceptable" })]);
  const { signedPreKey, preKey } = bundle;
  const content = [
    stanza("registration", {}, encodeBigEndian(bundle.registrationId)),
    stanza("type", {}, KEY_BUNDLE_TYPE),
    stanza("identity", {}, bundle.identityKey),
    stanza("skey", {}, [
      stanza("id", {}, encodeBigEndian(signedPreKey.keyId, 3)),
      stanza("value", {}, signedPreKey.publicKey),
      stanza("signature", {}, signedPreKey.signature),
    ]),
  ];
  if (preKey) {
    const id = stanza("id", {}, encodeBigEndian(preKey.keyId, 3));
    content.push(stanza("key", {}, [id, stanza("value", {}, preKey.publicKey)]));
  }
  return stanza("user", { jid }, content);
}

function bundleOf(world: World, jid: string | undefined, asking: Device): KeyBundle | undefined {
  const address = addressOf(world, jid);
  if (!address?.person) return undefined;
  if (address.device === 0) return address.person.identity.bundle;
  const device = world.accounts.find(address.phone)?.devices.get(address.device);
  if (world.faults.current().deadCompanions && device !== asking) return undefined;
  return device && takeBundle(device);
}

function answerRestrictions({ world, session, asked, ok }: Query) {
  const account = session.login?.account;
  if (!account) return ok();
  const { timelock } = account;
  const active = timelock && timelock.until > unixSeconds(world.schedule.now()) ? timelock : null;
  const answer = (data: object) => ok([stanza("result", {}, Buffer.from(JSON.stringify({ data })))]);
  if (asked?.attrs.query_id === QueryIds.MESSAGE_CAPPING_INFO)
    return answer({ xwa2_message_capping_info: describeQuota(world, account) });
  answer({ xwa2_fetch_account_reachout_timelock: describeTimelock(active) });
}

function answerGroups({ world, session, node, asked, ok, fail }: Query) {
  const phone = session.login?.account.phone;
  if (asked?.tag === "participating") {
    const own = [...world.groups.values()].filter((group) => phone && group.members.includes(phone));
    return ok([
      stanza(
        "groups",
        {},
        own.map((group) => groupNode(world, group)),
      ),
    ]);
  }
  const group = world.groups.get(node.attrs.to ?? "");
  if (asked?.tag === "query" && group) return ok([groupNode(world, group)]);
  fail(404, "item-not-found");
}

function groupNode(world: World, group: Group): BinaryNode {
  const now = unixSeconds(world.schedule.now());
  const attrs = {
    id: group.id.split("@")[0],
    subject: group.subject,
    creation: now,
    s_t: now,
    addressing_mode: "lid",
  };
  const participants = group.members.map((phone) =>
    stanza("participant", { jid: lidJid(world.people.lidOf(phone)), phone_number: numberJid(phone) }),
  );
  return stanza("group", attrs, participants);
}

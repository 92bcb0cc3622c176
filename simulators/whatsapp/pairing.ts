import { randomBytes } from "node:crypto";
import { type BinaryNode, jidDecode, type proto } from "baileys";
import { type Account, makeOutbox } from "./accounts.ts";
import { companionAgreed, finishCode, readQr, signCompanion, typeCode } from "./phone.ts";
import { refusal } from "./refusal.ts";
import type { Session } from "./session.ts";
import { bytesOf, childOf, needChild, SERVER, stanza, uintOf, unixSeconds } from "./stanza.ts";
import { lidJid, numberJid, type World } from "./world.ts";

const REFS_PER_SOCKET = 6;

const randomId = (prefix: string) => prefix + randomBytes(5).toString("hex");

export function offerPairing(
  world: World,
  session: Session,
  keys: proto.ClientPayload.IDevicePairingRegistrationData,
): void {
  session.registration = { keys, retiredSecrets: new Set(), refreshAsked: false };
  const refs = Array.from({ length: REFS_PER_SOCKET }, () => `2@${randomBytes(24).toString("base64url")}`);
  for (const ref of refs) world.pairing.refs.set(ref, session);
  const children = refs.map((ref) => stanza("ref", {}, Buffer.from(ref)));
  session.send(
    stanza("iq", { from: SERVER, type: "set", id: randomId("pd"), xmlns: "md" }, [
      stanza("pair-device", {}, children),
    ]),
  );
}

export function endPairing(world: World, session: Session): void {
  world.pairing.codes.delete(session);
  if (!session.registration) return;
  for (const [ref, owner] of world.pairing.refs) if (owner === session) world.pairing.refs.delete(ref);
}

/** Resolves once linked. Refuses unknown or expired codes and revoked secrets. */
export async function scanQr(world: World, qr: string, phone: string): Promise<number> {
  const content = readQr(qr);
  if (!content) throw refusal("not_a_qr_code");
  const session = world.pairing.refs.get(content.ref);
  const registration = session?.registration;
  if (!session || !registration) throw refusal("qr_expired");
  const secret = content.secret.toString("base64");
  if (world.faults.current().refreshOnFirstScan && !registration.refreshAsked) {
    // Since 2026-07 the server may revoke the secret at the first scan.
    registration.refreshAsked = true;
    registration.retiredSecrets.add(secret);
    const attrs = {
      from: SERVER,
      type: "companion_reg_refresh",
      id: randomId("rr"),
      t: unixSeconds(Date.now()),
    };
    session.send(stanza("notification", attrs, [stanza("companion_reg_refresh")]));
  }
  if (registration.retiredSecrets.has(secret)) throw refusal("could_not_link_device");
  vouchFor(world, session, phone, content.identity, content.secret);
  return whenLinked(world, session);
}

/** Resolves once linked. */
export async function enterPairingCode(world: World, code: string, phone: string): Promise<number> {
  const session = [...world.sessions].find((one) => one.registration?.pairingCode?.phone === phone);
  const asked = session?.registration?.pairingCode;
  if (!session || !asked) throw refusal("no_pairing_code_asked");
  const account = world.accounts.getOrMake(phone);
  const { pairing, wrappedPhoneKey } = await typeCode(code, asked.wrappedEphemeral);
  world.pairing.codes.set(session, pairing);
  const attrs = {
    from: SERVER,
    type: "link_code_companion_reg",
    id: randomId("lc"),
    t: unixSeconds(Date.now()),
  };
  const children = [
    stanza("link_code_pairing_ref", {}, Buffer.from(asked.ref)),
    stanza("primary_identity_pub", {}, account.person.identity.creds.signedIdentityKey.public),
    stanza("link_code_pairing_wrapped_primary_ephemeral_pub", {}, wrappedPhoneKey),
  ];
  session.send(
    stanza("notification", attrs, [stanza("link_code_companion_reg", { stage: "primary_hello" }, children)]),
  );
  return whenLinked(world, session);
}

export function answerCodePairing(
  world: World,
  session: Session,
  request: BinaryNode,
  answer: { ok(content?: BinaryNode[]): void; fail(code: number, text: string): void },
) {
  const registration = session.registration;
  if (!registration) return answer.fail(400, "bad-request");
  if (request.attrs.stage === "companion_hello") {
    const phone = jidDecode(request.attrs.jid)?.user;
    if (!phone || world.faults.current().rejectPairingCode) return answer.fail(400, "bad-request");
    const wrapped = needChild(request, "link_code_pairing_wrapped_companion_ephemeral_pub");
    const ref = randomBytes(16).toString("base64url");
    registration.pairingCode = { phone, ref, wrappedEphemeral: bytesOf(wrapped) };
    const reply = stanza("link_code_companion_reg", { stage: "companion_hello" }, [
      stanza("link_code_pairing_ref", {}, Buffer.from(ref)),
    ]);
    answer.ok([reply]);
    world.events.emit("pairingCodeAsked", phone);
    return;
  }
  const pairing = world.pairing.codes.get(session);
  const phone = registration.pairingCode?.phone;
  if (!pairing || !phone) return answer.fail(400, "bad-request");
  answer.ok();
  const owner = world.accounts.getOrMake(phone).person.identity;
  const bundle = bytesOf(needChild(request, "link_code_pairing_wrapped_key_bundle"));
  const { companionIdentity, secret } = finishCode(owner, pairing, bundle);
  vouchFor(world, session, phone, companionIdentity, secret);
}

function vouchFor(world: World, session: Session, phone: string, identity: Buffer, secret: Buffer): void {
  const account = world.accounts.getOrMake(phone);
  const { registration } = session;
  if (!registration) throw refusal("qr_expired");
  account.lastDeviceId += 1;
  const deviceId = account.lastDeviceId;
  const now = unixSeconds(Date.now());
  const { details, proof } = signCompanion(account.person.identity, identity, secret, deviceId, now);
  registration.signed = { account, deviceId, identity, details };
  const children = [
    stanza("device-identity", {}, proof),
    stanza("device", { jid: numberJid(phone, deviceId), lid: lidJid(account.lid, deviceId) }),
    stanza("platform", { name: "android" }),
  ];
  const attrs = { from: SERVER, type: "set", id: randomId("ps"), xmlns: "md", t: now };
  session.send(stanza("iq", attrs, [stanza("pair-success", {}, children)]));
}

export function finishPairing(world: World, session: Session, signature: BinaryNode): void {
  const { registration } = session;
  const signed = registration?.signed;
  if (!registration || !signed) return;
  const answer = bytesOf(needChild(signature, "device-identity"));
  const { account, deviceId, identity, details } = signed;
  if (!companionAgreed(account.person.identity, identity, details, answer))
    throw new Error("bad device signature");
  linkDevice(account, deviceId, session.clientKey, identity, registration.keys);
  world.events.emit("paired", session, account.phone, deviceId);
  session.endWith(stanza("stream:error", { code: 515 }));
}

function linkDevice(
  account: Account,
  id: number,
  noiseKey: Buffer,
  identityKey: Buffer,
  keys: proto.ClientPayload.IDevicePairingRegistrationData,
): void {
  const need = (bytes: Uint8Array | null | undefined) => {
    if (!bytes) throw new Error("registration lacks keys");
    return Buffer.from(bytes);
  };
  account.devices.set(id, {
    id,
    noiseKey,
    keys: {
      registrationId: uintOf(need(keys.eRegid)),
      identityKey,
      signedPreKey: {
        keyId: uintOf(need(keys.eSkeyId)),
        publicKey: need(keys.eSkeyVal),
        signature: need(keys.eSkeySig),
      },
    },
    preKeys: [],
    outbox: makeOutbox(),
  });
}

function whenLinked(world: World, session: Session): Promise<number> {
  return new Promise((resolve, reject) => {
    if (!world.sessions.has(session)) return reject(refusal("client_refused_to_link"));
    const stop = () => {
      world.events.off("paired", onPaired);
      world.events.off("closed", onClosed);
    };
    const onPaired = (one: Session, _phone: string, deviceId: number) => {
      if (one !== session) return;
      stop();
      resolve(deviceId);
    };
    const onClosed = (one: Session) => {
      if (one !== session) return;
      stop();
      reject(refusal("client_refused_to_link"));
    };
    world.events.on("paired", onPaired);
    world.events.on("closed", onClosed);
  });
}

export const isPairingSignature = (child: BinaryNode | undefined): child is BinaryNode =>
  child?.tag === "pair-device-sign" && childOf(child, "device-identity") !== undefined;

import { type Gateway, isSince } from "./gateway.ts";
import { pairingCode, qrText } from "./identifiers.ts";
import type { Instance } from "./instance.ts";
import { wholeNumber } from "./people.ts";
import { pictureUrl, qrImage } from "./pictures.ts";

const DEVICE_REMOVED = {
  data: { tag: "conflict", attrs: { type: "device_removed" } },
  message: "Stream Errored (conflict)",
};

export function connectionUpdate(
  gateway: Gateway,
  instance: Instance,
  state: string,
  statusReason = 200,
): void {
  const open = state === "open";
  void gateway.webhooks.emit(instance, "connection.update", {
    instance: instance.name,
    ...(open && { wuid: instance.ownerJid }),
    ...(open && instance.profileName !== null && { profileName: instance.profileName }),
    ...(open && instance.profilePicUrl !== null && { profilePictureUrl: instance.profilePicUrl }),
    state,
    statusReason,
  });
}

function setState(gateway: Gateway, instance: Instance, state: Instance["state"]): void {
  instance.state = state;
  instance.rowState = state;
  instance.updatedAt = gateway.clock.iso();
  for (const wake of instance.waiting.splice(0)) wake();
}

/** Offline no codes come (recording 02). */
export function startLinking(gateway: Gateway, instance: Instance, number: string | null): void {
  const session = ++instance.session;
  if (!gateway.online) {
    // The real state alternates; `offlineLoop` sends those webhooks (recording 03).
    instance.state = "connecting";
    instance.rowState = "close";
    return;
  }
  setState(gateway, instance, "connecting");
  instance.closedAs = "waiting for scan";
  connectionUpdate(gateway, instance, "connecting");
  const { firstQrMs, autoScanMs } = gateway.timing;
  const current = () => instance.session === session && !instance.deleted && instance.state === "connecting";
  const show = () => {
    if (current()) showQr(gateway, instance, number ?? instance.number, current);
  };
  if (firstQrMs > 0) gateway.clock.sometime(firstQrMs, show);
  else show();
  if (autoScanMs === null) return;
  gateway.clock.sometime(autoScanMs, () => {
    if (current()) openAs(gateway, instance, { phone: number ?? instance.number ?? freePhone(gateway) });
  });
}

function showQr(gateway: Gateway, instance: Instance, number: string | null, current: () => boolean): void {
  if (instance.qrCount >= gateway.timing.qrLimit) {
    giveUp(gateway, instance);
    return;
  }
  instance.qrCount += 1;
  const code = qrText();
  instance.qr = { pairingCode: number === null ? null : pairingCode(), code, base64: qrImage() };
  void gateway.webhooks.emit(instance, "qrcode.updated", {
    qrcode: { instance: instance.name, ...instance.qr },
  });
  gateway.clock.sometime(gateway.timing.qrMs, () => {
    if (current()) showQr(gateway, instance, number, current);
  });
}

function giveUp(gateway: Gateway, instance: Instance): void {
  setState(gateway, instance, "close");
  instance.session += 1;
  instance.qr = null;
  instance.qrCount = 0;
  void gateway.webhooks.emit(instance, "qrcode.updated", {
    message: "QR code limit reached, please login again",
    statusCode: 500,
  });
  connectionUpdate(gateway, instance, "refused", 428);
}

export type Owner = { phone?: string; profileName?: string; picture?: boolean };

/** Recordings 09a, 09c, 09d. */
export async function scan(gateway: Gateway, instance: Instance, owner: Owner): Promise<void> {
  if (!instance.qr) throw new Error(`"${instance.name}" shows no QR code`);
  instance.session += 1;
  connectionUpdate(gateway, instance, "connecting");
  await gateway.clock.sleep(gateway.timing.scanMs);
  openAs(gateway, instance, { ...owner, phone: owner.phone ?? instance.number ?? freePhone(gateway) });
}

let phones = 0;
function freePhone(gateway: Gateway): string {
  phones += 1;
  const phone = `55119${String(90_000_000 + phones)}`;
  const taken = [...gateway.instances.values()].some((one) => one.ownerJid?.startsWith(phone));
  return taken ? freePhone(gateway) : phone;
}

function openAs(gateway: Gateway, instance: Instance, owner: Owner & { phone: string }): void {
  const person = gateway.people.person(owner.phone);
  instance.ownerJid = person.jid;
  instance.profileName = owner.profileName ?? instance.profileName;
  if (owner.picture) instance.profilePicUrl = pictureUrl(gateway.url, wholeNumber(owner.phone));
  // The row keeps an earlier end reason, as in the real gateway.
  becomeOpen(gateway, instance);
}

function becomeOpen(gateway: Gateway, instance: Instance): void {
  instance.session += 1;
  setState(gateway, instance, "open");
  connectionUpdate(gateway, instance, "open");
  // WhatsApp delivers them one by one.
  const { offlineMs } = gateway.timing;
  for (const [nth, arrive] of instance.missed.splice(0).entries()) {
    if (offlineMs > 0) gateway.clock.soon(offlineMs * (nth + 1), arrive);
    else arrive();
  }
}

/** Recordings 09b, 09d. */
export function removeDevice(gateway: Gateway, instance: Instance): void {
  close(gateway, instance, DEVICE_REMOVED);
}

/**
 * 402 temporary (`expire`: seconds), 403 and 406 permanent; 408 unreachable, which ends a 2.4 session. No
 * reconnect (from its source).
 */
export type Ban = { code: 402 | 403 | 406 | 408; expire?: number };
const BAN_NAMES = {
  402: "Payment Required",
  403: "Forbidden",
  406: "Not Acceptable",
  408: "Request Time-out",
};

export function ban(gateway: Gateway, instance: Instance, { code, expire }: Ban): void {
  const data = {
    reason: String(code),
    location: "cln",
    ...(expire !== undefined && { expire: String(expire) }),
  };
  close(gateway, instance, { code, error: BAN_NAMES[code], data, message: "Connection Failure" });
}

export function logOut(gateway: Gateway, instance: Instance): void {
  if (instance.integration === "EVOLUTION") {
    // The row still says open (recording 07a).
    instance.state = "close";
    return;
  }
  close(gateway, instance, { data: null, message: `Log out instance: ${instance.name}` });
}

type End = { data: unknown; message: string; code?: number; error?: string };

function close(gateway: Gateway, instance: Instance, end: End) {
  const { data, message, code = 401, error: name = "Unauthorized" } = end;
  const at = gateway.clock.iso();
  const payload = { statusCode: code, error: name, message };
  const error = { data, isBoom: true, isServer: false, output: { statusCode: code, payload, headers: {} } };
  instance.session += 1;
  setState(gateway, instance, "close");
  instance.closedAs = "removed";
  instance.qr = null;
  instance.disconnection = { code, object: JSON.stringify({ error, date: at }), at };
  void gateway.webhooks.emit(instance, "status.instance", {
    instance: instance.name,
    status: "closed",
    disconnectionAt: at,
    disconnectionReasonCode: code,
    disconnectionObject: instance.disconnection.object,
  });
  void gateway.webhooks.emit(instance, "logout.instance", null);
  connectionUpdate(gateway, instance, "close", code);
}

/**
 * Never `close`; the row says open, and connect returns the used QR code (recordings 09b, 09d). `hold`: until
 * `reconnect`.
 */
export function dropSocket(gateway: Gateway, instance: Instance, hold: boolean): void {
  const session = ++instance.session;
  instance.state = "connecting";
  connectionUpdate(gateway, instance, "connecting");
  if (hold) return;
  const back = () => {
    if (instance.session === session && !instance.deleted) becomeOpen(gateway, instance);
  };
  if (gateway.timing.reconnectMs > 0) gateway.clock.soon(gateway.timing.reconnectMs, back);
  else back();
}

export function reconnect(gateway: Gateway, instance: Instance): void {
  if (instance.state !== "open") becomeOpen(gateway, instance);
}

export const isReconnecting = (instance: Instance) =>
  instance.state === "connecting" && instance.rowState === "open";

export function reconnected(gateway: Gateway, instance: Instance): Promise<void> {
  const change = new Promise<void>((resolve) => instance.waiting.push(resolve));
  return Promise.race([change, gateway.clock.sleep(gateway.timing.hungSendMs)]);
}

/** Recording 03. Returns its stop function. */
export function offlineLoop(gateway: Gateway, instance: Instance, perSecond: number): () => void {
  let running = true;
  let count = 0;
  const turn = () => {
    if (!running || instance.deleted) return;
    const closing = count % 2 === 0;
    count += 1;
    instance.state = closing ? "close" : "connecting";
    connectionUpdate(gateway, instance, instance.state, closing ? 408 : 200);
    gateway.clock.sometime(1000 / perSecond, turn);
  };
  turn();
  return () => {
    running = false;
  };
}

/** The answer comes before the removal (recording 02). */
export function removeInstance(gateway: Gateway, instance: Instance): void {
  if (instance.state === "open" && instance.integration === "WHATSAPP-BAILEYS") logOut(gateway, instance);
  const { instanceName, instanceId } = { instanceName: instance.name, instanceId: instance.id };
  void gateway.webhooks.emit(instance, "instance.delete", { instanceName, instanceId });
  void gateway.webhooks.emit(instance, "remove.instance", null);
  const remove = () => {
    instance.deleted = true;
    instance.session += 1;
    if (gateway.instances.get(instance.name) === instance) gateway.instances.delete(instance.name);
  };
  if (gateway.timing.deleteMs > 0) gateway.clock.sometime(gateway.timing.deleteMs, remove);
  else remove();
}

export const forgivesLogout = (gateway: Gateway) => isSince(gateway.version, 2, 4);

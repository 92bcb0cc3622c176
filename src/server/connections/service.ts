import type { z } from "zod";
import type {
  ConnectAnswer,
  Connection,
  ConnectRequest,
  Device,
  SendRequest,
} from "../../contract/connections.ts";
import { AppError } from "../../domain/errors.ts";
import { record } from "../audit/service.ts";
import { requireRoom } from "../db/account-limits.ts";
import type { Changes } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import { refuseWhileRestoreLocked } from "../db/restore-lock.ts";
import { campaignsOf, numbersOf, wake } from "../sending/sending.ts";
import * as counts from "./counts.ts";
import { deviceNumber } from "./device-number.ts";
import { insertInstanceConnection as insertInstance } from "./instance-connection.ts";
import { toNewChats } from "./new-chats.ts";
import * as reads from "./reads.ts";
import {
  type ConnectionRow,
  exists,
  findByDeviceId,
  findListed,
  isLeaving,
  type ListedRow,
  lacksNumber,
  listConnections,
  MAY_BE_LINKED,
  makeDefault,
  upsertDevice,
  wishConnected,
  wishEnded,
} from "./repo.ts";
import { type SendDeps, sendMessage } from "./send.ts";

/** What other features read of connections. */
export const connectionReads = reads;
export const connectionCounts = counts;

/** Stores the connection of an instance; returns its id. */
export const insertInstanceConnection = insertInstance;

export type ConnectionDeps = SendDeps & {
  changes: Pick<Changes, "mark">;
  ownerMs: number;
};

/** An existing number may always reconnect, whatever the limit. */
async function requireRoomForNumber(inside: Owner, number: string): Promise<void> {
  if ((await findByDeviceId(inside, number)) === undefined) await requireRoom(inside, counts.NUMBERS);
}

const iso = (date: Date | null) => date?.toISOString() ?? null;

function toConnection(row: ListedRow): z.input<typeof Connection> {
  const { id, name, kind, state, desired, cause, linked, sending, paused, scheduled, names } = row;
  return {
    id,
    name,
    kind,
    state,
    desired,
    cause,
    linked,
    deviceId: row.device_id,
    number: row.number,
    causeUntil: iso(row.state_reason_until),
    since: row.state_since.toISOString(),
    isDefault: row.is_default,
    qr: row.qr,
    qrExpiresAt: row.qr === null ? null : iso(row.qr_expires_at),
    pairingCode: row.pairing_code,
    pairingCodeExpiresAt: row.pairing_code === null ? null : iso(row.pairing_code_expires_at),
    newChats: toNewChats(row.new_chats, row.now),
    campaigns: { sending, paused, scheduled, names },
  };
}

const isAnswered = (row: ConnectionRow | undefined) =>
  row === undefined || row.cause === "ending" || statusOf(row) === "disconnected";

/** `connecting` while the end of a session is unconfirmed. */
const statusOf = ({ kind, state, cause }: ConnectionRow) =>
  kind === "instance" && state === "disconnected" && MAY_BE_LINKED.has(cause ?? "") ? "connecting" : state;

async function until(ms: number, done: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + ms;
  for (let pause = 20; ; pause = Math.min(pause * 2, 250)) {
    if (await done()) return true;
    if (performance.now() + pause > end) return false;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Stores what people want; the owner of a connection's lane carries it out. */
export class ConnectionService {
  readonly #deps: ConnectionDeps;

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
  }

  async connect(owner: Owner, body: z.output<typeof ConnectRequest>): Promise<z.input<typeof ConnectAnswer>> {
    if (body.userId !== undefined && body.userId !== owner.accountId) throw new AppError("not_found");
    const known = await findNamed(owner, body.deviceId);
    const number = known?.kind === "device" ? known.device_id : deviceNumber(body.deviceId);
    if (number === null) {
      // Instances are created at their gateway; here they only reconnect.
      if (!known) throw new AppError("device_number_required");
      const { state, deviceId } = await this.#wish(owner, known.id, false);
      return { status: state, deviceId };
    }
    await refuseWhileRestoreLocked(owner.db);
    const name = (body.connectionName ?? "").trim();
    // The old number's removal must finish first, or it would be shown as connected.
    await until(this.#deps.ownerMs, async () => !(await isLeaving(owner, number)));
    // Callers write this for an empty name; a known number keeps its name.
    const unnamed = name === `WhatsApp ${body.deviceId.trim()}`;
    const [given, fallback] = unnamed ? ["", name] : [name, `WhatsApp ${number}`];
    const row = await owner.db.transaction().execute(async (tx) => {
      const inside = owner.in(tx);
      if (known === undefined) await requireRoomForNumber(inside, number);
      return upsertDevice(inside, number, given, fallback);
    });
    await this.#publish(owner, row.id);
    this.#deps.changes.mark(owner.accountId, "campaigns");
    return { status: row.state, deviceId: row.device_id };
  }

  async devices(owner: Owner): Promise<{ devices: z.input<typeof Device>[] }> {
    const rows = await listConnections(owner);
    return {
      devices: rows.map((row) => ({
        deviceId: row.device_id,
        kind: row.kind,
        connection_name: row.name,
        status: row.state,
        isDefault: row.is_default,
      })),
    };
  }

  async status(owner: Owner, deviceId: string) {
    const { state, cause, state_reason_until } = await need(owner, deviceId);
    return { status: state, cause, causeUntil: iso(state_reason_until) };
  }

  async qr(owner: Owner, deviceId: string) {
    const { qr, qr_expires_at } = await need(owner, deviceId);
    if (qr === null || qr_expires_at === null) throw new AppError("qr_not_ready");
    return { qr, expiresAt: qr_expires_at.toISOString() };
  }

  async send(owner: Owner, body: z.output<typeof SendRequest>): Promise<Response> {
    if (body.attachmentId !== undefined) await this.#deps.files.kindOf(owner, body.attachmentId);
    return sendMessage(this.#deps, owner, await need(owner, body.deviceId), body);
  }

  async endSession(owner: Owner, deviceId: string) {
    const { id, device_id, name } = await need(owner, deviceId);
    await owner.db.transaction().execute(async (tx) => {
      await wishEnded(owner.in(tx), id, "disconnected");
      await record(owner.in(tx), { kind: "connection_ended", subject: name });
    });
    await this.#publish(owner, id);
    const now = () => findByDeviceId(owner, device_id);
    await until(this.#deps.ownerMs, async () => isAnswered(await now()));
    const row = await now();
    return { success: true, status: row ? statusOf(row) : ("disconnected" as const) };
  }

  async remove(owner: Owner, deviceId: string) {
    await this.removeById(owner, (await need(owner, deviceId)).id);
    return { success: true };
  }

  async removeById(
    owner: Owner,
    id: number,
    kind: "connection_removed" | "instance_removed" = "connection_removed",
  ): Promise<void> {
    await campaignsOf(owner).awaitStarts({ connectionId: id });
    await owner.db.transaction().execute(async (tx) => {
      const known = await findListed(owner.in(tx), id);
      await wishEnded(owner.in(tx), id, "removed");
      await campaignsOf(owner.in(tx)).pauseThrough(id, "connection_removed");
      if (known) await record(owner.in(tx), { kind, subject: known.name });
    });
    await this.#publish(owner, id);
    this.#publishGone(owner);
    // Already gone for the caller; waiting lets the phone log out before the answer.
    await until(this.#deps.ownerMs, async () => !(await exists(owner.db, id)));
    this.#publishGone(owner);
  }

  /** Deletes connections without ending their sessions. `also` runs in the same commit. */
  async forget(owner: Owner, ids: readonly number[], also: (tx: Owner) => Promise<void>): Promise<void> {
    await numbersOf(owner).remove(ids, also);
    this.#publishGone(owner);
  }

  /** For a deleted account: devices log out, instances stay as they are. Does not wait. */
  async removeAll(owner: Owner): Promise<void> {
    const rows = await listConnections(owner);
    for (const { id } of rows.filter(({ kind }) => kind === "device")) {
      await wishEnded(owner, id, "removed");
      await wake(owner.db, id);
    }
    const instances = rows.filter(({ kind }) => kind === "instance").map(({ id }) => id);
    if (instances.length > 0) await this.forget(owner, instances, async () => undefined);
  }

  async list(owner: Owner) {
    return { connections: (await listConnections(owner)).map(toConnection) };
  }

  async makeDefault(owner: Owner, id: number, insteadOf?: number) {
    if (!(await makeDefault(owner, id, insteadOf))) throw new AppError("not_found");
    this.#deps.changes.mark(owner.accountId, "connections", id);
    return show(owner, id);
  }

  reconnect(owner: Owner, id: number) {
    return this.#wish(owner, id, false);
  }

  async pairingCode(owner: Owner, id: number) {
    // Without a number the gateway returns no code, which would look like WhatsApp's refusal.
    if (await lacksNumber(owner, id)) throw new AppError("pairing_code_refused");
    return this.#wish(owner, id, true);
  }

  async #wish(owner: Owner, id: number, pairingCode: boolean) {
    await refuseWhileRestoreLocked(owner.db);
    if (!(await wishConnected(owner, id, pairingCode))) throw new AppError("not_found");
    await this.#publish(owner, id);
    return show(owner, id);
  }

  async #publish(owner: Owner, id: number): Promise<void> {
    await wake(owner.db, id);
    this.#deps.changes.mark(owner.accountId, "connections", id);
  }

  #publishGone({ accountId }: Owner): void {
    for (const topic of ["connections", "campaigns", "chats", "agents", "contacts"] as const)
      this.#deps.changes.mark(accountId, topic);
  }
}

/**
 * Listed digits or an instance name first: the digits of many countries would be another number in Brazil.
 */
async function findNamed(owner: Owner, typed: string): Promise<ConnectionRow | undefined> {
  if (typed.includes("\0") || !typed.isWellFormed()) return undefined;
  const named = await findByDeviceId(owner, typed);
  if (named) return named;
  const number = deviceNumber(typed);
  return number === null ? undefined : findByDeviceId(owner, number);
}

async function need(owner: Owner, typed: string): Promise<ConnectionRow> {
  const row = await findNamed(owner, typed);
  if (!row) throw new AppError("device_unknown");
  return row;
}

async function show(owner: Owner, id: number) {
  const row = await findListed(owner, id);
  if (!row) throw new AppError("not_found");
  return toConnection(row);
}

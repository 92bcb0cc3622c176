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
import { awaitStarts, pauseCampaignsOf } from "../sending/campaigns/campaign-status.ts";
import { wakeLane } from "../sending/ledger/signals.ts";
import { removeConnection } from "../sending/ownership/acquire.ts";
import { forgetWorker, seizingOwner } from "../sending/ownership/workers.ts";
import { deviceNumber } from "./device-number.ts";
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
  seize,
  upsertDevice,
  wishConnected,
  wishEnded,
} from "./repo.ts";
import { type SendDeps, sendMessage } from "./send.ts";

/** How long a connection that is to be deleted belongs to no process; what is left of it then is taken again. */
const SEIZED_S = 60;

export type ConnectionService = ReturnType<typeof connectionService>;

export type ConnectionDeps = SendDeps & {
  changes: Pick<Changes, "mark">;
  /** How long ending a session waits for the lane's owner to have done it. */
  ownerMs: number;
};

/** A number that is there already is connected again, however many there are. */
async function requireRoomForNumber(inside: Owner, number: string): Promise<void> {
  if ((await findByDeviceId(inside, number)) === undefined) await requireRoom(inside, "numbers");
}

const iso = (date: Date | null) => date?.toISOString() ?? null;

function shown(row: ListedRow): z.input<typeof Connection> {
  const { id, name, kind, state, desired, cause, linked, sending, paused, scheduled, names } = row;
  return {
    ...{ id, name, kind, state, desired, cause, linked },
    deviceId: row.device_id,
    number: row.number,
    causeUntil: iso(row.state_reason_until),
    since: row.state_since.toISOString(),
    isDefault: row.is_default,
    qr: row.qr,
    qrExpiresAt: row.qr === null ? null : iso(row.qr_expires_at),
    pairingCode: row.pairing_code,
    pairingCodeExpiresAt: row.pairing_code === null ? null : iso(row.pairing_code_expires_at),
    campaigns: { sending, paused, scheduled, names },
  };
}

/** Whether its lane has ended a session, or said that the gateway does not confirm it. */
const isAnswered = (row: ConnectionRow | undefined) =>
  row === undefined || row.cause === "ending" || statusOf(row) === "disconnected";

/** `connecting` while nobody knows that a session has ended: its server does not answer, or will not. */
const statusOf = ({ kind, state, cause }: ConnectionRow) =>
  kind === "instance" && state === "disconnected" && MAY_BE_LINKED.has(cause ?? "") ? "connecting" : state;

/** Looks until `done` is true, at most `ms`. True when it was. */
async function until(ms: number, done: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + ms;
  for (let pause = 20; ; pause = Math.min(pause * 2, 250)) {
    if (await done()) return true;
    if (performance.now() + pause > end) return false;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/**
 * Connections of an account, for the screens and for the provider's REST interface. Nothing here talks to WhatsApp: it says what
 * people want, and the owner of the connection's lane brings it about.
 */
export function connectionService(deps: ConnectionDeps) {
  const { changes } = deps;

  /**
   * A device by its digits as they are listed, or an instance's name, which is never digits alone; else a number as typed. Read as typed,
   * the digits of many other countries are another number's in Brazil.
   */
  async function findNamed(owner: Owner, typed: string): Promise<ConnectionRow | undefined> {
    // No name in our database has these.
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

  async function tell(owner: Owner, id: number): Promise<void> {
    await wakeLane(owner.db, id);
    changes.mark(owner.accountId, "connections", id);
  }

  /** Also its chats, its assistant, and its name beside those who left. */
  function tellGone({ accountId }: Owner): void {
    for (const topic of ["connections", "campaigns", "chats", "agents", "contacts"] as const)
      changes.mark(accountId, topic);
  }

  async function show(owner: Owner, id: number) {
    const row = await findListed(owner, id);
    if (!row) throw new AppError("not_found");
    return shown(row);
  }

  async function wish(owner: Owner, id: number, pairingCode: boolean) {
    await refuseWhileRestoreLocked(owner.db);
    if (!(await wishConnected(owner, id, pairingCode))) throw new AppError("not_found");
    await tell(owner, id);
    return show(owner, id);
  }

  /** Ends the session for good and takes the connection away, its campaigns paused first. */
  async function remove(
    owner: Owner,
    id: number,
    kind: "connection_removed" | "instance_removed" = "connection_removed",
  ): Promise<void> {
    await awaitStarts(owner.db, { connectionId: id });
    await owner.db.transaction().execute(async (tx) => {
      const known = await findListed(owner.in(tx), id);
      await wishEnded(owner.in(tx), id, "removed");
      await pauseCampaignsOf(tx, id, "connection_removed");
      if (known) await record(owner.in(tx), { kind, subject: known.name });
    });
    await tell(owner, id);
    tellGone(owner);
    // Gone for the caller already; waiting for the lane only lets the phone hear of it before the answer.
    await until(deps.ownerMs, async () => !(await exists(owner.db, id)));
    // What goes with the row itself.
    tellGone(owner);
  }

  /**
   * Takes connections away and leaves their sessions as they are. `also` runs in the commit after which nobody speaks for them any more.
   */
  async function forget(
    owner: Owner,
    ids: readonly number[],
    also: (tx: Owner) => Promise<void>,
  ): Promise<void> {
    const { seized, seizing } = await owner.db.transaction().execute(async (db) => {
      const tx = owner.in(db);
      const seizing = await seizingOwner(db, SEIZED_S);
      const lanes = [];
      for (const connectionId of ids.toSorted((a, b) => a - b)) {
        const fence = await seize(tx, connectionId, seizing);
        if (fence !== undefined) lanes.push({ connectionId, fence });
      }
      await also(tx);
      return { seized: lanes, seizing };
    });
    for (const lane of seized) await removeConnection(owner.db, lane);
    await forgetWorker(owner.db, seizing);
    tellGone(owner);
  }

  return {
    connect: async (
      owner: Owner,
      body: z.output<typeof ConnectRequest>,
    ): Promise<z.input<typeof ConnectAnswer>> => {
      if (body.userId !== undefined && body.userId !== owner.accountId) throw new AppError("not_found");
      const known = await findNamed(owner, body.deviceId);
      const number = known?.kind === "device" ? known.device_id : deviceNumber(body.deviceId);
      if (number === null) {
        // An instance is made at its gateway; here it can only be connected again.
        if (!known) throw new AppError("device_number_required");
        const { state, deviceId } = await wish(owner, known.id, false);
        return { status: state, deviceId };
      }
      await refuseWhileRestoreLocked(owner.db);
      const name = (body.connectionName ?? "").trim();
      // Its conversations go with it, and its session is being ended: it would be called connected meanwhile.
      await until(deps.ownerMs, async () => !(await isLeaving(owner, number)));
      // What callers write for an empty name: a number that is there keeps the one it was given.
      const unnamed = name === `WhatsApp ${body.deviceId.trim()}`;
      const [given, fallback] = unnamed ? ["", name] : [name, `WhatsApp ${number}`];
      const row = await owner.db.transaction().execute(async (tx) => {
        const inside = owner.in(tx);
        if (known === undefined) await requireRoomForNumber(inside, number);
        return upsertDevice(inside, number, given, fallback);
      });
      await tell(owner, row.id);
      // Its name stands there, and may be another now.
      changes.mark(owner.accountId, "campaigns");
      return { status: row.state, deviceId: row.device_id };
    },

    devices: async (owner: Owner): Promise<{ devices: z.input<typeof Device>[] }> => {
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
    },

    status: async (owner: Owner, deviceId: string) => {
      const { state, cause, state_reason_until } = await need(owner, deviceId);
      return { status: state, cause, causeUntil: iso(state_reason_until) };
    },

    qr: async (owner: Owner, deviceId: string) => {
      const { qr, qr_expires_at } = await need(owner, deviceId);
      if (qr === null || qr_expires_at === null) throw new AppError("qr_not_ready");
      return { qr, expiresAt: qr_expires_at.toISOString() };
    },

    send: async (owner: Owner, body: z.output<typeof SendRequest>): Promise<Response> =>
      sendMessage(deps, owner, await need(owner, body.deviceId), body),

    endSession: async (owner: Owner, deviceId: string) => {
      const { id, device_id, name } = await need(owner, deviceId);
      await owner.db.transaction().execute(async (tx) => {
        await wishEnded(owner.in(tx), id, "disconnected");
        await record(owner.in(tx), { kind: "connection_ended", subject: name });
      });
      await tell(owner, id);
      const now = () => findByDeviceId(owner, device_id);
      await until(deps.ownerMs, async () => isAnswered(await now()));
      const row = await now();
      return { success: true, status: row ? statusOf(row) : ("disconnected" as const) };
    },

    remove: async (owner: Owner, deviceId: string) => {
      await remove(owner, (await need(owner, deviceId)).id);
      return { success: true };
    },
    /** For features that know the connection by its id. */
    removeById: remove,
    forget,

    /** All of an account's, for it is being deleted: devices are to log out, instances are let go as they are. Waits for nobody. */
    removeAll: async (owner: Owner): Promise<void> => {
      const rows = await listConnections(owner);
      for (const { id } of rows.filter(({ kind }) => kind === "device")) {
        await wishEnded(owner, id, "removed");
        await wakeLane(owner.db, id);
      }
      const instances = rows.filter(({ kind }) => kind === "instance").map(({ id }) => id);
      if (instances.length > 0) await forget(owner, instances, async () => undefined);
    },

    list: async (owner: Owner) => ({ connections: (await listConnections(owner)).map(shown) }),

    makeDefault: async (owner: Owner, id: number, insteadOf?: number) => {
      if (!(await makeDefault(owner, id, insteadOf))) throw new AppError("not_found");
      changes.mark(owner.accountId, "connections", id);
      return show(owner, id);
    },

    /** Connect again: after «Desconectar», a logout, codes that ran out. */
    reconnect: (owner: Owner, id: number) => wish(owner, id, false),

    pairingCode: async (owner: Owner, id: number) => {
      // Asked without one, a gateway gives none, and WhatsApp would be said to have refused it.
      if (await lacksNumber(owner, id)) throw new AppError("pairing_code_refused");
      return wish(owner, id, true);
    },
  };
}

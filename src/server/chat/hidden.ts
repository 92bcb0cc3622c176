import { sql } from "kysely";
import type { Db } from "../db/client.ts";
import type { Changes } from "../db/live-updates.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import { intakeOf } from "../sending/sending.ts";
import type { Place } from "./arrival.ts";
import type { Assistant } from "./assistant.ts";
import type { Names } from "./incoming.ts";
import { findLateLeaving } from "./late-opt-out.ts";
import { conversationsOf } from "./merge-chats.ts";
import { hasChat } from "./numbers.ts";
import { findNamed, holdChats } from "./receive-repo.ts";
import { type StoreDeps, settleChats } from "./store-messages.ts";

type Deps = {
  db: Db;
  changes: Pick<Changes, "mark">;
  assistant: Assistant;
  optOut: StoreDeps["optOut"];
};

/**
 * Assigns numbers to hidden addresses and applies late opt-outs, or campaigns keep reaching these people.
 * Idempotent; true after commit if there were any.
 */
export function hiddenNamer(deps: Deps) {
  const { db, changes } = deps;
  return async (connectionId: number, lids: readonly string[]): Promise<boolean> => {
    const places = lids.length === 0 ? [] : await findNameless(db, connectionId, lids);
    for (const place of places) {
      const changed = await db
        .transaction()
        .execute((tx) => nameThem(deps, ownerOf(tx, place.accountId), place, lids));
      for (const id of changed) changes.mark(place.accountId, "chats", id);
    }
    return places.length > 0;
  };
}

async function findNameless(db: Db, connectionId: number, lids: readonly string[]): Promise<Place[]> {
  const { rows } = await sql<Place>`select distinct k.account_id as "accountId", k.id as "connectionId"
    from connection own join connection k on k.account_id = own.account_id
      join chat c on c.connection_id = k.id and c.lid = any(${[...lids]}) and c.phone is null
    where own.id = ${connectionId} order by k.id`.execute(db);
  return rows;
}

async function nameThem(deps: Deps, owner: Owner, place: Place, lids: readonly string[]): Promise<number[]> {
  const tx = owner.db;
  const { connectionId } = place;
  if (!(await holdChats(tx, place))) return [];
  const nameless = await findNamed(
    tx,
    place,
    lids.map((lid) => ({ names: { phone: null, jid: null, lid } })),
  );
  const known = await intakeOf(owner, connectionId).findNames(lids, hasChat(connectionId));
  const named = nameless.flatMap(({ phone, lid }): Names[] => {
    const match = phone === null ? known.findLast((one) => one.lid === lid) : undefined;
    return match ? [{ ...match, lid }] : [];
  });
  const conversations = conversationsOf(
    await findNamed(
      tx,
      place,
      named.map((names) => ({ names })),
    ),
    [],
    named,
  );
  const late = await findLateLeaving(tx, conversations);
  const settled = await settleChats(deps, tx, place, conversations);
  await deps.optOut(owner, ...late.map((one) => ({ ...one, connectionId })));
  await deps.assistant.onLeft(owner, late);
  return settled.map(([, id]) => id);
}

import type { z } from "zod";
import { AUDIT_KINDS, type AuditEvent, type AuditGroup } from "../../contract/audit.ts";
import { browserName } from "../../domain/browser-name.ts";
import type { Clock } from "../../domain/clock.ts";
import { currentRequest, type RequestContext } from "../base/request-context.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import {
  type AuditAction,
  type AuditRow,
  deleteEventsBefore,
  deleteSubjects,
  findEvents,
  insertEvent,
  insertEventByEmail,
  insertEventForAll,
  type Who,
} from "./repo.ts";

const KEPT_DAYS = 365;
const DAY_MS = 86_400_000;
const BATCH = 5_000;

function whoIn(visit: RequestContext | null): Who {
  if (!visit) return { actor: "system", keyName: null, address: null, browser: null };
  const { actor, address, userAgent } = visit;
  return {
    actor: actor.by,
    keyName: actor.by === "key" ? actor.keyName : null,
    address,
    browser: browserName(userAgent ?? "") || null,
  };
}

/** Pass the owner of the action's transaction, so that both commit together. */
export const record = (owner: Owner, action: AuditAction): Promise<void> =>
  insertEvent(owner, action, whoIn(currentRequest()));

export const recordSignIn = (
  owner: Owner,
  kind: "signed_in" | "account_created" | "password_reset",
): Promise<void> => insertEvent(owner, { kind }, { ...whoIn(currentRequest()), actor: "session" });

/** Must not reveal whether the e-mail has an account. */
export const recordFailedSignIn = (db: Db, email: string): Promise<void> =>
  insertEventByEmail(
    db,
    email,
    { kind: "sign_in_failed" },
    { ...whoIn(currentRequest()), actor: "stranger" },
  );

export const recordForAll = (tx: Db, action: AuditAction): Promise<void> =>
  insertEventForAll(tx, action, whoIn(currentRequest()));

export const eraseSubjects = deleteSubjects;

/** A phone must not be stored whole; its end is enough to recognize it. */
export const phoneEnd = (phone: string): string => `…${phone.slice(-4)}`;

export type AuditService = ReturnType<typeof auditService>;

type Query = { group?: AuditGroup | undefined; after?: number | undefined; limit: number };

export function auditService({ db, clock }: { db: Db; clock: Pick<Clock, "now"> }) {
  return {
    list: async (owner: Owner, { group, after, limit }: Query) => {
      const kinds = group ? AUDIT_KINDS[group] : null;
      const rows = await findEvents(owner, { kinds, after: after ?? null, limit: limit + 1 });
      const page = rows.slice(0, limit);
      const next = rows.length > page.length ? (page.at(-1)?.id ?? null) : null;
      return { items: page.map(shown), next };
    },

    async pruneOld(): Promise<void> {
      const before = new Date(clock.now().getTime() - KEPT_DAYS * DAY_MS);
      while ((await deleteEventsBefore(db, before, BATCH)) === BATCH);
    },
  };
}

function shown(row: AuditRow): z.input<typeof AuditEvent> {
  const { id, kind, actor, address, browser, subject, details } = row;
  return {
    id,
    kind,
    actor,
    address,
    browser,
    subject,
    details,
    at: row.at.toISOString(),
    keyName: row.key_name,
    subjectId: row.subject_id,
  };
}

import type { z } from "zod";
import { AUDIT_KINDS, type AuditEvent, type AuditGroup } from "../../contract/audit.ts";
import { browserName } from "../../domain/browser-name.ts";
import type { Clock } from "../../domain/clock.ts";
import { currentRequest, type RequestContext } from "../base/request-context.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import {
  type AuditRow,
  deleteEventsBefore,
  findEvents,
  insertEvent,
  insertEventByEmail,
  insertEventForAll,
  type Submission,
  type Who,
} from "./repo.ts";

/** As long as people may ask about what was done. */
const KEPT_DAYS = 365;
const DAY_MS = 86_400_000;
const BATCH = 5_000;

function whoIn(visit: RequestContext | null): Who {
  if (!visit) return { actor: "system", keyId: null, address: null, browser: null };
  const { actor, address, userAgent } = visit;
  return {
    actor: actor.by,
    keyId: actor.by === "key" ? actor.keyId : null,
    address,
    browser: browserName(userAgent ?? "") || null,
  };
}

/**
 * Notes something done to an account, by whoever is being answered, or by the server itself where nobody is. Called with the owner of the
 * transaction that does it, so that neither is there without the other.
 */
export const record = (owner: Owner, deed: Submission): Promise<void> =>
  insertEvent(owner, deed, whoIn(currentRequest()));

/** Somebody has just proved to be the account's own, by its password or its mail. */
export const recordSignIn = (
  owner: Owner,
  kind: "signed_in" | "account_created" | "password_reset",
): Promise<void> => insertEvent(owner, { kind }, { ...whoIn(currentRequest()), actor: "session" });

/** A sign-in that failed; whether anybody has this e-mail is nothing that the caller learns. */
export const recordFailedSignIn = (db: Db, email: string): Promise<void> =>
  insertEventByEmail(
    db,
    email,
    { kind: "sign_in_failed" },
    { ...whoIn(currentRequest()), actor: "stranger" },
  );

/** Something done to the installation, told to each of its accounts. */
export const recordForAll = (tx: Db, deed: Submission): Promise<void> =>
  insertEventForAll(tx, deed, whoIn(currentRequest()));

/** The end of a number that may not be written down whole: enough to know it again. */
export const phoneEnd = (phone: string): string => `…${phone.slice(-4)}`;

export type AuditService = ReturnType<typeof auditService>;

type Query = { group?: AuditGroup | undefined; after?: number | undefined; limit: number };

/** What was done to an account, for its owner to look up. */
export function auditService({ db, clock }: { db: Db; clock: Pick<Clock, "now"> }) {
  return {
    list: async (owner: Owner, { group, after, limit }: Query) => {
      const kinds = group ? AUDIT_KINDS[group] : null;
      const rows = await findEvents(owner, { kinds, after: after ?? null, limit: limit + 1 });
      const page = rows.slice(0, limit);
      const next = rows.length > page.length ? (page.at(-1)?.id ?? null) : null;
      return { items: page.map(shown), next };
    },

    /** What is older than a year goes; for the nightly job. */
    async forgetOld(): Promise<void> {
      const before = new Date(clock.now().getTime() - KEPT_DAYS * DAY_MS);
      while ((await deleteEventsBefore(db, before, BATCH)) === BATCH);
    },
  };
}

function shown(row: AuditRow): z.input<typeof AuditEvent> {
  const { id, kind, actor, address, browser, subject, details } = row;
  return {
    ...{ id, kind, actor, address, browser, subject, details },
    at: row.at.toISOString(),
    keyName: row.key_name,
    subjectId: row.subject_id,
  };
}

import type { z } from "zod";
import type { OptOut, optOuts } from "../../contract/opt-outs.ts";
import { AppError } from "../../domain/errors.ts";
import { renderMessage } from "../../domain/message-text.ts";
import { readPhone } from "../../domain/phone-foreign.ts";
import { phoneEnd, record } from "../audit/service.ts";
import { readTypedPhone } from "../chat/service.ts";
import { readOptOutConfirmation } from "../db/account.ts";
import { type Changes, publishPeople } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import { readRestoreLock } from "../db/restore-lock.ts";
import { readSuspended } from "../db/suspended.ts";
import type { Undo } from "../db/undo.ts";
import { fieldError } from "../http/errors.ts";
import { directMessagesOf, type OptOutPlace, type OptOutRow, optOutsOf } from "../sending/sending.ts";

type Reply = { phone: string; connectionId: number; text: string; doubtful?: boolean };

const PAGE = 100;
const UNDO = "opt_out";

function shown(row: OptOutRow): z.input<typeof OptOut> {
  const { phone, name, source, text, connection_name: connectionName, created_at } = row;
  return { phone, name, source, text, connectionName, at: created_at.toISOString() };
}

type Query = z.output<typeof optOuts.list.query>;

function placeOf(cursor: string | undefined): OptOutPlace | null {
  const [at, phone] = cursor?.split("-") ?? [];
  return at && phone ? { at, phone } : null;
}

export type OptOutDeps = { changes: Pick<Changes, "mark">; undo: Undo };

export const optOutService = (deps: OptOutDeps) => new OptOutService(deps);

export class OptOutService {
  readonly #changes: OptOutDeps["changes"];
  readonly #undo: Undo;

  constructor({ changes, undo }: OptOutDeps) {
    this.#changes = changes;
    this.#undo = undo;
  }

  async list(owner: Owner, { state = "left", search = "", cursor, skip = 0, limit = PAGE }: Query) {
    const part = { which: state, after: placeOf(cursor), skip, limit: limit + 1 };
    const rows = await optOutsOf(owner).list({ search: search.trim(), ...part });
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    const counts = await optOutsOf(owner).count();
    return {
      optOuts: rows.slice(0, limit).map(shown),
      total: counts[state],
      undecided: counts.undecided,
      next: last ? `${last.place}-${last.phone}` : null,
    };
  }

  async add(owner: Owner, typed: string) {
    const reading = await readTypedPhone(owner, typed);
    if ("error" in reading)
      throw fieldError({ phone: reading.error === "phone_missing" ? "required" : reading.error });
    const { phone } = reading;
    // Confirming keeps the person's words, which a manual entry lacks.
    const decided = await confirmed(owner, phone, null);
    const entered = await optOutsOf(owner).add({ phone, source: "manual", connectionId: null, text: null });
    this.#publish(owner);
    return { ...(await found(owner, phone)), reversible: !decided && entered?.campaigns === 0 };
  }

  async remove(owner: Owner, typed: string, at: string | null = null) {
    const phone = await meant(owner, typed);
    const copy = phone === null ? null : await undone(owner, phone, at === null ? null : new Date(at));
    if (!copy) {
      const leftAgain = phone !== null && (await optOutsOf(owner).find(phone));
      throw new AppError(leftAgain ? "undo_too_late" : "not_found");
    }
    this.#publish(owner);
    return { success: true, undo: this.#undo.seal(owner.accountId, UNDO, copy) };
  }

  async confirm(owner: Owner, typed: string, at: string | null = null) {
    const phone = await meant(owner, typed);
    if (phone === null || !(await confirmed(owner, phone, at === null ? null : new Date(at))))
      throw new AppError("not_found");
    this.#publish(owner);
    return found(owner, phone);
  }

  async restore(owner: Owner, sealed: string) {
    const copy = this.#undo.open(owner.accountId, UNDO, sealed);
    await optOutsOf(owner).restore(copy);
    this.#publish(owner);
    return found(owner, String(copy.phone));
  }

  /** Opts out and confirms once; doubtful replies get no confirmation. */
  readonly replied = async (owner: Owner, ...replies: readonly Reply[]): Promise<void> => {
    if (replies.length === 0) return;
    const leave = async (inside: Owner): Promise<void> => {
      const phones = replies.map(({ phone }) => phone);
      if (phones.length > 1) await optOutsOf(inside).hold(phones);
      for (const reply of replies) await leaveAndConfirm(inside, reply);
    };
    if (owner.db.isTransaction) await leave(owner);
    else await owner.db.transaction().execute((tx) => leave(owner.in(tx)));
    this.#publish(owner);
  };

  #publish(owner: Owner): void {
    publishPeople(this.#changes, owner.accountId);
    // A campaign may end when its last pending person opts out.
    this.#changes.mark(owner.accountId, "connections");
  }
}

async function found(owner: Owner, phone: string) {
  const row = await optOutsOf(owner).find(phone);
  // Another request removed it first.
  if (!row) throw new AppError("not_found");
  return shown(row);
}

/** Listed digits first: foreign digits could be another person's number in Brazil (+51 987 654 321). */
async function meant(owner: Owner, typed: string): Promise<string | null> {
  const digits = /^\+?([1-9]\d{0,14})$/.exec(typed)?.[1];
  if (digits !== undefined && (await optOutsOf(owner).find(digits))) return digits;
  const reading = readPhone(typed);
  return "phone" in reading ? reading.phone : null;
}

/** Reversing an opt-out; a doubtful one is still in running campaigns. */
const undone = (owner: Owner, phone: string, at: Date | null) =>
  owner.db.transaction().execute(async (tx) => {
    const inside = owner.in(tx);
    const copy = await optOutsOf(inside).withdraw(phone, at);
    if (!copy) return null;
    await record(inside, {
      kind: copy.source === "asked" ? "leaving_dismissed" : "opt_out_undone",
      subject: phoneEnd(phone),
    });
    return copy;
  });

const confirmed = (owner: Owner, phone: string, at: Date | null) =>
  owner.db.transaction().execute(async (tx) => {
    const inside = owner.in(tx);
    const since = await optOutsOf(inside).confirm(phone, at);
    if (since !== null) await record(inside, { kind: "leaving_confirmed", subject: phoneEnd(phone) });
    return since !== null;
  });

async function leaveAndConfirm(inside: Owner, reply: Reply): Promise<void> {
  const { doubtful, ...said } = reply;
  const left = await optOutsOf(inside).add({ ...said, source: doubtful ? "asked" : "reply" });
  // A person who may not have asked for it gets no automatic message.
  if (doubtful) return;
  // After a restore the original may have confirmed already.
  if (left === null || (await readRestoreLock(inside.db)) || (await readSuspended(inside))) return;
  const { connectionId, phone } = reply;
  await directMessagesOf(inside).enqueue({
    connectionId,
    to: { phone },
    text: await confirmationTo(inside, phone),
    attachmentId: null,
    origin: "opt_out",
    idempotencyKey: `opt_out:${phone}:${left.at.getTime()}`,
  });
}

async function confirmationTo(inside: Owner, phone: string): Promise<string> {
  const person = await optOutsOf(inside).find(phone);
  return renderMessage(await readOptOutConfirmation(inside), person?.name ?? "", "");
}

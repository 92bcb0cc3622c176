import type { z } from "zod";
import { OPT_OUT_CONFIRMATION } from "../../contract/error-messages.ts";
import type { OptOut } from "../../contract/opt-outs.ts";
import { AppError } from "../../domain/errors.ts";
import { readPhone } from "../../domain/phone-foreign.ts";
import type { Changes } from "../changes.ts";
import type { Owner } from "../db/owner.ts";
import { fieldError } from "../http/errors.ts";
import { optIn, optOut } from "../sending/opt-out.ts";
import { enqueue } from "../sending/outbox.ts";
import { countOptOuts, findOptOut, findOptOuts, type OptOutRow, type Place } from "./repo.ts";

export type OptOutService = ReturnType<typeof optOutService>;

const PAGE = 100;

function shown(row: OptOutRow): z.input<typeof OptOut> {
  const { phone, name, source, text, connection_name: connectionName, created_at } = row;
  return { phone, name, source, text, connectionName, at: created_at.toISOString() };
}

/** Where the next page begins, from the `next` of the one before. */
function placeOf(cursor: string | undefined): Place | null {
  const [at, phone] = cursor?.split("-") ?? [];
  return at && phone ? { at, phone } : null;
}

/** Who wants no campaigns: shown, added by hand, taken back; and what a reply by which somebody leaves brings about. */
export function optOutService({ changes }: { changes: Pick<Changes, "mark"> }) {
  function tell(owner: Owner): void {
    for (const topic of ["contacts", "campaigns", "chats"] as const) changes.mark(owner.accountId, topic);
  }

  return {
    list: async (owner: Owner, query: { search?: string | undefined; cursor?: string | undefined }) => {
      const search = (query.search ?? "").trim();
      const rows = await findOptOuts(owner, { search, after: placeOf(query.cursor), limit: PAGE + 1 });
      const last = rows.length > PAGE ? rows[PAGE - 1] : undefined;
      return {
        optOuts: rows.slice(0, PAGE).map(shown),
        total: await countOptOuts(owner),
        next: last ? `${last.place}-${last.phone}` : null,
      };
    },

    add: async (owner: Owner, typed: string) => {
      const reading = readPhone(typed);
      if ("fault" in reading)
        throw fieldError({ phone: reading.fault === "phone_missing" ? "required" : reading.fault });
      const { phone } = reading;
      await optOut(owner, { phone, source: "manual", connectionId: null, text: null });
      tell(owner);
      const row = await findOptOut(owner, phone);
      // Taken back by somebody else in the meantime.
      if (!row) throw new AppError("not_found");
      return shown(row);
    },

    remove: async (owner: Owner, typed: string) => {
      const reading = readPhone(typed);
      const known = "phone" in reading && (await optIn(owner, reading.phone));
      if (!known) throw new AppError("not_found");
      tell(owner);
      return { success: true };
    },

    /**
     * Somebody replied with a word of leaving: they get no campaigns any more, and are told so, once. In the caller's transaction or in
     * one of its own.
     */
    replied: async (
      owner: Owner,
      reply: { phone: string; connectionId: number; text: string },
    ): Promise<void> => {
      const leave = async (inside: Owner): Promise<void> => {
        const at = await optOut(inside, { ...reply, source: "reply" });
        if (at === null) return;
        const { connectionId, phone } = reply;
        await enqueue(inside, {
          connectionId,
          to: { phone },
          text: OPT_OUT_CONFIRMATION,
          imageId: null,
          origin: "opt_out",
          idempotencyKey: `opt_out:${phone}:${at.getTime()}`,
        });
      };
      if (owner.db.isTransaction) await leave(owner);
      else await owner.db.transaction().execute((tx) => leave(owner.in(tx)));
      tell(owner);
    },
  };
}

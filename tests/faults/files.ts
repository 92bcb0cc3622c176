import { createHash } from "node:crypto";
import { sql } from "kysely";
import { DELIVERY } from "../../src/domain/delivery.ts";
import type { Db } from "../../src/server/db/client.ts";
import { chance } from "./chance.ts";

/** What each person of a run gets: `parts` messages, the first with text and perhaps a file. */
export type Files = { parts: number; attached: boolean };

export const TEXT_ALONE: Files = { parts: 1, attached: false };

/** `3+` three messages, the first with a file. */
export const filesText = ({ parts, attached }: Files): string => `${parts}${attached ? "+" : ""}`;

/** Half of the runs have text alone, a sixth one file, the others two to four messages. */
export function filesOf(seed: number, index: number): Files {
  const random = chance(seed * 400_009 + index);
  random();
  const drawn = random();
  if (drawn < 1 / 2) return TEXT_ALONE;
  if (drawn < 2 / 3) return { parts: 1, attached: true };
  return { parts: 2 + Math.floor(random() * 3), attached: random() < 0.5 };
}

const nameOf = (index: number, part: number) => `rodada ${index} parte ${part}.pdf`;

const NAMED = /^rodada (?<index>\d+) parte (?<part>\d)\.pdf$/;

/** Which message of which run; null: of none. */
export function partOf(text: string | null, fileName: string | null): { index: number; part: number } | null {
  const { index, part } = NAMED.exec(fileName ?? "")?.groups ?? {};
  if (index !== undefined) return { index: Number(index), part: Number(part) };
  const { run } = /Rodada (?<run>\d+)$/.exec(text ?? "")?.groups ?? {};
  return run === undefined ? null : { index: Number(run), part: 0 };
}

/** As a form names them. */
export async function storeFiles(
  db: Db,
  index: number,
  { parts, attached }: Files,
): Promise<{ attachmentId: number | null; moreAttachmentIds: number[] }> {
  const store = async (part: number): Promise<number> => {
    const bytes = Buffer.from(`%PDF-1.4 ${index} ${part}`);
    const { rows } = await sql<{
      id: number;
    }>`insert into attachment (account_id, sha256, kind, name, mime, size, bytes)
      select id, ${createHash("sha256").update(bytes).digest()}, 'document', ${nameOf(index, part)}, 'application/pdf', ${bytes.length}, ${bytes}
      from account
      on conflict (account_id, sha256, kind, name) do update set created_at = now() returning id`.execute(db);
    return rows[0]?.id ?? 0;
  };
  const moreAttachmentIds: number[] = [];
  for (let part = 1; part < parts; part++) moreAttachmentIds.push(await store(part));
  return { attachmentId: attached ? await store(0) : null, moreAttachmentIds };
}

/** `sent`: messages that the ledger names as gone to people that did not get all. */
export type LedgerRow = { phone: string; status: number; doubtful: boolean; sent: number[] };

export async function readPeople(db: Db, campaignId: number): Promise<LedgerRow[]> {
  const { rows } = await sql<LedgerRow>`select d.phone::text as phone, d.status, d.ambiguous as doubtful,
      to_json(array(select p.part from delivery_part p
        where p.campaign_id = d.campaign_id and p.seq = d.seq and p.status >= ${DELIVERY.accepted} order by p.part)) as sent
    from delivery d where d.campaign_id = ${campaignId} order by d.seq`.execute(db);
  return rows;
}

/** What reached the phones: when, for each person and message. */
export class Held {
  readonly #at = new Map<string, Map<number, number[]>>();

  add(phone: string, part: number, at: number): void {
    const parts = this.#at.get(phone) ?? new Map<number, number[]>();
    this.#at.set(phone, parts.set(part, [...(parts.get(part) ?? []), at]));
  }

  parts(phone: string): ReadonlySet<number> {
    return new Set(this.#at.get(phone)?.keys());
  }

  hasTwice(phone: string): boolean {
    return [...(this.#at.get(phone)?.values() ?? [])].some((times) => times.length > 1);
  }

  /** Each message came after those before it. */
  isInOrder(phone: string): boolean {
    const first = [...(this.#at.get(phone) ?? [])].map(
      ([part, times]) => [part, Math.min(...times)] as const,
    );
    const sorted = first.toSorted(([a], [b]) => a - b).map(([, at]) => at);
    return sorted.every((at, nth) => nth === 0 || at >= (sorted[nth - 1] ?? 0));
  }
}

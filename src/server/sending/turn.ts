import { DELIVERY } from "../../domain/delivery.ts";
import type { Prepared } from "../db/client.ts";
import { dayOfTally, endedWhenDone, tallyOf } from "./counters.ts";
import { isDue } from "./due.ts";
import { RESEND } from "./resends.ts";

/** A person handed out to a lane: `sending` in the database under the lane's fence before anything is sent. */
export type Claimed = {
  seq: number;
  phone: string;
  name: string;
  tries: number;
  ambiguous: boolean;
  generation: number;
};

/** True when a message may have reached them: of this attempt, or of one before it that a human has sent again under a new id. */
export const mayHaveIt = ({ ambiguous, generation }: Pick<Claimed, "ambiguous" | "generation">): boolean =>
  ambiguous || generation > 0;

/** What became of a claimed person. `attempts` is added to the tries, `delayMs` says when a waiting one is due again. */
export type Finished =
  | { seq: number; to: "sent"; at: number }
  | {
      seq: number;
      to: "waiting" | "skipped" | "uncertain" | "error";
      at: number;
      error: string | null;
      attempts: number;
      ambiguous: boolean;
      delayMs: number;
    };

export type TurnRequest = {
  connectionId: number;
  fence: number;
  campaignId: number;
  finished: readonly Finished[];
  want: number;
  /**
   * From the cursor, or from those given back who are due again: `retry` were refused with a passing cause, `returned` are all who
   * provably got nothing, `doubt` may have got it.
   */
  from: "cursor" | "retry" | "returned" | "doubt";
  /** Lowest seq still on the wire after these outcomes, null when none is: where a take-over starts to look. */
  low: number | null;
};

export type TurnAnswer = {
  life: string;
  total: number;
  cursor: number;
  sending: number;
  waiting: number;
  claimed: Claimed[];
};

/** The claim moves the cursor over people never handed out… */
const CLAIM_CURSOR = `claim as (
  update delivery d set status = ${DELIVERY.sending}, fence = $2
  from camp
  where d.campaign_id = camp.id and d.seq >= camp.c0 and d.seq < camp.c1 and d.status = ${DELIVERY.pending}
  returning d.seq, d.phone, d.name, d.tries, d.ambiguous, d.generation)`;

/**
 * …or takes up those given back whose time has come: unsent ones first, then as it came, so that nobody is before others again and
 * again. Whoever left meanwhile stays, and so does whose failed message has arrived since their resend had them in hand; the campaigns'
 * clock settles them.
 */
const claimWaiting = (which: string) => `${RESEND.runs},
due as materialized (
  select d.seq from delivery d, camp
  where d.campaign_id = camp.id and camp.life = 'sending' and d.attention = ${DELIVERY.waiting}
    and ${isDue("d.not_before")} and ${which}
    and not exists (select 1 from opt_out o where o.account_id = camp.account_id and o.phone = d.phone)
    and not ${RESEND.arrived}
  order by d.not_before nulls first, d.seq limit $4),
claim as (
  update delivery d set status = ${DELIVERY.sending}, fence = $2, not_before = null
  from camp, due
  where d.campaign_id = camp.id and d.seq = due.seq and d.status = ${DELIVERY.waiting}
  returning d.seq, d.phone, d.name, d.tries, d.ambiguous, d.generation)`;

/** What is told of everybody handed out: those who were sent to, in short arrays… */
const TOLD_SENT = `
  select seq, ${DELIVERY.sent}::smallint as now, to_timestamp((at + $8::float8) / 1000) as at, null::text as error, 1 as attempts, false as ambiguous,
    null::timestamptz as not_before
  from unnest($6::int[], $7::float8[]) as t(seq, at)`;

/** …and all the others. */
const TOLD_OTHERS = `
  select seq, now, to_timestamp(at), error, attempts, ambiguous,
    case when delay_ms > 0 or ambiguous then now() + delay_ms * interval '1 millisecond' end
  from jsonb_to_recordset($9::jsonb) as t(seq int, now smallint, at float8, error text, attempts int, ambiguous boolean, delay_ms int)`;

function turnStatement(claim: string, fromCursor: boolean, told = `${TOLD_SENT} union all ${TOLD_OTHERS}`) {
  const left = fromCursor ? "n_pending" : "n_waiting";
  const sending = "c.n_sending + given.people - tally.all_done";
  const waiting = fromCursor ? "c.n_waiting + tally.waiting" : "c.n_waiting - given.people + tally.waiting";
  return `with ${fromCursor ? "" : "recursive "}lane as materialized (
  select id from connection where id = $1 and fence = $2 for no key update),
camp as materialized (
  select c.id, c.account_id, c.resends_id, c.zone, c.life, c.cursor as c0,
    ${fromCursor ? "case when c.life = 'sending' then least(c.cursor + $4::int, c.total) else c.cursor end" : "c.cursor"} as c1
  from campaign c join lane on true where c.id = $3 for no key update of c),
told as (${told}),
done as (
  update delivery d set status = told.now, at = told.at, error = told.error, tries = d.tries + told.attempts,
    ambiguous = d.ambiguous or told.ambiguous, not_before = told.not_before
  from told, camp
  where d.campaign_id = camp.id and d.seq = told.seq and d.status = ${DELIVERY.sending} and d.fence = $2
  returning d.status as now, d.at),
tally as materialized (${tallyOf("done")}),
${claim},
given as materialized (
  select count(*) as people, min(seq) as low, json_build_array(json_agg(seq), json_agg(phone), json_agg(name), json_agg(tries),
    json_agg(ambiguous), json_agg(generation)) as columns
  from claim),
k as (
  update campaign c set
    cursor = camp.c1,
    low = least($5::int, camp.c0, given.low),
    claimed_at = case when given.people > 0 then now() else c.claimed_at end,
    ${left} = c.${left} - given.people${fromCursor ? "" : " + tally.waiting"},
    n_sending = ${sending},
    ${fromCursor ? `n_waiting = ${waiting},` : ""}
    n_skipped = c.n_skipped + tally.skipped,
    n_uncertain = c.n_uncertain + tally.uncertain,
    n_error = c.n_error + tally.error,
    n_sent = c.n_sent + tally.sent,
    first_sent_at = least(c.first_sent_at, tally.first_at),
    last_sent_at = greatest(c.last_sent_at, tally.last_at),
    ${endedWhenDone("camp.c1", `(${sending})`, `(${waiting})`)}
  from camp, tally, given where c.id = camp.id
  returning c.life, c.total, c.cursor, c.n_sending, c.n_waiting),
d as (${dayOfTally("tally", "camp")})
select k.life, k.total, k.cursor, k.n_sending as sending, k.n_waiting as waiting, given.columns from k, given`;
}

const STATEMENTS = {
  // The usual turn. Set up for others too, and planned for as many, it takes PostgreSQL 0.5 ms for one person where this takes 0.2.
  sent: { name: "turn_sent", text: turnStatement(CLAIM_CURSOR, true, TOLD_SENT) },
  cursor: { name: "turn_cursor", text: turnStatement(CLAIM_CURSOR, true) },
  retry: { name: "turn_retry", text: turnStatement(claimWaiting("not d.ambiguous and d.tries > 0"), false) },
  returned: { name: "turn_returned", text: turnStatement(claimWaiting("not d.ambiguous"), false) },
  doubt: { name: "turn_doubt", text: turnStatement(claimWaiting("d.ambiguous"), false) },
} as const;

/** One row that holds the people column by column (nulls without any): as rows of their own the driver takes twice as long to read them. */
type TurnRow = Omit<TurnAnswer, "claimed"> & {
  columns: [
    seq: number[] | null,
    phone: number[],
    name: string[],
    tries: number[],
    ambiguous: boolean[],
    generation: number[],
  ];
};

/**
 * One statement, one commit: record what became of the people handed out, move counters, day and cursor, hand out the next.
 * Locks in the order connection → campaign → delivery → day. Answers null when the lane no longer owns its connection (its fence
 * was raised): nothing was written, and the lane must stop. Throws the driver's errors; a turn whose answer was lost is never
 * repeated, since it may have committed: the lane takes itself over instead.
 */
export async function takeTurn(prepared: Prepared, request: TurnRequest): Promise<TurnAnswer | null> {
  const sentSeqs: number[] = [];
  // Milliseconds after the first of them: short numbers are written and read several times as fast as whole times.
  const sentAts: number[] = [];
  const first = request.finished[0]?.at ?? 0;
  const others: object[] = [];
  for (const one of request.finished) {
    if (one.to === "sent") {
      sentSeqs.push(one.seq);
      sentAts.push(one.at - first);
    } else {
      const { seq, to, at, error, attempts, ambiguous, delayMs } = one;
      others.push({
        seq,
        now: DELIVERY[to],
        at: at / 1000,
        error,
        attempts,
        ambiguous,
        delay_ms: Math.round(delayMs),
      });
    }
  }
  const usual = request.from === "cursor" && others.length === 0;
  const { name, text } = STATEMENTS[usual ? "sent" : request.from];
  const values = [
    request.connectionId,
    request.fence,
    request.campaignId,
    request.want,
    request.low,
    // Written out here: the driver escapes each element of an array, which costs as much as all the rest of a turn's parameters.
    `{${sentSeqs.join()}}`,
    `{${sentAts.join()}}`,
    first,
    ...(usual ? [] : [JSON.stringify(others)]),
  ];
  const { rows } = await prepared<TurnRow>(name, text, values);
  const row = rows[0];
  if (!row) return null;
  const { columns, ...head } = row;
  const [seqs, phones, names, tries, ambiguous, generations] = columns;
  const claimed = (seqs ?? []).map(
    (seq, i): Claimed => ({
      seq,
      phone: String(phones[i]),
      name: names[i] as string,
      tries: tries[i] as number,
      ambiguous: ambiguous[i] as boolean,
      generation: generations[i] as number,
    }),
  );
  claimed.sort((a, b) => a.seq - b.seq);
  return { ...head, claimed };
}

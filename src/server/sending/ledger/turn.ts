import { DELIVERY } from "../../../domain/delivery.ts";
import type { FieldTexts } from "../../../domain/message-text.ts";
import type { Prepared } from "../../db/client.ts";
import { dayOfTally, endedWhenDone, tallyOf } from "./counters.ts";
import { isDue } from "./due.ts";
import { warmPhone } from "./known-conversations.ts";
import { hasOptedOutText } from "./left-out.ts";
import { RESEND } from "./resends.ts";

export type Claimed = {
  seq: number;
  phone: string;
  name: string;
  tries: number;
  ambiguous: boolean;
  generation: number;
  values: FieldTexts | null;
};

/** This attempt, or one before a human's resend, may have arrived. */
export const mayHaveIt = ({ ambiguous, generation }: Pick<Claimed, "ambiguous" | "generation">): boolean =>
  ambiguous || generation > 0;

/** `attempts` is added to tries; `delayMs` delays a waiting one. */
export type Finished =
  | { seq: number; to: "sent"; at: number }
  | { seq: number; to: "accepted"; at: number }
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
   * Cursor, or returned and due: `retry` (temporary refusal), `returned` (provably unsent), `doubt`. `warm`:
   * past the cursor while cold people wait.
   */
  from: "cursor" | "warm" | "retry" | "returned" | "doubt";
  coldWaits?: boolean;
  warmFrom?: number;
  /** Lowest in-flight seq after these outcomes, or null: an acquire starts here. */
  lowestInFlightSeq: number | null;
};

export type TurnAnswer = {
  status: string;
  total: number;
  cursor: number;
  /** Cold people behind the cursor wait for the judgement of those before. */
  held: boolean;
  sending: number;
  waiting: number;
  claimed: Claimed[];
  warmNext?: number | null;
};

const CLAIM_CURSOR = `claim as (
  update delivery d set status = ${DELIVERY.sending}, fence = $2
  from camp
  where d.campaign_id = camp.id and d.seq >= camp.c0 and d.seq < camp.c1 and d.status = ${DELIVERY.pending}
  returning d.seq, d.phone, d.name, d.tries, d.ambiguous, d.resend_number, d.vars)`;

/** Keeps a turn short: a million people may have few warm ones. */
const WARM_WINDOW = 2_000;

const WARM = warmPhone("$1", "d.phone");

/** While cold people wait: warm ones past the cursor, which moves to the first pending person. */
const CLAIM_WARM = `found as materialized (
  select d.seq from delivery d, camp
  where d.campaign_id = camp.id and camp.status = 'sending' and d.seq >= greatest(camp.c0, $10::int)
    and d.seq < greatest(camp.c0, $10::int) + ${WARM_WINDOW} and d.status = ${DELIVERY.pending} and ${WARM}
  order by d.seq limit $4),
passed as materialized (
  select coalesce((
    select d.seq from delivery d where d.campaign_id = camp.id and d.seq >= camp.c0 and d.status = ${DELIVERY.pending}
      and d.seq <> all (array(select seq from found)) order by d.seq limit 1), camp.total) as cursor,
    case when (select count(*) from found) = $4 then (select max(seq) + 1 from found)
      else greatest(camp.c0, $10::int) + ${WARM_WINDOW} end as next
  from camp),
claim as (
  update delivery d set status = ${DELIVERY.sending}, fence = $2
  from camp, found
  where d.campaign_id = camp.id and d.seq = found.seq and d.status = ${DELIVERY.pending}
  returning d.seq, d.phone, d.name, d.tries, d.ambiguous, d.resend_number, d.vars)`;

/**
 * Returned and due: unsent first, then longest waiting, for fairness. Opted-out people and failures that
 * arrived are left for the campaign clock.
 */
const claimWaiting = (which: string) => `${RESEND.runs},
due as materialized (
  select d.seq from delivery d, camp
  where d.campaign_id = camp.id and camp.status = 'sending' and d.needs_attention = ${DELIVERY.waiting}
    and ${isDue("d.not_before")} and ${which}
    and not ${hasOptedOutText("camp.account_id", "d.phone")}
    and not ${RESEND.arrived}
  order by d.not_before nulls first, d.seq limit $4),
claim as (
  update delivery d set status = ${DELIVERY.sending}, fence = $2, not_before = null
  from camp, due
  where d.campaign_id = camp.id and d.seq = due.seq and d.status = ${DELIVERY.waiting}
  returning d.seq, d.phone, d.name, d.tries, d.ambiguous, d.resend_number, d.vars)`;

const OUTCOMES_SENT = `
  select seq, ${DELIVERY.sent}::smallint as now, to_timestamp((at + $8::float8) / 1000) as at, null::text as error, 1 as attempts, false as ambiguous,
    null::timestamptz as not_before
  from unnest($6::int[], $7::float8[]) as t(seq, at)`;

const OUTCOMES_OTHERS = `
  select seq, now, to_timestamp(at), error, attempts, ambiguous,
    case when delay_ms > 0 or ambiguous then now() + delay_ms * interval '1 millisecond' end
  from jsonb_to_recordset($9::jsonb) as t(seq int, now smallint, at float8, error text, attempts int, ambiguous boolean, delay_ms int)`;

type Kind = "cursor" | "warm" | "waiting";

const CURSOR: Record<Kind, string> = {
  cursor: "camp.c1",
  waiting: "camp.c1",
  warm: "(select passed.cursor from passed)",
};

function turnStatement(claim: string, kind: Kind, results = `${OUTCOMES_SENT} union all ${OUTCOMES_OTHERS}`) {
  const given = kind !== "waiting";
  const left = given ? "pending_count" : "waiting_count";
  const sending = "c.sending_count + given.people - tally.all_done";
  const waiting = given
    ? "c.waiting_count + tally.waiting"
    : "c.waiting_count - given.people + tally.waiting";
  const cursor = CURSOR[kind];
  return `with ${given ? "" : "recursive "}lane as materialized (
  select id from connection where id = $1 and fence = $2 for no key update),
camp as materialized (
  select c.id, c.account_id, c.resends_id, c.zone, c.status, c.cursor as c0${kind === "warm" ? ", c.total" : ""},
    ${kind === "cursor" ? "case when c.status = 'sending' then greatest(c.cursor, least(c.cursor + $4::int, c.total, c.claims_to)) else c.cursor end" : "c.cursor"} as c1
  from campaign c join lane on true where c.id = $3 for no key update of c),
results as (${results}),
done as (
  update delivery d set status = results.now, at = results.at, error = results.error, tries = d.tries + results.attempts,
    ambiguous = d.ambiguous or results.ambiguous, not_before = results.not_before
  from results, camp
  where d.campaign_id = camp.id and d.seq = results.seq and d.status = ${DELIVERY.sending} and d.fence = $2
  returning d.status as now, d.at),
tally as materialized (${tallyOf("done")}),
${claim},
given as materialized (
  select count(*) as people, min(seq) as low, ${kind === "warm" ? "max(seq) as high, " : ""}json_build_array(json_agg(seq), json_agg(phone), json_agg(name), json_agg(tries),
    json_agg(ambiguous), json_agg(resend_number), json_object_agg(seq, vars) filter (where vars is not null)) as columns
  from claim),
k as (
  update campaign c set
    cursor = ${cursor},
    ${kind === "warm" ? "claimed_to = greatest(c.claimed_to, given.high + 1)," : ""}
    lowest_in_flight_seq = least($5::int, camp.c0, given.low),
    claimed_at = case when given.people > 0 then now() else c.claimed_at end,
    ${left} = c.${left} - given.people${given ? "" : " + tally.waiting"},
    sending_count = ${sending},
    ${given ? `waiting_count = ${waiting},` : ""}
    skipped_count = c.skipped_count + tally.skipped,
    uncertain_count = c.uncertain_count + tally.uncertain,
    error_count = c.error_count + tally.error,
    accepted_count = c.accepted_count + tally.accepted,
    sent_count = c.sent_count + tally.sent,
    first_sent_at = least(c.first_sent_at, tally.first_at),
    last_sent_at = greatest(c.last_sent_at, tally.last_at),
    ${endedWhenDone(cursor, { sending: `(${sending})`, waiting: `(${waiting})`, accepted: "(c.accepted_count + tally.accepted)" })}
  from camp, tally, given where c.id = camp.id
  returning c.status, c.total, c.cursor, coalesce(c.cursor >= c.claims_to, false) as held, c.sending_count, c.waiting_count),
d as (${dayOfTally("tally", "camp")})
select k.status, k.total, k.cursor, k.held, k.sending_count as sending, k.waiting_count as waiting, given.columns${kind === "warm" ? ', passed.next as "warmNext"' : ""}
from k, given${kind === "warm" ? ", passed" : ""}`;
}

const STATEMENTS = {
  // Usual turn: a general plan costs PostgreSQL 0.5 ms per person instead of 0.2.
  sent: { name: "turn_sent", text: turnStatement(CLAIM_CURSOR, "cursor", OUTCOMES_SENT) },
  cursor: { name: "turn_cursor", text: turnStatement(CLAIM_CURSOR, "cursor") },
  warm: { name: "turn_warm", text: turnStatement(CLAIM_WARM, "warm") },
  ...waitingTurns("retry", "not d.ambiguous and d.tries > 0"),
  ...waitingTurns("returned", "not d.ambiguous"),
  ...waitingTurns("doubt", "d.ambiguous"),
};

type Waiting = "retry" | "returned" | "doubt";

function waitingTurns<Name extends Waiting>(from: Name, which: string) {
  const turn = (name: string, all: string) => ({ name, text: turnStatement(claimWaiting(all), "waiting") });
  const both = {
    [from]: turn(`turn_${from}`, which),
    [`warm_${from}`]: turn(`turn_warm_${from}`, `${which} and ${WARM}`),
  };
  return both as Record<Name | `warm_${Name}`, { name: string; text: string }>;
}

function statementFor({ from, coldWaits }: TurnRequest, others: number) {
  if (from === "cursor") return others === 0 ? STATEMENTS.sent : STATEMENTS.cursor;
  return from !== "warm" && coldWaits ? STATEMENTS[`warm_${from}`] : STATEMENTS[from];
}

const LEFT = { error: null, attempts: 1, ambiguous: false, delay_ms: 0 };

/** Columns as arrays: rows take the driver twice as long. */
type TurnRow = Omit<TurnAnswer, "claimed"> & {
  columns: [
    seq: number[] | null,
    phone: number[],
    name: string[],
    tries: number[],
    ambiguous: boolean[],
    generation: number[],
    values: Readonly<Record<number, FieldTexts>> | null,
  ];
};

/**
 * One commit: records outcomes, updates counters, claims next; locks connection → campaign → delivery → day.
 * Null: ownership lost, nothing written. A lost answer may have committed: never repeat, acquire again.
 */
export async function takeTurn(prepared: Prepared, request: TurnRequest): Promise<TurnAnswer | null> {
  const sentSeqs: number[] = [];
  // Offsets from the first are several times faster than full times.
  const sentAts: number[] = [];
  const first = request.finished[0]?.at ?? 0;
  const others: object[] = [];
  for (const one of request.finished) {
    if (one.to === "sent") {
      sentSeqs.push(one.seq);
      sentAts.push(one.at - first);
    } else if (one.to === "accepted") {
      others.push({ ...LEFT, seq: one.seq, now: DELIVERY.accepted, at: one.at / 1000 });
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
  const statement = statementFor(request, others.length);
  const values = [
    request.connectionId,
    request.fence,
    request.campaignId,
    request.want,
    request.lowestInFlightSeq,
    // The driver's array escaping would cost as much as all other parameters.
    `{${sentSeqs.join()}}`,
    `{${sentAts.join()}}`,
    first,
    ...(statement === STATEMENTS.sent ? [] : [JSON.stringify(others)]),
    ...(request.from === "warm" ? [request.warmFrom ?? 0] : []),
  ];
  const { rows } = await prepared<TurnRow>(statement.name, statement.text, values);
  const row = rows[0];
  if (!row) return null;
  const { columns, ...head } = row;
  const [seqs, phones, names, tries, ambiguous, generations, texts] = columns;
  const claimed = (seqs ?? []).map(
    (seq, i): Claimed => ({
      seq,
      phone: String(phones[i]),
      name: names[i] as string,
      tries: tries[i] as number,
      ambiguous: ambiguous[i] as boolean,
      generation: generations[i] as number,
      values: texts?.[seq] ?? null,
    }),
  );
  claimed.sort((a, b) => a.seq - b.seq);
  const { warmNext } = head;
  if (warmNext != null && warmNext >= head.total) head.warmNext = null;
  return { ...head, claimed };
}

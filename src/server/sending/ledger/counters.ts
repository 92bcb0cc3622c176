import { DELIVERY } from "../../../domain/delivery.ts";

/**
 * SQL that updates a campaign's counters and day with its rows. The only place that knows the columns, so
 * that "sum of states = total" always holds.
 */

const COLUMNS = Object.entries(DELIVERY).map(([name, code]) => ({ column: `${name}_count`, code }));

/** `n_x = c.n_x + (arrived at x) − (left x)`; `moved` has one row per change with `was` and `now`. */
export function counterChanges(moved: string): string {
  return COLUMNS.map(
    ({ column, code }) =>
      `${column} = c.${column} + (select count(*) filter (where now = ${code}) - count(*) filter (where was = ${code}) from ${moved})`,
  ).join(",\n    ");
}

/**
 * Status "ended" once no one is pending, sending, waiting or accepted; `left` holds the new numbers. Accepted
 * people keep it open: see unconfirmed.ts.
 */
export function endedWhenDone(
  cursor: string,
  left: { sending: string; waiting: string; accepted: string },
): string {
  const done = `c.status in ('sending', 'paused') and ${cursor} >= c.total
      and ${left.sending} = 0 and ${left.waiting} = 0 and ${left.accepted} = 0`;
  return `status = case when ${done} then 'ended' else c.status end,
    pause_reason = case when ${done} then null else c.pause_reason end,
    ended_at = case when ${done} then now() else c.ended_at end`;
}

/**
 * Adds the rows of `moved` (was, now, at) to the campaign's current day in its zone; `camp` has id and zone.
 */
export function dayChanges(moved: string, camp: string): string {
  const first = (state: number) =>
    `count(*) filter (where now >= ${state} and was < ${state}) - count(*) filter (where now < ${state} and was >= ${state})`;
  // A late result replaces an error or doubt, otherwise a person counts twice.
  const net = (state: number) =>
    `count(*) filter (where now = ${state}) - count(*) filter (where was = ${state})`;
  // A result known only days later would make the intervals between this day's messages look as long.
  const sentToday = `filter (where now >= ${DELIVERY.sent} and was < ${DELIVERY.sent}
      and (at at time zone ${camp}.zone)::date = (now() at time zone ${camp}.zone)::date)`;
  return intoDay(`select ${camp}.id, (now() at time zone ${camp}.zone)::date,
    ${first(DELIVERY.sent)}, ${net(DELIVERY.accepted)}, ${net(DELIVERY.error)}, ${net(DELIVERY.uncertain)},
    ${first(DELIVERY.delivered)}, ${first(DELIVERY.read)}, min(at) ${sentToday}, max(at) ${sentToday}
  from ${moved}, ${camp}
  where now >= ${DELIVERY.uncertain} or was >= ${DELIVERY.uncertain}
  group by ${camp}.id, ${camp}.zone`);
}

function intoDay(changes: string): string {
  return `insert into campaign_day as day (campaign_id, day, accepted, unconfirmed, failed, uncertain, delivered, read, first_at, last_at)
  ${changes}
  on conflict (campaign_id, day) do update set
    accepted = day.accepted + excluded.accepted, unconfirmed = day.unconfirmed + excluded.unconfirmed, failed = day.failed + excluded.failed,
    uncertain = day.uncertain + excluded.uncertain, delivered = day.delivered + excluded.delivered, read = day.read + excluded.read,
    first_at = least(day.first_at, excluded.first_at), last_at = greatest(day.last_at, excluded.last_at)`;
}

export function sentTimes(moved: string): string {
  const at = (pick: string) =>
    `(select ${pick}(at) from ${moved} where now >= ${DELIVERY.sent} and was < ${DELIVERY.sent})`;
  return `first_sent_at = least(c.first_sent_at, ${at("min")}),
    last_sent_at = greatest(c.last_sent_at, ${at("max")})`;
}

/**
 * For the turn, whose rows were all `sending`: counts the outcomes in `done` (now, at) once, while the
 * general form reads them for every counter.
 */
export function tallyOf(done: string): string {
  const count = (state: "waiting" | "skipped" | "uncertain" | "error" | "accepted" | "sent") =>
    `count(*) filter (where now = ${DELIVERY[state]}) as ${state}`;
  return `select count(*) as all_done, ${count("waiting")}, ${count("skipped")}, ${count("uncertain")}, ${count("error")},
    ${count("accepted")}, ${count("sent")},
    min(at) filter (where now = ${DELIVERY.sent}) as first_at, max(at) filter (where now = ${DELIVERY.sent}) as last_at
  from ${done}`;
}

export function dayOfTally(tally: string, camp: string): string {
  return intoDay(`select ${camp}.id, (now() at time zone ${camp}.zone)::date, sent, accepted, error, uncertain, 0, 0, first_at, last_at
  from ${tally}, ${camp} where sent + accepted + error + uncertain > 0`);
}

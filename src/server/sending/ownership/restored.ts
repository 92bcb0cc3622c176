import { sql } from "kysely";
import { RESTRICTIONS } from "../../../domain/campaign.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Db } from "../../db/client.ts";
import { LANE_CHANNEL } from "../ledger/signals.ts";
import { leaveAllInDoubt } from "./acquire.ts";

/** Cause of campaigns and connections that a restored copy keeps from going on by themselves. */
const CAUSE = "restored";
/** Nobody here knows what became of those whom the original had in hand. */
const INTERRUPTED = "interrupted";

const RESTRICTED = sql.join(RESTRICTIONS.map((cause) => sql.lit(cause)));

export type Quieted = { campaigns: number; singles: number };

/**
 * Brings what would be sent by itself to rest, in a copy whose original went on after it was made: whoever was in hand is «A verificar»;
 * campaigns that run or wait for their hour are paused; single messages that waited are in doubt, for the original had seconds more to
 * send them; connections stand still, each with the cause. Counters move with their rows. No process may own a lane meanwhile.
 */
export async function quietSending(tx: Db): Promise<Quieted> {
  await leaveAllInDoubt(tx);
  const campaigns =
    await sql`update campaign set status = 'paused', pause_reason = ${CAUSE}, updated_at = now()
    where status in ('scheduled', 'starting', 'sending')`.execute(tx);
  const singles =
    await sql`update outbox set status = ${DELIVERY.uncertain}, ambiguous = true, error = ${INTERRUPTED},
      at = coalesce(at, now()), not_before = null
    where status in (${DELIVERY.pending}, ${DELIVERY.sending}, ${DELIVERY.waiting})`.execute(tx);
  // One that rested already keeps its own cause, and so does a restriction of WhatsApp, which outlives every process.
  await sql`update connection set state_since = case when state = 'disconnected' then state_since else now() end,
      state_reason = case when state = 'disconnected' or state_reason in (${RESTRICTED}) then state_reason else ${CAUSE} end,
      state = 'disconnected', qr = null, qr_expires_at = null, pairing_code_wanted = false, pairing_code = null,
      pairing_code_expires_at = null`.execute(tx);
  return {
    campaigns: Number(campaigns.numAffectedRows ?? 0),
    singles: Number(singles.numAffectedRows ?? 0),
  };
}

/** The original is off: connections that were up when the backup was made are wanted again. Campaigns wait for people. */
export async function wakeSending(tx: Db): Promise<void> {
  await sql`update connection set state = 'connecting', state_since = now(), state_reason = nullif(state_reason, ${CAUSE})
    where desired = 'connected' and state = 'disconnected' and state_reason in (${CAUSE}, ${RESTRICTED})`.execute(
    tx,
  );
  await sql`select pg_notify(${LANE_CHANNEL}, 'start')`.execute(tx);
}

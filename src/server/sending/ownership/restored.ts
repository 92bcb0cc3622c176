import { sql } from "kysely";
import { RESTRICTIONS } from "../../../domain/campaign.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { Db } from "../../db/client.ts";
import { LANE_CHANNEL } from "../ledger/signals.ts";
import { leaveAllInDoubt } from "./acquire.ts";

const CAUSE = "restored";
const INTERRUPTED = "interrupted";

const RESTRICTED = sql.join(RESTRICTIONS.map((cause) => sql.lit(cause)));

export type Quieted = { campaigns: number; singles: number };

/**
 * Quiets a copy, since its original went on: claimed people become «A verificar», waiting direct messages
 * doubts, campaigns pause and connections stop, with reasons. No process may own a lane.
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
  // Stopped ones keep their reason, as do WhatsApp's restrictions.
  await sql`update connection set state_since = case when state = 'disconnected' then state_since else now() end,
      state_reason = case when state = 'disconnected' or state_reason in (${RESTRICTED}) then state_reason else ${CAUSE} end,
      state = 'disconnected', qr = null, qr_expires_at = null, pairing_code_wanted = false, pairing_code = null,
      pairing_code_expires_at = null`.execute(tx);
  return {
    campaigns: Number(campaigns.numAffectedRows ?? 0),
    singles: Number(singles.numAffectedRows ?? 0),
  };
}

/** The original is off: connections up at the backup are wanted again; campaigns wait for people. */
export async function wakeSending(tx: Db): Promise<void> {
  await sql`update connection set state = 'connecting', state_since = now(), state_reason = nullif(state_reason, ${CAUSE})
    where desired = 'connected' and state = 'disconnected' and state_reason in (${CAUSE}, ${RESTRICTED})`.execute(
    tx,
  );
  await sql`select pg_notify(${LANE_CHANNEL}, 'start')`.execute(tx);
}

/**
 * The secret key was lost, and with it these sessions. A resting connection keeps its state reason; the fence
 * locks out a process that still has the key.
 */
export async function endSessions(tx: Db, connectionIds: readonly number[]): Promise<void> {
  await sql`
    update connection set fence = fence + 1, owner = null,
      state_since = case when state = 'disconnected' and state_reason <> 'restored' then state_since else now() end,
      state_reason = case when state = 'disconnected' and state_reason <> 'restored' then state_reason else 'key_lost' end,
      state_reason_until = case when state = 'disconnected' and state_reason <> 'restored' then state_reason_until end,
      state = 'disconnected', qr = null, qr_expires_at = null, pairing_code_wanted = false, pairing_code = null,
      pairing_code_expires_at = null
    where id = any(${connectionIds}::bigint[])`.execute(tx);
}

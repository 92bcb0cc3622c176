import { sql } from "kysely";
import { expect, vi } from "vitest";
import { ownerOf } from "../../src/server/db/owner.ts";
import { startNext } from "../../src/server/sending/campaigns/audience.ts";
import { recordOutgoing } from "../../src/server/sending/doubts/outgoing-messages.ts";
import type { LaneTimes } from "../../src/server/sending/ledger/timing.ts";
import { settleProviderReceipts } from "../../src/server/sending/receipts/provider-messages.ts";
import type { TestDatabase } from "./database.ts";
import { laneProcesses } from "./lane-process.ts";
import { type GatewayScript, outgoingOf, scriptedGateway } from "./scripted-gateway.ts";
import { makeAccount, makeCampaign, makeConnection, readLedger } from "./sending.ts";

const QUICK: Partial<LaneTimes> = {
  look: 20,
  search: [40, 80],
  receipts: [20],
  flush: 5,
  poll: 20,
  retry: [5, 5],
};
/** Long enough that no doubt expires during a test. */
export const PATIENT: Partial<LaneTimes> = { ...QUICK, reconcile: 600_000 };
export const HASTY: Partial<LaneTimes> = { ...QUICK, reconcile: 150 };

export function gatewayCampaigns({ db, database }: Pick<TestDatabase, "db" | "database">) {
  const startProcess = laneProcesses({ database });

  async function arrange(
    script: GatewayScript & { people?: number; text?: string; more?: number; confirms?: boolean } = {},
  ) {
    const accountId = await makeAccount(db);
    const connectionId = await makeConnection(db, accountId, "instance");
    const campaignId = await makeCampaign(db, accountId, { people: 5, ...script, connectionId });
    await startNext(database);
    const gateway = scriptedGateway(script);
    const ledger = () => readLedger(db, campaignId);
    async function confirm(): Promise<void> {
      if (script.confirms === false) return;
      const { rows } = await sql<{
        messageId: string;
      }>`select provider_id as "messageId" from provider_message
        where connection_id = ${connectionId}`.execute(db);
      const accepted = rows.map((row) => ({ ...row, status: "accepted" as const, at: new Date() }));
      await settleProviderReceipts(db, connectionId, accepted);
    }
    const confirmed = async () => {
      await confirm();
      return ledger();
    };
    return {
      accountId,
      connectionId,
      campaignId,
      gateway,
      ledger,
      confirm,
      owner: ownerOf(db, accountId),
      run: (times: Partial<LaneTimes> = PATIENT) =>
        startProcess({ instance: () => gateway.transport, times, resend: "never" }),
      ends: () =>
        vi.waitFor(async () => expect((await confirmed()).status).toBe("ended"), { timeout: 60_000 }),
      states: (expected: number[]) =>
        vi.waitFor(async () => expect((await confirmed()).rows).toEqual(expected), { timeout: 60_000 }),
      person: async (seq: number) => {
        const { rows } = await sql<{ status: number; error: string | null; tries: number }>`
        select status, error, tries from delivery where campaign_id = ${campaignId} and seq = ${seq}`.execute(
          db,
        );
        return rows[0];
      },
      tell: () => recordOutgoing(db, connectionId, gateway.held.map(outgoingOf)),
    };
  }
  return { arrange, startProcess };
}

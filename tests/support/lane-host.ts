import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "../../src/server/db/client.ts";
import type {
  IncomingMessage,
  LaneHost,
  Receipt,
  StateReport,
} from "../../src/server/transports/transport.ts";

export type SeededConnection = { accountId: string; connectionId: number; deviceId: string };

export async function seedConnection(db: Db, deviceId: string): Promise<SeededConnection> {
  const email = `${randomBytes(6).toString("hex")}@exemplo.com.br`;
  const account = await sql<{ id: string }>`
    insert into account (name, email, terms_version, terms_accepted_at) values ('Ana', ${email}, '1', now()) returning id`.execute(
    db,
  );
  const accountId = account.rows[0]?.id ?? "";
  const connection = await sql<{ id: number }>`
    insert into connection (account_id, kind, device_id, name, state)
    values (${accountId}, 'device', ${deviceId}, 'Vendas', 'connecting') returning id`.execute(db);
  return { accountId, connectionId: connection.rows[0]?.id ?? 0, deviceId };
}

export async function acquireConnection(db: Db, connectionId: number): Promise<number> {
  const { rows } = await sql<{ fence: number }>`
    update connection set fence = fence + 1 where id = ${connectionId} returning fence`.execute(db);
  return rows[0]?.fence ?? 0;
}

export type TestLaneHost = LaneHost & {
  reports: StateReport[];
  received: Receipt[];
  messagesReceived: IncomingMessage[];
  readElsewhereIds: string[];
  losses: () => number;
  contents: Map<string, { text: string; media: unknown; hasAttachment: boolean }>;
  mayAct: () => boolean;
};

export function laneHost(db: Db, connection: SeededConnection, fence: number): TestLaneHost {
  const reports: StateReport[] = [];
  const received: Receipt[] = [];
  const messagesReceived: IncomingMessage[] = [];
  const readElsewhereIds: string[] = [];
  const contents: TestLaneHost["contents"] = new Map();
  let losses = 0;
  return {
    ...connection,
    fence,
    reports,
    received,
    messagesReceived,
    readElsewhereIds,
    contents,
    losses: () => losses,
    mayAct: () => true,
    lost: () => {
      losses += 1;
    },
    contentOf: async (messageId) => contents.get(messageId) ?? null,
    receipts: async (batch) => {
      received.push(...batch);
    },
    readElsewhere: async (ids) => {
      readElsewhereIds.push(...ids);
    },
    messages: async (batch) => {
      messagesReceived.push(...batch);
    },
    report: async (state) => {
      const { rows } = await sql`
        update connection set state = ${state.state}, state_reason = ${state.cause ?? null}, state_reason_until = ${state.causeUntil ?? null},
          qr = ${state.qr?.text ?? null}, qr_expires_at = ${state.qr?.expiresAt ?? null},
          pairing_code = ${state.pairingCode?.text ?? null}, pairing_code_expires_at = ${state.pairingCode?.expiresAt ?? null},
          pairing = coalesce(${state.pairing ?? null}, pairing)
        where id = ${connection.connectionId} and fence = ${fence} returning id`.execute(db);
      if (rows.length === 0) return false;
      reports.push(state);
      return true;
    },
  };
}

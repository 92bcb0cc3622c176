import fs from "node:fs";
import path from "node:path";
import { sql } from "kysely";
import pino from "pino";
import { afterAll, vi } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import { systemClock } from "../../src/server/base/clock.ts";
import { hiddenNamer } from "../../src/server/chat/hidden.ts";
import { phoneReceipts } from "../../src/server/chat/receipts.ts";
import { messageReceiver } from "../../src/server/chat/receive.ts";
import type { StoreDeps } from "../../src/server/chat/store-messages.ts";
import type { Db } from "../../src/server/db/client.ts";
import { ownerOf } from "../../src/server/db/owner.ts";
import { createSecrets } from "../../src/server/db/secrets.ts";
import { GAP_TIMES, type GapTimes } from "../../src/server/gateways/gap-check.ts";
import { twinsOf } from "../../src/server/gateways/twins.ts";
import type { Intake } from "../../src/server/gateways/webhook-effects.ts";
import { mountWebhooks } from "../../src/server/gateways/webhook-endpoint.ts";
import {
  HOOK_SECRET_HEADER,
  hookSecretPlace,
  makeHookId,
  makeHookSecret,
} from "../../src/server/gateways/webhook-secret.ts";
import { openWebhooks, type WebhooksDeps } from "../../src/server/gateways/webhooks.ts";
import { createApp } from "../../src/server/http/app.ts";
import { listenHttp } from "../../src/server/http/listen.ts";
import { mountStatic } from "../../src/server/http/static.ts";
import { FairQueues } from "../../src/server/jobs/fair-queue.ts";
import { readPrivateHosts } from "../../src/server/net/addresses.ts";
import { openGuardedFetch } from "../../src/server/net/guarded-fetch.ts";
import { recordOutgoing } from "../../src/server/sending/doubts/outgoing-messages.ts";
import { settleProviderReceipts } from "../../src/server/sending/receipts/provider-messages.ts";
import { applyReceipts } from "../../src/server/sending/receipts/provider-receipts.ts";
import type { TestDatabase } from "../support/database.ts";
import { noAssistant } from "../support/no-assistant.ts";
import { makeAccount } from "../support/sending.ts";

export const SECRETS = createSecrets(Buffer.alloc(32, 7).toString("base64"));

export type MadeInstance = {
  accountId: string;
  connectionId: number;
  gatewayId: number;
  name: string;
  hookId: string;
  secret: string;
};

let made = 0;

export async function makeInstance(
  db: Db,
  {
    name = `loja-${++made}`,
    accountId,
    relayUrl = null,
  }: { name?: string; accountId?: string; relayUrl?: string | null } = {},
): Promise<MadeInstance> {
  const account = accountId ?? (await makeAccount(db));
  const [hookId, secret] = [makeHookId(), makeHookSecret()];
  const url = `http://127.0.0.1:1/${hookId}`;
  const connection = await sql<{
    id: number;
  }>`insert into connection (account_id, kind, device_id, name, state)
    values (${account}::uuid, 'instance', ${name}, ${name}, 'connected') returning id`.execute(db);
  const connectionId = connection.rows[0]?.id ?? 0;
  const gateway = await sql<{ id: number }>`insert into gateway (account_id, name, url, api_key, key_hint)
    values (${account}::uuid, 'gateway', ${url}, '', '') returning id`.execute(db);
  const gatewayId = gateway.rows[0]?.id ?? 0;
  const sealed = SECRETS.seal(secret, hookSecretPlace(connectionId));
  await sql`insert into instance (connection_id, account_id, gateway_id, gateway_url, name, hook_id, hook_secret, hook_state, relay_url)
    values (${connectionId}, ${account}::uuid, ${gatewayId}, ${url}, ${name}, ${hookId}, ${sealed}, 'ours', ${relayUrl})`.execute(
    db,
  );
  return { accountId: account, connectionId, gatewayId, name, hookId, secret };
}

export type LabOptions = Partial<Pick<WebhooksDeps, "relayTimes" | "elsewhere">> & {
  gapTimes?: Partial<GapTimes>;
  intake?: (real: Intake) => Intake;
  optOut?: StoreDeps["optOut"];
};

export async function openLab(
  { db, database }: Pick<TestDatabase, "db" | "database">,
  options: LabOptions = {},
) {
  let logged = "";
  const log = pino(
    { level: "trace" },
    {
      write(line: string) {
        logged += line;
      },
    },
  );
  const changes = { mark: () => undefined };
  const clock = systemClock;
  const files = { storeReceived: async () => Promise.reject(new AppError("attachment_empty")) };
  const messageKey = Buffer.alloc(32, 3);
  const phone = phoneReceipts({ db, changes, messageKey });
  const assistant = noAssistant;
  const { optOut = async () => undefined } = options;
  const hidden = hiddenNamer({ db, changes, assistant, optOut });
  const real: Intake = {
    receiveMessages: messageReceiver({
      db,
      clock,
      log,
      changes,
      files,
      secrets: SECRETS,
      messageKey,
      assistant,
      twinsOf,
      receipts: phone,
      optOut,
    }),
    recordOutgoing: (connectionId, messages) => recordOutgoing(db, connectionId, messages),
    settleReceipts: async (connectionId, receipts) => {
      await settleProviderReceipts(db, connectionId, receipts, hidden);
      await phone.record(connectionId, receipts);
    },
    readElsewhere: phone.read,
  };
  const pokes: number[] = [];
  const guardedFetch = openGuardedFetch({ privateHosts: readPrivateHosts("127.0.0.1") });
  const webhooks = await openWebhooks({
    database,
    secrets: SECRETS,
    clock,
    log,
    changes,
    guardedFetch,
    gatewayFetch: guardedFetch,
    ...(options.intake?.(real) ?? real),
    settleKnownReceipts: (connectionId, receipts) => applyReceipts(db, connectionId, receipts, hidden),
    queues: new FairQueues(clock),
    leaveOut: ({ accountId, connectionId }, phone, text) =>
      optOut(ownerOf(db, accountId), { phone, text, doubtful: true, connectionId }),
    gapTimes: { ...GAP_TIMES, ...options.gapTimes },
    ...(options.relayTimes ? { relayTimes: options.relayTimes } : {}),
    ...(options.elsewhere ? { elsewhere: options.elsewhere } : {}),
    poke: async (_, connectionId) => void pokes.push(connectionId),
  });
  const app = createApp({
    db,
    log,
    publicOrigin: null,
    trustedProxies: 0,
    authenticate: async () => null,
  });
  mountWebhooks(app, webhooks.door);
  mountStatic(app, path.join(import.meta.dirname, "no-page"));
  const server = await listenHttp(app, "127.0.0.1", 0);
  const url = `http://127.0.0.1:${server.port}`;
  let closed: Promise<void> | undefined;
  async function end(): Promise<void> {
    await server.stop(1_000);
    await webhooks.stop();
    await guardedFetch.close();
  }
  const close = () => {
    closed ??= end();
    return closed;
  };
  afterAll(close);

  const post = (hookId: string, body: BodyInit, headers: Record<string, string> = {}) =>
    fetch(`${url}/hooks/evolution/${hookId}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    });

  return {
    app,
    url,
    post,
    pokes,
    webhooks,
    close,
    hidden,
    logged: () => logged,
    send: (instance: MadeInstance, event: object) =>
      post(instance.hookId, JSON.stringify({ instance: instance.name, ...event }), {
        [HOOK_SECRET_HEADER]: instance.secret,
      }),
    settled: () =>
      vi.waitFor(
        async () => {
          const { rows } = await sql<{ n: number }>`select (select count(*) from webhook_event)::int
            + (select count(*) from webhook_state)::int as n`.execute(db);
          if (rows[0]?.n !== 0) throw new Error(`${rows[0]?.n} events wait`);
        },
        { timeout: 60_000, interval: 20 },
      ),
  };
}

export type Recorded = { event: string; instance: string; data: unknown; date_time: string; apikey: string };

export function recorded(file: string): Recorded[] {
  const text = fs.readFileSync(path.join(import.meta.dirname, "../recordings/evolution-api", file), "utf8");
  return (JSON.parse(text) as { body: Recorded }[]).map(({ body }) => body);
}

export function upsert(id: string, text: string, over: Record<string, unknown> = {}): object {
  return {
    event: "messages.upsert",
    data: {
      key: {
        remoteJid: "5511911112222@s.whatsapp.net",
        remoteJidAlt: "75511911112222@lid",
        fromMe: false,
        id,
        participant: "",
        addressingMode: "pn",
      },
      pushName: "Contato 2222",
      status: "DELIVERY_ACK",
      message: { conversation: text },
      messageType: "conversation",
      messageTimestamp: 1_763_629_559,
      source: "ios",
      ...over,
    },
    date_time: "2025-11-20T09:06:00.011Z",
    apikey: "9C84DC7EBCC6-4B17-8625-A4A60018AC03",
  };
}

/**
 * All effects of events on an instance, without ids and times of ours. WhatsApp's times are whole seconds, so
 * a chat's last message is one of its newest second.
 */
export async function endState(db: Db, { connectionId }: Pick<MadeInstance, "connectionId">) {
  const read = async (query: ReturnType<typeof sql>) => (await query.execute(db)).rows;
  const chats = sql`select kind, phone, jid, lid, push_name, unread, last_at,
      exists (select 1 from chat_message m where m.chat_id = c.id and (m.at, m.text, m.kind, m.from_me)
        = (c.last_at, c.last_text, c.last_kind, c.last_from_me)) as last_is_there
    from chat c where connection_id = ${connectionId} order by phone, lid, jid`;
  const messages = sql`select m.provider_id, m.from_me, m.kind, m.text, m.quoted_id, m.at, c.phone, c.jid
    from chat_message m join chat c on c.id = m.chat_id where m.connection_id = ${connectionId} order by m.provider_id`;
  const receipts = sql`select provider_id, status from receipt_inbox
    where connection_id = ${connectionId} order by provider_id, status`;
  const echoes = sql`select provider_id, phone, jid, lid, encode(content, 'hex') as content, at from outgoing_webhook_message
    where connection_id = ${connectionId} order by provider_id`;
  const instance = sql`select state_stamp, qr_stamp from instance where connection_id = ${connectionId}`;
  const oddities = sql`select reason, event, body from unrecognized_event
    where connection_id = ${connectionId} order by reason, event, body`;
  return {
    chats: await read(chats),
    messages: await read(messages),
    receipts: await read(receipts),
    echoes: await read(echoes),
    instance: await read(instance),
    oddities: await read(oddities),
  };
}

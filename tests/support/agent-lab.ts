import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { afterAll, expect, vi } from "vitest";
import { startMistral } from "../../simulators/mistral/stand-in.ts";
import type { Clock } from "../../src/domain/clock.ts";
import { openAgents } from "../../src/server/agents/agents.ts";
import { mountAgents } from "../../src/server/agents/routes.ts";
import { hiddenNamer } from "../../src/server/chat/hidden.ts";
import { messageReceiver } from "../../src/server/chat/receive.ts";
import { mountChats } from "../../src/server/chat/routes.ts";
import { ChatService } from "../../src/server/chat/service.ts";
import { createSecrets } from "../../src/server/db/secrets.ts";
import { twinsOf } from "../../src/server/gateways/twins.ts";
import { FairQueues } from "../../src/server/jobs/fair-queue.ts";
import { WORKS } from "../../src/server/jobs/role.ts";
import { readPrivateHosts } from "../../src/server/net/addresses.ts";
import { openGuardedFetch } from "../../src/server/net/guarded-fetch.ts";
import { optOutService } from "../../src/server/opt-outs/service.ts";
import type { IncomingMessage } from "../../src/server/transports/transport.ts";
import { type Caller, testApi } from "./api.ts";
import { accountRow, connectionRow } from "./campaign-rows.ts";
import { type TestDatabase, testLog } from "./database.ts";
import { testFiles } from "./file-service.ts";
import { openServices } from "./open-services.ts";
import { undoForTests } from "./undo.ts";

export const OPERATOR_KEY = "operator-key-0f3a";

export type Answer = {
  id: number;
  state: string;
  reason: { code: string; text: string } | null;
  text: string | null;
  question: string;
  agentName: string;
  chatName: string;
  finishedAt: string | null;
};

/** `works: false`: another process answers. `quiet`: minimum age of the newest message in ms; `poll`: job poll. */
export async function agentLab(
  { db, database }: TestDatabase,
  options: {
    operatorKey?: string | null;
    log?: typeof testLog;
    works?: boolean;
    quiet?: number;
    poll?: number;
  } = {},
) {
  const { operatorKey = OPERATOR_KEY, log = testLog, works = true, quiet = 30, poll = 10_000 } = options;
  const mistral = await startMistral({ keys: [OPERATOR_KEY, "key-of-ana-5f1c", "key-of-bia-77d0"] });
  let ahead = 0;
  const clock: Clock = { now: () => new Date(Date.now() + ahead), monotonic: () => performance.now() };
  const published = new Set<string>();
  const changes = {
    mark: (accountId: string, topic: string) => void published.add(`${accountId} ${topic}`),
  };
  const privateHosts = readPrivateHosts(mistral.host);
  const files = testFiles(openGuardedFetch({ privateHosts }));
  const secrets = createSecrets(Buffer.alloc(32, 7).toString("base64"));
  const stops: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const stop of stops.splice(0)) await stop();
    await mistral.stop();
  });

  async function open({ answers = works }: { answers?: boolean } = {}) {
    const agents = await openAgents({
      database,
      secrets,
      clock,
      log,
      changes,
      privateHosts,
      queues: new FairQueues(clock),
      role: WORKS,
      operator: { apiKey: operatorKey, baseUrl: mistral.url },
      times: {
        quiet,
        down: [50, 100],
        poll,
        typing: 50,
        slow: 300,
        slowFor: 60_000,
      },
    });
    const assistant = agents.forChats;
    const chats = new ChatService({ clock, log, changes, files, assistant });
    const optOut = optOutService({ changes, undo: undoForTests() }).replied;
    const receive = messageReceiver({
      db,
      clock,
      log,
      changes,
      files,
      secrets,
      assistant,
      optOut,
      messageKey: Buffer.alloc(32, 3),
      twinsOf,
      receipts: { arrived: async () => undefined },
    });
    const hidden = hiddenNamer({ db, changes, assistant, optOut });
    if (answers) agents.answerIn(chats);
    stops.push(agents.close);
    const api = testApi(db, (app) => {
      mountAgents(app, agents);
      mountChats(app, chats);
    });
    return { agents, chats, receive, hidden, api };
  }
  await openServices(db);
  const first = await open();

  async function settled(): Promise<void> {
    await vi.waitFor(
      async () => {
        const { rows } = await sql`select 1 from answer_job limit 1`.execute(db);
        expect(rows).toEqual([]);
      },
      { timeout: 60_000, interval: 20 },
    );
  }

  async function arrange({ linked = true }: { linked?: boolean } = {}) {
    const account = await accountRow(db);
    const connectionId = await connectionRow(db, account);
    const call: Caller = first.api(account);
    const link = async () => {
      const agent = await call<{ id: string }>("POST", "/api/mistral/agents", {
        name: "Atendente",
        instructions: "Seja breve.",
      });
      const answer = await call("PUT", `/api/connections/${connectionId}/assistant`, {
        agentId: agent.body.id,
      });
      expect(answer.status).toBe(200);
      return agent.body.id;
    };
    const agentId = linked ? await link() : "";
    const writeTo = (id: number, phone: string, ...messages: (string | Partial<IncomingMessage>)[]) =>
      first.receive(
        { accountId: account, connectionId: id },
        messages.map((one) => incoming(clock, phone, one)),
      );
    const write = (phone: string, ...messages: (string | Partial<IncomingMessage>)[]) =>
      writeTo(connectionId, phone, ...messages);
    const chatOf = async (phone: string) =>
      (
        await sql<{ id: number }>`select id from chat
          where connection_id = ${connectionId} and phone = ${phone}::bigint`.execute(db)
      ).rows[0]?.id ?? 0;
    const outbox = async () =>
      (
        await sql<{
          phone: string | null;
          jid: string | null;
          text: string;
          origin: string;
          key: string | null;
        }>`
          select phone::text as phone, jid, text, origin, idempotency_key as key from outbox
          where connection_id = ${connectionId} order by id`.execute(db)
      ).rows;
    const answers = async () =>
      (await call<{ answers: Answer[] }>("GET", `/api/connections/${connectionId}/assistant/answers`)).body
        .answers;
    const got = async () => {
      await settled();
      return (await outbox()).filter(({ origin }) => origin === "agent").map(({ text }) => text);
    };
    const trace = async () =>
      (await answers()).toReversed().map(({ state, reason }) => (reason ? `${state} ${reason.code}` : state));
    return {
      account,
      connectionId,
      agentId,
      call,
      link,
      write,
      writeTo,
      chatOf,
      outbox,
      answers,
      got,
      trace,
    };
  }

  return {
    mistral,
    clock,
    open,
    arrange,
    settled,
    db,
    published,
    hidden: first.hidden,
    close: () => first.agents.close(),
    pass: (ms: number) => {
      ahead += ms;
    },
  };
}

function incoming(clock: Clock, phone: string, sketch: string | Partial<IncomingMessage>): IncomingMessage {
  return {
    providerId: `3A${randomBytes(9).toString("hex").toUpperCase()}`,
    chat: [`${phone}@s.whatsapp.net`],
    fromMe: false,
    viaApi: false,
    pushName: null,
    participant: null,
    kind: "text",
    text: "Oi",
    file: null,
    quotedId: null,
    at: new Date(Math.floor(clock.now().getTime() / 1_000) * 1_000),
    ...(typeof sketch === "string" ? { text: sketch } : sketch),
  };
}

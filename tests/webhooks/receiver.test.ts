import http from "node:http";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { hookChanged } from "../../src/server/gateways/webhook-hooks.ts";
import { HOOK_SECRET_HEADER } from "../../src/server/gateways/webhook-secret.ts";
import { testDatabase } from "../support/database.ts";
import { unhurried, waiting } from "../support/waiting.ts";
import { endState, type MadeInstance, makeInstance, openLab, upsert } from "./lab.ts";

const database = await testDatabase();
const { db } = database;
const lab = await openLab(database);
const { send, post, settled } = lab;

const secretOf = (instance: MadeInstance) => ({ [HOOK_SECRET_HEADER]: instance.secret });

async function messagesOf(instance: MadeInstance) {
  await settled();
  return (await endState(db, instance)).messages as { provider_id: string; text: string; at: Date }[];
}

const unrecognizedOf = async (instance: MadeInstance) => {
  await settled();
  return (await endState(db, instance)).oddities as { reason: string; event: string; body: string }[];
};

async function stored(): Promise<string> {
  const { rows } = await sql<{ text: string }>`
    select coalesce(string_agg(body, ' '), '') as text from (
      select body from webhook_event union all select body from webhook_state union all select body from unrecognized_event union all select body from webhook_relay) t`.execute(
    db,
  );
  return rows[0]?.text ?? "";
}

test("W01–W03 a missing, wrong, foreign or unknown webhook secret gives the same 401", async () => {
  const instance = await makeInstance(db);
  const other = await makeInstance(db);
  const body = JSON.stringify({ instance: instance.name, ...upsert("W01", "Oi") });
  const answers = [
    await post(instance.hookId, body),
    await post(instance.hookId, body, { [HOOK_SECRET_HEADER]: "errado" }),
    await post(instance.hookId, body, secretOf(other)),
    await post("unknown", body, secretOf(instance)),
    await post("x".repeat(300), body),
    await post("%00", body),
  ];
  const seen = await Promise.all(
    answers.map(async (answer) => {
      const headers = [...answer.headers].filter(([name]) => name !== "date" && name !== "x-request-id");
      return { status: answer.status, headers, text: await answer.text() };
    }),
  );
  expect(seen[0]?.status).toBe(401);
  for (const answer of seen) expect(answer).toEqual(seen[0]);
  expect(await messagesOf(instance)).toEqual([]);
  expect(await messagesOf(other)).toEqual([]);
});

test("W04 the right secret with another instance in the body: 401, nothing taken in, and kept to be seen", async () => {
  const instance = await makeInstance(db);
  const answer = await post(
    instance.hookId,
    JSON.stringify({ instance: "loja-de-outro", ...upsert("W04", "Oi") }),
    secretOf(instance),
  );
  expect(answer.status).toBe(401);
  expect(await unrecognizedOf(instance)).toEqual([
    {
      reason: "foreign_instance",
      event: "messages.upsert",
      body: '{"instance":"loja-de-outro","event":"messages.upsert"}',
    },
  ]);
  expect(lab.logged()).toContain("a webhook's secret was used for another instance");
  // Even unreadable events get 200: after a 503 the gateway would repeat them forever.
  for (const event of ['"a\\u0000b\\ud800"', `${"[".repeat(100_000)}${"]".repeat(100_000)}`]) {
    // One per second is kept; each instance has its own webhook.
    const another = await makeInstance(db);
    const body = `{"instance":"loja-de-outro","event":${event}}`;
    expect((await post(another.hookId, body, secretOf(another))).status).toBe(401);
    const [kept] = await unrecognizedOf(another);
    expect([kept?.reason, kept?.event]).toEqual([
      "foreign_instance",
      event.startsWith("[") ? null : "ab\ufffd",
    ]);
  }
  expect(await messagesOf(instance)).toEqual([]);
});

test("W05 an unknown event is answered 200 and kept apart", async () => {
  const instance = await makeInstance(db);
  const answer = await send(instance, { event: "coisas.novas", data: { a: 1 }, apikey: "segredo" });
  expect(answer.status).toBe(200);
  expect(await unrecognizedOf(instance)).toEqual([
    {
      reason: "unknown_event",
      event: "coisas.novas",
      body: `{"instance":"${instance.name}","event":"coisas.novas","data":{"a":1}}`,
    },
  ]);
});

test("W06 GET and other methods: 405", async () => {
  const { hookId } = await makeInstance(db);
  for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
    const answer = await fetch(`${lab.url}/hooks/evolution/${hookId}`, { method });
    expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, "POST"]);
  }
});

test("W07 a body beyond the limit: 413 while it streams, whether or not its length was declared", async () => {
  const instance = await makeInstance(db);
  const piece = Buffer.alloc(1024 * 1024, "x");
  let given = 0;
  const endless = new Readable({
    read() {
      given += 1;
      this.push(given > 200 ? null : piece);
    },
  });
  const status = await new Promise((resolve, reject) => {
    const request = http.request(`${lab.url}/hooks/evolution/${instance.hookId}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...secretOf(instance) },
    });
    request.on("response", (answer) => resolve(answer.statusCode));
    request.on("error", reject);
    endless.pipe(request);
  });
  expect(status).toBe(413);
  expect(given).toBeLessThan(100);
  endless.destroy();

  const declared = await new Promise((resolve, reject) => {
    const request = http.request(`${lab.url}/hooks/evolution/${instance.hookId}`, {
      method: "POST",
      headers: { "content-length": String(40 * 1024 * 1024), ...secretOf(instance) },
    });
    request.on("response", (answer) => {
      resolve(answer.statusCode);
      request.destroy();
    });
    request.on("error", reject);
    request.write("{");
  });
  expect(declared).toBe(413);
});

test("W07 a body without end is cut off some time after its refusal, with a right secret and without one", async () => {
  const instance = await makeInstance(db);
  const piece = Buffer.alloc(1024 * 1024, "x");
  for (const headers of [secretOf(instance), {}]) {
    const given = await new Promise<number>((resolve) => {
      const request = http.request(`${lab.url}/hooks/evolution/${instance.hookId}`, {
        method: "POST",
        headers,
      });
      let pieces = 0;
      const more = () => {
        pieces += 1;
        if (request.write(piece)) setImmediate(more);
        else request.once("drain", more);
      };
      request.on("response", (answer) => answer.resume());
      request.on("error", () => undefined);
      request.on("close", () => resolve(pieces));
      more();
    });
    expect(given).toBeLessThan(150);
  }
});

test("W08 a compressed body is refused unread", async () => {
  const instance = await makeInstance(db);
  const bomb = gzipSync(Buffer.alloc(10_000_000, " "));
  const answer = await post(instance.hookId, bomb, { ...secretOf(instance), "content-encoding": "gzip" });
  expect(answer.status).toBe(415);
});

test("W09 what is no JSON: 400, and the receiver goes on", async () => {
  const instance = await makeInstance(db);
  for (const body of ["", "{", "oi", '{"event":', "\ufeff{}", new Uint8Array([255, 254, 0])])
    expect((await post(instance.hookId, body, secretOf(instance))).status).toBe(400);
  expect((await send(instance, upsert("W09", "Ainda aqui"))).status).toBe(200);
  expect(await messagesOf(instance)).toMatchObject([{ text: "Ainda aqui" }]);
});

test("W10 lists, depth, __proto__ and other things that are JSON and no event: 200, kept apart", async () => {
  const instance = await makeInstance(db);
  const bodies = [
    "[]",
    "null",
    '"oi"',
    "1e300",
    '{"__proto__":{"admin":true},"constructor":{"prototype":{}}}',
    '{"event":{"a":1},"data":[]}',
    `{"event":"messages.upsert","data":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
    '{"event":"messages.upsert","data":"\\u0000\\ud800 meio"}',
  ];
  for (const body of bodies) {
    const answer = await post(instance.hookId, body, secretOf(instance));
    expect([body.slice(0, 60), answer.status]).toEqual([body.slice(0, 60), 200]);
  }
  const odd = await unrecognizedOf(instance);
  expect(odd.map(({ reason }) => reason)).toEqual(bodies.map(() => "malformed"));
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
});

test("W10 a body of nothing but empty lists, which would take the memory of all once it is read: 413", async () => {
  const instance = await makeInstance(db);
  const bomb = upsert("W10", "", { message: { list: `[${"{},".repeat(300_000)}{}]` } });
  const unquoted = (text: string) => text.replace(/"(\[\{.*\}\])"/, "$1");
  const body = unquoted(JSON.stringify({ instance: instance.name, ...bomb }));
  expect((await post(instance.hookId, body, secretOf(instance))).status).toBe(413);
  expect((await send(instance, upsert("W10b", "Ainda aqui"))).status).toBe(200);
  await settled();
});

test("W10 a state of a size that no state has is kept apart: many of them are read at once", async () => {
  const instance = await makeInstance(db);
  const state = { event: "connection.update", data: { state: "open", padding: "x".repeat(1_000_000) } };
  const stored = () =>
    sql`select 1 from webhook_state where connection_id = ${instance.connectionId}`.execute(db);
  await unhurried(db, async (tx) => {
    // Keeps events stored and unread during the check.
    await sql`lock table webhook_state in share mode`.execute(tx);
    let status = 0;
    const sent = lab.send(instance, state).then((answer) => {
      status = answer.status;
    });
    sent.catch(() => undefined);
    await expect
      .poll(async () => status !== 0 || (await waiting(db, "insert into webhook_state")) > 0)
      .toBe(true);
    expect(status).toBe(200);
  });
  expect((await stored()).rows).toEqual([]);
  await lab.settled();
  expect((await unrecognizedOf(instance)).map(({ reason }) => reason)).toEqual(["malformed"]);
});

test("W11 a message without its id or its chat: 200, kept apart", async () => {
  const instance = await makeInstance(db);
  for (const data of [
    {},
    { key: {} },
    { key: { id: 7, remoteJid: "5511911112222@s.whatsapp.net" } },
    null,
    [],
  ])
    expect((await send(instance, { event: "messages.upsert", data })).status).toBe(200);
  expect((await send(instance, { event: "messages.update", data: { status: "READ" } })).status).toBe(200);
  expect((await unrecognizedOf(instance)).map(({ reason }) => reason)).toContain("malformed");
  expect(await messagesOf(instance)).toEqual([]);
});

test("W12 times that cannot be (0, the future, words) do not count: the message is there, not later than now", async () => {
  const instance = await makeInstance(db);
  const times = [0, -5, 4_102_444_800, "ontem", null, { low: 1_763_629_559, high: 0 }, "1763629559"];
  for (const [at, messageTimestamp] of times.entries())
    expect((await send(instance, upsert(`W12-${at}`, "Oi", { messageTimestamp }))).status).toBe(200);
  const messages = await messagesOf(instance);
  expect(messages).toHaveLength(times.length);
  for (const { at } of messages) {
    expect(at.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
    expect(at.getUTCFullYear()).toBeGreaterThan(2008);
  }
});

test("W13 media beyond the limit is dropped before it is stored; its message is there", async () => {
  const instance = await makeInstance(db);
  const image = (bytes: number) => ({
    messageType: "imageMessage",
    message: { imageMessage: { caption: "foto" }, base64: Buffer.alloc(bytes, 1).toString("base64") },
  });
  expect((await send(instance, upsert("W13", "", image(20 * 1024 * 1024)))).status).toBe(200);
  const video = { messageType: "videoMessage", message: { videoMessage: {}, base64: "AAAA".repeat(1_000) } };
  expect((await send(instance, upsert("W13b", "", video))).status).toBe(200);
  expect(await messagesOf(instance)).toMatchObject([
    { provider_id: "W13", text: "foto" },
    { provider_id: "W13b" },
  ]);
});

test("W14–W15 the same event again, at once and after it was taken in, leaves one message and one unread", async () => {
  const instance = await makeInstance(db);
  const event = upsert("W14", "Oi");
  const answers = await Promise.all(Array.from({ length: 10 }, () => send(instance, event)));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  await settled();
  expect((await send(instance, event)).status).toBe(200);
  expect(await messagesOf(instance)).toHaveLength(1);
  expect((await endState(db, instance)).chats).toMatchObject([{ unread: 1 }]);
});

test("W16 a receipt for a foreign message changes no recipient", async () => {
  const victim = await makeInstance(db);
  const forger = await makeInstance(db);
  await sql`insert into outbox (account_id, connection_id, phone, text, status, message_id, body_hash)
    values (${victim.accountId}::uuid, ${victim.connectionId}, 5511911112222, 'Oi', 6, 'm', '')`.execute(db);
  await sql`insert into provider_message (connection_id, provider_id, outbox_id)
    select connection_id, 'W16', id from outbox where connection_id = ${victim.connectionId}`.execute(db);
  const forged = { event: "messages.update", data: { keyId: "W16", fromMe: true, status: "READ" } };
  expect((await send(forger, forged)).status).toBe(200);
  await settled();
  const { rows } = await sql`select status from outbox where connection_id = ${victim.connectionId}`.execute(
    db,
  );
  expect(rows).toEqual([{ status: 6 }]);
  expect((await endState(db, forger)).receipts).toEqual([{ provider_id: "W16", status: "read" }]);
});

test("W17 groups and hidden addresses are chats, status updates are none", async () => {
  const instance = await makeInstance(db);
  const key = (remoteJid: string, id: string) => ({
    key: { remoteJid, id, fromMe: false, participant: "75521988886666@lid" },
  });
  await send(instance, upsert("W17a", "no grupo", key("120363000000000001@g.us", "W17a")));
  await send(instance, upsert("W17b", "escondido", key("75521988886666@lid", "W17b")));
  await send(instance, upsert("W17c", "status", key("status@broadcast", "W17c")));
  expect((await messagesOf(instance)).map(({ text }) => text)).toEqual(["no grupo", "escondido"]);
  expect((await endState(db, instance)).chats).toMatchObject([
    { kind: "person", lid: "75521988886666@lid" },
    { kind: "group", jid: "120363000000000001@g.us" },
  ]);
});

test("W18 HTML in a name stays text", async () => {
  const instance = await makeInstance(db);
  const pushName = '<img src=x onerror="alert(1)">';
  await send(instance, upsert("W18", "<b>Oi</b>", { pushName }));
  expect(await messagesOf(instance)).toMatchObject([{ text: "<b>Oi</b>" }]);
  expect((await endState(db, instance)).chats).toMatchObject([{ push_name: pushName }]);
});

test("the gateway's key is stored and logged nowhere, wherever in the body it stands", async () => {
  const instance = await makeInstance(db, { relayUrl: "http://127.0.0.1:1/" });
  const apikey = "9C84DC7EBCC6-4B17-8625-A4A60018AC03";
  await send(instance, { ...upsert("key", `a chave é ${apikey}`), apikey });
  await send(instance, {
    event: "coisas.novas",
    data: { apikey, hash: apikey, deep: [{ ApiKey: "outra-chave" }] },
    apikey,
  });
  await send(instance, { event: "messages.upsert", data: 7, apikey: "curta" });
  await post(
    instance.hookId,
    JSON.stringify({ instance: "outra", event: apikey, apikey }),
    secretOf(instance),
  );
  await settled();
  const everything = `${await stored()} ${JSON.stringify(await endState(db, instance))} ${lab.logged()}`;
  for (const key of [apikey, "outra-chave", "curta", instance.secret]) expect(everything).not.toContain(key);
});

test("a new secret counts at once, and the former one no more", async () => {
  const instance = await makeInstance(db);
  expect((await send(instance, upsert("before", "Oi"))).status).toBe(200);
  const other = await makeInstance(db);
  await sql`update instance set hook_id = 'gone' where connection_id = ${instance.connectionId}`.execute(db);
  await hookChanged(db, instance.connectionId);
  await expect.poll(async () => (await send(instance, upsert("after", "Oi"))).status).toBe(401);
  expect((await send(other, upsert("other", "Oi"))).status).toBe(200);
});

test("a browser's page and a cookie change nothing: the secret alone counts", async () => {
  const instance = await makeInstance(db);
  const headers = { origin: "https://gateway.exemplo.com.br", "sec-fetch-site": "cross-site", cookie: "a=b" };
  const body = JSON.stringify({ instance: instance.name, ...upsert("origin", "Oi") });
  expect((await post(instance.hookId, body, { ...headers, ...secretOf(instance) })).status).toBe(200);
  expect((await post(instance.hookId, body, headers)).status).toBe(401);
});

test("at most a hundred oddities of an instance are kept, the newest", async () => {
  const instance = await makeInstance(db);
  for (let at = 0; at < 130; at++) await send(instance, { event: "nada.disso", data: { at } });
  expect(await unrecognizedOf(instance)).toHaveLength(100);
});

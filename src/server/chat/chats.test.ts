import fc from "fast-check";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { campaignRow, connectionRow, imageRow, listRow } from "../../../tests/support/campaign-rows.ts";
import { ANA, chatLab, type ShownChat, type ShownMessage } from "../../../tests/support/chat-lab.ts";
import { chatRow, type MessageSketch, messageRow, sentRow } from "../../../tests/support/chat-rows.ts";
import { CODE_POINT } from "../../../tests/support/code-point.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { unhurried, untilWaiting } from "../../../tests/support/waiting.ts";
import { DELIVERY } from "../../domain/delivery.ts";
import { ownerOf } from "../db/owner.ts";
import { findChats } from "./repo.ts";

const { db } = await testDatabase();
const arrange = chatLab(db);

test("the list is ordered by the last message, page by page, each chat once @spec 7.12", async () => {
  const { account, connectionId, list } = await arrange();
  for (let i = 0; i < 120; i++)
    await chatRow(db, {
      account,
      connectionId,
      phone: ANA + i,
      lastAt: new Date(1_700_000_000_000 + Math.floor(i / 7)),
    });
  const first = await list();
  const second = await list(`&cursor=${first.next}`);
  const third = await list(`&cursor=${second.next}`);
  expect([first.chats.length, second.chats.length, third.chats.length]).toEqual([50, 50, 20]);
  expect(third.next).toBeNull();
  const all = [...first.chats, ...second.chats, ...third.chats];
  expect(new Set(all.map(({ id }) => id)).size).toBe(120);
  expect(all.map(({ last }) => last.at)).toEqual(
    all
      .map(({ last }) => last.at)
      .toSorted()
      .reverse(),
  );
});

test("a saved contact's name wins over the push name, that over the number; a group is called by its id @spec 2.73,7.12", async () => {
  const { account, connectionId, list } = await arrange();
  await listRow(db, account, 1);
  await chatRow(db, { account, connectionId, phone: 5_511_900_000_000, pushName: "Zé", unread: 2 });
  await chatRow(db, { account, connectionId, phone: ANA, pushName: "Bia", unread: 3 });
  await chatRow(db, { account, connectionId, phone: ANA + 1 });
  await chatRow(db, { account, connectionId, lid: "70000000000001@lid" });
  await chatRow(db, {
    account,
    connectionId,
    jid: "120363000000000000@g.us",
    kind: "group",
    pushName: "Carla",
  });
  const { chats, unread } = await list();
  expect(chats.map(({ name, savedName, pushName }) => [name, savedName, pushName]).toSorted()).toEqual([
    ["120363000000000000@g.us", null, null],
    ["5511987654322", null, null],
    ["70000000000001@lid", null, null],
    ["Bia", null, "Bia"],
    ["Pessoa 0", "Pessoa 0", "Zé"],
  ]);
  expect(unread).toBe(5);
});

test("of what another account knows of a person nothing is shown and nothing is found", async () => {
  const { account, connectionId, list } = await arrange();
  const stranger = await arrange();
  const phone = 5_511_900_000_000;
  await listRow(db, stranger.account, 1, "Só deles");
  await sql`insert into opt_out (account_id, phone, source) values (${stranger.account}::uuid, ${phone}, 'manual')`.execute(
    db,
  );
  await chatRow(db, { account, connectionId, phone });
  expect((await list()).chats).toMatchObject([{ name: String(phone), savedName: null, optedOut: false }]);
  expect((await list("&search=pessoa%200")).chats).toEqual([]);
  await sql`insert into opt_out (account_id, phone, source) values (${account}::uuid, ${phone}, 'manual')`.execute(
    db,
  );
  expect((await list()).chats).toMatchObject([{ optedOut: true }]);
});

test("OP02 whose words may mean leaving asks to leave until it is decided, and has not left before", async () => {
  const { account, connectionId, list } = await arrange();
  await chatRow(db, { account, connectionId, phone: ANA });
  const at = "2026-11-19T14:30:00.000Z";
  await sql`insert into opt_out (account_id, phone, source, text, created_at)
    values (${account}::uuid, ${ANA}, 'asked', 'me tira dessa lista', ${at})`.execute(db);
  expect((await list()).chats).toMatchObject([
    { optedOut: false, asksToLeave: { text: "me tira dessa lista", at } },
  ]);
  await sql`update opt_out set source = 'reply' where account_id = ${account}::uuid`.execute(db);
  expect((await list()).chats).toMatchObject([{ optedOut: true, asksToLeave: null }]);
});

test("the conversations of a connection that is being removed are gone", async () => {
  const { account, connectionId, call } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: ANA });
  const answers = async () =>
    Promise.all(
      [`/api/chats/${chat}`, `/api/chats/${chat}/messages`, `/api/chats?connectionId=${connectionId}`].map(
        async (path) => (await call("GET", path)).status,
      ),
    );
  expect(await answers()).toEqual([200, 200, 200]);
  await sql`update connection set desired = 'removed' where id = ${connectionId}`.execute(db);
  expect(await answers()).toEqual([404, 404, 404]);
});

test("search finds names without accents, parts of numbers and words of messages, and nothing of other connections", async () => {
  const { account, connectionId, list } = await arrange();
  const other = await connectionRow(db, account);
  await listRow(db, account, 2);
  const saved = await chatRow(db, { account, connectionId, phone: 5_511_900_000_001, pushName: "x" });
  const named = await chatRow(db, { account, connectionId, phone: ANA, pushName: "José Antônio" });
  const group = await chatRow(db, { account, connectionId, kind: "group", jid: "120363999999999999@g.us" });
  await messageRow(db, named, { text: "Qual o preço das ÓCULOS-de-sol? (2ª via)" });
  await messageRow(db, await chatRow(db, { account, connectionId: other, phone: ANA + 7 }), {
    text: "preço c",
  });
  const found = async (words: string) =>
    (await list(`&search=${encodeURIComponent(words)}`)).chats.map(({ id }) => id).toSorted();
  expect(await found("jose anto")).toEqual([named]);
  expect(await found("pessoa 1")).toEqual([saved]);
  expect(await found("98765-4321")).toEqual([named]);
  expect(await found("9999999999")).toEqual([group]);
  expect(await found("PRECO oculos")).toEqual([named]);
  expect(await found("preço sol")).toEqual([named]);
  expect(await found("preço ausente")).toEqual([]);
  for (const odd of ["'", "& |", "²", "a:*b", "%", "\\", "🐝", "(", "c1"])
    expect(await found(odd), odd).toEqual([]);
  expect((await list("&search=%20%20")).chats).toHaveLength(3);
});

test("whatever is searched for, there is an answer", async () => {
  const { account, connectionId, call } = await arrange();
  await messageRow(db, await chatRow(db, { account, connectionId, phone: ANA, pushName: "Ana" }));
  const odd = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.string({ unit: CODE_POINT, maxLength: 40 }),
    fc.stringMatching(/^[&|!:*()'\\<>c1 -]{1,20}$/),
  );
  await fc.assert(
    fc.asyncProperty(odd, async (words) => {
      const search = encodeURIComponent(words.toWellFormed());
      const { status } = await call("GET", `/api/chats?connectionId=${connectionId}&search=${search}`);
      expect(status).toBe(words.toWellFormed().includes("\0") ? 400 : 200);
    }),
    { numRuns: 300 },
  );
});

test("a chat is campaigns, what was sent and what came, in their order, 100 a page, none twice and none missing @spec 7.13,9.10", async () => {
  const { account, connectionId, messages } = await arrange();
  const phone = 5_511_900_000_000;
  const chat = await chatRow(db, {
    account,
    connectionId,
    phone,
    jid: `${phone}@s.whatsapp.net`,
    lid: "71@lid",
  });
  await campaignRow(db, account, { connectionId, people: { read: 1 }, name: "Primavera" });
  const at = (n: number) => new Date(1_700_000_000_000 + Math.floor(n / 5) * 1_000);
  for (let i = 0; i < 130; i++) await messageRow(db, chat, { text: `m${i}`, at: at(i) });
  for (let i = 0; i < 60; i++) await sentRow(db, chat, { text: `o${i}`, at: at(i), status: 7 });
  for (let i = 0; i < 60; i++)
    await sentRow(db, chat, { text: `j${i}`, at: at(i), status: 7, byAddress: "71@lid" });
  const pages: ShownMessage[][] = [];
  for (let older: string | null | undefined; older !== null; ) {
    const page = await messages(chat, older);
    pages.unshift(page.messages);
    older = page.older;
  }
  expect(pages.map((page) => page.length)).toEqual([51, 100, 100]);
  const all = pages.flat();
  expect(new Set(all.map(({ key }) => key)).size).toBe(251);
  expect(all.map((one) => one.at)).toEqual(all.map((one) => one.at).toSorted());
  expect(all.at(-1)).toMatchObject({
    source: "campaign",
    text: "Oi, Pessoa 0!",
    status: "read",
    fromMe: true,
    campaign: { name: "Primavera" },
  });
});

test("a chat shows each of a campaign's messages to the person as its own, with its ticks", async () => {
  const { account, connectionId, messages } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: 5_511_900_000_000 });
  const campaign = await campaignRow(db, account, { connectionId, people: { error: 1 } });
  await sql`update campaign set parts = 3 where id = ${campaign}`.execute(db);
  await sql`insert into campaign_part (campaign_id, part, attachment_id)
    select ${campaign}, n, ${await imageRow(db, account)} from generate_series(1, 2) n`.execute(db);
  await sql`insert into delivery_part (campaign_id, seq, part, status, resend_number, at)
    values (${campaign}, 0, 0, ${DELIVERY.read}, 0, now() - interval '1 minute')`.execute(db);
  const shown = async () =>
    (await messages(chat)).messages.map(({ key, text, attachment, status }) => [
      key,
      text,
      attachment?.kind ?? null,
      status,
    ]);
  expect(await shown()).toEqual([
    [`d${campaign}-0`, "Oi, Pessoa 0!", null, "read"],
    [`d${campaign}-16777216`, "", "image", "error"],
  ]);
  await sql`update delivery set status = ${DELIVERY.sent} where campaign_id = ${campaign}`.execute(db);
  expect((await shown()).map(([, , , status]) => status)).toEqual(["read", "sent", "sent"]);
});

test("MS01 of a campaign that started before {primeiro_nome} had a meaning a chat shows what its people got", async () => {
  const { account, connectionId, messages } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: 5_511_900_000_000 });
  const said = async () => (await messages(chat)).messages.map(({ text }) => text);
  await campaignRow(db, account, { connectionId, people: { sent: 1 } });
  await sql`update campaign set text = 'Olá {primeiro_nome}' where connection_id = ${connectionId}`.execute(
    db,
  );
  expect(await said()).toEqual(["Olá Pessoa"]);
  await sql`update campaign set text_version = 1 where connection_id = ${connectionId}`.execute(db);
  expect(await said()).toEqual(["Olá {primeiro_nome}"]);
});

test("of campaigns a chat shows what was sent and what may have been, and nothing that was not", async () => {
  const { account, connectionId, messages } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: 5_511_900_000_000 });
  const states = ["pending", "sending", "waiting", "skipped", "uncertain", "error", "sent"] as const;
  for (const state of states) await campaignRow(db, account, { connectionId, people: { [state]: 1 } });
  const seen = (await messages(chat)).messages.map(({ status }) => status);
  expect(seen.toSorted()).toEqual(["error", "sent", "uncertain"]);
});

test("own messages: a gateway's outgoing webhook copies are left out, phone and other messages are shown", async () => {
  const { account, connectionId, messages } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: ANA });
  const rows: MessageSketch[] = [
    { text: "pergunta" },
    { text: "do celular", fromMe: true, status: DELIVERY.read },
    { text: "de outro programa", fromMe: true, viaApi: true },
    { text: "nossa", fromMe: true, viaApi: true, providerId: "OURS" },
    // Another person's message with the id of one of ours stays theirs.
    { text: "com o mesmo id", providerId: "THEIRS" },
  ];
  for (const row of rows) await messageRow(db, chat, row);
  const outboxId = (await sentRow(db, chat, { text: "nossa", status: DELIVERY.sent })) as number;
  for (const id of ["OURS", "THEIRS"])
    await sql`insert into provider_message (connection_id, provider_id, outbox_id)
      values (${connectionId}, ${id}, ${id === "OURS" ? outboxId : outboxId + 1_000_000})`.execute(db);
  const seen = (await messages(chat)).messages.map(
    ({ text, source, status }) => `${source}: ${text} ${status}`,
  );
  expect(seen.toSorted()).toEqual([
    "chat: nossa sent",
    "contact: com o mesmo id null",
    "contact: pergunta null",
    "gateway: de outro programa null",
    "phone: do celular read",
  ]);
});

test("an assistant's message is the chat's last message, marked as the assistant's", async () => {
  const { account, connectionId, list } = await arrange();
  const chat = await chatRow(db, {
    account,
    connectionId,
    phone: ANA,
    lastAt: new Date(Date.now() - 60_000),
  });
  const last = async () => (await list()).chats[0]?.last;
  expect(await last()).toMatchObject({ fromMe: false, source: "contact" });
  await sentRow(db, chat, { text: "Posso ajudar?", status: 6, origin: "agent" });
  const answer = { text: "Posso ajudar?", fromMe: true, kind: "text", source: "agent" };
  expect(await last()).toMatchObject(answer);
  await sql`update chat set last_at = now() + interval '1 minute', last_text = 'Já vi', last_from_me = true where id = ${chat}`.execute(
    db,
  );
  expect(await last()).toMatchObject({ text: "Já vi", fromMe: true, source: null });
});

test("reading a chat leaves nothing unread", async () => {
  const { account, connectionId, call, list } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: ANA, unread: 4 });
  const other = await connectionRow(db, account);
  const removed = await connectionRow(db, account);
  await sql`update connection set desired = 'removed' where id = ${removed}`.execute(db);
  for (const place of [other, removed])
    await chatRow(db, { account, connectionId: place, phone: ANA, unread: 2 });
  await connectionRow(db, account);
  const all = async () => (await call<object>("GET", "/api/chats/unread")).body;
  const elsewhere = { connectionId: other, unread: 2 };
  expect((await list()).unread).toBe(4);
  expect(await all()).toEqual({ unread: 6, connections: [{ connectionId, unread: 4 }, elsewhere] });
  expect((await call<ShownChat>("POST", `/api/chats/${chat}/read`, { upTo: 0 })).body.unread).toBe(0);
  expect((await list()).unread).toBe(0);
  expect(await all()).toEqual({ unread: 2, connections: [elsewhere] });
});

test("what came after what was shown stays unread, however late and often it is said what was read", async () => {
  const { account, connectionId, call } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: ANA, unread: 2 });
  for (const text of ["Oi", "Tudo bem?"]) await messageRow(db, chat, { text });
  const shown = async () => (await call<{ upTo: number }>("GET", `/api/chats/${chat}/messages`)).body.upTo;
  const read = async (upTo: number) =>
    (await call<ShownChat>("POST", `/api/chats/${chat}/read`, { upTo })).body.unread;
  const first = await shown();
  // Arrives late: written before the others.
  await messageRow(db, chat, { text: "Bom dia", at: new Date(Date.now() - 60_000) });
  await sql`update chat set unread = 3 where id = ${chat}`.execute(db);
  expect(await read(first)).toBe(1);
  expect(await read(first)).toBe(1);
  expect(await read(await shown())).toBe(0);
  const last = await shown();
  await messageRow(db, chat, { text: "E agora?" });
  await messageRow(db, chat, { text: "Agora não", fromMe: true });
  await messageRow(db, chat, { text: "Que pena" });
  await sql`update chat set unread = 1 where id = ${chat}`.execute(db);
  expect(await read(last)).toBe(1);
});

test("a message that is being stored while a conversation is read stays unread", async () => {
  const { account, connectionId, call } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: ANA, unread: 1 });
  const upTo = await messageRow(db, chat, { text: "Oi" });
  const reading = await unhurried(db, async (tx) => {
    await messageRow(tx, chat, { text: "Ainda aí?" });
    await sql`update chat set unread = unread + 1 where id = ${chat}`.execute(tx);
    const asked = call<ShownChat>("POST", `/api/chats/${chat}/read`, { upTo });
    await untilWaiting(db);
    return { asked };
  });
  expect((await reading.asked).body.unread).toBe(1);
});

test("cursors of other makes are refused", async () => {
  const { account, connectionId, call } = await arrange();
  const chat = await chatRow(db, { account, connectionId, phone: ANA });
  for (const odd of ["x", "1", "1.1.1", "-1.2", "99999999999999999.1x", "1.x.1.1", "%00"]) {
    for (const path of [
      `/api/chats?connectionId=${connectionId}&cursor=${odd}`,
      `/api/chats/${chat}/messages?older=${odd}`,
    ])
      expect([path, (await call("GET", path)).status]).toEqual([path, 400]);
  }
  for (const far of ["99999999999999999.999999999999999", "0.0"])
    expect((await call("GET", `/api/chats?connectionId=${connectionId}&cursor=${far}`)).status).toBe(200);
  expect((await call("GET", `/api/chats/${chat}/messages?older=99999999999999999.m.1.0`)).status).toBe(200);
});

test("26.14 search finds messages sent from here by their words, and nothing of other connections", async () => {
  const { account, connectionId, list, call } = await arrange();
  const other = await connectionRow(db, account);
  const typed = await chatRow(db, { account, connectionId, phone: ANA });
  const group = await chatRow(db, { account, connectionId, kind: "group", jid: "120363000000000009@g.us" });
  const hidden = await chatRow(db, { account, connectionId, lid: "70000000000009@lid" });
  const elsewhere = await chatRow(db, { account, connectionId: other, phone: ANA + 5 });
  await sentRow(db, typed, { text: "Seu óculos chegou", status: 6 });
  await sentRow(db, group, {
    text: "Inventário na sexta",
    status: 6,
    byAddress: "120363000000000009@g.us",
    origin: "api",
  });
  await sentRow(db, hidden, {
    text: "Abrimos às nove",
    status: 6,
    byAddress: "70000000000009@lid",
    origin: "agent",
  });
  await sentRow(db, elsewhere, { text: "Seu óculos chegou", status: 6 });
  const found = async (words: string) =>
    (await list(`&search=${encodeURIComponent(words)}`)).chats.map(({ id }) => id);
  expect(await found("oculos")).toEqual([typed]);
  expect(await found("chegou ócul")).toEqual([typed]);
  expect(await found("inventario")).toEqual([group]);
  expect(await found("nove")).toEqual([hidden]);
  expect(await found("amanhã")).toEqual([]);
  const theirs = await call<{ chats: { id: number }[] }>(
    "GET",
    `/api/chats?connectionId=${other}&search=oculos`,
  );
  expect(theirs.body.chats.map(({ id }) => id)).toEqual([elsewhere]);
});

test("26.14 search finds campaigns by their words and recipients", async () => {
  const { account, connectionId, list } = await arrange();
  const campaign = await campaignRow(db, account, {
    connectionId,
    status: "ended",
    text: "Promoção de armações, {nome}",
    people: { sent: 1, error: 1, pending: 1 },
  });
  const { rows } = await sql<{ phone: number; status: number }>`select phone, status from delivery
    where campaign_id = ${campaign} order by seq`.execute(db);
  const chats: number[] = [];
  for (const { phone } of rows)
    chats.push(await chatRow(db, { account, connectionId, phone: Number(phone) }));
  await sql`update delivery set at = now() where campaign_id = ${campaign} and status > 0`.execute(db);
  const reached = chats.filter((_, at) => (rows[at]?.status ?? 0) >= 4).toSorted();
  expect(reached).toHaveLength(2);
  const found = async (words: string) =>
    (await list(`&search=${encodeURIComponent(words)}`)).chats.map(({ id }) => id).toSorted();
  expect(await found("armacoes promo")).toEqual(reached);
  expect(await found("armações grátis")).toEqual([]);
  const stranger = await arrange();
  await chatRow(db, {
    account: stranger.account,
    connectionId: stranger.connectionId,
    phone: Number(rows[0]?.phone),
  });
  expect((await stranger.list("&search=armacoes")).chats).toEqual([]);
});

test("26.14 a search looks for people of campaigns by their key, never through all of them", async () => {
  const { account, connectionId } = await arrange();
  const owner = ownerOf(db, account);
  const campaign = await campaignRow(db, account, {
    connectionId,
    status: "ended",
    text: "Armações",
    people: { sent: 1 },
  });
  // Enough rows for the planner to use an index.
  await sql`insert into delivery (campaign_id, seq, phone, name, status, at)
    select ${campaign}, 100 + n, 5521900000000 + n, '', 6, now() from generate_series(1, 20000) n`.execute(
    db,
  );
  await chatRow(db, { account, connectionId, phone: 5_521_900_000_007 });
  await sql`analyze delivery, chat, campaign, outbox`.execute(db);
  const rowsRead = async () => {
    const { rows } = await sql<{ n: number }>`select coalesce(sum(idx_tup_fetch + seq_tup_read), 0)::int as n
      from pg_stat_user_tables where relname in ('delivery', 'outbox')`.execute(db);
    return rows[0]?.n ?? 0;
  };
  const flush = () => sql`select pg_stat_force_next_flush()`.execute(db);
  await flush();
  const before = await rowsRead();
  const found = await findChats(owner, connectionId, { search: "armacoes", after: null, limit: 51 });
  expect(found).toHaveLength(1);
  await flush();
  expect((await rowsRead()) - before).toBeLessThan(100);
});

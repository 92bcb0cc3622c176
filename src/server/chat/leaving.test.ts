import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { incoming, receiveLab } from "../../../tests/support/receive-lab.ts";
import type { IncomingMessage } from "../transports/transport.ts";

const { db } = await testDatabase();

test("a word of leaving counts as a caption, not as the name of a contact or place", async () => {
  const { receive, account } = await receiveLab(db);
  const left = async () =>
    (
      await sql<{ phone: string }>`select phone::text as phone from opt_out
        where account_id = ${account}::uuid order by phone`.execute(db)
    ).rows.map(({ phone }) => phone);
  const from = (phone: string, kind: IncomingMessage["kind"]) =>
    incoming({ chat: [`${phone}@s.whatsapp.net`], kind, text: "Parar" });
  await receive(
    from("5511955560001", "contact"),
    from("5511955560002", "location"),
    from("5511955560003", "other"),
  );
  expect(await left()).toEqual([]);
  const kinds = ["image", "video", "document"] as const;
  await receive(...kinds.map((kind, i) => from(`551195556000${i + 4}`, kind)));
  expect(await left()).toEqual(["5511955560004", "5511955560005", "5511955560006"]);
  await receive(incoming({ chat: ["76000@lid"], kind: "image", text: "Sair" }));
  await receive(incoming({ chat: ["5511955560007@s.whatsapp.net", "76000@lid"], text: "oi" }));
  expect(await left()).toContain("5511955560007");
});

test("OP02 other words of leaving mark their writer once, without an answer; groups and own messages mark none", async () => {
  const left: { chatId: number }[] = [];
  const assistant = {
    onLeft: async (_: unknown, chats: readonly { chatId: number }[]) => void left.push(...chats),
  };
  const { receive, account, texts, chats } = await receiveLab(db, { assistant });
  const marked = async () =>
    (
      await sql<{ phone: string; source: string; text: string }>`select phone::text as phone, source, text
        from opt_out where account_id = ${account}::uuid order by phone`.execute(db)
    ).rows;
  const from = (phone: string, text: string, more: Partial<IncomingMessage> = {}) =>
    incoming({ chat: [`${phone}@s.whatsapp.net`], text, ...more });
  await receive(
    from("5511955570001", "Já chega, não quero mais receber isso"),
    from("5511955570002", "Comprei errado, me tira dessa lista", { kind: "image" }),
    from("5511955570003", "quero cancelar a consulta"),
    from("5511955570004", "quero sair da lista", { fromMe: true }),
    incoming({
      chat: ["120363000000000077@g.us"],
      participant: "5511955570005",
      text: "quero sair da lista",
    }),
  );
  await receive(from("5511955570001", "Basta"));
  expect(await marked()).toEqual([
    { phone: "5511955570001", source: "asked", text: "Já chega, não quero mais receber isso" },
    { phone: "5511955570002", source: "asked", text: "Comprei errado, me tira dessa lista" },
  ]);
  const { rows } = await sql`select 1 from outbox where account_id = ${account}::uuid`.execute(db);
  expect(rows, "nothing is sent to them").toEqual([]);
  expect(texts.map(({ text }) => text)).toEqual(["quero cancelar a consulta"]);
  const asking = (await chats()).filter(({ phone }) => /7000[12]$/.test(phone ?? "")).map(({ id }) => id);
  expect([...new Set(left.map(({ chatId }) => chatId))].toSorted()).toEqual(asking.toSorted());

  await receive(from("5511955570001", "SAIR"));
  expect((await marked())[0]).toMatchObject({ source: "reply", text: "SAIR" });
  const confirmed = await sql`select origin from outbox where account_id = ${account}::uuid`.execute(db);
  expect(confirmed.rows).toEqual([{ origin: "opt_out" }]);
});

test("OP02 a request in other words that can mean nothing else leaves at once, and is confirmed", async () => {
  const { receive, account } = await receiveLab(db);
  await receive(
    incoming({ chat: ["5511955570021@s.whatsapp.net"], text: "Oi, por favor me tirem dessa lista" }),
  );
  const { rows } = await sql`select source from opt_out where account_id = ${account}::uuid`.execute(db);
  expect(rows).toEqual([{ source: "reply" }]);
  const sent = await sql`select origin from outbox where account_id = ${account}::uuid`.execute(db);
  expect(sent.rows).toEqual([{ origin: "opt_out" }]);
});

test("OP02 other words under a hidden address count once its number is known, and a correction into them at once", async () => {
  const { receive, account } = await receiveLab(db);
  await receive(
    incoming({ chat: ["76011@lid"], text: `${"Comprei e gostei. ".repeat(8)}Mas quero sair da lista` }),
  );
  await receive(incoming({ chat: ["5511955570011@s.whatsapp.net", "76011@lid"], text: "oi" }));
  await receive(incoming({ chat: ["5511955570012@s.whatsapp.net"], providerId: "3AEDITED", text: "Oi" }));
  await receive(incoming({ chat: ["5511955570012@s.whatsapp.net"], edits: "3AEDITED", text: "Me esqueçam" }));
  const { rows } = await sql<{
    phone: string;
    source: string;
  }>`select phone::text as phone, source from opt_out
    where account_id = ${account}::uuid order by phone`.execute(db);
  expect(rows).toEqual([
    { phone: "5511955570011", source: "asked" },
    { phone: "5511955570012", source: "asked" },
  ]);
});

import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { incoming, receiveLab } from "../../../tests/support/receive-lab.ts";
import type { IncomingMessage } from "../transports/transport.ts";

const { db } = await testDatabase();

test("a word of leaving below a picture, a film or a document is one, the name of a contact or a place is none", async () => {
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
  // Under a hidden address alone, whose number comes later.
  await receive(incoming({ chat: ["76000@lid"], kind: "image", text: "Sair" }));
  await receive(incoming({ chat: ["5511955560007@s.whatsapp.net", "76000@lid"], text: "oi" }));
  expect(await left()).toContain("5511955560007");
});

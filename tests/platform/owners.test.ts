import { expect, test } from "vitest";
import { type OwnerRules, ownerErrors, tablesOf, usesOf } from "../../scripts/owners.ts";

const TABLES = new Set(["chat", "contact", "mail"]);

const RULES: OwnerRules = {
  owners: { chat: "chat", contact: "contacts", mail: "notifications" },
  shared: [],
  byName: [],
  joins: [],
};

const errorsOf = (file: string, source: string, rules: Partial<OwnerRules> = {}) =>
  ownerErrors(TABLES, [usesOf(file, source, TABLES)], { ...RULES, ...rules });

test("tables are read from the schema", () => {
  expect(tablesOf("create table chat (\n  id bigint\n);\ncreate index chat_x on chat (id);\n")).toEqual([
    "chat",
  ]);
});

test("writes and reads in SQL are found, comments and other words are not", () => {
  const source = `
    // delete from mail
    /* insert into chat */
    const text = "an answer from whatsapp";
    sql\`update contact c set name = x.name from made x, chat k join mail m on true\`;`;
  expect(usesOf("chat/repo.ts", source, TABLES)).toEqual({
    file: "chat/repo.ts",
    writes: ["contact"],
    reads: ["chat", "mail"],
    byName: false,
  });
});

test.each(["insert into mail (id)", "update mail set", "delete from mail where", "truncate mail"])(
  "«%s» outside the owner's folder fails, even where reading is allowed",
  (text) => {
    const joins = [{ folder: "chat", table: "mail", reason: "" }];
    expect(errorsOf("chat/repo.ts", text, { joins })).toContain(
      "chat/repo.ts writes mail: call a function of notifications",
    );
    expect(errorsOf("notifications/mail-repo.ts", text)).toEqual([]);
  },
);

test("a read outside the owner's folder fails unless a list names it", () => {
  const text = "select 1 from mail";
  expect(errorsOf("chat/repo.ts", text)).toEqual([
    "chat/repo.ts reads mail: call a function of notifications",
  ]);
  expect(errorsOf("chat/repo.ts", text, { joins: [{ folder: "chat", table: "mail", reason: "" }] })).toEqual(
    [],
  );
});

test("an entry that is no longer needed fails, so that the lists shrink", () => {
  expect(
    errorsOf("chat/repo.ts", "select 1", { joins: [{ folder: "chat", table: "mail", reason: "" }] }),
  ).toEqual(["JOINS or SHARED: «chat mail» is no longer needed"]);
});

test("a table named by a variable fails outside the listed files", () => {
  const text = ["sql`delete from $", "{sql.table(name)}`"].join("");
  expect(errorsOf("chat/repo.ts", text)).toEqual([
    "chat/repo.ts names a table by a variable and is not in BY_NAME",
  ]);
});

import { expect, test } from "vitest";
import { pageLab } from "../../../tests/support/chat-page.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { incoming } from "../../../tests/support/receive-lab.ts";

const { db } = await testDatabase();

test("cards and places are stored with their parts; another message has none", async () => {
  const { receive, page } = await pageLab(db);
  const card = { name: "Dr. Otávio\u202e", phones: ["5531988560099"], others: ["3322\0-1100"] };
  const place = { latitude: -19.9386, longitude: -43.9352 };
  await receive(
    incoming({ kind: "contact", text: "Dr. Otávio", details: { contacts: [card] } }),
    incoming({ kind: "location", text: "https://maps.google.com/?q=-19.9386,-43.9352", details: { place } }),
    incoming({ text: "oi" }),
  );
  expect((await page()).messages.map(({ contacts, place: at }) => [contacts, at])).toEqual([
    [[{ ...card, name: "Dr. Otávio", others: ["3322-1100"] }], null],
    [[], place],
    [[], null],
  ]);
});

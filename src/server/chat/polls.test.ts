import { expect, test } from "vitest";
import { pageLab } from "../../../tests/support/chat-page.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { incoming } from "../../../tests/support/receive-lab.ts";

const { db } = await testDatabase();

const GROUP = ["120363041234567890@g.us"];
const POLL = { question: "Qual dia?", options: ["Sábado", "Domingo"] };

const vote = (participant: string, chosen: string[] | null) =>
  incoming({
    chat: GROUP,
    participant,
    kind: "vote",
    text: (chosen ?? []).join("\n"),
    quotedId: "POLL1",
    details: chosen && { vote: { chosen } },
  });

test("a poll counts each voter's last vote, those taken back for none, and says how many it cannot read", async () => {
  const { receive, page } = await pageLab(db);
  const ana = "5531988560099@s.whatsapp.net";
  const bia = "5531988560088@s.whatsapp.net";
  const caio = "5531988560077@s.whatsapp.net";
  await receive(
    incoming({
      chat: GROUP,
      participant: ana,
      providerId: "POLL1",
      kind: "poll",
      text: "Qual dia?",
      details: { poll: POLL },
    }),
    incoming({
      chat: GROUP,
      participant: ana,
      providerId: "POLL2",
      kind: "poll",
      text: "Qual dia?",
      details: { poll: POLL },
    }),
  );
  await receive(vote(ana, ["Sábado"]), vote(bia, ["Sábado", "Domingo"]), vote(caio, ["Domingo"]));
  await receive(vote(ana, ["Domingo"]), vote(caio, []), vote("5531988560066@s.whatsapp.net", null));
  const { messages } = await page();
  expect(messages.slice(0, 2).map(({ poll }) => poll)).toEqual([
    {
      question: "Qual dia?",
      options: [
        { text: "Sábado", votes: 1 },
        { text: "Domingo", votes: 2 },
      ],
      voters: 2,
      sealed: 1,
    },
    {
      question: "Qual dia?",
      options: [
        { text: "Sábado", votes: 0 },
        { text: "Domingo", votes: 0 },
      ],
      voters: 0,
      sealed: 0,
    },
  ]);
  expect(messages.slice(-2).map(({ chosen }) => chosen)).toEqual([[], null]);
});

import { sql } from "kysely";
import { expect, test, vi } from "vitest";
import { agentLab } from "../../../tests/support/agent-lab.ts";
import { testDatabase } from "../../../tests/support/database.ts";

const lab = await agentLab(await testDatabase());
const { mistral, arrange, settled } = lab;
const phone = (nth: number) => String(5511987650000 + nth);

function slowFor() {
  let asked = 0;
  const waiting = new Set<() => void>();
  let open = false;
  mistral.answers(async ({ messages }) => {
    const text = String(messages.at(-1)?.content);
    if (!text.startsWith("lento")) return `${text} respondida`;
    asked++;
    if (!open) await new Promise<void>((resolve) => waiting.add(resolve));
    return `${text} respondida`;
  });
  return {
    asked: () => asked,
    release() {
      open = true;
      for (const one of waiting) one();
      waiting.clear();
    },
  };
}

type Arranged = Awaited<ReturnType<typeof arrange>>;

async function isAnswered(who: Arranged, nth: number): Promise<void> {
  await who.write(phone(nth), "Oi");
  const texts = async () => (await who.outbox()).map(({ text }) => text);
  await vi.waitFor(async () => expect(await texts()).toContain("Oi respondida"), {
    timeout: 60_000,
    interval: 20,
  });
}

const writeSlow = (who: Arranged, count: number) =>
  Promise.all(Array.from({ length: count }, (_, nth) => who.write(phone(nth), `lento ${nth}`)));

test("an account whose Mistral takes its time over many chats keeps no other account's from being answered, and gets all its answers", async () => {
  const slow = slowFor();
  const [hostile, honest] = [await arrange(), await arrange()];
  await writeSlow(hostile, 20);
  await vi.waitFor(() => expect(slow.asked()).toBeGreaterThanOrEqual(6), 60_000);
  await isAnswered(honest, 100);
  expect(slow.asked()).toBe(6);
  slow.release();
  await settled();
  const texts = (await hostile.outbox()).map(({ text }) => text).toSorted();
  expect(texts).toEqual(Array.from({ length: 20 }, (_, nth) => `lento ${nth} respondida`).toSorted());
});

test("accounts that were slow of late share half of the places, however many they are", async () => {
  const first = slowFor();
  const hostile = await Promise.all(Array.from({ length: 3 }, () => arrange()));
  for (const one of hostile) await one.write(phone(0), "lento");
  await vi.waitFor(() => expect(first.asked()).toBe(3), 60_000);
  await new Promise((resolve) => setTimeout(resolve, 400));
  first.release();
  await settled();

  const slow = slowFor();
  for (const one of hostile) await writeSlow(one, 8);
  await vi.waitFor(() => expect(slow.asked()).toBe(6), 60_000);
  await isAnswered(await arrange(), 101);
  await isAnswered(await arrange(), 102);
  expect(slow.asked()).toBe(6);
  slow.release();
  await settled();
  for (const one of hostile) expect(await one.outbox()).toHaveLength(9);
});

test("27.3 a chat that came after two hundred of another account is answered among the first, not after them", async () => {
  const crowded = await agentLab(await testDatabase(), { works: false, poll: 50 });
  const [hostile, honest] = [await crowded.arrange(), await crowded.arrange()];
  for (let nth = 0; nth < 200; nth += 20)
    await Promise.all(Array.from({ length: 20 }, (_, at) => hostile.write(phone(nth + at), "Oi")));
  await honest.write(phone(300), "Oi");
  const worker = await crowded.open({ answers: true });
  await vi.waitFor(async () => expect(await honest.outbox()).toHaveLength(1), {
    timeout: 60_000,
    interval: 5,
  });
  expect((await hostile.outbox()).length).toBeLessThan(40);
  await crowded.settled();
  expect(await hostile.outbox()).toHaveLength(200);
  await worker.agents.close();
});

test("27.3 a job of a process that died is taken up, and does not keep the chat's next one away", async () => {
  const own = await agentLab(await testDatabase(), { works: false, poll: 50 });
  const who = await own.arrange();
  await who.write(phone(1), "Oi");
  await sql`update answer_job set taken_until = now() - interval '1 second'`.execute(own.db);
  await who.write(phone(1), "Tem alguém?");
  const { rows } = await sql`select from answer_job`.execute(own.db);
  expect(rows).toHaveLength(2);
  await own.open({ answers: true });
  await own.settled();
  expect((await who.outbox()).length).toBe(1);
});

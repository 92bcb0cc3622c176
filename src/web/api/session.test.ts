import { expect, test } from "vitest";
import type { Me } from "../../contract/accounts.ts";
import { makeSession } from "./session.ts";

const user = (id: string): Me => ({
  id,
  name: "Ana",
  email: "ana@example.com",
  confirmation: null,
  company: "",
  language: "pt-BR",
  timeZone: "America/Sao_Paulo",
  riskRead: true,
  stepsHidden: true,
  attachmentMb: 100,
  createdAt: "2026-01-05T12:00:00.000Z",
});

/** What other tabs hear until `last` signs in. */
function heardUntil(last: string): Promise<unknown[]> {
  const other = new BroadcastChannel("recado-session");
  const heard: unknown[] = [];
  return new Promise((resolve) => {
    other.onmessage = ({ data }: MessageEvent) => {
      heard.push(data);
      if (data !== last) return;
      other.close();
      resolve(heard);
    };
  });
}

test("an answer for a user who has left signs no other tab out", async () => {
  const heard = heardUntil("2");
  const session = makeSession(() => undefined);
  session.remember(user("1"));
  session.update({ ...user("1"), name: "Ana Maria" });
  session.forget();
  session.update(user("1"));
  expect(session.forget()).toBe(false);
  session.remember(user("2"));
  session.update(user("1"));
  expect(await heard).toEqual(["1", "1", "2"]);
});

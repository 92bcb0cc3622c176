import http from "node:http";
import { expect, test } from "vitest";
import { HOOK_SECRET_HEADER } from "../../src/server/gateways/webhook-secret.ts";
import { testDatabase } from "../support/database.ts";
import { type MadeInstance, makeInstance, openLab, upsert } from "./lab.ts";

const database = await testDatabase();
const lab = await openLab(database);

const MB = Buffer.alloc(1024 * 1024, "x");
const BODIES = 6;

async function postLarge(
  { hookId, secret }: MadeInstance,
  megabytes: number,
  end: "whole" | "broken off",
): Promise<number | null> {
  const request = http.request(`${lab.url}/hooks/evolution/${hookId}`, {
    method: "POST",
    headers: { [HOOK_SECRET_HEADER]: secret },
  });
  const answer = new Promise<number | null>((resolve) => {
    request.on("response", (response) => resolve(response.resume().statusCode ?? null));
    request.on("error", () => resolve(null));
  });
  for (let i = 0; i < megabytes && request.writable; i++)
    await new Promise<void>((resolve) => request.write(MB, () => resolve()));
  if (end === "broken off") request.destroy();
  else request.end();
  return answer;
}

test.each([
  ["too large", 34, "whole", 413],
  ["no JSON", 30, "whole", 400],
  ["broken off", 30, "broken off", undefined],
] as const)(
  "bodies that are %s hold no memory once they are refused: what comes after them is taken",
  async (_, megabytes, end, status) => {
    const instance = await makeInstance(database.db);
    for (let i = 0; i < BODIES; i++) {
      const answer = await postLarge(instance, megabytes, end);
      // The server may not have noticed yet that the one before was broken off.
      if (end === "whole") expect(answer).toBe(status);
    }
    await expect
      .poll(async () => (await lab.send(instance, upsert("after", "Oi"))).status, { timeout: 10_000 })
      .toBe(200);
  },
);

import { expect, onTestFinished, test } from "vitest";
import { clientOf } from "../support/client.ts";
import { testDatabase } from "../support/database.ts";
import { SIGN_UP } from "../support/processes.ts";
import { startProduct } from "../support/server.ts";

const PEOPLE = 100_000;

const { url: databaseUrl } = await testDatabase();

test("F37 with a heap of 96 MB a list of 100,000 people comes in and goes out again", async () => {
  const product = await startProduct({ databaseUrl, env: { NODE_OPTIONS: "--max-old-space-size=96" } });
  onTestFinished(() => product.close());
  const cookie = { value: "" };
  const call = clientOf(product.url, { cookie });
  await call("POST", "/api/signup", SIGN_UP);
  const headers = { cookie: cookie.value, origin: product.url };
  const rows = Array.from({ length: PEOPLE }, (_, i) => `Pessoa ${i};119${String(i).padStart(8, "0")}`);
  const upload = await product.fetch("/api/contact-imports?name=Todos&fileName=todos.csv", {
    method: "POST",
    headers: { ...headers, "content-type": "text/csv" },
    body: `Nome;Telefone\n${rows.join("\n")}\n`,
  });
  expect(upload.status).toBe(202);
  const { id } = (await upload.json()) as { id: number };
  await expect
    .poll(() => call(`GET`, `/api/contact-imports/${id}`), { timeout: 120_000, interval: 200 })
    .toMatchObject({ state: "done", imported: PEOPLE });
  const { listId } = await call<{ listId: number }>("GET", `/api/contact-imports/${id}`);
  const file = await product.fetch(`/api/contact-lists/${listId}/export`, { headers });
  expect((await file.text()).trim().split("\n")).toHaveLength(PEOPLE + 1);
});

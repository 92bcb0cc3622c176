import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import type { ContactImportReport } from "../src/contract/contacts.ts";
import { PASSWORD } from "./support/accounts.ts";
import { testDatabase } from "./support/database.ts";
import { startProduct } from "./support/server.ts";

const { db, url } = await testDatabase();
const product = await startProduct({ databaseUrl: url });
afterAll(() => product.close());

const ROWS = 150_000;
const people = `Nome;Telefone\n${Array.from({ length: ROWS }, (_, at) => `Pessoa ${at};119${String(at).padStart(8, "0")}`).join("\n")}\n`;

async function signUp(): Promise<Record<string, string>> {
  const answer = await product.fetch("/api/signup", {
    method: "POST",
    headers: { "content-type": "application/json", origin: product.url },
    body: JSON.stringify({
      name: "Ana",
      email: "ana@exemplo.com.br",
      password: PASSWORD,
      confirmPassword: PASSWORD,
      acceptTerms: true,
    }),
  });
  const cookie = answer.headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ");
  return { cookie, origin: product.url };
}

test("F34 a server killed in the middle of an import brings the whole list after its next start, once", async () => {
  const headers = await signUp();
  const upload = await product.fetch("/api/contact-imports?name=Clientes&fileName=clientes.csv", {
    method: "POST",
    headers: { ...headers, "content-type": "text/csv" },
    body: people,
  });
  expect(upload.status).toBe(202);
  const { id } = (await upload.json()) as { id: number };
  const report = async () =>
    (await (await product.fetch(`/api/contact-imports/${id}`, { headers })).json()) as ContactImportReport;
  await expect.poll(async () => (await report()).state, { interval: 5 }).toBe("running");
  await product.kill9();
  const lists = await sql`select from contact_list`.execute(db);
  expect(lists.rows).toHaveLength(0);

  await product.start();
  // The lease of the dead process must expire first: that process might be alive on this database.
  await sql`update contact_import set lease_until = now() where id = ${id} and state = 'running'`.execute(db);
  await expect
    .poll(report, { timeout: 60_000, interval: 100 })
    .toMatchObject({ state: "done", imported: ROWS });
  const { rows } = await sql`
    select l.contacts, (select count(*)::int from membership m where m.list_id = l.id) as rows from contact_list l`.execute(
    db,
  );
  expect(rows).toEqual([{ contacts: ROWS, rows: ROWS }]);
});

import { afterAll, expect, test } from "vitest";
import { testDatabase } from "../support/database.ts";
import { startProduct } from "../support/server.ts";

const { url: databaseUrl } = await testDatabase();
const product = await startProduct({ databaseUrl });
afterAll(() => product.close());
/** Another process on the same database needs the same key. */
const same = { databaseUrl, dataFolder: product.dataFolder };

test("a port that is taken is said in words", async () => {
  const { port } = new URL(product.url);
  await expect(startProduct({ ...same, env: { PORT: port } })).rejects.toThrow(
    new RegExp(`Não foi possível abrir http://127.0.0.1:${port}: outro programa já usa esta porta`),
  );
});

test("a faulty configuration ends the start before anything is touched, with all faults in words", async () => {
  const refused = startProduct({ ...same, env: { LOG_LEVEL: "loud", RECADO_URL: "exemplo" } });
  await expect(refused).rejects.toThrow(
    /A configuração tem 2 problemas:\n {2}RECADO_URL: .*\n {2}LOG_LEVEL: /,
  );
});

test("serving others over plain http is warned of; on this machine alone, or over https, it is not", async () => {
  const warning = /Atenção: O Recado atende fora desta máquina por http/;
  expect(product.output()).not.toMatch(warning);
  const open = await startProduct({ ...same, env: { HOST: "0.0.0.0" } });
  await expect.poll(() => open.output()).toMatch(warning);
  await open.close();
  const behindProxy = await startProduct({
    ...same,
    env: { HOST: "0.0.0.0", RECADO_URL: "https://recado.example" },
  });
  await expect.poll(() => behindProxy.output()).toContain("Recado em https://recado.example");
  expect(behindProxy.output()).not.toMatch(warning);
  expect((await behindProxy.fetch("/api/health")).headers.get("strict-transport-security")).toBe(
    "max-age=31536000",
  );
  await behindProxy.close();
});

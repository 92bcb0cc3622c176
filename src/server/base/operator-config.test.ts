import { expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { readOperatorGateways } from "./operator-config.ts";

test("several servers, separated by semicolons or lines; a key may hold almost anything", () => {
  const text = "Matriz=https://evo.exemplo.com.br/|ABC=1|2 ;\n Filial Sul = http://10.0.0.5:8080|k\n";
  expect(readOperatorGateways(text)).toEqual({
    gateways: [
      { name: "Matriz", url: "https://evo.exemplo.com.br", apiKey: "ABC=1|2" },
      { name: "Filial Sul", url: "http://10.0.0.5:8080", apiKey: "k" },
    ],
    errors: [],
  });
  expect(readOperatorGateways("")).toEqual({ gateways: [], errors: [] });
});

test("an error is reported by its place, without the key", () => {
  const { gateways, errors } = readOperatorGateways(
    "A=https://a.br|SEGREDO;https://b.br|SEGREDO;C=ftp://c.br|SEGREDO;D=https://d.br|;A2=https://a.br/|SEGREDO;E=https://e.br|SEGREDO—1",
  );
  expect(gateways).toHaveLength(1);
  expect(errors.map((error) => error.slice(0, 10))).toEqual([
    "servidor 2",
    "servidor 3",
    "servidor 4",
    "servidor 5",
    "servidor 6",
  ]);
  expect(errors.join()).not.toContain("SEGREDO");
});

test("a wrong entry keeps the server from starting, in words", () => {
  expect(() => readConfig({ RECADO_GATEWAYS: "https://a.br" })).toThrow(
    /RECADO_GATEWAYS: servidor 1: use Nome=/,
  );
  expect(() => readConfig({ RECADO_WEBHOOK_URL: "recado.br" })).toThrow(/RECADO_WEBHOOK_URL/);
});

test("gateways reach us at the address said, else the public one, else this machine's", () => {
  expect(readConfig({}).webhookUrl).toBe("http://127.0.0.1:3000");
  expect(readConfig({ RECADO_URL: "https://r.example" }).webhookUrl).toBe("https://r.example");
  const both = { RECADO_URL: "https://r.example", RECADO_WEBHOOK_URL: "http://recado:3000/" };
  expect(readConfig(both).webhookUrl).toBe("http://recado:3000");
});

import { expect, test } from "vitest";
import type { Campaign } from "../../../contract/campaigns.ts";
import { CAMPAIGN_NAME_MAX, codePoints } from "../../../domain/message-text.ts";
import { DEFAULT_CONNECTION, formOf, GONE_CONNECTION, inputOf } from "./form.ts";
import { errorsOf } from "./validate.ts";

const now = new Date("2026-11-20T12:00:00Z");
const zone = "America/Sao_Paulo";

const stored = (changes: Partial<Campaign>) =>
  ({
    name: "Natal",
    text: "Oi!",
    nameFallback: "",
    variables: [],
    attachment: null,
    moreAttachments: [],
    intervalS: 60,
    extraS: 0,
    connectionId: 3,
    connectionName: "Matriz",
    listId: 7,
    listName: "Clientes",
    schedule: { kind: "now" },
    ...changes,
  }) as Campaign;

test("a chosen connection that was deleted never becomes the default one by itself", () => {
  for (const copy of [true, false]) {
    const form = formOf(stored({ connectionId: null }), copy);
    expect(form.connection).toBe(GONE_CONNECTION);
    for (const intent of ["create", "draft"] as const)
      expect(errorsOf(form, intent, zone, now).connection).toBe(
        "A conexão desta campanha foi excluída. Escolha outra.",
      );
    expect(inputOf(form, "create", zone, "k").connectionId).toBe(0);
    expect(errorsOf({ ...form, connection: DEFAULT_CONNECTION }, "create", zone, now)).toEqual({});
  }
  expect(formOf(stored({}), false).connection).toBe("3");
  const standard = formOf(stored({ connectionId: null, connectionName: null }), false);
  expect(standard.connection).toBe(DEFAULT_CONNECTION);
  expect(inputOf(standard, "create", zone, "k").connectionId).toBeNull();
});

test("a copy's name says that it is one, and is never longer than a name may be", () => {
  expect(formOf(stored({}), true).name).toBe("Natal (cópia)");
  for (const name of [
    "a".repeat(113),
    "😀".repeat(CAMPAIGN_NAME_MAX),
    `${"a".repeat(111)} ${"b".repeat(8)}`,
  ]) {
    const copy = formOf(stored({ name }), true);
    expect(copy.name).toMatch(/\S \(cópia\)$/);
    expect(codePoints(copy.name)).toBeLessThanOrEqual(CAMPAIGN_NAME_MAX);
    expect(errorsOf(copy, "create", zone, now)).toEqual({});
  }
  expect(formOf(stored({ name: "a".repeat(112) }), true).name).toBe(`${"a".repeat(112)} (cópia)`);
  expect(formOf(stored({ name: "a".repeat(120) }), false).name).toBe("a".repeat(120));
});

test("a copy keeps what was chosen for fields, and sends it for those that the text uses", () => {
  const variables = [
    { key: "data", fallback: "em breve" },
    { key: "pet", fallback: null },
  ];
  const form = formOf(stored({ text: "Dia {data}", variables }), true);
  expect(inputOf(form, "create", zone, "k").variables).toEqual([{ key: "data", fallback: "em breve" }]);
  expect(inputOf(form, "create", zone, "k")).not.toHaveProperty("keepPlaceholders");
  expect(errorsOf(form, "create", zone, now, ["data"])).toEqual({});
  expect(errorsOf({ ...form, variables: [] }, "create", zone, now, ["data"])).toEqual({
    variables: "Escolha o que fazer com quem não tem este valor.",
  });
  expect(errorsOf({ ...form, variables: [] }, "draft", zone, now, ["data"])).toEqual({});
});

import { expect, test } from "vitest";
import { fillMessage } from "./message-template.ts";

test.each([
  ["Oi, {nome}! Dia {dia}.", "Ana Lima", { dia: "20/12/2026" }, "Oi, Ana Lima! Dia 20/12/2026.", []],
  ["Oi, {Primeiro_Nome}!", "Dra. Ana Lima", {}, "Oi, Dra. Ana!", []],
  ["Oi, {nome}, {primeiro_nome}!", "", {}, "Oi, {nome}, {primeiro_nome}!", ["nome", "primeiro_nome"]],
  ["Oi, {nome}!", "n/a", {}, "Oi, {nome}!", ["nome"]],
  ["{dia} {hora} {dia}", "Ana", { hora: "9h" }, "{dia} 9h {dia}", ["dia"]],
  ["{pet} e {nome}", "Ana", { pet: "{nome}" }, "{nome} e Ana", []],
  ["{{nome}} {x y}", "", {}, "{{nome}} {x y}", []],
])("%j for %j with %j", (text, name, values, filled, missing) => {
  expect(fillMessage(text, name, values)).toEqual({ text: filled, missing });
});

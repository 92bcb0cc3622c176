import { expect, test } from "vitest";
import { findZones, zoneLabel } from "./zones.ts";

const zones = (typed: string) => findZones(typed).options.map(({ zone }) => zone);

test("Brazil's zones come first, the most common one at the top, and there is more to find", () => {
  const { options, more } = findZones("");
  expect(options.slice(0, 2).map(({ name, detail }) => [name, detail])).toEqual([
    ["Horário de Brasília", "São Paulo, Rio de Janeiro, Brasília, Sul · UTC−3"],
    ["Horário do Amazonas", "Manaus, Amazonas · UTC−4"],
  ]);
  expect(options.findIndex(({ brazil }) => !brazil)).toBe(16);
  expect(more).toBe(true);
});

test.each([
  ["sao paulo", "America/Sao_Paulo"],
  ["SALVADOR", "America/Bahia"],
  ["acre", "America/Rio_Branco"],
  ["lisbon", "Europe/Lisbon"],
  ["america noronha", "America/Noronha"],
])("%s is found as %s", (typed, zone) => {
  expect(zones(typed)[0]).toBe(zone);
});

test("a zone is found by the name of its time, also without accents", () => {
  expect(zones("horario do japao")).toEqual(["Asia/Tokyo"]);
  expect(zones("brasilia")).toContain("America/Fortaleza");
});

test("what is no zone finds nothing", () => {
  expect(findZones("Marte")).toEqual({ options: [], more: false });
});

test("a zone is called by its time and its city", () => {
  expect(zoneLabel("America/Sao_Paulo")).toBe("Horário de Brasília · São Paulo");
  expect(zoneLabel("Asia/Tokyo")).toBe("Horário do Japão · Tokyo");
});

import { expect, test } from "vitest";
import { campaignsAddress } from "./campaigns.ts";

test("an address that says everything is read as it stands", () => {
  const all = {
    busca: "natal",
    filtro: "completed",
    campanha: 7,
    de: "2026-11-13",
    ate: "2026-11-19",
    resultado: "erros",
    pagina: 3,
    detalhes: 9,
    status: "error",
  } as const;
  expect(campaignsAddress(all)).toEqual(all);
});

test.each([
  { filtro: "enviada", resultado: "vistas", campanha: 0, pagina: 1 },
  { de: "ontem", ate: "2026-02-30" },
  { de: "0001-01-01", ate: 20261119, pagina: "2" },
  { status: "error", detalhes: -1 },
])("what cannot be meant is left out: %j", (search) => {
  expect(campaignsAddress(search)).toEqual({});
});

test("a period the wrong way round is turned, one with an open end is kept", () => {
  expect(campaignsAddress({ de: "2026-11-19", ate: "2026-11-13" })).toEqual({
    de: "2026-11-13",
    ate: "2026-11-19",
  });
  expect(campaignsAddress({ de: "2026-11-13" })).toEqual({ de: "2026-11-13" });
});

test("no address makes the browser fetch a whole history", () => {
  expect(campaignsAddress({ pagina: 1_000_000 })).toEqual({ pagina: 40 });
});

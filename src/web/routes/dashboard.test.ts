import { expect, test } from "vitest";
import { dashboardAddress } from "./dashboard.ts";

test("campaign, days and table are read from the address, and whatever means nothing is left out", () => {
  const all = { campanha: 7, dias: 90, ver: "tabela" } as const;
  expect(dashboardAddress(all)).toEqual(all);
  expect(dashboardAddress({ campanha: "7", dias: 7, ver: "grafico" })).toEqual({});
  expect(dashboardAddress({ dias: 365, ver: 1 })).toEqual({});
});

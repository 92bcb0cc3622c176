import { test } from "@playwright/test";
import { type ProductServer, startProduct } from "../../support/server.ts";
import { type ProductRows, productRows } from "./product-rows.ts";

type Started = { product: ProductServer; rows: ProductRows };

export function startedFor(begin: (started: Started) => void): void {
  let started: Started | undefined;
  test.beforeAll(async () => {
    const product = await startProduct();
    started = { product, rows: await productRows(product) };
    begin(started);
  });
  test.afterAll(async () => {
    await started?.rows.close();
    await started?.product.close();
  });
}

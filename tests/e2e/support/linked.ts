import { expect, type Page } from "@playwright/test";
import type { LocalSimulator } from "../../../simulators/whatsapp/local.ts";

export async function call<T>(page: Page, method: string, place: string, data?: unknown): Promise<T> {
  const answer = await page.request.fetch(place, { method, data });
  expect(answer.ok(), `${method} ${place}: ${await answer.text()}`).toBe(true);
  return (await answer.json()) as T;
}

export async function link(page: Page, { control }: LocalSimulator, phone: string): Promise<void> {
  await call(page, "POST", "/api/whatsapp/connect", { deviceId: phone, connectionName: "Matriz – Centro" });
  await expect(async () => {
    const { qr } = await call<{ qr: string }>(page, "GET", `/api/whatsapp/qr/${phone}`);
    await control.scan({ qr, phone });
  }).toPass();
  await expect
    .poll(async () => (await call<{ status: string }>(page, "GET", `/api/whatsapp/status/${phone}`)).status)
    .toBe("connected");
}

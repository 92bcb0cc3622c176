import { expect, test } from "vitest";
import { AppError } from "../../../domain/errors.ts";
import type { GuardedFetch } from "../../net/guarded-fetch.ts";
import { noticeSilence } from "./interruptions.ts";

async function silences(end: { status: number } | AppError): Promise<number> {
  let heard = 0;
  const fetch = async () => {
    if (end instanceof AppError) throw end;
    return { ...end, headers: {}, body: Buffer.alloc(0) };
  };
  const watched = noticeSilence({ fetch } as unknown as GuardedFetch, () => heard++);
  await watched.fetch("https://gateway.example", {} as never).catch(() => undefined);
  return heard;
}

test("26.21 a gateway that does not answer, or whose proxy answers for it, may have lost messages; one that answers has not", async () => {
  expect(await silences(new AppError("url_failed", { reason: "reset", sent: true }))).toBe(1);
  expect(await silences(new AppError("url_failed", { reason: "timeout", sent: true }))).toBe(1);
  expect(await silences({ status: 502 })).toBe(1);
  expect(await silences({ status: 200 })).toBe(0);
  expect(await silences({ status: 401 })).toBe(0);
  expect(await silences(new AppError("url_failed", { reason: "too_large", sent: true }))).toBe(0);
  expect(await silences(new AppError("url_private"))).toBe(0);
});

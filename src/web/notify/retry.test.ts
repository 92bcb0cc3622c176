import { expect, test } from "vitest";
import { ApiError } from "../api/api-error.ts";
import { retry } from "./retry.ts";

const error = (status: number) => new ApiError({ code: "any", text: "", status });

async function asked(...statuses: number[]) {
  const waits: number[] = [];
  const left = [...statuses];
  const ask = async () => {
    const status = left.shift();
    if (status !== undefined) throw error(status);
    return "answered";
  };
  const wait = async (ms: number) => void waits.push(ms);
  const outcome = await retry(ask, wait).catch((thrown: ApiError) => thrown.status);
  return { outcome, waits };
}

test("what is lost, or fails at the server, is asked for again a few times; what it refuses is not", async () => {
  expect(await asked()).toEqual({ outcome: "answered", waits: [] });
  expect(await asked(0, 503, 429)).toEqual({ outcome: "answered", waits: [1_000, 4_000, 16_000] });
  expect(await asked(500, 500, 500, 502)).toEqual({ outcome: 502, waits: [1_000, 4_000, 16_000] });
  expect(await asked(401)).toEqual({ outcome: 401, waits: [] });
});

import { expect, test } from "vitest";
import { ApiError, orGone } from "./api-error.ts";

test("what is gone already is gone, unless it is not our server that says so", async () => {
  const answered = (code: string) => orGone(Promise.reject(new ApiError({ code, text: "", status: 404 })));
  expect(await answered("not_found")).toBeUndefined();
  await expect(answered("unexpected")).rejects.toMatchObject({ code: "unexpected" });
  expect(await orGone(Promise.resolve({ contacts: 3 }))).toEqual({ contacts: 3 });
});

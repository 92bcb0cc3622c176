import { expect, test } from "vitest";
import { AppError } from "../../domain/errors.ts";
import { checkServer } from "./check.ts";

const check = (error: AppError, version: string | null) =>
  checkServer({
    fetchInstances: () => Promise.reject(error),
    version: async () => {
      if (version === null) throw new AppError("gateway_garbage");
      return version;
    },
  });

test.each([
  ["26.22 its database is away", new AppError("gateway_database", { status: 500 }), "2.3.7", "failing"],
  ["26.22 another error", new AppError("gateway_failed", { status: 500, message: "x" }), "2.3.7", "failing"],
  ["without a version", new AppError("gateway_failed", { status: 500, message: "x" }), null, "not_evolution"],
  ["a refusal", new AppError("gateway_failed", { status: 400, message: "x" }), "2.3.7", "not_evolution"],
  ["a page", new AppError("gateway_garbage", { status: 200 }), "2.3.7", "not_evolution"],
  ["a refused key", new AppError("gateway_wrong_key"), "2.3.7", "wrong_key"],
])(
  "a server that answers its list with an error (%s) is found to be so",
  async (_, error, version, state) => {
    expect(await check(error, version)).toEqual({ state, version, licenseUrl: null });
  },
);

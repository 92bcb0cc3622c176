import type { GatewayFailure } from "../../contract/gateways.ts";
import { AppError, type ErrorCode } from "../../domain/errors.ts";
import { words } from "../base/locale.ts";

export type CallFailed = Extract<
  ErrorCode,
  "instances_fetch_failed" | "instance_create_failed" | "instance_delete_failed" | "webhook_failed"
>;

/** Maps gateway errors to the user's action; others pass. */
export async function orFailed<T>(code: CallFailed, call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    // Do not retry what the gateway refused.
    const refused = code === "webhook_failed" && error.code === "gateway_failed";
    throw new AppError(refused ? "webhook_refused" : code, failureOf(error));
  });
}

export function failureOf({ code, details }: AppError): GatewayFailure {
  const { registerUrl } = details;
  return {
    cause: code,
    reason: words().errorText(code, details),
    ...(typeof registerUrl === "string" ? { licenseUrl: registerUrl } : {}),
  };
}

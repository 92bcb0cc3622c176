import type { GatewayFailure } from "../../contract/gateways.ts";
import { AppError, type ErrorCode } from "../../domain/errors.ts";
import { words } from "../base/locale.ts";

/** What the page is told when a call at a gateway failed, beside why. */
export type CallFailed = Extract<
  ErrorCode,
  "instances_fetch_failed" | "instance_create_failed" | "instance_delete_failed" | "webhook_failed"
>;

/** The fault of a call at a gateway, as the fault of what the person wanted. Anything else stays what it is. */
export async function orFailed<T>(code: CallFailed, call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    // A gateway that answered no is not asked again in vain.
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

import type { GatewayFailure } from "../../contract/gateways.ts";

type Fault = {
  code: string;
  text: string;
  status: number;
  fields?: Readonly<Record<string, string>>;
  details?: Readonly<Record<string, unknown>>;
};

/**
 * A fault of a call: `text` is for people, `code` for decisions, `fields` holds the words of each faulty field, `details` the fault's
 * figures. `status` 0: no answer at all.
 */
export class ApiError extends Error {
  readonly code: string;
  readonly text: string;
  readonly status: number;
  readonly fields: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, unknown>>;
  constructor(fault: Fault) {
    super(fault.text);
    this.name = "ApiError";
    this.code = fault.code;
    this.text = fault.text;
    this.status = fault.status;
    this.fields = fault.fields ?? {};
    this.details = fault.details ?? {};
  }
}

/** The words to show for whatever was thrown. */
export function errorTextOf(error: unknown, otherwise: string): string {
  return error instanceof ApiError ? error.text : otherwise;
}

/** Codes that say of what is to go that it is not there, and nothing else: a 404 of whatever stands before the server has none of them. */
const GONE = ["not_found", "device_unknown", "mistral_agent_missing"];

/** What a call that takes something away answers; undefined where it is gone already: another window was faster, or an answer got lost. */
export function orGone<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch((error: unknown) => {
    if (error instanceof ApiError && GONE.includes(error.code)) return undefined;
    throw error;
  });
}

/** Why a call at a gateway failed, as `GatewayFailure` of the contract says it; null for every other fault. */
export function gatewayFailure(error: unknown): GatewayFailure | null {
  if (!(error instanceof ApiError)) return null;
  const { cause, reason, licenseUrl } = error.details;
  if (typeof cause !== "string" || typeof reason !== "string") return null;
  return { cause, reason, ...(typeof licenseUrl === "string" ? { licenseUrl } : {}) };
}

/** The words below a heading that says already what failed: the cause at the gateway where there is one. */
export function causeText(error: unknown): string {
  return gatewayFailure(error)?.reason ?? errorTextOf(error, "");
}

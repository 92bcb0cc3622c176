import type { GatewayFailure } from "../../contract/gateways.ts";

type ErrorFacts = {
  code: string;
  text: string;
  status: number;
  fields?: Readonly<Record<string, string>>;
  details?: Readonly<Record<string, unknown>>;
};

/**
 * Error of a call: `text` for people, `code` for decisions, `fields` the text per invalid field, `details`
 * the figures. `status` 0: no answer.
 */
export class ApiError extends Error {
  readonly code: string;
  readonly text: string;
  readonly status: number;
  readonly fields: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, unknown>>;
  constructor(error: ErrorFacts) {
    super(error.text);
    this.name = "ApiError";
    this.code = error.code;
    this.text = error.text;
    this.status = error.status;
    this.fields = error.fields ?? {};
    this.details = error.details ?? {};
  }
}

export function errorTextOf(error: unknown, otherwise: string): string {
  return error instanceof ApiError ? error.text : otherwise;
}

/** Codes that say only that the thing to delete does not exist; a 404 of a proxy has none of them. */
const GONE = ["not_found", "device_unknown", "mistral_agent_missing"];

/** Result of a delete; undefined if it was gone already, by another window or because an answer was lost. */
export function orGone<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch((error: unknown) => {
    if (error instanceof ApiError && GONE.includes(error.code)) return undefined;
    throw error;
  });
}

/** The contract's `GatewayFailure` of a failed gateway call; null for every other error. */
export function gatewayFailure(error: unknown): GatewayFailure | null {
  if (!(error instanceof ApiError)) return null;
  const { cause, reason, licenseUrl } = error.details;
  if (typeof cause !== "string" || typeof reason !== "string") return null;
  return { cause, reason, ...(typeof licenseUrl === "string" ? { licenseUrl } : {}) };
}

export function causeText(error: unknown): string {
  return gatewayFailure(error)?.reason ?? errorTextOf(error, "");
}

import type { FieldError } from "../../contract/error-messages.ts";
import { AppError, type ErrorCode } from "../../domain/errors.ts";
import { fieldError } from "../http/errors.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";

/** Gateways reject longer ones with a database error. */
const LONGEST = 500;

/**
 * Gateways accept any text and never deliver, so it is checked with our own call rules. Null when empty.
 * Throws `invalid_fields` at `field`.
 */
export function readWebhookUrl(
  { check }: Pick<GuardedFetch, "check">,
  typed: string,
  field = "url",
): string | null {
  const text = typed.trim();
  if (text === "") return null;
  const url = URL.parse(text);
  const web = url?.protocol === "https:" || url?.protocol === "http:";
  if (
    !web ||
    !url ||
    url.hostname === "" ||
    url.username !== "" ||
    url.password !== "" ||
    url.href.length > LONGEST
  )
    throw fieldError({ [field]: "webhook_url_invalid" });
  try {
    check(url.href);
  } catch (error) {
    throw atField(error, field);
  }
  return url.href;
}

/** The gateway calls it, so its resolution is checked now. Throws `invalid_fields` at `field`. */
export async function checkLiteralWebhook(
  guard: Pick<GuardedFetch, "checkResolved">,
  url: string,
  field: string,
): Promise<void> {
  await guard.checkResolved(url).catch((error: unknown) => {
    throw atField(error, field);
  });
}

const FIELD_ERRORS: Partial<Record<ErrorCode, FieldError>> = {
  url_private: "webhook_url_private",
  url_forbidden: "webhook_url_forbidden",
  url_failed: "webhook_url_unknown",
};

function atField(error: unknown, field: string): unknown {
  const code = error instanceof AppError ? FIELD_ERRORS[error.code] : undefined;
  return code ? fieldError({ [field]: code }) : error;
}

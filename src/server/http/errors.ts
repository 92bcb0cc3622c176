import type { Logger } from "pino";
import type { ErrorAnswer, FieldError } from "../../contract/error-messages.ts";
import { AppError, type ErrorCode } from "../../domain/errors.ts";
import { words } from "../base/locale.ts";
import { currentRequest } from "../base/request-context.ts";
import { isCancelled, isDatabaseDown, isLostRace, isMissingReference } from "../db/errors.ts";
import { ERROR_STATUS } from "./error-status.ts";

const RETRY_AFTER_S = 5;
const RETRIED: ReadonlySet<ErrorCode> = new Set([
  ...(["unavailable", "starting", "outdated", "took_too_long", "too_many_requests"] as const),
]);

/** Unexpected errors are logged with their stack and answered without it. */
export function errorResponse(error: unknown, log: Logger): Response {
  const known = withId(knownError(error));
  if (known.code === "internal") log.error({ err: error }, "unforeseen error while answering");
  else if (known.code === "unavailable") log.warn({ err: error }, "cannot serve now");
  return Response.json(answerOf(known), { status: ERROR_STATUS[known.code], headers: headersOf(known) });
}

function knownError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  // The request itself must name the deleted row.
  if (isMissingReference(error)) return new AppError("not_found");
  if (isCancelled(error)) return new AppError("took_too_long");
  if (isDatabaseDown(error) || isLostRace(error)) return new AppError("unavailable");
  return new AppError("internal");
}

/** The id finds an unexpected error in the log. */
function withId(error: AppError): AppError {
  if (error.code !== "internal") return error;
  return new AppError("internal", { ...error.details, requestId: currentRequest()?.requestId ?? "–" });
}

function answerOf({ code, details }: AppError): ErrorAnswer {
  // `sent` concerns our outgoing request (UrlFailure) and would read as a message state.
  const { fields, retryAfter: _, allow: __, sent: ___, ...rest } = details;
  const answer: ErrorAnswer = { code, error: words().errorText(code, details) };
  if (isErrors(fields)) {
    answer.fields = Object.fromEntries(
      Object.entries(fields).map(([path, error]) => [path, words().fieldText(error)]),
    );
  }
  if (Object.keys(rest).length > 0) answer.details = rest;
  return answer;
}

function isErrors(fields: unknown): fields is Record<string, FieldError> {
  return typeof fields === "object" && fields !== null;
}

/** `retryAfter` in seconds, `allow` the methods of a path. */
function headersOf({ code, details }: AppError): Record<string, string> {
  const headers: Record<string, string> = {};
  const { retryAfter = RETRIED.has(code) ? RETRY_AFTER_S : null } = details;
  if (typeof retryAfter === "number") headers["retry-after"] = String(retryAfter);
  if (typeof details.allow === "string") headers.allow = details.allow;
  if (code === "unauthenticated") headers["www-authenticate"] = "Bearer";
  // The unwanted body is not read.
  if (code === "payload_too_large") headers.connection = "close";
  return headers;
}

/** `invalid_fields` with the text of each field's code. */
export function fieldError(fields: Record<string, FieldError>): AppError {
  return new AppError("invalid_fields" satisfies ErrorCode, { fields });
}

import type { AnswerReason } from "../domain/answering.ts";
import type { ErrorCode } from "../domain/errors.ts";
import {
  type FailureReason,
  isFailureReason,
  isRefusalCode,
  type RefusalCode,
} from "../domain/failure-reasons.ts";
import { isLimitName, type LimitName } from "../domain/limits.ts";
import { type DeliveryNames, deliveryNamesIn } from "./delivery-names.ts";
import { fieldTextIn, fillIn } from "./field-text.ts";

export type LimitWords = readonly [one: string, many: string];

/** `{name}` stands for a value of the error's details. */
export type WordTables<Code extends string> = {
  numbers: string;
  errors: Readonly<Record<ErrorCode, string>>;
  fields: Readonly<Record<Code, string>>;
  failures: Readonly<Record<FailureReason, string>>;
  refusal: string;
  refusals: Readonly<Record<RefusalCode, string>>;
  refusalWithCode: (code: string, words?: string) => string;
  failureLine: (phone: string, reason: string) => string;
  erasedPerson: string;
  answerReasons: Readonly<Record<AnswerReason, string>>;
  deliveries: DeliveryNames;
  limits: Readonly<Record<LimitName, LimitWords>>;
  sameFile: (list: string) => string;
  sameName: (list: string) => string;
  resendOf: (campaign: string, nth: number) => string;
  files: {
    contacts: readonly [name: string, phone: string];
    refused: readonly [name: string, phone: string, reason: string];
    deliveriesName: string;
    failuresName: string;
    deliveries: readonly [name: string, phone: string, status: string, at: string, error: string];
    /** Of a campaign of several messages. */
    messages: string;
    messagesSent: (sent: number, all: number) => string;
    dates: string;
    yes: string;
    no: string;
    /** Sign before the decimals of a number. */
    decimal: string;
  };
};

const BYTES_OF_GB = 1_000_000_000;

export type Words<Code extends string> = ReturnType<typeof wordsIn<Code>>;

export function wordsIn<Code extends string>(tables: WordTables<Code>) {
  /** `doubt`: uncertain instead of failed. `wa_479` is WhatsApp's code 479. */
  function failureText(code: string | null, doubt = false): string {
    if (code !== null && isFailureReason(code)) return tables.failures[code];
    if (doubt) return tables.failures.no_ack;
    const number = /^wa_(\d+)$/.exec(code ?? "")?.[1];
    if (!number) return tables.refusal;
    return tables.refusalWithCode(number, isRefusalCode(number) ? tables.refusals[number] : undefined);
  }
  function limitText(name: LimitName, n: number): string {
    const [one, many] = tables.limits[name];
    if (name === "stored_bytes") return many.replace("{n}", gigabytes(n));
    return (n === 1 ? one : many).replace("{n}", n.toLocaleString(tables.numbers));
  }
  const gigabytes = (bytes: number) =>
    (bytes / BYTES_OF_GB).toLocaleString(tables.numbers, { maximumFractionDigits: 2 });
  function withLimit(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { limit, most } = details;
    return isLimitName(limit) && typeof most === "number"
      ? { ...details, limit: limitText(limit, most) }
      : details;
  }
  return {
    failureText,

    errorText: (code: ErrorCode, details: Readonly<Record<string, unknown>> = {}): string =>
      fillIn(tables.numbers, tables.errors[code], withLimit(details)),

    limitText,

    fieldText: fieldTextIn(tables.numbers, tables.fields),

    failureLine: (phone: string, code: string | null): string =>
      tables.failureLine(phone === "" ? tables.erasedPerson : phone, failureText(code)),
    erasedPerson: tables.erasedPerson,

    answerReason: (reason: AnswerReason): string => tables.answerReasons[reason],

    deliveryName: deliveryNamesIn(tables.deliveries),

    sameFile: tables.sameFile,
    sameName: tables.sameName,
    resendOf: tables.resendOf,
    files: tables.files,
  };
}

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

/** A field's fault: its code, or the code with the limit that it names. */
export type Fault<Code extends string> = Code | { code: Code; n: number };

/** One thing, several of them, or a text made of the figure. `{n}` is the figure. */
export type LimitWords = readonly [one: string, many: string];

/** The words of the server in one language. `{name}` in a text stands for a figure of the fault's details. */
export type WordTables<Code extends string> = {
  /** The locale that figures are written in: 4.096 here is 4,096 there. */
  numbers: string;
  errors: Readonly<Record<ErrorCode, string>>;
  fields: Readonly<Record<Code, string>>;
  /** Why a delivery failed, is doubtful or was skipped; the second half of a failure's line. */
  failures: Readonly<Record<FailureReason, string>>;
  refusal: string;
  /** What WhatsApp's own codes of refusals say, as far as it is known. */
  refusals: Readonly<Record<RefusalCode, string>>;
  refusalWithCode: (code: string, words?: string) => string;
  failureLine: (phone: string, reason: string) => string;
  answerReasons: Readonly<Record<AnswerReason, string>>;
  deliveries: DeliveryNames;
  /** What a limit allows, by its figure as it is written: "50 números". */
  limits: Readonly<Record<LimitName, LimitWords>>;
  sameFile: (list: string) => string;
  sameName: (list: string) => string;
  /** The name of a campaign that goes, as the `nth` time, to those whom another one did not reach. */
  resendOf: (campaign: string, nth: number) => string;
  /** Columns of the files that can be saved; the import knows those of contacts in every language. */
  files: {
    contacts: readonly [name: string, phone: string];
    refused: readonly [name: string, phone: string, reason: string];
    deliveriesName: string;
    failuresName: string;
    deliveries: readonly [name: string, phone: string, status: string, at: string, error: string];
    /** The locale whose short dates the files carry. */
    dates: string;
  };
};

/** Figures that name a place or an answer and count nothing: row 30002 is looked for as a spreadsheet writes it. */
const NAMES: ReadonlySet<string> = new Set(["line", "column", "status"]);

const BYTES_OF_GB = 1_000_000_000;

export type Words<Code extends string> = ReturnType<typeof wordsIn<Code>>;

/** What the server says in one language: code in, text out. */
export function wordsIn<Code extends string>(tables: WordTables<Code>) {
  const fill = (text: string, figures: Readonly<Record<string, unknown>>) =>
    text.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
      const { [name]: figure = placeholder } = figures;
      const counts = typeof figure === "number" && !NAMES.has(name);
      return counts ? figure.toLocaleString(tables.numbers) : String(figure);
    });
  /** Why somebody has not got (`doubt`: may not have got) the message. `wa_479` is WhatsApp's own code 479. */
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

    /** A fault, with the figures of its details filled in. `{limit}` is what the limit of that name allows, in words. */
    errorText: (code: ErrorCode, details: Readonly<Record<string, unknown>> = {}): string =>
      fill(tables.errors[code], withLimit(details)),

    /** What a limit allows, or what is used of it. */
    limitText,

    /** One field's fault. */
    fieldText: (fault: Fault<Code>): string =>
      typeof fault === "string" ? tables.fields[fault] : fill(tables.fields[fault.code], { n: fault.n }),

    /** The line that a failed delivery gets everywhere (decision 32). `phone`: digits. */
    failureLine: (phone: string, code: string | null): string => tables.failureLine(phone, failureText(code)),

    /** Why an assistant did not answer in a chat, or why its answer failed. */
    answerReason: (reason: AnswerReason): string => tables.answerReasons[reason],

    /** A person's place in a campaign. */
    deliveryName: deliveryNamesIn(tables.deliveries),

    sameFile: tables.sameFile,
    sameName: tables.sameName,
    resendOf: tables.resendOf,
    files: tables.files,
  };
}

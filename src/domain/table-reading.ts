import { isNamePart, isOtherTextHeader, isPhoneHeader, nameTrust, sameHeader } from "./csv-header.ts";
import type { ErrorCode } from "./errors.ts";
import { type FieldKind, readFieldCell } from "./field-values.ts";
import { greetingName } from "./greeting-name.ts";
import { proposedLayout, SAMPLE_CELLS, type Sampled, type TableLayout } from "./table-layout.ts";
import { type ColumnMapping, type ImportMapping, MOST_COLUMNS } from "./table-mapping.ts";

export type KnownField = { key: string; label: string; kind: FieldKind };

/** Why a column becomes what is proposed; `content`: its cells look so. */
export type ColumnReason =
  | "header"
  | "content"
  | "known_field"
  | "unused"
  | "several_names"
  | "several_phones";

export type ColumnReading = {
  header: string;
  samples: readonly string[];
  mapping: ColumnMapping;
  /** False: the import waits for a person's choice. */
  sure: boolean;
  reason: ColumnReason;
  /** The field that an unused column could become. */
  suggestion: { label: string; kind: FieldKind } | null;
};

/** What has to be chosen or corrected first; `columns` count from 0. */
export type Question = {
  code: ErrorCode | "several_names" | "several_phones" | "unsure_header";
  columns: readonly number[];
  /** Of an error code, for its words. */
  details?: Readonly<Record<string, unknown>>;
};

export type Understanding = {
  mapping: ImportMapping;
  columns: readonly ColumnReading[];
  questions: readonly Question[];
};

const SAMPLES = 3;
const SAMPLE_CHARS = 120;
const NAME_CHARS = 100;
const TYPED_SAMPLES = 50;

/** Proposes a mapping for a table's first records; `headerRow` as a person chose it. Throws `import_empty`. */
export function understand(
  records: readonly Sampled[],
  fields: readonly KnownField[] = [],
  headerRow?: number | null,
): Understanding {
  const { layout, problems } = proposedLayout(records, headerRow);
  const head = layout.header ? (records.find(({ row }) => row === layout.skip)?.cells ?? []) : [];
  const body = records.filter(({ row }) => row > layout.skip).map(({ cells }) => cells);
  const doubts = doubtsOf(layout, head, body);
  const columns = Array.from({ length: Math.min(layout.columns, MOST_COLUMNS) }, (_, at) =>
    readingOf({ at, header: (head[at] ?? "").trim().slice(0, NAME_CHARS), body, layout, doubts, fields }),
  );
  const mapping: ImportMapping = {
    skip: layout.skip,
    headerRow: layout.header ? layout.skip : null,
    columns: columns.map((column) => column.mapping),
    everyCell: layout.everyCell,
  };
  const found = problems.map(({ code, details }) => ({ code, details, columns: [] }));
  return { mapping, columns, questions: [...found, ...doubts] };
}

function doubtsOf(
  layout: TableLayout,
  head: readonly string[],
  body: readonly (readonly string[])[],
): readonly Question[] {
  if (layout.everyCell) return [];
  const names = rivalNames(layout, head, body);
  const isNamed = layout.header && layout.phones.some((at) => isPhoneHeader(head[at] ?? ""));
  const phones = isNamed ? [] : layout.otherPhones;
  const first = body[0] ?? [];
  const isHeaderDoubtful =
    !layout.header && layout.phones.length > 0 && !/\d/.test(first[layout.phones[0] ?? 0] ?? "");
  return [
    ...(names.length > 0 ? [{ code: "several_names" as const, columns: [layout.name, ...names] }] : []),
    ...(phones.length > 0
      ? [{ code: "several_phones" as const, columns: [...layout.phones, ...phones] }]
      : []),
    ...(isHeaderDoubtful && body.length > 1 ? [{ code: "unsure_header" as const, columns: [] }] : []),
  ];
}

const NAMED = 3;
/** «Responsável» beside «Nome», which may be an animal's. */
const OWNED = 2;

function rivalNames(
  layout: TableLayout,
  head: readonly string[],
  body: readonly (readonly string[])[],
): readonly number[] {
  if (layout.name === -1) return [];
  const isTaken = (at: number) =>
    at === layout.name || layout.moreNames.includes(at) || layout.phones.includes(at);
  const trust = nameTrust(head[layout.name] ?? "");
  const others = Array.from({ length: Math.min(SAMPLE_CELLS, layout.columns) }, (_, at) => at);
  return others.filter((at) => {
    const header = head[at] ?? "";
    const isCandidate =
      trust > 0
        ? trust >= NAMED && nameTrust(header) >= (trust === NAMED ? OWNED : NAMED) && !isNamePart(header)
        : !isOtherTextHeader(header);
    return !isTaken(at) && isCandidate && differ(body, layout.name, at);
  });
}

/** Two columns hold other names where most rows have both and neither contains the other. */
function differ(body: readonly (readonly string[])[], a: number, b: number): boolean {
  const different = body.filter((cells) => {
    const [first, second] = [a, b].map((at) =>
      greetingName((cells[at] ?? "").slice(0, NAME_CHARS).trim()).toLowerCase(),
    );
    return first && second && !first.includes(second) && !second.includes(first);
  });
  return different.length * 2 > body.length;
}

type Reading = {
  at: number;
  header: string;
  body: readonly (readonly string[])[];
  layout: TableLayout;
  doubts: readonly Question[];
  fields: readonly KnownField[];
};

function readingOf(reading: Reading): ColumnReading {
  const { at, header, body, doubts, layout } = reading;
  const held = body.map((cells) => (cells[at] ?? "").trim()).filter((cell) => cell !== "");
  const samples = held.slice(0, SAMPLES).map((cell) => cell.slice(0, SAMPLE_CHARS));
  const doubt = doubts.find(({ columns }) => columns.includes(at));
  const role = roleOf(layout, at);
  if (role !== null) {
    const reason = doubt ? (doubt.code as ColumnReason) : header === "" ? "content" : "header";
    return { header, samples, mapping: role, sure: !doubt, reason, suggestion: null };
  }
  const known = reading.fields.find((field) => header !== "" && sameHeader(field.label, header));
  if (known) {
    const mapping = { role: "field", field: known.key } as const;
    return { header, samples, mapping, sure: true, reason: "known_field", suggestion: null };
  }
  const suggestion = header === "" || held.length === 0 ? null : { label: header, kind: kindOf(held) };
  const reason = doubt ? (doubt.code as ColumnReason) : "unused";
  return { header, samples, mapping: { role: "ignore" }, sure: !doubt, reason, suggestion };
}

function roleOf(layout: TableLayout, at: number): ColumnMapping | null {
  if (at === layout.name) return { role: "name" };
  if (layout.moreNames.includes(at)) return { role: "surname" };
  const order = layout.phones.indexOf(at);
  if (order !== -1) return { role: "phone", rank: order < layout.whatsapps ? 0 : order + 1 };
  if ([...layout.areas.values()].includes(at)) return { role: "ddd" };
  if ([...layout.countries.values()].includes(at)) return { role: "ddi" };
  return [...layout.labels.values()].includes(at) ? { role: "phone_kind" } : null;
}

/** Codes and documents are digits too, but no amounts. */
const CODE = /^0\d|\d{11}/;

function kindOf(held: readonly string[]): FieldKind {
  const cells = held.slice(0, TYPED_SAMPLES).map((cell) => cell.slice(0, SAMPLE_CHARS));
  const areAll = (kind: FieldKind) => cells.every((cell) => "value" in readFieldCell(kind, cell));
  if (areAll("date")) return "date";
  if (areAll("number") && !cells.some((cell) => CODE.test(cell))) return "number";
  return areAll("boolean") ? "boolean" : "text";
}

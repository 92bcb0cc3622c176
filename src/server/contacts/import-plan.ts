import type { ContactField } from "../../contract/contact-fields.ts";
import type { ColumnMapping, KnownPeople } from "../../contract/import-drafts.ts";
import { FieldColumns, type ImportMapping, layoutBy } from "../../domain/table-mapping.ts";
import type { TextEncoding } from "../../domain/text-encoding.ts";
import { type MappedForm, readBeginning } from "./import-source.ts";

/** What a person decided about a file, as it is stored with the import; no column is a new field any more. */
export type ImportPlan = {
  separator: string;
  quote: string;
  skip: number;
  headerRow: number | null;
  columns: readonly ColumnMapping[];
  everyCell: boolean;
  /** Rows that do not count. */
  above: number;
  known: KnownPeople;
  /** False: only `listIds` get the people. */
  ownList: boolean;
  listIds: readonly number[];
};

/** A field that was deleted since is ignored, and reported as an unused column. */
export async function mappedForm(
  file: string,
  encoding: TextEncoding,
  plan: ImportPlan,
  fields: readonly ContactField[],
): Promise<MappedForm> {
  const { separator, quote, skip, headerRow, everyCell } = plan;
  const kinds = new Map(fields.map(({ key, kind }) => [key, kind]));
  const columns = plan.columns.map((column) =>
    column.role === "field" && !kinds.has(column.field) ? ({ role: "ignore" } as const) : column,
  );
  const mapping: ImportMapping = { skip, headerRow, columns, everyCell };
  const { records } = await readBeginning(file, encoding, separator);
  const head = records.find(({ row }) => row === headerRow)?.cells ?? [];
  return {
    encoding,
    layout: { ...layoutBy(mapping, head), separator, quote },
    head,
    above: plan.above,
    fields: new FieldColumns(mapping, kinds),
  };
}

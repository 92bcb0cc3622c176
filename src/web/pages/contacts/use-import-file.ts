import type { ImportEncoding } from "../../../contract/contacts.ts";
import type { ImportDraft } from "../../../contract/import-drafts.ts";
import { api } from "../../api/call.ts";
import { onlyDiffering } from "../../forms/use-form.ts";
import { importText as t } from "../../messages/import.ts";
import { useWindowForm } from "../../ui/use-window-form.ts";

/** `IMPORT_MAX_BYTES` repeated: its module would load the schema library. The server checks too. */
const MAX_BYTES = 100 * 1024 * 1024;

export type Source = "file" | "cells" | "json";
export type Values = {
  source: Source;
  file: File | null;
  cells: string;
  json: string;
  encoding: ImportEncoding | "";
  sheet: string;
};

export const NOTHING: Values = { source: "file", file: null, cells: "", json: "", encoding: "", sheet: "" };

export function useImportFile(initial: Values, onRead: (draft: ImportDraft, sent: Values) => void) {
  const form = useWindowForm<Values>("import", {
    initial,
    empty: NOTHING,
    validate: ({ source, file, cells, json }) => ({
      file: source === "file" ? fileError(file) : null,
      cells: source === "cells" && cells.trim() === "" ? t.cellsRequired : null,
      json: source === "json" && json.trim() === "" ? t.jsonRequired : null,
    }),
    submit: async (values) => onRead(await upload(values), values),
  });
  const nothing = { ...NOTHING, source: form.values.source };
  return { ...form, unsaved: Object.keys(onlyDiffering(form.values, nothing)).length > 0 };
}

function fileError(file: File | null): string | null {
  if (!file) return t.fileRequired;
  if (file.size === 0) return t.fileEmpty;
  return file.size > MAX_BYTES ? t.fileLarge : null;
}

function upload({ source, file, cells, json, encoding, sheet }: Values): Promise<ImportDraft> {
  const key = "POST /api/contact-import-drafts";
  if (source !== "file")
    return api(key, {
      query: { json: source === "json" ? "true" : "false" },
      body: new Blob([source === "json" ? json : cells], { type: "text/plain" }),
    });
  if (!file) throw new Error("judged before: there is a file");
  return api(key, {
    query: { fileName: file.name, ...(encoding ? { encoding } : {}), ...(sheet ? { sheet } : {}) },
    // The type of a .csv depends on installed programs (Excel: application/vnd.ms-excel).
    body: file.slice(0, file.size, "text/csv"),
  });
}

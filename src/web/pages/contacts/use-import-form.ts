import { useQueryClient } from "@tanstack/react-query";
import type { ImportEncoding } from "../../../contract/contacts.ts";
import { api } from "../../api/call.ts";
import { useIdempotentSubmit } from "../../api/use-idempotent-submit.ts";
import { onlyDiffering } from "../../forms/use-form.ts";
import { importText as t } from "../../messages/import.ts";
import { useWindowForm } from "../../ui/use-window-form.ts";

/** `IMPORT_MAX_BYTES` repeated: its module would load the schema library. The server checks too. */
const MAX_BYTES = 100 * 1024 * 1024;

export type Source = "file" | "json";
export type Values = {
  source: Source;
  name: string;
  file: File | null;
  json: string;
  encoding: ImportEncoding | "";
  acceptBroken: boolean;
};

export const NOTHING: Values = {
  source: "file",
  name: "",
  file: null,
  json: "",
  encoding: "",
  acceptBroken: false,
};

export function useImportForm(initial: Values, onStarted: (id: number, sent: Values) => void) {
  const queries = useQueryClient();
  const once = useIdempotentSubmit();
  const form = useWindowForm<Values>("import", {
    initial,
    empty: NOTHING,
    validate: ({ source, name, file, json }) => ({
      name: name.trim() === "" ? t.nameRequired : null,
      file: source === "file" ? fileError(file) : null,
      json: source === "json" && json.trim() === "" ? t.jsonRequired : null,
    }),
    submit: async (values) => {
      const started = await once(contentOf(values), (key) =>
        values.source === "file" ? sendFile(values, key) : sendJson(values, key),
      );
      void queries.invalidateQueries({ queryKey: ["imports", "recent"] });
      onStarted(started.id, values);
    },
  });
  const nothing = { ...NOTHING, source: form.values.source, acceptBroken: form.values.acceptBroken };
  return { ...form, unsaved: Object.keys(onlyDiffering(form.values, nothing)).length > 0 };
}

function fileError(file: File | null): string | null {
  if (!file) return t.fileRequired;
  if (file.size === 0) return t.fileEmpty;
  return file.size > MAX_BYTES ? t.fileLarge : null;
}

/** Identity of an import; for a file, what is known without reading it. */
const contentOf = ({ source, name, file, json, encoding, acceptBroken }: Values) =>
  source === "file"
    ? [name, encoding, acceptBroken, file?.name, file?.size, file?.lastModified]
    : [name, json, acceptBroken];

function sendFile({ name, file, encoding, acceptBroken }: Values, idempotencyKey: string) {
  if (!file) throw new Error("judged before: there is a file");
  return api("POST /api/contact-imports", {
    query: {
      name,
      fileName: file.name,
      ...(encoding ? { encoding } : {}),
      ...(acceptBroken ? { acceptBrokenNames: "true" as const } : {}),
      idempotencyKey,
    },
    // The type of a .csv depends on installed programs (Excel: application/vnd.ms-excel).
    body: file.slice(0, file.size, "text/csv"),
  });
}

const sendJson = ({ name, json, acceptBroken }: Values, idempotencyKey: string) =>
  api("POST /api/contact-imports/json", {
    body: { name, contacts: json, ...(acceptBroken ? { acceptBrokenNames: true } : {}), idempotencyKey },
  });

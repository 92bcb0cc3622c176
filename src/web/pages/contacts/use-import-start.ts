import { useQueryClient } from "@tanstack/react-query";
import type { ImportBasis, ImportDraft, KnownPeople } from "../../../contract/import-drafts.ts";
import { api } from "../../api/call.ts";
import { useIdempotentSubmit } from "../../api/use-idempotent-submit.ts";
import { useForm } from "../../forms/use-form.ts";
import { importText as t } from "../../messages/import.ts";

export type Decisions = {
  target: "new" | "existing";
  name: string;
  listIds: number[];
  known: KnownPeople;
  basis: ImportBasis | "";
  basisNote: string;
  acceptBroken: boolean;
};

/** The file's name becomes the list's, unless one was typed. */
export const decisionsFor = ({ fileName }: ImportDraft): Decisions => ({
  target: "new",
  name: (fileName ?? "").replace(/\.\w+$/, ""),
  listIds: [],
  known: "update",
  basis: "",
  basisNote: "",
  acceptBroken: false,
});

export function useImportStart(
  draft: ImportDraft,
  initial: Decisions,
  onStarted: (id: number, values: Decisions) => void,
) {
  const queries = useQueryClient();
  const once = useIdempotentSubmit();
  return useForm<Decisions>({
    initial,
    validate: ({ target, name, listIds, basis }) => ({
      name: target === "new" && name.trim() === "" ? t.nameRequired : null,
      listIds: target === "existing" && listIds.length === 0 ? t.listRequired : null,
      basis: basis === "" ? t.basisRequired : null,
    }),
    submit: async (values) => {
      const body = bodyOf(draft, values);
      const started = await once([draft.id, body], (idempotencyKey) =>
        api("POST /api/contact-import-drafts/{id}/start", {
          params: { id: draft.id },
          body: { ...body, idempotencyKey },
        }),
      );
      void queries.invalidateQueries({ queryKey: ["imports", "recent"] });
      onStarted(started.id, { ...values, acceptBroken: false });
    },
  });
}

function bodyOf({ encoding, separator, headerRow, everyCell, columns }: ImportDraft, values: Decisions) {
  const { target, name, listIds, known, basis, basisNote, acceptBroken } = values;
  return {
    encoding,
    separator,
    headerRow,
    everyCell,
    columns: columns.map(({ mapping }) => mapping),
    ...(target === "new" ? { listName: name } : {}),
    listIds,
    known,
    ...(basis === "" ? {} : { basis }),
    ...(basisNote.trim() === "" ? {} : { basisNote }),
    ...(acceptBroken ? { acceptBrokenNames: true } : {}),
  };
}

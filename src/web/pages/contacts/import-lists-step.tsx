import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { flushSync } from "react-dom";
import type { ImportDraft } from "../../../contract/import-drafts.ts";
import { ApiError } from "../../api/api-error.ts";
import { listsMenuQuery } from "../../api/contacts.ts";
import { listName } from "../../lib/list-name.ts";
import { contactsText } from "../../messages/contacts.ts";
import { importText as t } from "../../messages/import.ts";
import { Button } from "../../ui/button.tsx";
import { QueryError, SmallError } from "../../ui/error-notice.tsx";
import { Hint } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Select, TextInput } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { RadioCards } from "../../ui/radio-cards.tsx";
import styles from "./import.module.css";
import { nameOf } from "./import-question.tsx";
import { ImportSteps } from "./import-steps.tsx";
import { type Decisions, useImportStart } from "./use-import-start.ts";

type Props = {
  draft: ImportDraft;
  values: Decisions;
  onStarted: (id: number, values: Decisions) => void;
  onBack: (values: Decisions) => void;
  onClose: () => void;
};

export function ImportListsStep({ draft, values, onStarted, onBack, onClose }: Props) {
  const form = useImportStart(draft, values, onStarted);
  const error = form.submitError instanceof ApiError ? form.submitError : null;
  return (
    <FormDialog
      title={t.title}
      context={draft.fileName ?? t.pastedText}
      size="mid"
      onClose={onClose}
      onBack={() => onBack(form.values)}
      form={{ ...form, unsaved: true }}
      verb={t.button}
      busyText={t.busy}
    >
      <ImportSteps at={2} />
      {error && !form.busy && (
        <SmallError
          title={error.code === "import_broken_names" ? t.check : t.failed}
          text={reason(error, draft)}
        >
          {error.code === "import_broken_names" && (
            <Button
              type="submit"
              small
              className={layoutStyles.top2}
              onClick={() => flushSync(() => form.set("acceptBroken", true))}
            >
              {t.anyway}
            </Button>
          )}
        </SmallError>
      )}
      <RadioCards
        legend={t.where}
        choices={[
          { value: "new", name: t.newList, explained: t.newListMeans },
          { value: "existing", name: t.existing, explained: t.existingMeans },
        ]}
        value={form.values.target}
        onChange={(target) => form.set("target", target)}
      />
      {form.values.target === "new" && <TextInput label={t.name} autoComplete="off" {...form.text("name")} />}
      <OtherLists form={form} />
      <RadioCards
        legend={t.knownPeople}
        choices={[
          { value: "update", ...t.knownChoices.update },
          { value: "fill", ...t.knownChoices.fill },
          { value: "leave", ...t.knownChoices.leave },
        ]}
        value={form.values.known}
        onChange={(known) => form.set("known", known)}
      />
      <Basis form={form} />
    </FormDialog>
  );
}

function reason({ text, fields }: ApiError, draft: ImportDraft): string {
  const [first] = Object.entries(fields).flatMap(([name, words]) => {
    const at = /^columns\.(\d+)$/.exec(name)?.[1];
    return at === undefined ? [] : [`${nameOf(draft, Number(at))}: ${words}`];
  });
  return first ?? text;
}

type Form = ReturnType<typeof useImportStart>;

function OtherLists({ form }: { form: Form }) {
  const lists = useQuery(listsMenuQuery);
  const { target, listIds } = form.values;
  const all = lists.data ?? [];
  const chosen = all.filter(({ id }) => listIds.includes(id));
  const set = (ids: number[]) => form.set("listIds", ids);
  if (target === "new" && all.length === 0 && !lists.error) return null;
  return (
    <div className={layoutStyles.stack2}>
      {lists.error && <QueryError title={contactsText.exporting.failed} query={lists} />}
      <Select
        label={target === "new" ? t.alsoIn : t.into}
        optional={target === "new"}
        error={form.error("listIds")}
        options={[
          { value: "", label: all.length === 0 ? t.noLists : t.pickList },
          ...all
            .filter(({ id }) => !listIds.includes(id))
            .map((list) => ({
              value: String(list.id),
              label: `${listName(list)} (${contactsText.count(list.count)})`,
            })),
        ]}
        value=""
        onChange={({ target: picked }) => picked.value !== "" && set([...listIds, Number(picked.value)])}
      />
      {chosen.length > 0 && (
        <ul className={styles.chosen}>
          {chosen.map((list) => (
            <li key={list.id}>
              <span>{listName(list)}</span>
              <IconButton
                plain
                icon={X}
                label={t.notIn(listName(list))}
                onClick={() => set(listIds.filter((id) => id !== list.id))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Basis({ form }: { form: Form }) {
  return (
    <div className={layoutStyles.stack2}>
      <RadioCards
        legend={t.basis}
        choices={[
          { value: "asked", ...t.bases.asked },
          { value: "customer", ...t.bases.customer },
          { value: "other", ...t.bases.other },
        ]}
        value={form.values.basis}
        onChange={(basis) => {
          form.set("basis", basis);
          form.touch(["basis"]);
        }}
      />
      <Hint error={form.error("basis")} />
      <TextInput label={t.note} hint={t.noteHint} optional autoComplete="off" {...form.text("basisNote")} />
    </div>
  );
}

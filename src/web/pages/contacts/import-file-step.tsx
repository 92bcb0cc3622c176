import type { ReactNode } from "react";
import type { ImportEncoding } from "../../../contract/contacts.ts";
import type { ImportDraft } from "../../../contract/import-drafts.ts";
import { ApiError } from "../../api/api-error.ts";
import { commonText } from "../../messages/common.ts";
import { importText as t } from "../../messages/import.ts";
import { SmallError } from "../../ui/error-notice.tsx";
import fieldStyles from "../../ui/field.module.css";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select, TextArea } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { UnknownProgress } from "../../ui/progress-bar.tsx";
import { SegmentedTabs } from "../../ui/segmented-tabs.tsx";
import { FileLink } from "../../ui/text-link.tsx";
import styles from "./contacts.module.css";
import { FilePicker } from "./file-picker.tsx";
import { ImportSteps } from "./import-steps.tsx";
import { type Source, useImportFile, type Values } from "./use-import-file.ts";

type Refusal = { code: string; error: string; details?: Record<string, unknown> };
type Props = {
  failed: Refusal | null;
  sent: Values;
  onRead: (draft: ImportDraft, sent: Values) => void;
  onClose: () => void;
};

export function ImportFileStep({ failed, sent, onRead, onClose }: Props) {
  const form = useImportFile(sent, onRead);
  const error = form.submitError instanceof ApiError ? refusalOf(form.submitError) : failed;
  return (
    <FormDialog
      title={t.title}
      context={t.context}
      size="mid"
      onClose={onClose}
      form={form}
      verb={t.next}
      busyText={t.reading}
    >
      <ImportSteps at={0} />
      {error && !form.busy && <SmallError title={t.failed} text={error.error} />}
      <SegmentedTabs<Source>
        label={t.source}
        value={form.values.source}
        onChange={(source) => form.set("source", source)}
        tabs={[
          { value: "file", label: t.file, content: <FromFile form={form} error={error} /> },
          { value: "cells", label: t.cells, content: <Pasted form={form} name="cells" /> },
          { value: "json", label: t.json, content: <Pasted form={form} name="json" /> },
        ]}
      />
      {form.busy && (
        <Waiting>
          <UnknownProgress label={t.sending} />
        </Waiting>
      )}
    </FormDialog>
  );
}

const refusalOf = ({ code, text, details }: ApiError): Refusal => ({ code, error: text, details });

type Form = ReturnType<typeof useImportFile>;

function FromFile({ form, error }: { form: Form; error: Refusal | null }) {
  const { file, encoding, sheet } = form.values;
  const sheets = error?.code === "import_several_sheets" ? sheetsOf(error) : [];
  return (
    <>
      <FilePicker
        file={file}
        error={form.error("file")}
        onPick={(picked) => {
          form.set("file", picked);
          form.set("sheet", "");
          form.touch(["file"]);
        }}
      />
      {(sheets.length > 0 || sheet !== "") && (
        <Select
          label={t.sheet}
          options={[
            { value: "", label: t.pickSheet, disabled: true },
            ...(sheets.length > 0 ? sheets : [sheet]).map((name) => ({ value: name, label: name })),
          ]}
          value={sheet}
          onChange={({ target }) => form.set("sheet", target.value)}
        />
      )}
      {(error?.code === "import_unreadable_encoding" || encoding !== "") && (
        <Select
          label={t.encoding}
          options={[
            { value: "", label: commonText.none },
            ...Object.entries(t.encodings).map(([value, label]) => ({ value, label })),
          ]}
          value={encoding}
          onChange={(event) => form.set("encoding", event.target.value as ImportEncoding | "")}
        />
      )}
      <p className={fieldStyles.hint} data-ui="hint">
        <FileLink href="/Modelo.csv" download>
          {t.template}
        </FileLink>
      </p>
    </>
  );
}

const sheetsOf = ({ details }: Refusal): string[] =>
  Array.isArray(details?.names) ? details.names.filter((name) => typeof name === "string") : [];

function Pasted({ form, name }: { form: Form; name: "cells" | "json" }) {
  const words = name === "json" ? t.pasted.json : t.pasted.cells;
  return (
    <TextArea
      label={words.label}
      hint={words.hint}
      placeholder={words.example}
      spellCheck={false}
      className={styles.paste}
      {...form.text(name)}
    />
  );
}

function Waiting({ children }: { children: ReactNode }) {
  return (
    <div className={layoutStyles.stack2} role="status">
      <b className={layoutStyles.medium}>{t.sending}</b>
      {children}
      <p className={fieldStyles.hint} data-ui="hint">
        {t.sendingHint}
      </p>
    </div>
  );
}

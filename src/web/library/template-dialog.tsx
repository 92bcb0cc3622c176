import { useQueryClient } from "@tanstack/react-query";
import { clsx } from "clsx";
import { useRef, useState } from "react";
import type { MessageTemplate } from "../../contract/library.ts";
import { TEMPLATE_NAME_MAX, templateTextError } from "../../domain/message-template.ts";
import {
  CAPTION_MAX,
  codePoints,
  isBlank,
  normalizeText,
  renderMessage,
  TEXT_MAX,
} from "../../domain/message-text.ts";
import { ApiError, errorTextOf } from "../api/api-error.ts";
import { api } from "../api/call.ts";
import { useIdempotentSubmit } from "../api/use-idempotent-submit.ts";
import { formatNumber } from "../messages/format.ts";
import { templateFormText as t } from "../messages/template-form.ts";
import { AttachmentContent } from "../ui/attachment-content.tsx";
import { attachmentAddress, useAttachmentUpload } from "../ui/attachment-upload.tsx";
import bubbleStyles from "../ui/bubble.module.css";
import { SmallError } from "../ui/error-notice.tsx";
import fieldStyles from "../ui/field.module.css";
import { FormDialog } from "../ui/form-dialog.tsx";
import { TextInput } from "../ui/inputs.tsx";
import layoutStyles from "../ui/layout.module.css";
import textStyles from "../ui/text.module.css";
import { toastDone } from "../ui/toast.tsx";
import { useWindowForm } from "../ui/use-window-form.ts";
import { WhatsappText } from "../ui/whatsapp-text.tsx";
import styles from "./library.module.css";
import { type TemplateFile, TemplateFileField } from "./template-file.tsx";
import { TextWithVariables } from "./text-with-variables.tsx";
import { useInsertion } from "./use-insertion.ts";
import { useKnown } from "./use-known.ts";

export type TemplateValues = { name: string; text: string; attachment: TemplateFile | null };
type Props = {
  template: MessageTemplate | null;
  initial?: TemplateValues;
  onClose: () => void;
};

const EMPTY: TemplateValues = { name: "", text: "", attachment: null };

export function TemplateDialog({ template, initial, onClose }: Props) {
  const [start] = useState(() => (template ? valuesOf(template) : (initial ?? EMPTY)));
  const form = useTemplateForm(template, start, onClose);
  const area = useRef<HTMLTextAreaElement>(null);
  const { text, attachment } = form.values;
  const { upload } = form;
  const insert = useInsertion(area, text, (changed) => form.set("text", changed));
  return (
    <FormDialog
      title={template ? t.edit : t.add}
      context={t.context}
      size="wide"
      form={form}
      verb={t.save}
      busyText={t.saving}
      onClose={onClose}
    >
      {form.submitError !== null && <SmallError title={t.failed} text={errorTextOf(form.submitError, "")} />}
      <div className={styles.both}>
        <div className={layoutStyles.stack4}>
          <TextInput
            label={t.name}
            placeholder={t.namePlaceholder}
            autoComplete="off"
            {...form.text("name")}
          />
          <TextWithVariables
            area={area}
            insert={insert}
            known={useKnown()}
            length={codePoints(normalizeText(text))}
            most={attachment ? CAPTION_MAX : TEXT_MAX}
            field={{
              label: t.text,
              ...form.text("text"),
              rows: 7,
              placeholder: t.textPlaceholder,
              hint: t.textHint,
            }}
          />
          <TemplateFileField
            file={attachment}
            upload={upload}
            error={form.error("attachment")}
            onRemove={() => form.set("attachment", null)}
          />
        </div>
        <Preview text={text} file={attachment} />
      </div>
    </FormDialog>
  );
}

const scrolling = { tabIndex: 0 };

const valuesOf = ({ name, text, attachment }: MessageTemplate): TemplateValues => ({
  name,
  text,
  attachment,
});

function Preview({ text, file }: { text: string; file: TemplateFile | null }) {
  const said = renderMessage(normalizeText(text), t.person, "");
  return (
    <div>
      <p className={clsx(fieldStyles.fieldLabel, styles.label)}>{t.preview}</p>
      <section
        className={clsx(layoutStyles.ringInside, layoutStyles.column, styles.wall)}
        {...scrolling}
        aria-label={t.preview}
      >
        {isBlank(said) && !file ? (
          <p className={clsx(textStyles.quiet, styles.nothing)}>{t.previewEmpty}</p>
        ) : (
          <div className={clsx(bubbleStyles.bubble, bubbleStyles.mine)} data-ui="bubble">
            {file?.kind === "image" && (
              <img className={bubbleStyles.pic} src={attachmentAddress(file.id)} alt={t.picture} />
            )}
            {file && file.kind !== "image" && <AttachmentContent file={file} />}
            {!isBlank(said) && (
              <div className={bubbleStyles.said} data-ui="said">
                <WhatsappText text={said} />
              </div>
            )}
          </div>
        )}
      </section>
    </div>
  );
}

function useTemplateForm(template: MessageTemplate | null, initial: TemplateValues, onSaved: () => void) {
  const queries = useQueryClient();
  const once = useIdempotentSubmit();
  const upload = useAttachmentUpload((file) => form.set("attachment", file));
  const form = useWindowForm<TemplateValues>(`template ${template?.id ?? "new"}`, {
    initial,
    validate: ({ name, text, attachment }) => ({
      name: nameError(name),
      text: upload.sending ? null : textErrorOf(text, attachment),
      attachment: upload.sending ? t.fileWait : null,
    }),
    submit: async ({ attachment, ...written }) => {
      const body = { ...written, attachmentId: attachment?.id ?? null };
      const asked = template
        ? api("PUT /api/message-templates/{id}", { params: { id: template.id }, body })
        : once(body, (idempotencyKey) =>
            api("POST /api/message-templates", { body: { ...body, idempotencyKey } }),
          );
      const saved = await asked.catch(atFile);
      await queries.invalidateQueries({ queryKey: ["templates"] });
      toastDone(t.saved(saved.name));
      onSaved();
    },
  });
  return { ...form, upload };
}

function atFile(error: unknown): never {
  if (error instanceof ApiError && error.code === "not_found" && error.details.field === "attachmentId")
    throw new ApiError({ ...error, fields: { attachment: t.fileGone } });
  throw error;
}

function nameError(name: string): string | null {
  if (isBlank(name)) return t.required;
  return codePoints(name) > TEMPLATE_NAME_MAX ? t.tooLong(formatNumber(TEMPLATE_NAME_MAX)) : null;
}

function textErrorOf(typed: string, file: TemplateFile | null): string | null {
  const error = templateTextError(normalizeText(typed), file?.kind ?? null);
  if (error === "required") return t.required;
  if (error === "no_caption") return t.noCaption;
  if (error === "caption_too_long") return t.captionTooLong(formatNumber(CAPTION_MAX));
  return error === "too_long" ? t.tooLong(formatNumber(TEXT_MAX)) : null;
}

import { useRef } from "react";
import { MAX_PARTS } from "../../../domain/campaign.ts";
import { LEAVE_HINT, withLeaveHint } from "../../../domain/leave-hint.ts";
import {
  CAPTION_MAX,
  codePoints,
  isBlank,
  normalizeText,
  TEXT_MAX,
  usesName,
} from "../../../domain/message-text.ts";
import { markOf } from "../../../domain/variables.ts";
import { FromLibrary, SaveAsTemplate } from "../../library/library-buttons.tsx";
import { TextWithVariables } from "../../library/text-with-variables.tsx";
import { useInsertion } from "../../library/use-insertion.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import { SectionCard } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { TextInput } from "../../ui/inputs.tsx";
import { toastFailed } from "../../ui/toast.tsx";
import { AttachmentField } from "./attachment-field.tsx";
import { type FormFile, filesOf, messagesOf, withFiles } from "./form.ts";
import { PlaceholderNotice } from "./placeholder-notice.tsx";
import type { CampaignFormState } from "./use-campaign-form.ts";
import type { Variables } from "./use-variables.ts";
import { VariableChoices } from "./variable-choices.tsx";

type Props = { form: CampaignFormState; variables: Variables };

export function MessageSection({ form, variables }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  const { text, nameFallback, leaveHint } = form.values;
  const length = codePoints(withLeaveHint(normalizeText(text), leaveHint));
  const most = messagesOf(form.values)[0]?.file ? CAPTION_MAX : TEXT_MAX;
  const insert = useInsertion(area, text, (changed) => form.set("text", changed));
  const addFile = (file: FormFile) => {
    const files = filesOf(form.values);
    if (files.some(({ id }) => id === file.id)) return;
    if (files.length >= MAX_PARTS) toastFailed(t.filesFull(MAX_PARTS));
    else form.change(["attachment", "more"], () => withFiles([...files, file]));
  };
  return (
    <SectionCard title={t.message}>
      <TextWithVariables
        area={area}
        insert={insert}
        known={variables.known}
        length={length}
        most={most}
        field={{
          label: t.text,
          ...form.text("text"),
          rows: 5,
          placeholder: t.textPlaceholder,
          hint: t.textHint,
        }}
      >
        <FromLibrary
          onPick={(template) => {
            insert(template.text);
            if (template.attachment) addFile(template.attachment);
          }}
        />
        {(!isBlank(text) || form.values.attachment) && (
          <SaveAsTemplate small name={form.values.name} text={text} attachment={form.values.attachment} />
        )}
      </TextWithVariables>
      <PlaceholderNotice
        text={text}
        fields={variables.known.map(({ key }) => markOf(key))}
        onReplace={(replaced) => {
          form.set("text", replaced);
          area.current?.focus();
        }}
      />
      {(usesName(text) || nameFallback !== "") && (
        <TextInput
          label={t.fallback}
          optional
          {...form.text("nameFallback")}
          placeholder={t.fallbackPlaceholder}
          hint={t.fallbackHint}
          autoComplete="off"
        />
      )}
      <VariableChoices form={form} variables={variables} />
      <Checkbox checked={leaveHint} onChange={({ target }) => form.set("leaveHint", target.checked)}>
        {t.leaveHint(LEAVE_HINT)}
      </Checkbox>
      <AttachmentField form={form} />
    </SectionCard>
  );
}

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Segment, SegmentRule } from "../../contract/audiences.ts";
import type { ContactField } from "../../contract/contact-fields.ts";
import { ApiError, errorTextOf } from "../api/api-error.ts";
import { api } from "../api/call.ts";
import { fieldsQuery } from "../api/people.ts";
import { segmentCountQuery } from "../api/segments.ts";
import { usePaused } from "../lib/use-paused.ts";
import { segmentsText as t } from "../messages/segments.ts";
import { Dialog } from "../ui/dialog.tsx";
import { QueryError, SmallError } from "../ui/error-notice.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { TextInput } from "../ui/inputs.tsx";
import { Bone, Skeleton } from "../ui/skeleton.tsx";
import { toastDone } from "../ui/toast.tsx";
import { useWindowForm } from "../ui/use-window-form.ts";
import { type DraftRule, draftOf, newRule, type RuleErrors, readRule } from "./rule-draft.ts";
import { RuleEditor } from "./rule-editor.tsx";
import { useSegmentsChanged } from "./use-segments-changed.ts";

type Props = {
  segment: Segment | null;
  onSaved?: (segment: Segment) => void;
  onClose: () => void;
};

export function SegmentDialog(props: Props) {
  const fields = useQuery(fieldsQuery);
  if (fields.data) return <SegmentForm {...props} fields={fields.data} />;
  return (
    <Dialog
      title={props.segment ? t.editTitle : t.add}
      context={t.context}
      size="wide"
      onClose={props.onClose}
    >
      {fields.error ? (
        <QueryError title={t.failed} query={fields} />
      ) : (
        <Skeleton>
          <Bone height="2.5rem" />
        </Skeleton>
      )}
    </Dialog>
  );
}

function SegmentForm({ segment, onSaved, onClose, fields }: Props & { fields: readonly ContactField[] }) {
  const { form, errors } = useSegmentForm(segment, fields, (saved) => {
    onClose();
    onSaved?.(saved);
  });
  const { rule } = readRule(form.values.rule, fields);
  return (
    <FormDialog
      title={segment ? t.editTitle : t.add}
      context={t.context}
      size="wide"
      form={form}
      verb={t.saveVerb}
      busyText={t.saving}
      note={useCountWords(rule)}
      onClose={onClose}
    >
      {form.submitError !== null && (
        <SmallError title={t.saveFailed} text={errorTextOf(form.submitError, "")} />
      )}
      <TextInput label={t.name} placeholder={t.namePlaceholder} autoComplete="off" {...form.text("name")} />
      <RuleEditor
        rule={form.values.rule}
        errors={form.error("rule") === null ? {} : errors}
        fields={fields}
        onChange={(changed) => form.set("rule", changed)}
      />
    </FormDialog>
  );
}

function useSegmentForm(
  segment: Segment | null,
  fields: readonly ContactField[],
  onSaved: (segment: Segment) => void,
) {
  const changed = useSegmentsChanged();
  const [answered, setAnswered] = useState<{ rule: DraftRule; errors: RuleErrors } | null>(null);
  const [initial] = useState(() => ({
    name: segment?.name ?? "",
    rule: segment ? draftOf(segment.rule, fields) : newRule(),
  }));
  const form = useWindowForm(`segment ${segment?.id ?? "new"}`, {
    initial,
    validate: ({ name, rule }) => ({
      name: name.trim() === "" ? t.required : null,
      rule: readRule(rule, fields).rule === null ? t.required : null,
    }),
    submit: async ({ name, rule: draft }) => {
      const { rule } = readRule(draft, fields);
      if (rule === null) return;
      const body = { name, rule };
      try {
        const saved = segment
          ? await api("PUT /api/segments/{id}", { params: { id: segment.id }, body })
          : await api("POST /api/segments", { body });
        await changed();
        toastDone(t.saved(saved.name));
        onSaved(saved);
      } catch (thrown) {
        const errors = ruleErrors(thrown);
        setAnswered({ rule: draft, errors });
        throw atRule(thrown, errors);
      }
    },
  });
  const here = answered?.rule === form.values.rule ? answered.errors : {};
  return { form, errors: { ...here, ...readRule(form.values.rule, fields).errors } };
}

const ruleErrors = (thrown: unknown): RuleErrors =>
  thrown instanceof ApiError
    ? Object.fromEntries(Object.entries(thrown.fields).filter(([path]) => path.startsWith("rule")))
    : {};

function atRule(thrown: unknown, errors: RuleErrors): unknown {
  const [text] = Object.values(errors);
  if (!(thrown instanceof ApiError) || text === undefined) return thrown;
  const { code, status, details, fields } = thrown;
  return new ApiError({ code, text: thrown.text, status, details, fields: { ...fields, rule: text } });
}

function useCountWords(rule: SegmentRule | null): string {
  const written = JSON.stringify(rule);
  const paused = usePaused(written);
  const query = useQuery(segmentCountQuery(JSON.parse(paused) as SegmentRule | null));
  if (rule === null) return t.uncounted;
  const people = query.data?.people;
  const waits = query.isFetching || paused !== written;
  if (query.error && !waits) return `${t.countFailed} ${errorTextOf(query.error, "")}`;
  if (people === undefined) return t.counting;
  return waits ? `${t.count(people)}, ${t.counting}` : t.count(people);
}

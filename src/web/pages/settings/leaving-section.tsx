import { useQuery, useQueryClient } from "@tanstack/react-query";
import { confirmationError } from "../../../contract/text-errors.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useForm, useStored } from "../../forms/use-form.ts";
import { serverWords } from "../../messages/server.ts";
import { settingsText } from "../../messages/settings.ts";
import { SectionCard } from "../../ui/card.tsx";
import { QueryError, SmallError } from "../../ui/error-notice.tsx";
import { TextArea } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { useFormDraft } from "../../ui/use-draft.ts";
import { type MarkUnsaved, useMark } from "../../ui/use-unsaved.tsx";
import { FormEnd } from "./form-end.tsx";
import { optOutConfirmationQuery } from "./queries.ts";
import { useRound } from "./use-round.ts";

const t = settingsText.leaving;

export function LeavingSection({ mark }: { mark: MarkUnsaved }) {
  const { round, box, over } = useRound();
  const query = useQuery(optOutConfirmationQuery);
  return (
    <SectionCard title={t.title} explained={t.explained}>
      {query.isPending && (
        <Skeleton>
          <Bone width="100%" height="4rem" />
        </Skeleton>
      )}
      {query.error && !query.data && <QueryError title={t.loadFailed} query={query} />}
      <div ref={box}>
        {query.data && <LeavingForm key={round} stored={query.data} mark={mark} onOver={over} />}
      </div>
    </SectionCard>
  );
}

type Values = { text: string };

type Props = { stored: Values; mark: MarkUnsaved; onOver: () => void };

function LeavingForm({ stored, mark, onOver }: Props) {
  const queries = useQueryClient();
  const unfinished = useFormDraft<Values>("leaving");
  const form = useForm<Values>({
    initial: { ...stored, ...unfinished.found },
    validate: ({ text }) => {
      const error = confirmationError(text);
      return { text: error && serverWords.fieldText(error) };
    },
    submit: async (sent) => {
      const saved = await api("PUT /api/settings/opt-out-confirmation", { body: sent });
      queries.setQueryData(optOutConfirmationQuery.queryKey, saved);
      toastDone(settingsText.saved);
      form.settle(sent, saved);
    },
  });
  useStored(form, stored, ({ text }) => ({ text }));
  const unsaved = form.values.text !== stored.text;
  useMark(mark, "leaving", unsaved);
  unfinished.note(unsaved ? form.values : {});
  return (
    <form {...form.formProps} className={layoutStyles.stack4} aria-label={t.title}>
      {form.submitError !== null && (
        <SmallError title={settingsText.saveFailed} text={errorTextOf(form.submitError, "")} />
      )}
      <TextArea label={t.label} rows={3} hint={t.hint} {...form.text("text")} />
      <FormEnd unsaved={unsaved} busy={form.busy} onCancel={onOver} />
    </form>
  );
}

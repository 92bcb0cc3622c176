import { useQueryClient } from "@tanstack/react-query";
import { clsx } from "clsx";
import { useState } from "react";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useIdempotentSubmit } from "../../api/use-idempotent-submit.ts";
import { onlyDiffering, useForm } from "../../forms/use-form.ts";
import { agentsText } from "../../messages/agents.ts";
import { Button } from "../../ui/button.tsx";
import cardStyles from "../../ui/card.module.css";
import { SmallError } from "../../ui/error-notice.tsx";
import { LinkButton } from "../../ui/link-button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { useFormDraft } from "../../ui/use-draft.ts";
import { useMark, useUnsaved } from "../../ui/use-unsaved.tsx";
import {
  AgentFields,
  type AgentValues,
  agentErrors,
  atTemperature,
  bodyOf,
  isUnsaved,
  NEW_AGENT,
} from "./agent-fields.tsx";
import styles from "./agents.module.css";
import { useMistralSettings } from "./use-agents.ts";

const t = agentsText.form;

export function NewAgentPage() {
  return (
    <Page title={t.title} fact={t.fact} actions={<LinkButton to="/chatbot">{t.seeAll}</LinkButton>} inline>
      <NewAgentForm />
    </Page>
  );
}

function NewAgentForm() {
  const [done, setDone] = useState(false);
  const queries = useQueryClient();
  const once = useIdempotentSubmit();
  const settings = useMistralSettings();
  const unfinished = useFormDraft<AgentValues>("agent");
  const form = useForm({
    initial: { ...NEW_AGENT, ...unfinished.found },
    validate: agentErrors,
    submit: async (values) => {
      const body = bodyOf(values);
      await once(body, (idempotencyKey) =>
        api("POST /api/mistral/agents", { body: { ...body, idempotencyKey } }),
      ).catch(atTemperature);
      form.settle(values, NEW_AGENT);
      setDone(true);
      void queries.invalidateQueries({ queryKey: ["agents"] });
    },
  });
  unfinished.note(onlyDiffering(form.values, NEW_AGENT));
  const unsaved = useUnsaved();
  useMark(unsaved.mark, "agent", isUnsaved(form.values, NEW_AGENT));
  return (
    <form
      {...form.formProps}
      className={clsx(cardStyles.card, cardStyles.section, styles.agentForm)}
      aria-label={t.title}
    >
      {settings.data?.source === "none" && (
        <Notice tone="warning">
          <strong>{t.noKey}</strong> {t.noKeyNext} <TextLink to="/chatbot">{t.addKey}</TextLink>
        </Notice>
      )}
      {done && !form.busy && form.submitError === null && (
        <div role="status">
          <Notice tone="success">{t.done}</Notice>
        </div>
      )}
      {form.submitError !== null && <SmallError title={t.failed} text={errorTextOf(form.submitError, "")} />}
      <AgentFields form={form} />
      <div className={styles.formEnd}>
        <Button type="submit" look="primary" busy={form.busy} busyText={t.busy}>
          {t.submit}
        </Button>
      </div>
      {unsaved.question}
    </form>
  );
}

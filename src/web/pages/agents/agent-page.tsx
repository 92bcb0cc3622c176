import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { clsx } from "clsx";
import type { Agent } from "../../../contract/agents.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { onlyDiffering, useForm, useStored } from "../../forms/use-form.ts";
import { agentsText } from "../../messages/agents.ts";
import { Button } from "../../ui/button.tsx";
import cardStyles from "../../ui/card.module.css";
import { QueryError, SmallError } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import { Page } from "../../ui/page.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { useFormDraft } from "../../ui/use-draft.ts";
import { useMark, useUnsaved } from "../../ui/use-unsaved.tsx";
import {
  AgentFields,
  type AgentValues,
  agentErrors,
  atTemperature,
  changesOf,
  isUnsaved,
  valuesOf,
} from "./agent-fields.tsx";
import styles from "./agents.module.css";
import { TestChat } from "./test-chat.tsx";

const t = agentsText.form;
const route = getRouteApi("/shell/chatbot/$agentId");

const agentQuery = (agentId: string) =>
  queryOptions({
    queryKey: ["agents", "one", agentId],
    queryFn: ({ signal }) => api("GET /api/mistral/agents/{agentId}", { params: { agentId }, signal }),
    retry: false,
  });

export function AgentPage() {
  const { agentId } = route.useParams();
  const query = useQuery(agentQuery(agentId));
  const { data: agent } = query;
  return (
    <Page
      title={agent?.name ?? agentsText.title}
      fact={agent ? `${agentsText.id} ${agent.id}` : <>&nbsp;</>}
      actions={<LinkButton to="/chatbot">{t.back}</LinkButton>}
    >
      {agent && query.error && (
        <div className={layoutStyles.below4}>
          <QueryError title={agentsText.failed} query={query} />
        </div>
      )}
      {agent ? (
        <div className={clsx(layoutStyles.stack4, styles.agentBoth)}>
          <EditForm key={`form/${agent.id}`} agent={agent} />
          <TestChat key={`test/${agent.id}`} agentId={agent.id} name={agent.name} />
        </div>
      ) : query.error ? (
        <QueryError title={agentsText.failed} query={query} />
      ) : (
        <Skeleton className={clsx(layoutStyles.stack4, styles.agentBoth)}>
          <Bone width="100%" height="420px" />
          <Bone width="100%" height="420px" />
        </Skeleton>
      )}
    </Page>
  );
}

function EditForm({ agent }: { agent: Agent }) {
  const queries = useQueryClient();
  const unfinished = useFormDraft<AgentValues>(`agent ${agent.id}`);
  const form = useForm({
    initial: { ...valuesOf(agent), ...unfinished.found },
    validate: agentErrors,
    submit: async (values) => {
      const params = { agentId: agent.id };
      const body = changesOf(values, agent);
      const saved = await api("PATCH /api/mistral/agents/{agentId}", { params, body }).catch(atTemperature);
      queries.setQueryData(agentQuery(agent.id).queryKey, saved);
      void queries.invalidateQueries({ queryKey: ["agents"] });
      form.settle(values, valuesOf(saved));
      toastDone(t.saved);
    },
  });
  useStored(form, agent, valuesOf);
  unfinished.note(onlyDiffering(form.values, valuesOf(agent)));
  const unsaved = useUnsaved();
  useMark(unsaved.mark, "agent", isUnsaved(form.values, valuesOf(agent)));
  return (
    <form {...form.formProps} className={clsx(cardStyles.card, cardStyles.section)} aria-label={agent.name}>
      {form.submitError !== null && (
        <SmallError title={t.saveFailed} text={errorTextOf(form.submitError, "")} />
      )}
      <AgentFields form={form} />
      <div className={styles.formEnd}>
        <Button type="submit" look="primary" busy={form.busy} busyText={t.busy}>
          {t.saveChanges}
        </Button>
      </div>
      {unsaved.question}
    </form>
  );
}

import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { Bot, Plus, RefreshCw } from "lucide-react";
import { useState } from "react";
import type { Agent } from "../../../contract/agents.ts";
import { agentsQuery } from "../../api/agents.ts";
import { ApiError } from "../../api/api-error.ts";
import { agentsText as t } from "../../messages/agents.ts";
import { errorsText } from "../../messages/errors.ts";
import { Button } from "../../ui/button.tsx";
import cardStyles from "../../ui/card.module.css";
import { EmptyState } from "../../ui/empty-state.tsx";
import { QueryError } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import { Page } from "../../ui/page.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import { AgentCard } from "./agent-card.tsx";
import styles from "./agents.module.css";
import { MistralKey } from "./mistral-key.tsx";
import { RemoveAgentDialog } from "./remove-agent-dialog.tsx";
import { useLinkedAt } from "./use-agents.ts";

const SHOWN = 30;

export function AgentsPage() {
  const query = useQuery(agentsQuery);
  const noKey = query.error instanceof ApiError && query.error.code === "mistral_no_key";
  const busy = query.isPending && !noKey;
  return (
    <Page
      title={t.title}
      fact={factOf(query.data, noKey, busy)}
      actions={
        <>
          <Button icon={RefreshCw} busy={query.isFetching} onClick={() => query.refetch()}>
            {t.refresh}
          </Button>
          <LinkButton
            to="/criar-robo"
            look={noKey || query.data?.length === 0 ? "secondary" : "primary"}
            icon={Plus}
          >
            {t.create}
          </LinkButton>
        </>
      }
    >
      <div className={layoutStyles.stack4}>
        <MistralKey />
        {!noKey && <Agents query={query} />}
      </div>
    </Page>
  );
}

function factOf(agents: Agent[] | undefined, noKey: boolean, busy: boolean) {
  if (noKey) return errorsText.noMistralKey;
  if (agents) return agents.length === 0 ? t.factEmpty : t.fact(agents.length);
  return busy ? t.loading : <>&nbsp;</>;
}

function Agents({ query }: { query: UseQueryResult<Agent[]> }) {
  const linkedAt = useLinkedAt();
  const [shown, setShown] = useState(SHOWN);
  const [removing, setRemoving] = useState<Agent | null>(null);
  if (query.isPending) return <AgentsSkeleton />;
  if (query.error && !query.data?.length) return <QueryError title={t.failed} query={query} />;
  const agents = query.data ?? [];
  if (agents.length === 0)
    return (
      <EmptyState icon={Bot} title={t.empty.title} text={t.empty.text}>
        <LinkButton to="/criar-robo" look="primary">
          {t.create}
        </LinkButton>
      </EmptyState>
    );
  return (
    <>
      {query.error && <QueryError title={t.failed} query={query} />}
      <div className={clsx(cardStyles.tiles, styles.agents)}>
        {agents.slice(0, shown).map((agent) => (
          <AgentCard key={agent.id} agent={agent} linkedAt={linkedAt} onRemove={() => setRemoving(agent)} />
        ))}
      </div>
      {agents.length > shown && (
        <div className={layoutStyles.centre}>
          <Button onClick={() => setShown(shown + SHOWN)}>{t.more}</Button>
        </div>
      )}
      {removing && (
        <RemoveAgentDialog
          agent={removing}
          answersAt={linkedAt(removing.id, true)}
          onClose={() => setRemoving(null)}
        />
      )}
    </>
  );
}

function AgentsSkeleton() {
  return (
    <Skeleton className={clsx(cardStyles.tiles, styles.agents)}>
      {["a", "b"].map((card) => (
        <div key={card} className={clsx(cardStyles.card, layoutStyles.column, styles.agent)}>
          <header>
            <Bone width="50%" height="14px" style={{ marginTop: 4 }} />
            <Bone width="80%" style={{ marginTop: 10 }} />
          </header>
          <Bone width="100%" height="92px" />
          <footer style={{ height: 49 }} />
        </div>
      ))}
    </Skeleton>
  );
}

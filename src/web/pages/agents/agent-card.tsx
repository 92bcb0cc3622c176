import { clsx } from "clsx";
import { SquarePen, Trash2 } from "lucide-react";
import type { Agent } from "../../../contract/agents.ts";
import { useMe } from "../../api/me.ts";
import { agentsText as t } from "../../messages/agents.ts";
import { formatDateTime } from "../../messages/format.ts";
import { Button } from "../../ui/button.tsx";
import cardStyles from "../../ui/card.module.css";
import { CopyButton } from "../../ui/copy-button.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import textStyles from "../../ui/text.module.css";
import styles from "./agents.module.css";

type Props = { agent: Agent; linkedAt: (id: string, active: boolean) => string[]; onRemove: () => void };

export function AgentCard({ agent, linkedAt, onRemove }: Props) {
  const { timeZone } = useMe();
  const active = linkedAt(agent.id, true);
  const idle = linkedAt(agent.id, false);
  return (
    <article className={clsx(cardStyles.card, layoutStyles.column, styles.agent)} aria-label={agent.name}>
      <header>
        <h2 className={cardStyles.cardTitle}>{agent.name}</h2>
        <p className={clsx(textStyles.lines, textStyles.small, textStyles.secondary)}>
          {agent.description || t.noDescription}
        </p>
      </header>
      {(active.length > 0 || idle.length > 0) && (
        <p className={clsx(textStyles.small, textStyles.accent)}>
          {active.length > 0 && t.answersAt(active.join(", "))}
          {active.length > 0 && idle.length > 0 && ". "}
          {idle.length > 0 && t.idleAt(idle.join(", "))}
        </p>
      )}
      <dl>
        <div>
          <dt>{t.id}</dt>
          <dd>{agent.id}</dd>
        </div>
        <div>
          <dt>{t.model}</dt>
          <dd>{agent.model}</dd>
        </div>
        <div>
          <dt>{t.createdAt}</dt>
          <dd>{formatDateTime(agent.created_at, timeZone)}</dd>
        </div>
        <div>
          <dt>{t.updatedAt}</dt>
          <dd>{formatDateTime(agent.updated_at, timeZone)}</dd>
        </div>
      </dl>
      <footer>
        <CopyButton text={agent.id} label={t.copyId} />
        <span className={layoutStyles.grow} />
        <Button
          look="quiet-danger"
          small
          icon={Trash2}
          aria-label={t.remove.label(agent.name)}
          onClick={onRemove}
        >
          {t.remove.verb}
        </Button>
        <LinkButton
          to="/chatbot/$agentId"
          params={{ agentId: agent.id }}
          small
          icon={SquarePen}
          aria-label={t.openLabel(agent.name)}
        >
          {t.open}
        </LinkButton>
      </footer>
    </article>
  );
}

import { clsx } from "clsx";
import { Bot } from "lucide-react";
import type { Agent } from "../../contract/agents.ts";
import { assistantText as t } from "../messages/assistant.ts";
import avatarStyles from "../ui/avatar.module.css";
import { Button } from "../ui/button.tsx";
import fieldStyles from "../ui/field.module.css";
import { Icon } from "../ui/icon.tsx";
import layoutStyles from "../ui/layout.module.css";
import textStyles from "../ui/text.module.css";
import styles from "./assistant.module.css";
import type { useAssistant } from "./use-assistant.ts";

type Props = { assistant: ReturnType<typeof useAssistant> };

export function AgentChoice({ assistant: { agents, link, busy, choose } }: Props) {
  const others = agents.filter(({ id }) => id !== link?.agentId);
  if (others.length === 0) return null;
  return (
    <section aria-label={t.list}>
      {link && (
        <h3 className={clsx(fieldStyles.fieldLabel, styles.legend)} data-ui="field-label">
          {t.others}
        </h3>
      )}
      <ul className={clsx(layoutStyles.frame, styles.agentRows)}>
        {others.map((agent) => (
          <li key={agent.id}>
            <AgentWords agent={agent} />
            <Button
              small
              busy={busy === agent.id}
              disabled={busy !== null}
              aria-label={t.linkLabel(agent.name)}
              onClick={() => choose(agent.id, agent.name)}
            >
              {t.link}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function AgentWords({ agent }: { agent: Agent }) {
  return (
    <>
      <span className={clsx(avatarStyles.avatar, avatarStyles.grey)} data-ui="avatar">
        <Icon of={Bot} />
      </span>
      <div className={layoutStyles.grow}>
        <b>{agent.name}</b>
        <p className={clsx(textStyles.lines, textStyles.small, textStyles.secondary)}>
          {agent.instructions || t.noInstructions}
        </p>
        <p className={textStyles.quiet}>{t.model(agent.model)}</p>
      </div>
    </>
  );
}

import { Bot } from "lucide-react";
import type { Agent } from "../../contract/agents.ts";
import { assistantText as t } from "../messages/assistant.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import type { useAssistant } from "./use-assistant.ts";

type Props = { assistant: ReturnType<typeof useAssistant> };

export function AgentChoice({ assistant: { agents, link, busy, choose } }: Props) {
  const others = agents.filter(({ id }) => id !== link?.agentId);
  if (others.length === 0) return null;
  return (
    <section aria-label={t.list}>
      {link && <h3 className="field-label mb-2">{t.others}</h3>}
      <ul className="agent-rows">
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
      <span className="avatar grey">
        <Icon of={Bot} />
      </span>
      <div className="words">
        <b>{agent.name}</b>
        <p className="instructions">{agent.instructions || t.noInstructions}</p>
        <p className="model">{t.model(agent.model)}</p>
      </div>
    </>
  );
}

import { useQueryClient } from "@tanstack/react-query";
import type { Agent } from "../../../contract/agents.ts";
import { agentsQuery } from "../../api/agents.ts";
import { orGone } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { agentsText } from "../../messages/agents.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { toastDone } from "../../ui/toast.tsx";

const t = agentsText.remove;

export function RemoveAgentDialog({
  agent,
  answersAt,
  onClose,
}: {
  agent: Agent;
  answersAt: string[];
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const remove = async () => {
    try {
      const removed = await orGone(
        api("DELETE /api/mistral/agents/{agentId}", { params: { agentId: agent.id } }),
      );
      queries.setQueryData(agentsQuery.queryKey, (known) => known?.filter(({ id }) => id !== agent.id));
      // With a changed key the agent is unreachable and may still exist.
      if (removed) toastDone(t.done(agent.name));
    } finally {
      void queries.invalidateQueries({ queryKey: ["agents"] });
    }
  };
  return (
    <ConfirmDialog
      question={t.question(agent.name)}
      verb={t.verb}
      busyText={t.busy}
      failure={t.failed}
      onConfirm={remove}
      onClose={onClose}
    >
      {t.lost} {answersAt.length > 0 && t.lostAt(answersAt.join(", "))}
    </ConfirmDialog>
  );
}

import { useState } from "react";
import { causeText } from "../api/api-error.ts";
import { assistantText as t } from "../messages/assistant.ts";
import { commonText } from "../messages/common.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import emptyStateStyles from "../ui/empty-state.module.css";
import { ErrorNotice, SmallError } from "../ui/error-notice.tsx";
import fieldStyles from "../ui/field.module.css";
import { LinkButton } from "../ui/link-button.tsx";
import { Notice } from "../ui/notice.tsx";
import pageStyles from "../ui/page.module.css";
import { SegmentedTabs } from "../ui/segmented-tabs.tsx";
import { Bone, Skeleton } from "../ui/skeleton.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { type MarkUnsaved, useAskedLeave } from "../ui/use-unsaved.tsx";
import { AgentChoice } from "./agent-choice.tsx";
import { AnswersTrace } from "./answers-trace.tsx";
import { LinkedAgent } from "./linked-agent.tsx";
import { useAssistant } from "./use-assistant.ts";

type Props = { connectionId: number; name: string; onClose: () => void };

export function AssistantDialog({ connectionId, name, onClose }: Props) {
  const [view, setView] = useState<"choose" | "trace">("choose");
  const assistant = useAssistant(connectionId);
  const busy = assistant.busy !== null;
  const { mark, question, onLeave } = useAskedLeave(onClose);
  return (
    <Dialog
      title={t.title}
      context={t.context(name)}
      size="mid"
      busy={busy}
      onClose={onClose}
      onLeave={onLeave}
      foot={
        <Button onClick={onClose} disabled={busy}>
          {commonText.close}
        </Button>
      }
    >
      <SegmentedTabs
        label={t.views}
        value={view}
        onChange={setView}
        tabs={[
          {
            value: "choose",
            label: t.choose,
            content: <Choose assistant={assistant} mark={mark} />,
            kept: true,
          },
          { value: "trace", label: t.trace, content: <AnswersTrace connectionId={connectionId} /> },
        ]}
      />
      {question}
    </Dialog>
  );
}

type ChooseProps = { assistant: ReturnType<typeof useAssistant>; mark: MarkUnsaved };

function Choose({ assistant, mark }: ChooseProps) {
  const { link, failed, isPending } = assistant;
  if (isPending)
    return (
      <Skeleton>
        {["a", "b", "c"].map((row) => (
          <Bone key={row} width="100%" height="64px" style={{ marginBottom: 12 }} />
        ))}
      </Skeleton>
    );
  return (
    <>
      {failed && <SmallError title={failed.title} text={causeText(failed.error)} />}
      {link && <LinkedAgent key={link.agentId} assistant={assistant} link={link} mark={mark} />}
      <Agents assistant={assistant} />
      <p className={fieldStyles.hint} data-ui="hint">
        {t.rule}
      </p>
    </>
  );
}

function Agents({ assistant }: Pick<ChooseProps, "assistant">) {
  const { agents, error, noKey, isFetching, retry } = assistant;
  if (noKey)
    return (
      <Notice tone="info">
        <strong>{t.noKey}</strong> {t.noKeyText} <TextLink to="/chatbot">{t.openAgents}</TextLink>
      </Notice>
    );
  const notice = error && (
    <ErrorNotice title={t.loadFailed} error={error} onRetry={retry} busy={isFetching} />
  );
  if (notice && agents.length === 0) return notice;
  if (agents.length === 0)
    return (
      <div className={emptyStateStyles.blank} data-ui="blank">
        <h2>{t.none}</h2>
        <p>{t.noneText}</p>
        <div className={pageStyles.actions} data-ui="actions">
          <LinkButton to="/chatbot">{t.openAgents}</LinkButton>
        </div>
      </div>
    );
  return (
    <>
      {notice}
      <AgentChoice assistant={assistant} />
    </>
  );
}

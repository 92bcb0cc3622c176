import { useQuery } from "@tanstack/react-query";
import { Check, CircleSlash, CircleX, Clock } from "lucide-react";
import type { AgentAnswer } from "../../../contract/chats.ts";
import { api } from "../../api/call.ts";
import { usePollingWhenDown } from "../../api/events.ts";
import { useMe } from "../../api/me.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Fault } from "../../components/fault.tsx";
import type { LucideIcon } from "../../components/icon.tsx";
import { Bone, Skeleton } from "../../components/skeleton.tsx";
import { formatNear } from "../../format.ts";
import { chatText } from "../../messages/chat.ts";
import { commonText } from "../../messages/common.ts";
import "./answers.css";

const t = chatText.assistant;

type Props = { chatId: number; name: string; onClose: () => void };

/** What the assistant did in a conversation: each answer, and each one that did not go out with its reason. */
export function AnswersDialog({ chatId, name, onClose }: Props) {
  const query = useQuery({
    queryKey: ["chats", "answers", chatId],
    queryFn: ({ signal }) => api("GET /api/chats/{id}/answers", { params: { id: chatId }, signal }),
    refetchInterval: usePollingWhenDown(5_000),
  });
  const answers = query.data?.answers;
  return (
    <Dialog
      title={t.answers}
      context={t.answersContext(name)}
      size="mid"
      onClose={onClose}
      foot={<Button onClick={onClose}>{commonText.close}</Button>}
    >
      {answers && answers.length > 0 ? (
        <ol className="answers">
          {answers.map((answer) => (
            <Answer key={answer.id} answer={answer} />
          ))}
        </ol>
      ) : answers ? (
        <div className="blank">
          <h2>{t.answersEmpty}</h2>
          <p>{t.answersEmptyText}</p>
        </div>
      ) : query.isError ? (
        <Fault
          title={t.answersFailed}
          error={query.error}
          onRetry={() => void query.refetch()}
          busy={query.isFetching}
        />
      ) : (
        <Skeleton>
          {[88, 72, 80].map((width) => (
            <Bone key={width} width={`${width}%`} style={{ marginBottom: 28 }} />
          ))}
        </Skeleton>
      )}
    </Dialog>
  );
}

const LOOKS: Record<AgentAnswer["state"], { tone: Tone; icon: LucideIcon }> = {
  thinking: { tone: "quiet", icon: Clock },
  sent: { tone: "success", icon: Check },
  failed: { tone: "danger", icon: CircleX },
  skipped: { tone: "quiet", icon: CircleSlash },
};

function Answer({ answer }: { answer: AgentAnswer }) {
  const { timeZone } = useMe();
  const { state, reason, text, question, agentName, createdAt } = answer;
  return (
    <li>
      <div className="head">
        <Badge {...LOOKS[state]}>{t.states[state]}</Badge>
        <span className="hint num">{t.by(agentName, formatNear(createdAt, timeZone))}</span>
      </div>
      {reason && <p className={state === "failed" ? "why failed" : "why"}>{reason.text}</p>}
      <dl>
        <dt>{t.asked}</dt>
        <dd>{question}</dd>
        {text && (
          <>
            <dt>{t.answered}</dt>
            <dd>{text}</dd>
          </>
        )}
      </dl>
    </li>
  );
}

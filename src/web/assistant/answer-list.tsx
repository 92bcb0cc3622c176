import { clsx } from "clsx";
import { Check, CircleSlash, CircleX, Clock } from "lucide-react";
import type { AgentAnswer } from "../../contract/chats.ts";
import { useMe } from "../api/me.ts";
import { chatText } from "../messages/chat.ts";
import { formatNear } from "../messages/format.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import bubbleStyles from "../ui/bubble.module.css";
import fieldStyles from "../ui/field.module.css";
import type { LucideIcon } from "../ui/icon.tsx";
import layoutStyles from "../ui/layout.module.css";
import textStyles from "../ui/text.module.css";
import { WhatsappText } from "../ui/whatsapp-text.tsx";
import styles from "./answers.module.css";

const t = chatText.assistant;

const LOOKS: Record<AgentAnswer["state"], { tone: Tone; icon: LucideIcon }> = {
  thinking: { tone: "quiet", icon: Clock },
  sent: { tone: "success", icon: Check },
  failed: { tone: "danger", icon: CircleX },
  skipped: { tone: "quiet", icon: CircleSlash },
};

type Props = {
  answers: readonly AgentAnswer[];
  named?: boolean;
};

export function AnswerList({ answers, named }: Props) {
  return (
    <ol className={clsx(layoutStyles.stack4, styles.answers)}>
      {answers.map((answer) => (
        <Answer key={answer.id} answer={answer} named={named ?? false} />
      ))}
    </ol>
  );
}

function Answer({ answer, named }: { answer: AgentAnswer; named: boolean }) {
  const { timeZone } = useMe();
  const { state, reason, text, question, agentName, createdAt, chatName } = answer;
  return (
    <li>
      <div className={layoutStyles.ends}>
        <Badge {...LOOKS[state]}>{t.states[state]}</Badge>
        <span className={fieldStyles.hint} data-ui="hint num">
          {t.by(agentName, formatNear(createdAt, timeZone))}
        </span>
      </div>
      {reason && (
        <p className={clsx(textStyles.aside, styles.why, state === "failed" && styles.failed)} data-ui="why">
          {reason.text}
        </p>
      )}
      <dl>
        <dt>{named ? chatName : t.asked}</dt>
        <dd>{question}</dd>
        {text && (
          <>
            <dt>{t.answered}</dt>
            <dd className={bubbleStyles.said} data-ui="said">
              <WhatsappText text={text} />
            </dd>
          </>
        )}
      </dl>
    </li>
  );
}

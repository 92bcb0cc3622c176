import { clsx } from "clsx";
import { RotateCcw, SendHorizontal } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { agentsText } from "../../messages/agents.ts";
import bubbleStyles from "../../ui/bubble.module.css";
import { Button } from "../../ui/button.tsx";
import { SectionCard } from "../../ui/card.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { TextArea } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import pageStyles from "../../ui/page.module.css";
import textStyles from "../../ui/text.module.css";
import { WhatsappText } from "../../ui/whatsapp-text.tsx";
import styles from "./agents.module.css";

const t = agentsText.test;

type Line = { id: number; role: "user" | "assistant"; content: string };

const LINES_MOST = 99;

const toMessage = ({ role, content }: Line) => ({ role, content });

export function TestChat({ agentId, name }: { agentId: string; name: string }) {
  const chat = useTestChat(agentId);
  const [text, setText] = useState("");
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (chat.lines.length > 0) end.current?.scrollIntoView({ block: "nearest" });
  }, [chat.lines.length]);
  const send = () => {
    if (text.trim() === "" || chat.busy) return;
    void chat.say(text.trim());
    setText("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <SectionCard title={t.title} explained={t.explained} className={styles.testChat}>
      <div className={clsx(layoutStyles.column, styles.lines)} role="log" aria-label={t.log}>
        {chat.lines.length === 0 && <p className={clsx(textStyles.quiet, styles.none)}>{t.empty}</p>}
        {chat.lines.map((line) => (
          <div
            key={line.id}
            className={clsx(layoutStyles.frame, styles.line)}
            data-ui="line"
            data-role={line.role}
          >
            <span className={layoutStyles.srOnly}>{line.role === "user" ? t.you : name}: </span>
            {line.role === "user" ? (
              line.content
            ) : (
              <div className={bubbleStyles.said} data-ui="said">
                <WhatsappText text={line.content} />
              </div>
            )}
          </div>
        ))}
        {chat.busy && (
          <div
            className={clsx(layoutStyles.frame, styles.line, textStyles.muted)}
            data-ui="line"
            data-role="assistant"
          >
            {t.thinking}
          </div>
        )}
        <div ref={end} />
      </div>
      {chat.error !== null && (
        <SmallError title={t.failed} text={errorTextOf(chat.error, "")}>
          <div className={pageStyles.actions} data-ui="actions">
            <Button small onClick={chat.retry}>
              {t.retry}
            </Button>
          </div>
        </SmallError>
      )}
      <form
        className={clsx(layoutStyles.stack2, styles.say)}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <TextArea
          label={t.label}
          hiddenLabel
          rows={2}
          placeholder={t.empty}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <IconButton type="submit" label={t.send} icon={SendHorizontal} />
        <IconButton label={t.clear} icon={RotateCcw} onClick={chat.clear} />
      </form>
    </SectionCard>
  );
}

function useTestChat(agentId: string) {
  const [lines, setLines] = useState<Line[]>([]);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const current = useRef(0);
  const ids = useRef(0);
  const nextId = () => ++ids.current;

  async function ask(messages: Line[]): Promise<void> {
    current.current += 1;
    const mine = current.current;
    setLines(messages);
    setBusy(true);
    setError(null);
    try {
      const params = { agentId };
      const { text } = await api("POST /api/mistral/agents/{agentId}/test", {
        params,
        body: { messages: messages.slice(-LINES_MOST).map(toMessage) },
      });
      if (current.current === mine)
        setLines([...messages, { id: nextId(), role: "assistant", content: text }]);
    } catch (thrown) {
      if (current.current === mine) setError(thrown);
    }
    if (current.current === mine) setBusy(false);
  }

  return {
    lines,
    busy,
    error,
    say: (content: string) => {
      // After an error the unanswered line is sent along with the next.
      const last = lines.at(-1);
      const before = last?.role === "user" ? lines.slice(0, -1) : lines;
      const whole = last?.role === "user" ? `${last.content}\n${content}` : content;
      return ask([...before, { id: nextId(), role: "user", content: whole }]);
    },
    retry: () => void ask(lines),
    clear: () => {
      current.current += 1;
      setLines([]);
      setBusy(false);
      setError(null);
    },
  };
}

import { clsx } from "clsx";
import { Paperclip, RotateCcw, SendHorizontal, Trash2 } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { errorTextOf } from "../../api/api-error.ts";
import { restoreFocus } from "../../lib/restore-focus.ts";
import { agentsText } from "../../messages/agents.ts";
import { AttachmentLine } from "../../ui/attachment-line.tsx";
import { AttachmentPicker, type StoredFile, useAttachmentUpload } from "../../ui/attachment-upload.tsx";
import bubbleStyles from "../../ui/bubble.module.css";
import { Button } from "../../ui/button.tsx";
import { SectionCard } from "../../ui/card.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import { Hint } from "../../ui/field.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { TextArea } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import pageStyles from "../../ui/page.module.css";
import textStyles from "../../ui/text.module.css";
import { WhatsappText } from "../../ui/whatsapp-text.tsx";
import styles from "./agents.module.css";
import { type Line, useTestChat } from "./use-test-chat.ts";

const t = agentsText.test;

export function TestChat({ agentId, name }: { agentId: string; name: string }) {
  const chat = useTestChat(agentId);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (chat.lines.length > 0) end.current?.scrollIntoView({ block: "nearest" });
  }, [chat.lines.length]);
  return (
    <SectionCard title={t.title} explained={t.explained} className={styles.testChat}>
      <div className={clsx(layoutStyles.column, styles.lines)} role="log" aria-label={t.log}>
        {chat.lines.length === 0 && <p className={clsx(textStyles.quiet, styles.none)}>{t.empty}</p>}
        {chat.lines.map((line) => (
          <OneLine key={line.id} line={line} name={name} />
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
      <Say chat={chat} />
    </SectionCard>
  );
}

function OneLine({ line, name }: { line: Line; name: string }) {
  if (line.role === "note") return <p className={clsx(textStyles.quiet, styles.note)}>{line.content}</p>;
  const { role, content, file, template } = line;
  return (
    <div className={clsx(layoutStyles.frame, styles.line)} data-ui="line" data-role={role}>
      <span className={layoutStyles.srOnly}>{role === "user" ? t.you : name}: </span>
      {template !== null && <p className={textStyles.quiet}>{t.template(template)}</p>}
      {file && <AttachmentLine file={file} />}
      {role === "user" ? (
        content
      ) : (
        <div className={bubbleStyles.said} data-ui="said">
          <WhatsappText text={content} />
        </div>
      )}
    </div>
  );
}

function Say({ chat }: { chat: ReturnType<typeof useTestChat> }) {
  const [text, setText] = useState("");
  const [file, setFile] = useState<StoredFile | null>(null);
  const upload = useAttachmentUpload(setFile);
  const send = () => {
    const words = text.trim();
    if (chat.busy || upload.sending || (words === "" && !file)) return;
    chat.say(words, file);
    setText("");
    setFile(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className={layoutStyles.stack2}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {file && (
        <div className={clsx(layoutStyles.frame, styles.brought)}>
          <AttachmentLine file={file} />
          <IconButton
            small
            label={t.removeFile}
            icon={Trash2}
            onClick={(event) => {
              restoreFocus(event)(event.currentTarget.form?.querySelector("textarea"));
              setFile(null);
            }}
          />
        </div>
      )}
      <div className={clsx(layoutStyles.stack2, styles.say)}>
        <TextArea
          label={t.label}
          hiddenLabel
          rows={2}
          placeholder={t.empty}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <AttachmentPicker upload={upload} />
        <IconButton label={t.attach} icon={Paperclip} disabled={upload.sending} onClick={upload.pick} />
        <IconButton type="submit" label={t.send} icon={SendHorizontal} />
        <IconButton label={t.clear} icon={RotateCcw} onClick={chat.clear} />
      </div>
      <Hint hint={upload.sending ? t.attaching : null} error={upload.error} />
    </form>
  );
}

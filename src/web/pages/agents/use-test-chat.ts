import { useRef, useState } from "react";
import type { AttachmentSummary } from "../../../contract/files.ts";
import { messageKindOf, takesCaption } from "../../../domain/attachment.ts";
import type { MessageKind } from "../../../domain/chat.ts";
import { api } from "../../api/call.ts";
import { agentsText } from "../../messages/agents.ts";

const t = agentsText.test;

type Said = {
  role: "user" | "assistant";
  kind: MessageKind;
  content: string;
  file: AttachmentSummary | null;
  template: string | null;
};
/** A note is for the reader alone. */
export type Line = { id: number } & (Said | { role: "note"; content: string });

const LINES_MOST = 99;

const toMessages = (lines: readonly Line[]) =>
  lines.flatMap((line) =>
    line.role === "note" ? [] : { role: line.role, kind: line.kind, content: line.content },
  );

const text = (role: Said["role"], content: string): Said => ({
  role,
  kind: "text",
  content,
  file: null,
  template: null,
});

const brought = (file: AttachmentSummary, content: string): Said => ({
  ...text("user", content),
  kind: messageKindOf(file.kind),
  file,
});

type Sends = { name: string; kind: MessageKind; text: string; attachment: AttachmentSummary | null };
type Answer = { text: string; sends: readonly Sends[]; refused: readonly string[] };

function linesOf({ text: words, sends, refused }: Answer) {
  return [
    ...(words === "" && sends.length + refused.length > 0 ? [] : [text("assistant", words)]),
    ...sends.map(({ name, kind, text: content, attachment: file }) => ({
      role: "assistant" as const,
      kind,
      content,
      file,
      template: name,
    })),
    ...refused.map((name) => ({ role: "note" as const, content: t.refused(name) })),
  ];
}

export function useTestChat(agentId: string) {
  const [lines, setLines] = useState<Line[]>([]);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const current = useRef(0);
  const ids = useRef(0);
  const nextId = () => ++ids.current;

  async function ask(asked: Line[]): Promise<void> {
    current.current += 1;
    const mine = current.current;
    setLines(asked);
    setBusy(true);
    setError(null);
    try {
      const params = { agentId };
      const messages = toMessages(asked).slice(-LINES_MOST);
      const answer = await api("POST /api/mistral/agents/{agentId}/test", { params, body: { messages } });
      if (current.current === mine)
        setLines([...asked, ...linesOf(answer).map((line) => ({ id: nextId(), ...line }))]);
    } catch (thrown) {
      if (current.current === mine) setError(thrown);
    }
    if (current.current === mine) setBusy(false);
  }

  return {
    lines,
    busy,
    error,
    /** As in a conversation, nothing answers a file: the next text brings it along. */
    say: (content: string, file: AttachmentSummary | null) => {
      const isCaption = file !== null && takesCaption(file.kind);
      const caption = isCaption ? content : "";
      const before = file ? [...lines, { id: nextId(), ...brought(file, caption) }] : lines;
      if (content === caption)
        return setLines([...before, { id: nextId(), role: "note", content: t.fileUnanswered }]);
      // After an error the unanswered line is sent along with the next.
      const last = before.at(-1);
      const joins = last?.role === "user" && last.kind === "text";
      const whole = joins ? `${last.content}\n${content}` : content;
      void ask([...(joins ? before.slice(0, -1) : before), { id: nextId(), ...text("user", whole) }]);
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

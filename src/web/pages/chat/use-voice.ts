import { type RefObject, useEffect, useReducer, useRef, useState } from "react";
import { chatText } from "../../messages/chat.ts";
import type { Draft } from "../../session/unsent.ts";
import type { VoiceRecording } from "./voice-recording.ts";

export type VoiceControl = { live: VoiceRecording | null; start(): Promise<void>; send(): void };

type Given = {
  draft: Draft;
  edit: (part: Partial<Draft>) => void;
  field: RefObject<HTMLTextAreaElement | null>;
  send: () => void;
};

/** Leaving the conversation ends the recording, which stays in its draft. */
export function useVoice({ draft, edit, field, send }: Given): VoiceControl {
  const [live, setLive] = useState<VoiceRecording | null>(null);
  const [, draw] = useReducer((times: number) => times + 1, 0);
  const here = useRef(false);
  const opening = useRef(false);
  const wished = useRef(false);
  useEffect(() => {
    here.current = true;
    return () => {
      here.current = false;
    };
  }, []);
  useEffect(() => () => (live?.phase === "asking" ? live.discard() : live?.stop()), [live]);
  useFocusAfter(draft.voice !== null, field);
  const start = async () => {
    if (opening.current) return;
    opening.current = true;
    wished.current = false;
    // Before the strip is drawn: a part that does not load would take the page with it.
    const opened = await import("./voice-strip.tsx").catch(() => null);
    opening.current = false;
    if (!here.current) return;
    if (!opened) return edit({ error: chatText.send.recorderFailed });
    edit({ voice: "recording", error: null });
    const recording = opened.openRecording(draw);
    setLive(recording);
    const result = await opened.resultOf(recording);
    setLive(null);
    edit({ voice: null, ...result });
    if (result.voice && wished.current) send();
  };
  return {
    live,
    start,
    send() {
      wished.current = true;
      if (live) live.stop();
      else send();
    },
  };
}

/** The strip goes with the pressed button, which would leave the keyboard at the top of the page. */
function useFocusAfter(recording: boolean, field: Given["field"]): void {
  const before = useRef(recording);
  useEffect(() => {
    const ended = before.current && !recording;
    before.current = recording;
    if (ended && document.activeElement === document.body && matchMedia("(pointer: fine)").matches)
      field.current?.focus({ preventScroll: true });
  }, [recording, field]);
}

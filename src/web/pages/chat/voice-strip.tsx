import { clsx } from "clsx";
import { Mic, Pause, Play, Send as SendIcon, Square, Trash2 } from "lucide-react";
import { useEffect, useReducer, useRef, useState } from "react";
import { chatText } from "../../messages/chat.ts";
import { formatCountdown } from "../../messages/format.ts";
import { voiceText as t } from "../../messages/voice.ts";
import type { Draft, RecordedVoice } from "../../session/unsent.ts";
import { Button } from "../../ui/button.tsx";
import fieldStyles from "../../ui/field.module.css";
import { IconButton } from "../../ui/icon-button.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { ProgressBar } from "../../ui/progress-bar.tsx";
import { LONGEST_MINUTES, VoiceRecording } from "./voice-recording.ts";
import styles from "./voice-strip.module.css";

export const openRecording = (onChange: () => void) =>
  new VoiceRecording(
    {
      secure: isSecureContext,
      devices: navigator.mediaDevices,
      Recorder: globalThis.MediaRecorder,
      now: () => performance.now(),
    },
    onChange,
  );

export async function resultOf(
  recording: VoiceRecording,
): Promise<{ voice?: RecordedVoice; error?: string }> {
  const result = await recording.result;
  if (result === null) return {};
  return "error" in result ? { error: t.errors[result.error] } : { voice: result };
}

type Props = {
  live: VoiceRecording | null;
  voice: Draft["voice"];
  sending: boolean;
  onDiscard: () => void;
};

/** In the place of the text, from the question for the microphone to the sent message. */
export function VoiceStrip({ live, voice, sending, onDiscard }: Props) {
  const strip = useRef<HTMLFieldSetElement>(null);
  const recorded = voice === "recording" ? null : voice;
  const phase = recorded ? "recorded" : (live?.phase ?? "ended");
  // Each phase removes the button that began it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each phase.
  useEffect(() => {
    if (document.activeElement === document.body) strip.current?.focus({ preventScroll: true });
  }, [phase]);
  return (
    <>
      <fieldset ref={strip} tabIndex={-1} aria-label={t.label} className={styles.strip}>
        <IconButton
          label={t.discard}
          icon={Trash2}
          aria-disabled={sending || undefined}
          onClick={() => !sending && (live ? live.discard() : onDiscard())}
        />
        {recorded ? (
          <Player key={recorded.file.size} recorded={recorded} />
        ) : live && (phase === "recording" || phase === "paused") ? (
          <Running live={live} />
        ) : (
          <span className={clsx(styles.words, fieldStyles.hint)} role="status">
            {phase === "asking" ? t.asking : t.ending}
          </span>
        )}
        <Button
          look="primary"
          icon={SendIcon}
          type="submit"
          busy={sending}
          disabled={phase === "asking" || phase === "ended"}
        >
          {chatText.send.button}
        </Button>
      </fieldset>
      {recorded && recorded.end !== "asked" && (
        <p className={fieldStyles.hint} data-ui="hint" role="status">
          {recorded.end === "cut" ? t.ends.cut : t.ends.full(LONGEST_MINUTES)}
        </p>
      )}
    </>
  );
}

const DRAW_MS = 250;

function Running({ live }: { live: VoiceRecording }) {
  const [, draw] = useReducer((times: number) => times + 1, 0);
  const paused = live.phase === "paused";
  useEffect(() => {
    if (paused) return;
    const drawing = setInterval(draw, DRAW_MS);
    return () => clearInterval(drawing);
  }, [paused]);
  const minutes = Math.floor(live.seconds / 60);
  const words = paused ? t.paused : t.recording;
  return (
    <>
      <span className={styles.words}>
        <i className={clsx(styles.mark, paused && styles.still)} />
        <span role="timer" data-ui="num">
          {formatCountdown(live.seconds)}
        </span>
        <span className={styles.state} aria-hidden="true">
          {words}
        </span>
        <span className={layoutStyles.srOnly} role="status">
          {minutes > 0 ? `${words}, ${t.since(minutes)}` : words}
        </span>
      </span>
      {paused ? (
        <IconButton label={t.resume} icon={Mic} onClick={() => live.resume()} />
      ) : (
        <IconButton label={t.pause} icon={Pause} onClick={() => live.pause()} />
      )}
      <IconButton label={t.stop} icon={Square} onClick={() => live.stop()} />
    </>
  );
}

function Player({ recorded: { file, seconds } }: { recorded: RecordedVoice }) {
  const sound = useRef<HTMLAudioElement>(null);
  const [playing, setPlaying] = useState(false);
  const [at, setAt] = useState(0);
  useEffect(() => {
    const address = URL.createObjectURL(file);
    if (sound.current) sound.current.src = address;
    return () => URL.revokeObjectURL(address);
  }, [file]);
  const length = formatCountdown(seconds);
  const press = () => (playing ? sound.current?.pause() : void sound.current?.play());
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: a person's own words. */}
      <audio
        ref={sound}
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setAt(0)}
        onTimeUpdate={({ currentTarget }) => setAt(currentTarget.currentTime)}
      />
      <IconButton label={playing ? t.silence : t.play} icon={playing ? Pause : Play} onClick={press} />
      <span className={styles.words}>
        <span className={styles.bar}>
          <ProgressBar label={t.played} parts={[{ share: Math.min(1, at / seconds) }]} />
        </span>
        <span data-ui="num">{playing ? formatCountdown(at) : length}</span>
        <span className={layoutStyles.srOnly} role="status">
          {t.ready(length)}
        </span>
      </span>
    </>
  );
}

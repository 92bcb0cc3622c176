import type { RecordedVoice } from "../../session/unsent.ts";

/** What the server takes as a voice note without decoding it. */
const TYPES = ["audio/ogg;codecs=opus", "audio/webm;codecs=opus"];
export const LONGEST_MINUTES = 15;
const SHORTEST_SECONDS = 1;
/** Kept apart each second, so that a lost device loses no more. */
const PIECE_MS = 1_000;
/** Speech: 15 minutes are 4 MB, of the 16 MB that WhatsApp takes. */
const BITS_A_SECOND = 32_000;

export type VoiceError = "insecure" | "unsupported" | "refused" | "absent" | "busy" | "short" | "failed";

export type VoiceMedia = {
  secure: boolean;
  devices: Pick<MediaDevices, "getUserMedia"> | undefined;
  Recorder: typeof MediaRecorder | undefined;
  /** Milliseconds. */
  now(): number;
};

export type VoiceResult = RecordedVoice | { error: VoiceError } | null;

/** One recording, from the question for the microphone to its bytes; `null` as result: discarded. */
export class VoiceRecording {
  readonly result: Promise<VoiceResult>;
  readonly #media: VoiceMedia;
  readonly #onChange: () => void;
  readonly #discarded = Promise.withResolvers<null>();
  #phase: "asking" | "recording" | "paused" | "ended" = "asking";
  #recorder: MediaRecorder | null = null;
  #end: RecordedVoice["end"] = "cut";
  #seconds = 0;
  #since: number | null = null;

  constructor(media: VoiceMedia, onChange: () => void) {
    this.#media = media;
    this.#onChange = onChange;
    this.result = Promise.race([this.#discarded.promise, this.#record()]);
  }

  get phase() {
    return this.#phase;
  }

  /** Without pauses. */
  get seconds(): number {
    const running = this.#since === null ? 0 : (this.#media.now() - this.#since) / 1_000;
    return Math.min(this.#seconds + running, LONGEST_MINUTES * 60);
  }

  pause(): void {
    if (this.#phase !== "recording") return;
    this.#recorder?.pause();
    this.#become("paused");
  }

  resume(): void {
    if (this.#phase !== "paused") return;
    this.#recorder?.resume();
    this.#become("recording");
  }

  stop(end: RecordedVoice["end"] = "asked"): void {
    if (this.#phase !== "recording" && this.#phase !== "paused") return;
    this.#end = end;
    this.#become("ended");
    if (this.#recorder?.state !== "inactive") this.#recorder?.stop();
  }

  discard(): void {
    this.#discarded.resolve(null);
    this.stop();
    this.#become("ended");
  }

  async #record(): Promise<VoiceResult> {
    const { secure, devices, Recorder } = this.#media;
    const mimeType = TYPES.find((type) => Recorder?.isTypeSupported(type));
    if (!secure) return { error: "insecure" };
    if (!devices || !Recorder || mimeType === undefined) return { error: "unsupported" };
    try {
      const stream = await devices.getUserMedia({ audio: true });
      try {
        if (this.#phase === "ended") return null;
        const recorder = new Recorder(stream, { mimeType, audioBitsPerSecond: BITS_A_SECOND });
        return await this.#recordBy(recorder, stream.getTracks());
      } finally {
        for (const track of stream.getTracks()) track.stop();
      }
    } catch (error) {
      return { error: errorOf(error) };
    }
  }

  async #recordBy(recorder: MediaRecorder, tracks: MediaStreamTrack[]): Promise<VoiceResult> {
    const pieces: Blob[] = [];
    const stopped = Promise.withResolvers<void>();
    recorder.addEventListener("stop", () => stopped.resolve());
    recorder.addEventListener("dataavailable", ({ data }) => {
      pieces.push(data);
      if (this.seconds >= LONGEST_MINUTES * 60) this.stop("full");
    });
    for (const track of tracks) track.addEventListener("ended", () => this.stop("cut"));
    this.#recorder = recorder;
    recorder.start(PIECE_MS);
    this.#become("recording");
    await stopped.promise;
    this.#become("ended");
    const [type = ""] = recorder.mimeType.split(";");
    const file = new File(pieces, "", { type });
    const seconds = this.#seconds;
    if (file.size === 0 || seconds < SHORTEST_SECONDS) return { error: "short" };
    return { file, seconds, end: this.#end };
  }

  #become(phase: "recording" | "paused" | "ended"): void {
    if (phase === this.#phase) return;
    this.#seconds = this.seconds;
    this.#since = phase === "recording" ? this.#media.now() : null;
    this.#phase = phase;
    this.#onChange();
  }
}

const ERRORS: Readonly<Record<string, VoiceError>> = {
  NotAllowedError: "refused",
  SecurityError: "refused",
  NotFoundError: "absent",
  NotReadableError: "busy",
  AbortError: "busy",
};

const errorOf = (error: unknown): VoiceError =>
  (error instanceof DOMException && ERRORS[error.name]) || "failed";

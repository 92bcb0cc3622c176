import { expect, test, vi } from "vitest";
import { LONGEST_MINUTES, type VoiceMedia, VoiceRecording } from "./voice-recording.ts";

/** As a browser's recorder: pieces come in events, and it stops with its last track. */
class FakeRecorder extends EventTarget {
  static last: FakeRecorder;
  static isTypeSupported = (type: string): boolean => type === "audio/webm;codecs=opus";
  state: RecordingState = "inactive";
  readonly mimeType: string;

  constructor(_: MediaStream, { mimeType = "" }: MediaRecorderOptions) {
    super();
    this.mimeType = mimeType;
    FakeRecorder.last = this;
  }
  start() {
    this.state = "recording";
  }
  pause() {
    this.state = "paused";
  }
  resume() {
    this.state = "recording";
  }
  stop() {
    this.state = "inactive";
    this.piece("end");
    this.dispatchEvent(new Event("stop"));
  }
  piece(text: string) {
    this.dispatchEvent(Object.assign(new Event("dataavailable"), { data: new Blob([text]) }));
  }
}

function record(media: Partial<VoiceMedia> = {}) {
  const clock = { ms: 0 };
  const track = Object.assign(new EventTarget(), { stop: vi.fn() });
  const stream = { getTracks: () => [track] };
  const onChange = vi.fn();
  const recording = new VoiceRecording(
    {
      secure: true,
      devices: { getUserMedia: async () => stream as unknown as MediaStream },
      Recorder: FakeRecorder as unknown as typeof MediaRecorder,
      now: () => clock.ms,
      ...media,
    },
    onChange,
  );
  const pass = (seconds: number) => {
    clock.ms += seconds * 1_000;
  };
  return { recording, track, onChange, pass };
}

const begun = (recording: VoiceRecording) => expect.poll(() => recording.phase).toBe("recording");

test("a recording holds its pieces in order and its length without the pauses, and frees the microphone", async () => {
  const { recording, track, onChange, pass } = record();
  await begun(recording);
  pass(3);
  FakeRecorder.last.piece("a");
  recording.pause();
  expect(FakeRecorder.last.state).toBe("paused");
  pass(60);
  expect(recording.seconds).toBe(3);
  recording.resume();
  pass(2);
  FakeRecorder.last.piece("b");
  expect(track.stop).not.toHaveBeenCalled();
  recording.stop();
  const result = await recording.result;
  if (!result || "error" in result) throw new Error("nothing was recorded");
  expect(result).toMatchObject({ seconds: 5, end: "asked" });
  expect([result.file.type, await result.file.text()]).toEqual(["audio/webm", "abend"]);
  expect(track.stop).toHaveBeenCalled();
  expect(onChange).toHaveBeenCalledTimes(4);
});

test("a lost microphone and the longest length end a recording and keep it", async () => {
  const lost = record();
  await begun(lost.recording);
  lost.pass(2);
  lost.track.dispatchEvent(new Event("ended"));
  expect(await lost.recording.result).toMatchObject({ seconds: 2, end: "cut" });

  const broken = record();
  await begun(broken.recording);
  broken.pass(4);
  FakeRecorder.last.stop();
  expect(await broken.recording.result).toMatchObject({ seconds: 4, end: "cut" });

  const long = record();
  await begun(long.recording);
  long.pass(LONGEST_MINUTES * 60 - 1);
  FakeRecorder.last.piece("a");
  expect(long.recording.phase).toBe("recording");
  long.pass(2);
  FakeRecorder.last.piece("b");
  expect(await long.recording.result).toMatchObject({ seconds: LONGEST_MINUTES * 60, end: "full" });
});

test("what is discarded has no result, and a microphone granted afterwards is freed at once", async () => {
  const { recording, track, pass } = record();
  await begun(recording);
  pass(5);
  recording.discard();
  expect(await recording.result).toBeNull();
  await expect.poll(() => track.stop.mock.calls.length).toBe(1);

  const { promise, resolve } = Promise.withResolvers<MediaStream>();
  const early = record({ devices: { getUserMedia: () => promise } });
  expect(early.recording.phase).toBe("asking");
  early.recording.discard();
  expect(await early.recording.result).toBeNull();
  resolve({ getTracks: () => [early.track] } as unknown as MediaStream);
  await expect.poll(() => early.track.stop.mock.calls.length).toBe(1);
  expect(early.recording.phase).toBe("ended");
});

const throwing = (name: string) => ({
  devices: { getUserMedia: () => Promise.reject(new DOMException("", name)) },
});

test.each<[string, Partial<VoiceMedia>, string]>([
  ["an address without https", { secure: false, devices: undefined }, "insecure"],
  ["a browser without a recorder", { Recorder: undefined }, "unsupported"],
  [
    "a browser that records AAC alone",
    {
      Recorder: class extends FakeRecorder {
        static override isTypeSupported = (type: string) => type.startsWith("audio/mp4");
      } as unknown as typeof MediaRecorder,
    },
    "unsupported",
  ],
  ["a refused microphone", throwing("NotAllowedError"), "refused"],
  ["no microphone", throwing("NotFoundError"), "absent"],
  ["a microphone that another program holds", throwing("NotReadableError"), "busy"],
  ["any other error", throwing("OverconstrainedError"), "failed"],
])("%s has a cause of its own", async (_title, media, error) => {
  expect(await record(media).recording.result).toEqual({ error });
});

test("less than a second is too short", async () => {
  const { recording, pass } = record();
  await begun(recording);
  pass(0.9);
  recording.stop();
  expect(await recording.result).toEqual({ error: "short" });
});

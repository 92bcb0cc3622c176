import { counted } from "../format.ts";
import type { Texts } from "../texts.ts";
import type { voiceText as portuguese } from "../voice.ts";

export const voiceText: Texts<typeof portuguese> = {
  label: "Voice recording",
  asking: "Allow the use of the microphone in the browser.",
  recording: "Recording",
  paused: "Recording paused",
  ending: "Preparing the recording...",
  ready: (length) => `Recording ready, ${length}`,
  since: (minutes) => counted(minutes, "minute", "minutes"),
  pause: "Pause recording",
  resume: "Continue recording",
  stop: "Stop and listen",
  discard: "Discard recording",
  play: "Listen to recording",
  silence: "Stop listening",
  played: "Already heard",
  ends: {
    cut: "The microphone was disconnected. What was recorded up to here is kept.",
    full: (minutes) => `The recording stopped at the limit of ${minutes} minutes.`,
  },
  errors: {
    insecure:
      "The browser allows the microphone only at secure addresses (https). Ask for HTTPS from who runs this installation.",
    unsupported:
      "This browser does not record in the format of WhatsApp's voice messages. Use a current version of Chrome, Edge, Firefox or Safari.",
    refused:
      "The browser did not allow the microphone. Allow the microphone in this page's permissions and try again.",
    absent: "No microphone was found. Connect a microphone and try again.",
    busy: "The microphone did not respond: another program may be using it. Close that program and try again.",
    short: "The recording is too short: record at least one second.",
    failed: "Recording was not possible. Try again.",
  },
};

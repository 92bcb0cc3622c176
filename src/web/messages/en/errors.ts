import type { errorsText as portuguese } from "../errors.ts";
import type { Texts } from "../texts.ts";

export const errorsText: Texts<typeof portuguese> = {
  offline: "You are offline. Your campaigns are not affected: they go on at the server.",
  unreachable: "The server did not answer. Your campaigns are not affected: they go on when it is back.",
  offlineSubmission: "You are offline.",
  unreachableSubmission: "The server did not answer.",
  timeout:
    "The server did not answer within 10 seconds. Your campaigns are not affected: they go on at the server.",
  noMistralKey: "No Mistral key",
  unexpected: (status) => `The server answered in an unexpected way (code ${status}). Try again shortly.`,
};

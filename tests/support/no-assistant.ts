import type { Assistant } from "../../src/server/chat/assistant.ts";

export const noAssistant: Assistant = {
  linkedTo: async () => null,
  onIncoming: async () => undefined,
  onHuman: async () => undefined,
  onOff: async () => undefined,
  onLeft: async () => undefined,
  answers: async () => [],
  chatMerged: async () => undefined,
};

/** `baseUrl` as typed, with or without slash or `/v1`. */
export type MistralAccess = {
  apiKey: string | null;
  baseUrl: string;
  /** Operator configuration may point inside the network. */
  configured?: boolean;
  /** Keys and connections may be shared. */
  account?: string;
};

/** `deprecated`: Mistral has announced its end. */
export type MistralModel = { id: string; name: string; deprecated: boolean };

/** `temperature` null: the model's default. */
export type MistralAgent = {
  id: string;
  name: string;
  description: string;
  instructions: string;
  model: string;
  temperature: number | null;
  version: number;
  createdAt: Date;
  updatedAt: Date;
};

/** Not validated here: limits are in `domain/agent.ts`. */
export type AgentInput = {
  name: string;
  description: string;
  instructions: string;
  model: string;
  temperature: number;
};

/** Oldest first; Mistral requires the last to be the user's. */
export type ChatMessage = { role: "user" | "assistant"; content: string };

/** `cut`: stopped at the length limit. `text` is trimmed, not empty. */
export type Completion = { text: string; model: string; cut: boolean };

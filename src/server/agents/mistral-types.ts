/** Which Mistral, and as whom. `baseUrl` as typed: `https://api.mistral.ai`, with or without a slash or `/v1` at its end. */
export type MistralAccess = {
  apiKey: string | null;
  baseUrl: string;
  /** The operator's own configuration, which may be inside the network; what people type is judged. */
  configured?: boolean;
  /** On whose behalf: keys may be shared by many, and connections are. */
  account?: string;
};

/** A model that can hold a conversation. `deprecated`: Mistral has named the day of its end. */
export type MistralModel = { id: string; name: string; deprecated: boolean };

/** An agent as it is kept at Mistral. Absent texts are empty; `temperature` is null where the model's own applies. */
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

/** All of an agent that is ours to say. Nothing is judged here: the limits are in `domain/agent.ts`. */
export type AgentInput = {
  name: string;
  description: string;
  instructions: string;
  model: string;
  temperature: number;
};

/** One message of the conversation so far, oldest first; the last one has to be the user's (Mistral refuses anything else). */
export type ChatMessage = { role: "user" | "assistant"; content: string };

/** `cut`: the model stopped at its limit of length, in the middle of the answer. `text` is trimmed and not empty. */
export type Completion = { text: string; model: string; cut: boolean };

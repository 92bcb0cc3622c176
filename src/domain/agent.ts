/** Default of an agent without a model (spec §8: "fixed to a small-latest model, temperature 0"). */
export const DEFAULT_MODEL = "mistral-small-latest";
export const DEFAULT_TEMPERATURE = 0;

export const DEFAULT_MISTRAL_URL = "https://api.mistral.ai";

export const AGENT_NAME_MAX = 200;
export const AGENT_DESCRIPTION_MAX = 1_000;
export const AGENT_INSTRUCTIONS_MAX = 100_000;

/** Mistral's temperature range (API reference: 0 to 1.5). */
export const TEMPERATURE_MIN = 0;
export const TEMPERATURE_MAX = 1.5;

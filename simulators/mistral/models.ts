/** When the public list was copied; Unix seconds. */
const CREATED = 1_760_000_000;

type Card = { id: string; aliases?: string[]; chat?: boolean; deprecation?: string };

const CARDS: Card[] = [
  { id: "mistral-small-2506" },
  { id: "mistral-small-latest", aliases: ["mistral-small-2506"] },
  { id: "mistral-medium-latest" },
  { id: "mistral-large-latest" },
  { id: "open-mistral-nemo", deprecation: "2027-03-31T12:00:00Z" },
  { id: "mistral-embed", chat: false },
  { id: "mistral-ocr-latest", chat: false },
];

/** Includes a fine-tuned model and a kind unknown to SDKs. */
export function modelList() {
  return {
    object: "list",
    data: [
      ...CARDS.map((card) => ({ ...cardOf(card), type: "base" })),
      {
        ...cardOf({ id: "ft:mistral-small:0a1b2c3d" }),
        type: "fine-tuned",
        job: "0a1b2c3d",
        root: "mistral-small-2506",
        archived: false,
      },
      { id: "something-new", object: "model", type: "of-tomorrow" },
    ],
  };
}

export const isModel = (id: unknown): boolean =>
  id === "ft:mistral-small:0a1b2c3d" || CARDS.some((card) => card.id === id && card.chat !== false);

function cardOf({ id, aliases = [], chat = true, deprecation }: Card) {
  return {
    id,
    object: "model",
    created: CREATED,
    owned_by: "mistralai",
    name: id,
    description: null,
    aliases,
    max_context_length: 131_072,
    default_model_temperature: 0.3,
    capabilities: {
      completion_chat: chat,
      function_calling: chat,
      completion_fim: false,
      fine_tuning: false,
    },
    deprecation: deprecation ?? null,
  };
}

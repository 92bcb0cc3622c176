/** When this selection was read off the public list of models, as seconds since 1970. */
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

/** `GET /v1/models`. One of a fine-tuned kind and one of a kind that no SDK knows yet are among them. */
export function modelList() {
  return {
    object: "list",
    data: [
      ...CARDS.map((card) => ({ ...cardOf(card), type: "base" })),
      {
        ...cardOf({ id: "ft:mistral-small:0a1b2c3d" }),
        ...{ type: "fine-tuned", job: "0a1b2c3d", root: "mistral-small-2506", archived: false },
      },
      { id: "something-new", object: "model", type: "of-tomorrow" },
    ],
  };
}

/** Models that an agent may be made with. */
export const isModel = (id: unknown): boolean =>
  id === "ft:mistral-small:0a1b2c3d" || CARDS.some((card) => card.id === id && card.chat !== false);

function cardOf({ id, aliases = [], chat = true, deprecation }: Card) {
  return {
    ...{ id, object: "model", created: CREATED, owned_by: "mistralai", name: id, description: null },
    ...{ aliases, max_context_length: 131_072, default_model_temperature: 0.3 },
    capabilities: {
      completion_chat: chat,
      function_calling: chat,
      completion_fim: false,
      fine_tuning: false,
    },
    deprecation: deprecation ?? null,
  };
}

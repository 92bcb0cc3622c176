import { expect, test } from "vitest";
import type { Campaign } from "../../contract/campaigns.ts";
import { campaignWords } from "./notification-words.ts";

const ended = (counts: Partial<Campaign["counts"]>) => {
  const campaign = {
    id: 1,
    name: "Natal",
    status: "partially_completed",
    counts: { sent: 9, total: 10, accepted: 0, ...counts },
  };
  return campaignWords(campaign as Campaign, "America/Sao_Paulo");
};

test.each([
  [{ errors: 1, uncertain: 0 }, "9 de 10 mensagens enviadas, 1 erro."],
  [{ errors: 0, uncertain: 1 }, "9 de 10 mensagens enviadas, 1 a verificar."],
  [{ errors: 0, uncertain: 0, accepted: 1 }, "9 de 10 mensagens enviadas, 1 sem confirmação."],
  [{ sent: 0, total: 1, errors: 0, uncertain: 1 }, "0 de 1 mensagem enviada, 1 a verificar."],
  [
    { sent: 1_996, total: 4_000, errors: 2, uncertain: 2_002 },
    "1.996 de 4.000 mensagens enviadas, 2 erros, 2.002 a verificar.",
  ],
])("a campaign that ended with failures names those failures and no others: %j", (counts, body) => {
  expect(ended(counts)).toMatchObject({ title: "Campanha concluída com falhas: Natal", body });
});

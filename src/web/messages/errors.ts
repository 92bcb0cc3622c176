/** For a missing or invalid answer; all other texts come from the server. */
export const errorsText = {
  offline: "Você está sem internet. Seus envios não são afetados: eles continuam no servidor.",
  unreachable: "O servidor não respondeu. Seus envios não são afetados: eles continuam quando ele voltar.",
  /** For a write: "nothing is affected" could be read as "my message was sent". */
  offlineSubmission: "Você está sem internet.",
  unreachableSubmission: "O servidor não respondeu.",
  timeout:
    "O servidor não respondeu em 10 segundos. Seus envios não são afetados: eles continuam no servidor.",
  noMistralKey: "Sem chave do Mistral",
  unexpected: (status: number) =>
    `O servidor respondeu de um jeito inesperado (código ${status}). Tente de novo em instantes.`,
};

/** What is said when the server did not answer, or not as agreed. Everything else it says itself. */
export const errorsText = {
  offline: "Você está sem internet. Seus envios não são afetados: eles continuam no servidor.",
  unreachable: "O servidor não respondeu. Seus envios não são afetados: eles continuam quando ele voltar.",
  /** Of what somebody has asked for, which may be a message: that it is not affected, and goes on, would be said of it. */
  offlineSubmission: "Você está sem internet.",
  unreachableSubmission: "O servidor não respondeu.",
  timeout:
    "O servidor não respondeu em 10 segundos. Seus envios não são afetados: eles continuam no servidor.",
  unexpected: (status: number) =>
    `O servidor respondeu de um jeito inesperado (código ${status}). Tente de novo em instantes.`,
};

/** What is said when the server did not answer, or not as agreed. Everything else it says itself. */
export const faultsText = {
  offline: "Você está sem internet. Seus envios não são afetados: eles continuam no servidor.",
  unreachable: "O servidor não respondeu. Seus envios não são afetados: eles continuam quando ele voltar.",
  timeout:
    "O servidor não respondeu em 10 segundos. Seus envios não são afetados: eles continuam no servidor.",
  unexpected: (status: number) =>
    `O servidor respondeu de um jeito inesperado (código ${status}). Tente de novo em instantes.`,
};

export const TABS = ["geral", "chaves", "conexao", "notificacoes", "uso", "atividade"] as const;
export type Tab = (typeof TABS)[number];

export type SettingsAddress = { aba?: Tab };

export function settingsAddress(search: Record<string, unknown>): SettingsAddress {
  const aba = TABS.find((each) => each === search.aba);
  return aba ? { aba } : {};
}

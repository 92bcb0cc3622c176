/** The parts of the settings, as they stand in the address. */
export const TABS = ["geral", "chaves", "conexao", "notificacoes", "uso", "atividade"] as const;
export type Tab = (typeof TABS)[number];

export type SettingsAddress = { aba?: Tab };

/** Reads the address; what is no part of the settings is left out. */
export function settingsAddress(search: Record<string, unknown>): SettingsAddress {
  const aba = TABS.find((each) => each === search.aba);
  return aba ? { aba } : {};
}

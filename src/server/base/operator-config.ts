import { readGatewayUrl } from "./gateway-url.ts";

export type OperatorGateway = { name: string; url: string; apiKey: string };

/** Characters that a header can carry; with others each call would fail as if the server were away. */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]+$/;
const FORM = "use Nome=https://servidor|chave, separados por ponto e vírgula";

/**
 * RECADO_GATEWAYS: `Nome=https://servidor|chave`, separated by `;` or line breaks. Errors give the entry's
 * place and never quote it: they go to the log, and the entry holds a key.
 */
export function readOperatorGateways(text: string): { gateways: OperatorGateway[]; errors: string[] } {
  const entries = text
    .split(/[;\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  const gateways: OperatorGateway[] = [];
  const errors: string[] = [];
  for (const [index, entry] of entries.entries()) {
    const report = (words: string) => void errors.push(`servidor ${index + 1}: ${words}`);
    const [, name = "", address = "", apiKey = ""] = /^([^=]*)=([^|]*)\|(.*)$/.exec(entry) ?? [];
    const url = readGatewayUrl(address);
    if (name.trim() === "" || address.trim() === "" || apiKey.trim() === "") report(FORM);
    else if (!SENDABLE.test(apiKey.trim()))
      report("a chave tem um sinal que não pode ser enviado, como um travessão no lugar do hífen");
    else if (url === null) report("o endereço precisa ser como https://servidor, sem usuário, ? nem #");
    else if (gateways.some((one) => one.url === url)) report("o mesmo endereço aparece duas vezes");
    else gateways.push({ name: name.trim(), url, apiKey: apiKey.trim() });
  }
  return { gateways, errors };
}

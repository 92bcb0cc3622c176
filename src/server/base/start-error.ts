/** Printed without a stack, in Portuguese like all texts for people. */
export class StartError extends Error {
  constructor(text: string) {
    super(text);
    this.name = "StartError";
  }
}

const REASONS: Record<string, string> = {
  EACCES: "falta permissão",
  EPERM: "falta permissão",
  EROFS: "o disco só permite leitura",
  ENOSPC: "o disco está cheio",
  EDQUOT: "a cota do disco acabou",
  EEXIST: "há um arquivo no lugar da pasta",
  ENOTDIR: "há um arquivo no lugar da pasta",
  ENOENT: "esse lugar não existe",
  EISDIR: "é uma pasta, não um arquivo",
  ENAMETOOLONG: "o nome é longo demais",
  ERR_ENCODING_INVALID_ENCODED_DATA: "o texto não está em UTF-8",
  EADDRINUSE: "outro programa já usa esta porta",
  EADDRNOTAVAIL: "este computador não tem esse endereço",
  ECONNREFUSED: "ninguém atende nesse endereço e porta",
  ENOTFOUND: "esse nome de servidor não existe",
  EAI_AGAIN: "nenhum servidor de nomes respondeu",
  ETIMEDOUT: "ninguém respondeu nesse endereço",
  EHOSTUNREACH: "não há caminho até esse endereço",
  "28000": "ele não aceita esse usuário deste endereço",
  "28P01": "o usuário ou a senha está errado",
  "3D000": "esse banco de dados não existe",
  "53300": "todas as conexões dele estão em uso",
  "57P03": "ele ainda está iniciando ou encerrando",
  DEPTH_ZERO_SELF_SIGNED_CERT: "este computador não conhece quem assinou o certificado dele",
  SELF_SIGNED_CERT_IN_CHAIN: "este computador não conhece quem assinou o certificado dele",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "este computador não conhece quem assinou o certificado dele",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "este computador não conhece quem assinou o certificado dele",
  ERR_TLS_CERT_ALTNAME_INVALID: "o certificado dele é de outro nome",
  CERT_HAS_EXPIRED: "o certificado dele venceu",
};

export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";

/** Our text, followed by the system's; only the latter where we have none. */
export function systemReason(error: unknown): string {
  const own = error instanceof Error ? error.message || String(error) : String(error);
  const words = REASONS[codeOf(error)];
  return words === undefined ? own : `${words} (${own})`;
}

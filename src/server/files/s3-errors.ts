import { codeOf, systemReason } from "../base/start-error.ts";

const REFUSALS: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: "ele não conhece RECADO_S3_ACCESS_KEY",
  SignatureDoesNotMatch: "RECADO_S3_SECRET_KEY não é a desta chave de acesso",
  AccessDenied: "esta chave não pode listar, ler e gravar nele",
  NoSuchBucket: "esse bucket não existe",
  PermanentRedirect: "o bucket fica em outra região: confira RECADO_S3_REGION e RECADO_S3_ENDPOINT",
  AuthorizationHeaderMalformed: "o bucket fica em outra região: confira RECADO_S3_REGION",
  RequestTimeTooSkewed: "o relógio deste computador está errado",
  ENOTFOUND: "esse nome de servidor não existe",
};

/** Of the store, as in its documentation; of the network, as Node writes it. */
export function nameOf(error: unknown): string {
  return codeOf(error) || (error instanceof Error ? error.name : "");
}

function statusOf(error: unknown): number {
  if (typeof error !== "object" || error === null || !("$metadata" in error)) return 0;
  const { httpStatusCode = 0 } = error.$metadata as { httpStatusCode?: number };
  return httpStatusCode;
}

/** Without what was asked or answered, which hold signatures. */
export function reasonOf(error: unknown): string {
  const status = statusOf(error);
  const name = nameOf(error);
  return REFUSALS[name] ?? (status === 0 ? systemReason(error) : `${name} (HTTP ${status})`);
}

/** Null: it did not answer, or only now it cannot serve. */
export function refusalOf(error: unknown): string | null {
  const status = statusOf(error);
  const isLasting = status >= 300 && status < 500 && status !== 408 && status !== 429;
  return isLasting || nameOf(error) === "ENOTFOUND" ? reasonOf(error) : null;
}

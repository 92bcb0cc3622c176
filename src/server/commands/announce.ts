import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { StartError } from "../base/start-error.ts";
import type { News } from "../notifications/news-repo.ts";
import type { NewsKind } from "../notifications/unsubscribe.ts";
import { refuseTwice } from "./cli-words.ts";

export const USAGE = `Uso: npm run announce -- --kind product|marketing ARQUIVO

Envia o texto do ARQUIVO (texto ou Markdown, UTF-8; a primeira linha é o assunto) a quem pediu
novidades do produto (product) ou ofertas (marketing), uma vez a cada pessoa, com o link para não
receber mais. Se for interrompido, o mesmo comando continua de onde parou.`;

const SUBJECT_MAX = 200;
const BODY_MAX = 100_000;

/** Throws a StartError with the usage. */
export function parseAnnouncement(args: string[]): { kind: NewsKind; file: string } {
  try {
    const { values, positionals, tokens } = parseArgs({
      args,
      options: { kind: { type: "string" } },
      allowPositionals: true,
      tokens: true,
    });
    refuseTwice(tokens, USAGE);
    const [file] = positionals;
    if (positionals.length === 1 && file && (values.kind === "product" || values.kind === "marketing"))
      return { kind: values.kind, file };
  } catch (error) {
    if (error instanceof StartError) throw error;
    // Reported below.
  }
  throw new StartError(USAGE);
}

/** Identified by its text: equal text is the same news, a corrected one new. */
export function readNews(kind: NewsKind, bytes: Uint8Array): News {
  const text = decode(bytes).replaceAll("\r\n", "\n").trim();
  const [first = "", ...rest] = text.split("\n");
  const subject = first.replace(/^#+\s*/, "").trim();
  const body = rest.join("\n").trim();
  if (subject === "" || body === "")
    throw new StartError("O arquivo precisa do assunto na primeira linha e do texto depois dela.");
  if (subject.length > SUBJECT_MAX)
    throw new StartError(`O assunto, na primeira linha, passa de ${SUBJECT_MAX} caracteres.`);
  if (body.length > BODY_MAX) throw new StartError(`O texto passa de ${BODY_MAX} caracteres.`);
  return { kind, key: createHash("sha256").update(text).digest("hex"), subject, body: `${body}\n` };
}

function decode(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // Reported below.
  }
  throw new StartError("O arquivo não é um texto em UTF-8.");
}

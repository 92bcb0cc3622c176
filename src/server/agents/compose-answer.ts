import { MEDIA_WORDS } from "../../contract/error-messages.ts";
import type { AttachmentSummary } from "../../contract/files.ts";
import { type AnswerReason, readAnswer, readBy } from "../../domain/answering.ts";
import { messageKindOf } from "../../domain/attachment.ts";
import { takeMarks } from "../../domain/template-marks.ts";
import type { Owner } from "../db/owner.ts";
import { type FilledTemplate, fillNamed } from "../library/service.ts";

/** One message of an answer. */
export type AnswerPart = { text: string; file: AttachmentSummary | null };
export type ComposedAnswer = { parts: AnswerPart[]; reason: AnswerReason | null };

type Written = { text: string; cut: boolean };
type Source = { instructions: () => Promise<string>; phone: string | null };

const TEMPLATES_MOST = 3;

/** Its words, then each template that it may send. `reason`: why nothing, or not all, is left to send. */
export async function composeAnswer(owner: Owner, written: Written, source: Source): Promise<ComposedAnswer> {
  const { text, templates } = readAnswer(written.text, written.cut);
  const asked = await askedTemplates(owner, templates, source);
  const ready = asked.flatMap(({ filled }) => (filled && filled.missing.length === 0 ? filled : []));
  const parts = [
    ...(text === null ? [] : [{ text, file: null }]),
    ...ready.map((filled) => ({ text: filled.text, file: filled.attachment })),
  ];
  if (asked.length > ready.length)
    return {
      parts,
      reason: asked.some(({ filled }) => filled === null) ? "template_gone" : "template_values",
    };
  return { parts, reason: parts.length === 0 ? "empty" : null };
}

export type AskedTemplate = { name: string; filled: FilledTemplate | null };

/** Null where it is gone, or the instructions do not name it: a customer's words must not have others sent. */
export async function askedTemplates(
  owner: Owner,
  names: readonly string[],
  { instructions, phone }: Source,
): Promise<AskedTemplate[]> {
  if (names.length === 0) return [];
  const given = new Set(takeMarks(await instructions()).names.map((name) => name.toLowerCase()));
  const asked: AskedTemplate[] = [];
  for (const name of names.slice(0, TEMPLATES_MOST)) {
    const filled = given.has(name.toLowerCase()) ? await fillNamed(owner, name, phone) : null;
    asked.push({ name, filled });
  }
  return asked;
}

/** For the record of the answer. */
export const wordsOf = (parts: readonly AnswerPart[]): string =>
  parts
    .map(({ text, file }) => (file ? readBy(messageKindOf(file.kind), text || file.name, MEDIA_WORDS) : text))
    .join("\n\n");

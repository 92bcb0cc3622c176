import type { z } from "zod";
import type { FieldError } from "../../contract/error-messages.ts";
import type { library, MessageTemplate } from "../../contract/library.ts";
import { cleanLine } from "../../domain/contact-name.ts";
import { AppError } from "../../domain/errors.ts";
import { fillMessage, TEMPLATE_NAME_MAX, templateTextError } from "../../domain/message-template.ts";
import {
  CAPTION_MAX,
  isBlank,
  keysIn,
  normalizeText,
  TEXT_MAX,
  type TextError,
} from "../../domain/message-text.ts";
import { SURNAME, typed } from "../../domain/variables.ts";
import { record } from "../audit/service.ts";
import { requireRoom } from "../db/account-limits.ts";
import { once, submissionOf } from "../db/idempotency.ts";
import type { Changes } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import { fieldError } from "../http/errors.ts";
import { audienceOf } from "../sending/sending.ts";
import {
  deleteTemplate,
  findFieldKinds,
  findFileKind,
  findNamed,
  findTemplate,
  findTemplates,
  insertTemplate,
  isNameTaken,
  lockNaming,
  TEMPLATES,
  type TemplateContent,
  type TemplateRow,
  updateTemplate,
} from "./repo.ts";

export const libraryCounts = { TEMPLATES };

type Written = z.output<typeof library.change.body>;

export class LibraryService {
  readonly #changes: Pick<Changes, "mark">;

  constructor(changes: Pick<Changes, "mark">) {
    this.#changes = changes;
  }

  async list(owner: Owner, { search = "", skip, limit }: z.output<typeof library.list.query>) {
    const { rows, found } = await findTemplates(owner, { search, skip, limit });
    return { items: rows.map(toTemplate), found };
  }

  async named(owner: Owner, words: string, limit: number): Promise<{ id: number; name: string }[]> {
    const { rows } = await findTemplates(owner, { search: words, skip: 0, limit });
    return rows.map(({ id, name }) => ({ id, name }));
  }

  async create(
    owner: Owner,
    { idempotencyKey, ...written }: z.output<typeof library.create.body>,
  ): Promise<MessageTemplate> {
    const content = await contentOf(owner, written);
    const submission = submissionOf("template", idempotencyKey, content);
    const { made } = await once(owner, submission, async (inside) => {
      await requireFreeName(inside, content.name, null);
      await requireRoom(inside, TEMPLATES);
      return insertTemplate(inside, content);
    });
    return this.#changed(owner, made);
  }

  async change(owner: Owner, id: number, written: Written): Promise<MessageTemplate> {
    await owner.db.transaction().execute(async (tx) => {
      const inside = owner.in(tx);
      const before = await findTemplate(inside, id);
      if (!before) throw new AppError("not_found");
      const { attachmentId = before.attachment?.id ?? null } = written;
      const content = await contentOf(inside, { ...written, attachmentId });
      await requireFreeName(inside, content.name, id);
      await updateTemplate(inside, id, content);
    });
    return this.#changed(owner, id);
  }

  async fill(owner: Owner, id: number, phone: string | null) {
    const template = await findTemplate(owner, id);
    if (!template) throw new AppError("not_found");
    return fillFor(owner, template, phone);
  }

  async remove(owner: Owner, id: number): Promise<{ success: boolean }> {
    await owner.db.transaction().execute(async (tx) => {
      const inside = owner.in(tx);
      const name = await deleteTemplate(inside, id);
      if (name === undefined) throw new AppError("not_found");
      await record(inside, { kind: "template_removed", subject: name });
    });
    this.#changes.mark(owner.accountId, "templates");
    return { success: true };
  }

  async #changed(owner: Owner, id: number): Promise<MessageTemplate> {
    this.#changes.mark(owner.accountId, "templates", id);
    const row = await findTemplate(owner, id);
    if (!row) throw new AppError("not_found");
    return toTemplate(row);
  }
}

export type FilledTemplate = Awaited<ReturnType<typeof fillFor>>;

/** Null: no template of the account has that name. */
export async function fillNamed(
  owner: Owner,
  name: string,
  phone: string | null,
): Promise<FilledTemplate | null> {
  const template = await findNamed(owner, name);
  return template ? fillFor(owner, template, phone) : null;
}

async function fillFor(owner: Owner, { text, attachment }: TemplateRow, phone: string | null) {
  const keys = [...keysIn(text)];
  const kinds = await findFieldKinds(owner);
  const variables = keys
    .filter((key) => key === SURNAME || Object.hasOwn(kinds, key))
    .map((key) => typed({ key, fallback: null }, kinds));
  const isPhone = phone !== null && /^[1-9]\d{0,14}$/.test(phone);
  const person = isPhone ? await audienceOf(owner).textsOfPerson(phone, variables) : null;
  const filled = fillMessage(text, person?.name ?? "", person?.texts ?? {});
  return { ...filled, attachment };
}

const toTemplate = ({ updatedAt, ...row }: TemplateRow): MessageTemplate => ({
  ...row,
  updatedAt: updatedAt.toISOString(),
});

async function contentOf(
  owner: Owner,
  { name, text: typed, attachmentId }: Written & Pick<TemplateContent, "attachmentId">,
): Promise<TemplateContent> {
  const kind = attachmentId === null ? null : await findFileKind(owner, attachmentId);
  if (attachmentId !== null && kind === null) throw new AppError("not_found", { field: "attachmentId" });
  const errors: Record<string, FieldError> = {};
  const read = cleanLine(name, TEMPLATE_NAME_MAX);
  if ("error" in read)
    errors.name = read.error === "bad_text" ? "invalid_text" : { code: "too_long", n: TEMPLATE_NAME_MAX };
  else if (read.line === "") errors.name = "required";
  const text = normalizeText(typed);
  const error = templateTextError(text, kind);
  if (error !== null) errors.text = TEXT_ERRORS[error];
  if ("error" in read || Object.keys(errors).length > 0) throw fieldError(errors);
  return { name: read.line, text: isBlank(text) ? "" : text, attachmentId };
}

const TEXT_ERRORS: Readonly<Record<TextError, FieldError>> = {
  required: "required",
  unreadable: "invalid_text",
  too_long: { code: "too_long", n: TEXT_MAX },
  caption_too_long: { code: "campaign_caption_too_long", n: CAPTION_MAX },
  no_caption: "attachment_takes_no_text",
};

async function requireFreeName(inside: Owner, name: string, id: number | null): Promise<void> {
  await lockNaming(inside);
  if (await isNameTaken(inside, name, id)) throw fieldError({ name: "template_taken" });
}

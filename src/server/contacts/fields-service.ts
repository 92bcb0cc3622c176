import {
  type ContactField,
  FIELD_LABEL_MAX,
  FIELDS_MOST,
  type FieldChanges,
  type FieldKind,
  type FieldValues,
} from "../../contract/contact-fields.ts";
import type { FieldError } from "../../contract/error-messages.ts";
import { cleanLine } from "../../domain/contact-name.ts";
import { AppError } from "../../domain/errors.ts";
import { fieldKey, freeKey, isReservedKey } from "../../domain/field-key.ts";
import { readFieldValue } from "../../domain/field-values.ts";
import { record } from "../audit/service.ts";
import { type Changes, publishPeople } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import { fieldError } from "../http/errors.ts";
import { audienceOf, campaignsOf } from "../sending/sending.ts";
import {
  deleteField,
  dropValues,
  findFields,
  holdFields,
  insertField,
  lockNaming,
  renameField,
} from "./fields-repo.ts";
import type { InputErrors } from "./person-input.ts";

export class FieldService {
  readonly #changes: Pick<Changes, "mark">;

  constructor(changes: Pick<Changes, "mark">) {
    this.#changes = changes;
  }

  async list(owner: Owner): Promise<{ items: ContactField[] }> {
    return { items: await findFields(owner) };
  }

  async create(owner: Owner, input: { label: string; kind: FieldKind }): Promise<ContactField> {
    const field = await owner.db.transaction().execute((tx) => addField(owner.in(tx), input));
    publishPeople(this.#changes, owner.accountId);
    return field;
  }

  async rename(owner: Owner, id: number, typed: string): Promise<ContactField> {
    const label = readLabel(typed);
    const field = await owner.db.transaction().execute(async (tx) => {
      const inside = owner.in(tx);
      await others(inside, id, label);
      return renameField(inside, id, label);
    });
    publishPeople(this.#changes, owner.accountId);
    return field ?? missing();
  }

  async remove(owner: Owner, id: number): Promise<{ people: number }> {
    const people = await owner.db.transaction().execute(async (tx) => {
      const inside = owner.in(tx);
      const { key, label } = (await deleteField(inside, id)) ?? missing();
      const campaign = await campaignsOf(inside).waitingForField(key);
      if (campaign !== null) throw new AppError("field_in_use", { name: campaign });
      const segment = await audienceOf(inside).segmentWithField(key);
      if (segment !== null) throw new AppError("field_in_segment", { name: segment });
      const dropped = await dropValues(inside, key);
      await record(inside, { kind: "field_removed", subject: label, details: { contacts: dropped } });
      return dropped;
    });
    publishPeople(this.#changes, owner.accountId);
    return { people };
  }
}

/** In a transaction; `at` is where errors of the label are shown. */
export async function addField(
  inside: Owner,
  input: { label: string; kind: FieldKind },
  at = "label",
): Promise<ContactField> {
  const label = readLabel(input.label, at);
  const known = await others(inside, null, label, at);
  if (known.length >= FIELDS_MOST) throw new AppError("too_many_fields", { n: FIELDS_MOST });
  const key = freeKey(fieldKey(label), new Set(known.map((each) => each.key)));
  return (await insertField(inside, { key, label, kind: input.kind })) ?? missing();
}

type ReadChanges = { set: FieldValues; removed: string[]; errors: InputErrors };

/** In the transaction that writes them. */
export async function readFieldChanges(inside: Owner, changes: FieldChanges): Promise<ReadChanges> {
  const read: ReadChanges = { set: {}, removed: [], errors: {} };
  const entries = Object.entries(changes);
  if (entries.length === 0) return read;
  const kinds = new Map((await holdFields(inside)).map(({ key, kind }) => [key, kind]));
  for (const [key, value] of entries) {
    const kind = kinds.get(key);
    const reading = kind ? readFieldValue(kind, value) : { error: "unknown_field" as const };
    if ("error" in reading) read.errors[`fields.${key}`] = reading.error;
    else if (reading.value === null) read.removed.push(key);
    else read.set[key] = reading.value;
    if (Object.keys(read.errors).length === FIELDS_MOST) break;
  }
  return read;
}

/** None has the label. */
async function others(
  inside: Owner,
  id: number | null,
  label: string,
  at = "label",
): Promise<ContactField[]> {
  await lockNaming(inside);
  const known = (await findFields(inside)).filter((each) => each.id !== id);
  if (known.some((each) => isSame(each.label, label))) throw fieldError({ [at]: "label_taken" });
  return known;
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

function readLabel(typed: string, at = "label"): string {
  const read = cleanLine(typed, FIELD_LABEL_MAX);
  if ("error" in read) throw fieldError({ [at]: labelError(read.error) });
  if (read.line === "") throw fieldError({ [at]: "required" });
  if (isReservedKey(fieldKey(read.line))) throw fieldError({ [at]: "label_reserved" });
  return read.line;
}

const labelError = (error: "bad_text" | "too_long"): FieldError =>
  error === "bad_text" ? "invalid_text" : { code: "too_long", n: FIELD_LABEL_MAX };

function missing(): never {
  throw new AppError("not_found");
}

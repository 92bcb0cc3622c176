import { z } from "zod";
import { FIELD_KINDS } from "../domain/field-values.ts";
import { endpoint } from "./endpoint.ts";
import { IdParams } from "./ids.ts";

export const FIELDS_MOST = 50;
/** In code points. */
export const FIELD_LABEL_MAX = 60;

export const FieldKind = z.enum(FIELD_KINDS);
export type FieldKind = z.infer<typeof FieldKind>;

export const ContactField = z.object({
  id: z.number().describe("The field's number"),
  key: z.string().describe("Name of the variable and of the values in `fields`, such as `ultima_vacina`"),
  label: z.string().describe("Heading of the column, such as «Última vacina»"),
  kind: FieldKind.describe("`date` values are written YYYY-MM-DD"),
});
export type ContactField = z.infer<typeof ContactField>;

/** Text, a finite number, `YYYY-MM-DD`, or a truth, by the kind of the field. */
export const FieldValue = z.union([z.string().max(2_000), z.number(), z.boolean()]);
export type FieldValue = z.infer<typeof FieldValue>;

/** By the field's key. */
export const FieldValues = z.record(z.string(), FieldValue);
export type FieldValues = z.infer<typeof FieldValues>;

/** Null takes the value away. */
export const FieldChanges = z.record(z.string().max(100), FieldValue.nullable());
export type FieldChanges = z.infer<typeof FieldChanges>;

export const contactFields = {
  list: endpoint({
    method: "GET",
    path: "/api/contact-fields",
    summary: "The account's fields, in the order of their columns",
    access: "key",
    answer: z.object({ items: z.array(ContactField).describe("At most 50") }),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/contact-fields",
    summary: "Add a field; its key is made of the label",
    access: "key",
    body: z.strictObject({
      label: z.string().max(1_000).describe("1 to 60 characters; no second field may have the same"),
      kind: FieldKind.describe("What the values are; it stays"),
    }),
    answer: ContactField,
    status: 201,
  }),
  rename: endpoint({
    method: "PATCH",
    path: "/api/contact-fields/{id}",
    summary: "Rename a field; its key stays, so that texts that use it keep working",
    access: "key",
    params: IdParams,
    body: z.strictObject({ label: z.string().max(1_000).describe("1 to 60 characters") }),
    answer: ContactField,
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/contact-fields/{id}",
    summary: "Remove a field and its values from all people",
    access: "key",
    params: IdParams,
    answer: z.object({ people: z.number().describe("How many people had a value") }),
  }),
};

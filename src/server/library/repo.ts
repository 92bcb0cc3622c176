import { sql } from "kysely";
import type { AttachmentSummary } from "../../contract/files.ts";
import type { AttachmentKind } from "../../domain/attachment.ts";
import type { FieldKind } from "../../domain/field-values.ts";
import { contactReads } from "../contacts/service.ts";
import { limitOn } from "../db/account-limits.ts";
import type { Owner } from "../db/owner.ts";
import { holdsWords } from "../db/search.ts";
import { fileReads } from "../files/service.ts";

export type TemplateRow = {
  id: number;
  name: string;
  text: string;
  attachment: AttachmentSummary | null;
  updatedAt: Date;
};
export type TemplateContent = { name: string; text: string; attachmentId: number | null };
type Page = { search: string; skip: number; limit: number };

const ITS_FILE = [sql`message_template.account_id`, sql`message_template.attachment_id`] as const;
const COLUMNS = sql`id, name, text, ${fileReads.summaryOf(...ITS_FILE)} as attachment, updated_at as "updatedAt"`;

export const TEMPLATES = limitOn(
  "templates",
  sql`(select count(*) from message_template where account_id = a.id)`,
);

export async function findTemplates(
  { db, accountId }: Owner,
  { search, skip, limit }: Page,
): Promise<{ rows: TemplateRow[]; found: number }> {
  const words = search.split(/\s+/).filter((word) => word !== "");
  const holds = words.map(
    (word) => sql` and (${holdsWords("name", word)} or ${holdsWords("text", word)}
      or ${fileReads.isNamed(...ITS_FILE, word)})`,
  );
  const those = sql`account_id = ${accountId}::uuid${sql.join(holds, sql``)}`;
  const { rows } = await sql<TemplateRow>`select ${COLUMNS} from message_template where ${those}
    order by lower(name), id limit ${limit} offset ${skip}`.execute(db);
  const counted = await sql<{ found: number }>`select count(*)::int as found
    from message_template where ${those}`.execute(db);
  return { rows, found: counted.rows[0]?.found ?? 0 };
}

export async function findTemplate({ db, accountId }: Owner, id: number): Promise<TemplateRow | undefined> {
  const { rows } = await sql<TemplateRow>`select ${COLUMNS} from message_template
    where id = ${id} and account_id = ${accountId}::uuid`.execute(db);
  return rows[0];
}

export async function findNamed({ db, accountId }: Owner, name: string): Promise<TemplateRow | undefined> {
  const { rows } = await sql<TemplateRow>`select ${COLUMNS} from message_template
    where account_id = ${accountId}::uuid and lower(name) = lower(${name})`.execute(db);
  return rows[0];
}

export async function findFileKind({ db, accountId }: Owner, id: number): Promise<AttachmentKind | null> {
  const { rows } = await sql<{ kind: AttachmentKind | null }>`
    select ${fileReads.kindOf(sql`${accountId}::uuid`, sql`${id}::bigint`)} as kind`.execute(db);
  return rows[0]?.kind ?? null;
}

export async function findFieldKinds({ db, accountId }: Owner): Promise<Record<string, FieldKind>> {
  const { rows } = await sql<{ key: string; kind: FieldKind }>`select f.key, f.kind
    from ${contactReads.FIELDS} f where f.account_id = ${accountId}::uuid`.execute(db);
  return Object.fromEntries(rows.map(({ key, kind }) => [key, kind]));
}

export async function lockNaming({ db, accountId }: Owner): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`templates of ${accountId}`}, 0))`.execute(db);
}

export async function isNameTaken(
  { db, accountId }: Owner,
  name: string,
  id: number | null,
): Promise<boolean> {
  const { rows } = await sql`select 1 from message_template
    where account_id = ${accountId}::uuid and lower(name) = lower(${name})
      and id is distinct from ${id}::bigint`.execute(db);
  return rows.length > 0;
}

export async function insertTemplate(
  { db, accountId }: Owner,
  { name, text, attachmentId }: TemplateContent,
): Promise<number> {
  const { rows } = await sql<{
    id: number;
  }>`insert into message_template (account_id, name, text, attachment_id)
    values (${accountId}::uuid, ${name}, ${text}, ${attachmentId}) returning id`.execute(db);
  return rows[0]?.id ?? 0;
}

export async function updateTemplate(
  { db, accountId }: Owner,
  id: number,
  { name, text, attachmentId }: TemplateContent,
): Promise<boolean> {
  const { numAffectedRows } = await sql`update message_template
    set name = ${name}, text = ${text}, attachment_id = ${attachmentId}, updated_at = now()
    where id = ${id} and account_id = ${accountId}::uuid`.execute(db);
  return Number(numAffectedRows ?? 0) > 0;
}

export async function deleteTemplate({ db, accountId }: Owner, id: number): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`delete from message_template
    where id = ${id} and account_id = ${accountId}::uuid returning name`.execute(db);
  return rows[0]?.name;
}

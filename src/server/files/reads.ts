import { type RawBuilder, sql } from "kysely";
import type { AttachmentSummary } from "../../contract/files.ts";
import type { AttachmentKind } from "../../domain/attachment.ts";

/** SQL: its kind if it is of this account, or null. */
export const kindOf = (account: RawBuilder<unknown>, id: RawBuilder<unknown>) =>
  sql<AttachmentKind | null>`(select f.kind from attachment f where f.account_id = ${account} and f.id = ${id})`;

/** SQL: what screens show of it (`AttachmentSummary`), or null. */
export const summaryOf = (account: RawBuilder<unknown>, id: RawBuilder<unknown>) =>
  sql<AttachmentSummary | null>`(select json_build_object('id', f.id, 'kind', f.kind, 'name', f.name, 'mime', f.mime,
    'bytes', f.size, 'width', f.width, 'height', f.height, 'seconds', f.seconds)
    from attachment f where f.id = ${id} and f.account_id = ${account})`;

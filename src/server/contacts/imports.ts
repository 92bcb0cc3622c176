import { CONTACT_NAME_MAX, type ImportEncoding } from "../../contract/contacts.ts";
import { cleanName } from "../../domain/contact-name.ts";
import { AppError } from "../../domain/errors.ts";
import { readJsonRow, refuseSplitKeys, SAMPLE_ELEMENTS } from "../../domain/json-contacts.ts";
import { refuseFull, requireRoom } from "../db/account-limits.ts";
import { once, submissionOf } from "../db/idempotency.ts";
import type { Owner } from "../db/owner.ts";
import { fieldError } from "../http/errors.ts";
import type { StreamedJson } from "../http/streamed-json.ts";
import type { FairQueues } from "../jobs/fair-queue.ts";
import { Pauses } from "../jobs/pauses.ts";
import { openSizedQueues, SMALL_BYTES } from "../jobs/sized-queues.ts";
import { csvOf, vcardRows, workbookRows } from "./as-table.ts";
import { BrokenNames, refuseBrokenNames } from "./broken-names.ts";
import { LISTS, PEOPLE, WAITING_IMPORTS } from "./counts.ts";
import { formatOf } from "./file-kind.ts";
import { encodingOf, inspectFile, jsonElements, pieces, refuseUnsure } from "./import-source.ts";
import { insertImport, type NewImport } from "./imports-repo.ts";
import type { Received, Spool } from "./spool.ts";
import type { TableRow } from "./workbook/sheet.ts";

const FILE_NAME_CHARS = 255;

export type ImportIntake = {
  spool: Spool;
  /** 100 MB take a second of CPU. */
  inTurn<T>(owner: Owner, bytes: number, look: () => Promise<T>): Promise<T>;
};

const LOOKS = 2;
const LOOKS_WAITING = 20;

export function importIntake(spool: Spool, queues: FairQueues): ImportIntake {
  const { small, large } = openSizedQueues(queues, {
    name: "import_looks",
    running: LOOKS,
    runningOfAccount: 1,
    waitingOfAccount: LOOKS_WAITING,
  });
  return {
    spool,
    inTurn: (owner, bytes, look) => (bytes > SMALL_BYTES ? large : small).run(owner.accountId, look),
  };
}

/** Stores, inspects and queues it; throws early errors. Answers the import's id. */
export async function acceptFile(
  { spool, inTurn }: ImportIntake,
  owner: Owner,
  file: {
    name: string;
    fileName?: string | undefined;
    encoding?: ImportEncoding | undefined;
    sheet?: string | undefined;
    acceptBrokenNames?: "true" | "false" | undefined;
    idempotencyKey?: string | undefined;
  },
  body: AsyncIterable<Uint8Array>,
): Promise<number> {
  await refuseFullAccount(owner);
  const uploaded = await spool.receive(body);
  const received = await orRemoved(spool, uploaded, () =>
    inTurn(owner, uploaded.bytes, () => asText(spool, uploaded, file)),
  );
  return orNothing(spool, received, async () => {
    const listName = listNameOf(file.name);
    const place = spool.path(received.id);
    const { encoding, layout } = await inTurn(owner, received.bytes, async () => {
      const form = await inspectFile(place, received.isText ? file.encoding : "utf-8");
      if (!received.isText) await refuseUnsure(place, form);
      if (file.acceptBrokenNames !== "true") await refuseBrokenNames(place, form);
      return form;
    });
    const { separator, header } = layout;
    return brought(owner, file.idempotencyKey, {
      ...waiting(spool, received, listName),
      fileName: fileNameOf(file.fileName),
      format: "csv",
      form: { encoding, separator, header },
    });
  });
}

type AsText = Received & { isText: boolean };

/** Workbooks and vCards become text files; the hash stays that of the upload. */
export async function asText(
  spool: Spool,
  uploaded: Received,
  { encoding, sheet }: { encoding?: ImportEncoding | undefined; sheet?: string | undefined },
): Promise<AsText> {
  const place = spool.path(uploaded.id);
  const format = await formatOf(place);
  if (format === "csv") return { ...uploaded, isText: true };
  const rows =
    format === "xlsx"
      ? workbookRows(place, sheet)
      : vcardRows(pieces(place), encoding ?? (await encodingOf(place)));
  return asTable(spool, uploaded, rows);
}

/** In place of the upload. */
export async function asTable(
  spool: Spool,
  uploaded: Received,
  rows: AsyncIterable<TableRow[]>,
): Promise<AsText> {
  const { id, bytes } = await spool.receive(csvOf(rows));
  spool.remove(uploaded.id);
  return { id, bytes, sha256: uploaded.sha256, isText: false };
}

export async function orRemoved<T>(spool: Spool, { id }: Received, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    spool.remove(id);
    throw error;
  }
}

export type JsonListInput = {
  name: string;
  acceptBrokenNames?: boolean | undefined;
  idempotencyKey?: string | undefined;
};

/** The import validates elements. */
export async function acceptJson(
  { spool, inTurn }: ImportIntake,
  owner: Owner,
  body: StreamedJson<JsonListInput>,
): Promise<number> {
  await refuseFullAccount(owner);
  const received = await spool.receive(body.text());
  return orNothing(spool, received, async () => {
    const input = body.fields();
    const listName = listNameOf(input.name);
    if (!body.isFound()) throw new AppError("json_not_a_list");
    const looksAtNames = !input.acceptBrokenNames;
    await inTurn(owner, received.bytes, () => inspectJson(spool.path(received.id), looksAtNames));
    return brought(owner, input.idempotencyKey, {
      ...waiting(spool, received, listName),
      fileName: null,
      format: "json",
      form: null,
    });
  });
}

async function inspectJson(file: string, looksAtNames: boolean): Promise<void> {
  const pauses = new Pauses();
  const names = new BrokenNames();
  const sample: unknown[] = [];
  for await (const { elements } of jsonElements(file)) {
    sample.push(...elements.slice(0, SAMPLE_ELEMENTS - sample.length));
    if (!looksAtNames) continue;
    for (const element of elements) {
      names.add(readJsonRow(element).name);
      if (pauses.isDue()) await pauses.take();
    }
  }
  refuseSplitKeys(sample);
  names.refuse();
}

/** Before 100 MB arrive in vain. */
export async function refuseFullAccount(owner: Owner): Promise<void> {
  for (const limit of [WAITING_IMPORTS, LISTS, PEOPLE]) await refuseFull(owner, limit);
}

function waiting(spool: Spool, { id, bytes, sha256 }: Received, listName: string) {
  return { listName, bytes, sha256, spool: id, spoolFolder: spool.folderId };
}

/** Same list, content and key: one import. */
function brought(owner: Owner, key: string | undefined, it: NewImport) {
  const { listName, fileName, format, form, sha256 } = it;
  const submission = submissionOf("import", key, [listName, fileName, format, form, sha256.toString("hex")]);
  return once(owner, submission, async (inside) => {
    await requireRoom(inside, WAITING_IMPORTS);
    return insertImport(inside, it);
  });
}

async function orNothing(
  spool: Spool,
  received: Received,
  work: () => ReturnType<typeof once>,
): Promise<number> {
  try {
    const { made, again } = await work();
    if (again) spool.remove(received.id);
    return made;
  } catch (error) {
    spool.remove(received.id);
    throw error;
  }
}

export function listNameOf(text: string): string {
  const read = cleanName(text);
  if ("error" in read) {
    const tooLong = { code: "too_long", n: CONTACT_NAME_MAX } as const;
    throw fieldError({ name: read.error === "row_bad_text" ? "invalid_text" : tooLong });
  }
  if (read.name === "") throw new AppError("list_name_required");
  return read.name;
}

/** Only displayed, never opened. */
export function fileNameOf(text: string | undefined): string | null {
  const line = text
    ?.replace(/[\p{Cc}\p{Cf}]/gu, "")
    .trim()
    .slice(0, FILE_NAME_CHARS)
    .toWellFormed();
  return line ? line : null;
}

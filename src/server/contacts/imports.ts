import { CONTACT_NAME_MAX, type ImportEncoding } from "../../contract/contacts.ts";
import { cleanName } from "../../domain/contact-name.ts";
import { AppError } from "../../domain/errors.ts";
import { parseJsonList, refuseSplitKeys } from "../../domain/json-contacts.ts";
import { deedOf, once } from "../db/deeds.ts";
import type { Owner } from "../db/owner.ts";
import { fieldError } from "../http/errors.ts";
import { refuseBrokenJsonNames, refuseBrokenNames } from "./broken-names.ts";
import { inspectFile } from "./import-source.ts";
import { insertImport, type NewImport } from "./imports-repo.ts";
import type { Received, Spool } from "./spool.ts";

const FILE_NAME_CHARS = 255;

/**
 * Takes a file that arrives now: all of it onto the disk, a look at its form, then a row that waits for the importer. What can be said
 * of it at once is said at once, as a fault. Answers the import's id.
 */
export async function acceptFile(
  spool: Spool,
  owner: Owner,
  file: {
    name: string;
    fileName?: string | undefined;
    encoding?: ImportEncoding | undefined;
    acceptBrokenNames?: "true" | "false" | undefined;
    idempotencyKey?: string | undefined;
  },
  body: AsyncIterable<Uint8Array>,
): Promise<number> {
  const received = await spool.receive(body);
  return orNothing(spool, received, async () => {
    const listName = listNameOf(file.name);
    const { encoding, layout } = await inspectFile(spool.path(received.id), file.encoding);
    const { separator, header } = layout;
    if (file.acceptBrokenNames !== "true")
      await refuseBrokenNames(spool.path(received.id), { encoding, layout });
    return brought(owner, file.idempotencyKey, {
      ...waiting(spool, received, listName),
      fileName: fileNameOf(file.fileName),
      format: "csv",
      form: { encoding, separator, header },
    });
  });
}

/** The same for JSON: the whole of it is judged here, since it is small; its rows are read in the background. */
export async function acceptJson(
  spool: Spool,
  owner: Owner,
  input: {
    name: string;
    contacts?: unknown;
    acceptBrokenNames?: boolean | undefined;
    idempotencyKey?: string | undefined;
  },
): Promise<number> {
  const listName = listNameOf(input.name);
  const list = parseJsonList(input.contacts);
  refuseSplitKeys(list);
  if (!input.acceptBrokenNames) refuseBrokenJsonNames(list);
  const text = Buffer.from(typeof input.contacts === "string" ? input.contacts : JSON.stringify(list));
  const received = await spool.receive(new Blob([text]).stream());
  return orNothing(spool, received, () =>
    brought(owner, input.idempotencyKey, {
      ...waiting(spool, received, listName),
      fileName: null,
      format: "json",
      form: null,
    }),
  );
}

function waiting(spool: Spool, { id, bytes, sha256 }: Received, listName: string) {
  return { listName, bytes, sha256, spool: id, spoolFolder: spool.folderId };
}

/** The same list from the same content under the same key is one import. */
function brought(owner: Owner, key: string | undefined, it: NewImport) {
  const { listName, fileName, format, form, sha256 } = it;
  const deed = deedOf("import", key, [listName, fileName, format, form, sha256.toString("hex")]);
  return once(owner, deed, (inside) => insertImport(inside, it));
}

/** A file for which no import waits does not stay. */
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

function listNameOf(text: string): string {
  const read = cleanName(text);
  if ("fault" in read) {
    const tooLong = { code: "too_long", n: CONTACT_NAME_MAX } as const;
    throw fieldError({ name: read.fault === "row_bad_text" ? "invalid_text" : tooLong });
  }
  if (read.name === "") throw new AppError("list_name_required");
  return read.name;
}

/** Only shown, never opened: a path or odd signs in it do no harm once it is one short line. */
function fileNameOf(text: string | undefined): string | null {
  const line = text
    ?.replace(/[\p{Cc}\p{Cf}]/gu, "")
    .trim()
    .slice(0, FILE_NAME_CHARS)
    .toWellFormed();
  return line ? line : null;
}

import { CONTACT_NAME_MAX, type ImportEncoding } from "../../contract/contacts.ts";
import { cleanName } from "../../domain/contact-name.ts";
import { AppError } from "../../domain/errors.ts";
import { parseJsonList } from "../../domain/json-contacts.ts";
import type { Owner } from "../db/owner.ts";
import { fieldError } from "../http/errors.ts";
import { inspectFile } from "./import-source.ts";
import { insertImport } from "./imports-repo.ts";
import type { Received, Spool } from "./spool.ts";

const FILE_NAME_CHARS = 255;

/**
 * Takes a file that arrives now: all of it onto the disk, a look at its form, then a row that waits for the importer. What can be said
 * of it at once is said at once, as a fault. Answers the import's id.
 */
export async function acceptFile(
  spool: Spool,
  owner: Owner,
  file: { name: string; fileName?: string | undefined; encoding?: ImportEncoding | undefined },
  body: AsyncIterable<Uint8Array>,
): Promise<number> {
  const received = await spool.receive(body);
  return orNothing(spool, received, async () => {
    const listName = listNameOf(file.name);
    const { encoding, layout } = await inspectFile(spool.path(received.id), file.encoding);
    const { separator, header } = layout;
    return insertImport(owner, {
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
  input: { name: string; contacts?: unknown },
): Promise<number> {
  const listName = listNameOf(input.name);
  const list = parseJsonList(input.contacts);
  const text = Buffer.from(typeof input.contacts === "string" ? input.contacts : JSON.stringify(list));
  const received = await spool.receive(new Blob([text]).stream());
  return orNothing(spool, received, () =>
    insertImport(owner, {
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

async function orNothing(spool: Spool, received: Received, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
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

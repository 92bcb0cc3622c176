import path from "node:path";

/** In the order in which prepared rows are copied. */
export const READY: readonly string[] = [
  "person (id, account_id, phone, name, origin, origin_import_id, origin_row)",
  "membership (list_id, seq, person_id)",
];

export const nameOf = (table: string) => table.slice(0, table.indexOf(" "));
export const columnsOf = (table: string) => table.slice(table.indexOf("(") + 1, -1);

export const readyFile = (folder: string, table: string) =>
  path.join(folder, `ready-${READY.indexOf(table)}.tsv`);

import pino from "pino";
import { openDatabase } from "../../src/server/db/client.ts";

const silent = pino({ level: "silent" });

export function inDatabase(server: string, name: string): string {
  const [address = "", parameters] = server.split("?");
  const path = address.replace(/\/[^/]*$/, `/${name}`);
  return parameters === undefined ? path : `${path}?${parameters}`;
}

export async function onServer(server: string, statement: string): Promise<void> {
  const database = openDatabase(server, { log: silent, max: 1 });
  try {
    await database.query(statement);
  } finally {
    await database.close();
  }
}

/** file_copy takes 24 ms, the default strategy 108. */
export async function createDatabase(server: string, name: string, template: string | null): Promise<void> {
  const from = template === null ? "" : ` template "${template}" strategy file_copy`;
  await onServer(server, `create database "${name}"${from}`);
}

export async function dropDatabase(server: string, name: string): Promise<void> {
  await onServer(server, `drop database if exists "${name}" with (force)`);
}

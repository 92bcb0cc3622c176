import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { type RawBuilder, sql } from "kysely";
import { StartError, systemReason } from "../base/start-error.ts";
import type { Db } from "./client.ts";

/** `table/row` or `table/row/column`; a sealed value opens only in its place. */
export type SecretPlace = string;

export type Secrets = {
  /** Buffer: version, key id, nonce, tag, ciphertext. */
  seal(plain: Uint8Array | string, place: SecretPlace): Buffer;
  /** Throws if altered, moved, or sealed by an unknown key. */
  open(sealed: Uint8Array, place: SecretPlace): Buffer;
  keyIds: readonly Buffer[];
  /** 32 bytes for another purpose; they reveal nothing about the key. */
  derive(purpose: string): Buffer;
  /** Current key first; older ones keep their signatures valid. */
  deriveAll(purpose: string): readonly Buffer[];
};

/** SQL: whether the sealed value in `column` was sealed by none of these keys. */
export const isSealedByOtherKey = (column: RawBuilder<unknown>, { keyIds }: Pick<Secrets, "keyIds">) =>
  sql<boolean>`substring(${column} from 2 for 4) <> all(${keyIds}::bytea[])`;

/** Four characters would reveal too much of a shorter key. */
const HINT_FROM = 12;

export const keyHint = (key: string): string => (key.length < HINT_FROM ? "" : key.slice(-4));

type Key = { id: Buffer; bytes: Buffer };

const VERSION = 1;
const ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + ID_BYTES + NONCE_BYTES + TAG_BYTES;

/**
 * 32 bytes each in base64 or hex, separated by commas or lines. The first seals, all open, so keys can be
 * rotated.
 */
export function createSecrets(text: string): Secrets {
  const keys = text
    .split(/[\s,]+/)
    .filter((part) => part !== "")
    .map(parseKey);
  const current = keys[0];
  if (!current) throw new StartError("A chave secreta está vazia.");
  return {
    seal: (plain, place) => seal(current, Buffer.from(plain), place),
    open: (sealed, place) => open(keys, Buffer.from(sealed), place),
    keyIds: keys.map(({ id }) => id),
    derive: (purpose) => derived(current, purpose),
    deriveAll: (purpose) => keys.map((key) => derived(key, purpose)),
  };
}

const derived = ({ bytes }: Key, purpose: string) =>
  Buffer.from(hkdfSync("sha256", bytes, "recado", purpose, 32));

function parseKey(text: string): Key {
  const bytes = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? "hex" : "base64");
  if (bytes.length !== 32) {
    throw new StartError(
      "Cada chave de RECADO_SECRET_KEY precisa de 32 bytes em base64 ou hexadecimal (openssl rand -base64 32).",
    );
  }
  return {
    id: createHash("sha256").update("recado key id").update(bytes).digest().subarray(0, ID_BYTES),
    bytes,
  };
}

const boundTo = (place: SecretPlace) => Buffer.from(place);

function seal(key: Key, plain: Buffer, place: SecretPlace): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key.bytes, nonce).setAAD(boundTo(place));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), key.id, nonce, cipher.getAuthTag(), body]);
}

const keyIdIn = (sealed: Buffer) => sealed.subarray(1, 1 + ID_BYTES);

function open(keys: Key[], sealed: Buffer, place: SecretPlace): Buffer {
  if (sealed.length < HEADER_BYTES || sealed[0] !== VERSION) throw new Error("not a sealed value");
  const id = keyIdIn(sealed);
  const key = keys.find((candidate) => candidate.id.equals(id));
  if (!key) throw new Error("sealed by a key that we do not have");
  const nonce = sealed.subarray(1 + ID_BYTES, 1 + ID_BYTES + NONCE_BYTES);
  const tag = sealed.subarray(HEADER_BYTES - TAG_BYTES, HEADER_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key.bytes, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(boundTo(place)).setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES)), decipher.final()]);
}

const keyFile = (dataFolder: string) => path.join(dataFolder, "secret.key");

export const newSecretKey = () => randomBytes(32).toString("base64");

/** RECADO_SECRET_KEY, else `secret.key` in the data folder, created at the first start. */
export function readSecretKey(fromEnvironment: string | undefined, dataFolder: string): string {
  if (fromEnvironment !== undefined) return fromEnvironment;
  const file = keyFile(dataFolder);
  const draft = `${file}.${process.pid}`;
  try {
    if (!fs.existsSync(file)) {
      fs.writeFileSync(draft, `${newSecretKey()}\n`, { mode: 0o600, flush: true });
      // A link fails if another process was faster, and never exposes half a key.
      fs.linkSync(draft, file);
    }
  } catch (error) {
    if (!fs.existsSync(file))
      throw new StartError(`Não foi possível criar a chave secreta em ${file}: ${systemReason(error)}.`);
  } finally {
    fs.rmSync(draft, { force: true });
  }
  return readKeyFile(file);
}

export function findSecretKey(fromEnvironment: string | undefined, dataFolder: string): string | null {
  const there = fromEnvironment !== undefined || fs.existsSync(keyFile(dataFolder));
  return there ? readSecretKey(fromEnvironment, dataFolder) : null;
}

/** A key file made by root may be unreadable for the service. */
function readKeyFile(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    throw new StartError(`A chave secreta em ${file} não pode ser lida: ${systemReason(error)}.`);
  }
}

/** First key's canary; later keys use `secret_canary:` plus key id. */
const CANARY_KEY = "secret_canary";
const CANARY_TEXT = "recado";

const canaryPlace = (key: string): SecretPlace => `setting/${key}`;

/**
 * A wrong key would seal new secrets beside unreadable ones. The first start, and the first with a new key,
 * stores a canary.
 */
export async function checkSecretKey(db: Db, secrets: Secrets): Promise<void> {
  await leaveCanary(db, CANARY_KEY, secrets);
  await refuseOtherKey(db, secrets);
  await leaveOwn(db, secrets);
}

export async function refuseOtherKey(db: Db, secrets: Pick<Secrets, "open">): Promise<void> {
  const canaries = await readCanaries(db, secrets);
  if (canaries.every(({ opens }) => opens)) return;
  if (canaries.some(({ opens }) => opens))
    throw new StartError(
      "Falta uma das chaves secretas deste banco de dados: o que foi gravado com ela não pode ser lido. RECADO_SECRET_KEY (ou o arquivo " +
        "secret.key) precisa de todas as que já foram usadas, separadas por vírgula, a mais nova primeiro. Se ela se perdeu: npm run lost-key.",
    );
  throw new StartError(
    "A chave secreta não é a deste banco de dados: as conexões gravadas não podem ser lidas. " +
      "Use o arquivo secret.key (ou RECADO_SECRET_KEY) com que este banco foi criado. Se ele se perdeu: npm run lost-key.",
  );
}

/** Without a canary nothing has been sealed yet. */
export async function opensCanary(db: Db, secrets: Pick<Secrets, "open">): Promise<boolean> {
  return (await readCanaries(db, secrets)).every(({ opens }) => opens);
}

/** Makes these the database's keys; backup/lost-key.ts deletes the unreadable secrets first. */
export async function renewCanary(tx: Db, secrets: Secrets): Promise<void> {
  const lost = (await readCanaries(tx, secrets)).filter(({ opens }) => !opens).map(({ key }) => key);
  await sql`delete from setting where key = any(${lost})`.execute(tx);
  await leaveCanary(tx, CANARY_KEY, secrets);
  await leaveOwn(tx, secrets);
}

type Canary = { key: string; sealed: Buffer; opens: boolean };

async function readCanaries(db: Db, { open }: Pick<Secrets, "open">): Promise<Canary[]> {
  const { rows } = await sql<{ key: string; value: string }>`
    select key, value from setting where key = ${CANARY_KEY} or starts_with(key, ${`${CANARY_KEY}:`})`.execute(
    db,
  );
  return rows.map(({ key, value }) => {
    const sealed = Buffer.from(value, "base64");
    try {
      return { key, sealed, opens: open(sealed, canaryPlace(key)).toString() === CANARY_TEXT };
    } catch {
      return { key, sealed, opens: false };
    }
  });
}

/** A later start without this key could not read its secrets. */
async function leaveOwn(db: Db, secrets: Secrets): Promise<void> {
  const [current] = secrets.keyIds;
  const known = await readCanaries(db, secrets);
  if (!current || known.some(({ sealed }) => keyIdIn(sealed).equals(current))) return;
  await leaveCanary(db, `${CANARY_KEY}:${current.toString("hex")}`, secrets);
}

async function leaveCanary(db: Db, key: string, secrets: Pick<Secrets, "seal">): Promise<void> {
  const fresh = JSON.stringify(secrets.seal(CANARY_TEXT, canaryPlace(key)).toString("base64"));
  await sql`insert into setting (key, value) values (${key}, ${fresh}::jsonb) on conflict do nothing`.execute(
    db,
  );
}

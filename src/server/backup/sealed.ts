import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  type ScryptOptions,
  scrypt,
  timingSafeEqual,
} from "node:crypto";
import { StartError } from "../base/start-error.ts";
import { damaged } from "./error.ts";

/**
 * scrypt derives two keys: one seals 64 KiB chunks (AES-256-GCM), one checks the passphrase. The nonce counts
 * chunks and marks the last, so none can be dropped or moved.
 */
export const SEALED_MAGIC = "RECADO SEALED 1\n";

const SALT = 16;
const CHECK = 16;
const COSTS = 3;
export const SEALED_HEADER = SEALED_MAGIC.length + COSTS + SALT + CHECK;
const CHUNK = 64 * 1024;
const TAG = 16;
/** 128 MB and half a second per guess. */
const COST = { log2N: 17, r: 8, p: 1 };
/** A damaged header must not exhaust memory. */
const MOST = { log2N: 20, r: 16, p: 4 };

type Cost = typeof COST;

export type Seal = { header: Buffer; key: Buffer };

export async function newSeal(passphrase: string, cost: Cost = COST): Promise<Seal> {
  const salt = randomBytes(SALT);
  const open = Buffer.concat([Buffer.from(SEALED_MAGIC), Buffer.of(cost.log2N, cost.r, cost.p), salt]);
  const { key, check } = await keysOf(passphrase, open);
  return { header: Buffer.concat([open, check]), key };
}

/** Throws a StartError for a wrong passphrase. */
export async function openSeal(passphrase: string, header: Buffer): Promise<Seal> {
  if (header.length !== SEALED_HEADER) throw damaged("cabeçalho");
  const { key, check } = await keysOf(passphrase, header.subarray(0, SEALED_HEADER - CHECK));
  if (!timingSafeEqual(check, header.subarray(SEALED_HEADER - CHECK)))
    throw new StartError(
      "A senha não abre esta cópia: RECADO_BACKUP_PASSPHRASE não é a que a fez, ou o começo do arquivo está danificado. " +
        "Nada foi restaurado.",
    );
  return { header, key };
}

async function keysOf(passphrase: string, open: Buffer): Promise<{ key: Buffer; check: Buffer }> {
  const [log2N = 0, r = 0, p = 0] = open.subarray(SEALED_MAGIC.length);
  if (log2N < 1 || log2N > MOST.log2N || r < 1 || r > MOST.r || p < 1 || p > MOST.p)
    throw damaged("cabeçalho");
  const N = 2 ** log2N;
  const options = { N, r, p, maxmem: 256 * N * r };
  const both = await derive(passphrase.normalize("NFC"), open.subarray(-SALT), options);
  const check = createHmac("sha256", both.subarray(32)).update(open).digest().subarray(0, CHECK);
  return { key: both.subarray(0, 32), check };
}

function derive(passphrase: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase, salt, 64, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function nonceOf(chunk: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(chunk), 3);
  nonce[11] = last ? 1 : 0;
  return nonce;
}

/** Equal chunks; only the marked last one may be shorter. */
async function* inChunks(content: AsyncIterable<Buffer>, size: number) {
  let pending: Buffer = Buffer.alloc(0);
  let index = 0;
  for await (const chunk of content) {
    pending = Buffer.concat([pending, chunk]);
    let at = 0;
    for (; pending.length - at > size; at += size)
      yield { bytes: pending.subarray(at, at + size), index: index++, last: false };
    pending = pending.subarray(at);
  }
  yield { bytes: pending, index, last: true };
}

export async function* sealStream(
  { header, key }: Seal,
  content: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  yield header;
  for await (const { bytes, index, last } of inChunks(content, CHUNK)) {
    const cipher = createCipheriv("aes-256-gcm", key, nonceOf(index, last)).setAAD(header);
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }
}

export async function* openStream(
  { header, key }: Seal,
  content: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  for await (const { bytes, index, last } of inChunks(content, CHUNK + TAG)) {
    const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(index, last), { authTagLength: TAG });
    if (bytes.length < TAG) throw damaged("fim do arquivo");
    decipher.setAAD(header).setAuthTag(bytes.subarray(-TAG));
    try {
      yield Buffer.concat([decipher.update(bytes.subarray(0, -TAG)), decipher.final()]);
    } catch {
      throw damaged(last ? "fim do arquivo" : `parte ${index + 1}`);
    }
  }
}

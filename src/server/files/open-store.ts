import { randomUUID } from "node:crypto";
import type { Config } from "../base/config.ts";
import { StartError } from "../base/start-error.ts";
import type { Db } from "../db/client.ts";
import { addSetting, readSetting } from "../db/settings.ts";
import { type ByteStore, DiskStore } from "./byte-store.ts";
import { type S3Deps, S3Store } from "./s3-store.ts";
import { StoreAfterDisk } from "./store-after-disk.ts";

export type OpenedStore = { store: ByteStore; s3: S3Store | null };

export async function openStore(
  { s3: config }: Pick<Config, "s3">,
  dataFolder: string,
  log: S3Deps["log"],
): Promise<OpenedStore> {
  const disk = new DiskStore(dataFolder);
  if (config === null) return { store: disk, s3: null };
  const s3 = await S3Store.open(config, { log });
  return { store: new StoreAfterDisk(disk, s3), s3 };
}

/** For the start. Throws a StartError; returns what the operator should read, or null. */
export async function checkStore({ s3 }: OpenedStore, db: Db): Promise<string | null> {
  if (s3 === null) return null;
  await addSetting(db, "installation", randomUUID());
  const silent = await s3.check(String(await readSetting(db, "installation")));
  return (
    silent &&
    `O armazenamento S3 não responde: ${silent}. Até que responda, arquivos não são vistos, recebidos nem enviados.`
  );
}

/** A restore that fails takes its files back, and must not take those of another installation. */
export async function refuseFilledStore({ s3 }: OpenedStore): Promise<void> {
  if (s3 === null) return;
  for await (const _ of s3.keys())
    throw new StartError(
      "O bucket já tem arquivos do Recado: nada foi restaurado. Dê à cópia um bucket ou uma pasta só dela, " +
        "como RECADO_S3_BUCKET=bucket/pasta.",
    );
}

import fs from "node:fs";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { sql } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
import { ownerOf } from "../../src/server/db/owner.ts";
import { checkSecretKey, createSecrets, readSecretKey } from "../../src/server/db/secrets.ts";
import { S3Store } from "../../src/server/files/s3-store.ts";
import { runProgram, temporaryFolder } from "../support/backup.ts";
import { accountRow, imageRow } from "../support/campaign-rows.ts";
import { composeApp } from "../support/compose-app.ts";
import { testDatabase, testLog } from "../support/database.ts";
import { pdf } from "../support/media-files.ts";
import { startS3 } from "../support/s3-stand-in.ts";

vi.setConfig({ testTimeout: 120_000 });

const s3 = await startS3();
const { db, database, url } = await testDatabase();

test("what is uploaded, and what lay in the database, is kept in the bucket and comes from it", async () => {
  const { services, close } = await composeApp({ database, log: testLog, env: s3.env("app") });
  onTestFinished(close);
  expect(services.storeNotice).toBeNull();
  const account = await accountRow(db);
  const request = {
    headers: new Headers({ "content-length": String(pdf().length) }),
    signal: new AbortController().signal,
  };
  const body = new Blob([pdf()]).stream();
  const { id } = await services.files.upload(ownerOf(db, account), { name: "maio.pdf" }, body, request);
  const shown = await services.files.show(ownerOf(db, account), id, {
    headers: new Headers({ range: "bytes=1-3" }),
  });
  expect([shown.status, await shown.text()]).toEqual([206, String(pdf().subarray(1, 4))]);
  await imageRow(db, account);
  await services.files.moveStored(db);
  const keys = sql<{ key: string }>`select stored_as as key from attachment where stored_as is not null`;
  const { rows } = await keys.execute(db);
  expect(rows).toHaveLength(2);
  for (const { key } of rows) expect([...s3.objects.keys()]).toContain(`app/${key.slice(0, 2)}/${key}`);
});

test("a wrong key ends the start; a store that is away is said, and all else starts", async () => {
  const wrong = { ...s3.env("app"), RECADO_S3_SECRET_KEY: "wrong-secret" };
  await expect(composeApp({ database, log: testLog, env: wrong })).rejects.toThrow(
    /O armazenamento S3 \(recado\/app\/ em .*\) não serve: RECADO_S3_SECRET_KEY não é a desta chave/,
  );
  await s3.stop();
  onTestFinished(() => s3.start());
  const { services, close } = await composeApp({ database, log: testLog, env: s3.env("app") });
  onTestFinished(close);
  expect(services.storeNotice).toMatch(/O armazenamento S3 não responde: ninguém atende/);
});

test("a backup holds the files of the bucket, and a restore writes them into an empty one alone", async () => {
  const folder = temporaryFolder();
  const data = path.join(folder, "original");
  fs.mkdirSync(data);
  await checkSecretKey(db, createSecrets(readSecretKey(undefined, data)));
  const kept = await S3Store.open(s3.config({ folder: "backup/" }), { log: testLog });
  const key = "5c0f7a4e-0000-4000-8000-000000000002";
  await kept.put(key, pdf("of the bucket"));
  await sql`insert into attachment (account_id, sha256, kind, name, mime, size, stored_as)
    values (${await accountRow(db)}::uuid, '', 'document', 'a.pdf', 'application/pdf', 9, ${key})`.execute(
    db,
  );

  const file = path.join(folder, "copia.recado");
  const from = { DATABASE_URL: url, RECADO_DATA: data, ...s3.env("backup") };
  expect(await runProgram("backup", [file], from)).toMatchObject({ code: 0 });

  const target = await testDatabase({ empty: true });
  const to = { ...from, DATABASE_URL: target.url, RECADO_DATA: path.join(folder, "nova") };
  const refused = await runProgram("restore", [file], to);
  expect(refused).toMatchObject({ code: 1, errors: expect.stringMatching(/O bucket já tem arquivos/) });
  const restored = await runProgram("restore", [file], { ...to, ...s3.env("copy") });
  expect(restored).toMatchObject({ code: 0, output: expect.stringMatching(/Restaurado/) });
  const copy = await S3Store.open(s3.config({ folder: "copy/" }), { log: testLog });
  expect((await buffer(await copy.open(key))).equals(pdf("of the bucket"))).toBe(true);

  await s3.stop();
  onTestFinished(() => s3.start());
  const away = await runProgram("backup", [path.join(folder, "outra.recado")], from);
  expect(away).toMatchObject({ code: 1, errors: expect.stringMatching(/arquivos anexos não atende/) });
  expect(fs.readdirSync(folder).sort()).toEqual(["copia.recado", "nova", "original"]);
});

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, onTestFinished } from "vitest";
import type { ContactImportReport } from "../../src/contract/contacts.ts";
import type { Clock } from "../../src/domain/clock.ts";
import { systemClock } from "../../src/server/base/clock.ts";
import { personChats, repliesOf } from "../../src/server/chat/service.ts";
import { contactImporter, type Importer } from "../../src/server/contacts/importer.ts";
import { openPeople } from "../../src/server/contacts/people.ts";
import { mountPeople } from "../../src/server/contacts/people-routes.ts";
import { mountContacts } from "../../src/server/contacts/routes.ts";
import { ContactService } from "../../src/server/contacts/service.ts";
import { openSpool, type Spool } from "../../src/server/contacts/spool.ts";
import type { Database } from "../../src/server/db/client.ts";
import type { Changes } from "../../src/server/db/live-updates.ts";
import { createSecrets } from "../../src/server/db/secrets.ts";
import { deleteUnrecognizedOf } from "../../src/server/gateways/service.ts";
import { type App, createApp } from "../../src/server/http/app.ts";
import { Downloads } from "../../src/server/jobs/downloads.ts";
import { FairQueues } from "../../src/server/jobs/fair-queue.ts";
import { type TestDatabase, testLog } from "./database.ts";

export type Got<T> = { status: number; body: T; text: string; headers: Headers };

type ProcessOptions = { alone?: boolean; database?: Database; clock?: Pick<Clock, "monotonic"> };

export type ContactsApp = {
  app: App;
  spool: Spool;
  dataFolder: string;
  importer: Importer;
  anotherProcess(options?: ProcessOptions): Importer;
  as(accountId: string): {
    call<T>(method: string, path: string, body?: unknown): Promise<Got<T>>;
    raw<T>(path: string, body: Uint8Array | string, type: string): Promise<Got<T>>;
    upload<T>(query: Record<string, string>, body: Uint8Array | string, type?: string): Promise<Got<T>>;
    report(importId: number): Promise<ContactImportReport>;
    import(body: Uint8Array | string, query?: Record<string, string>): Promise<ContactImportReport>;
  };
};

export const testSecrets = createSecrets(Buffer.alloc(32, 7).toString("base64"));

export function contactsApp(
  { db, database }: TestDatabase,
  options: { maxRows?: number; stallMs?: number; mark?: Changes["mark"] } = {},
): ContactsApp {
  const dataFolder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-contacts-"));
  whenDone(() => fs.rmSync(dataFolder, { recursive: true, force: true }));
  const spool = openSpool(dataFolder, options.stallMs);
  const changes = { mark: options.mark ?? (() => undefined) };
  const process = (its: ProcessOptions = {}) =>
    contactImporter({
      database: its.database ?? database,
      spool,
      changes,
      clock: its.clock ?? systemClock,
      queues: new FairQueues(its.clock ?? systemClock),
      log: testLog,
      secrets: testSecrets,
      alone: its.alone ?? false,
      ...(options.maxRows === undefined ? {} : { maxRows: options.maxRows }),
    });
  const importer = process();
  const app = createApp({
    db,
    log: testLog,
    publicOrigin: null,
    trustedProxies: 0,
    authenticate: async (request) => {
      const accountId = request.headers.get("x-account");
      return accountId ? { accountId, via: "session", sessionId: "1" } : null;
    },
  });
  const queues = new FairQueues(systemClock);
  const downloads = new Downloads(queues);
  const service = new ContactService({
    spool,
    queues,
    downloads,
    importer: { kick: () => undefined },
    changes,
    secrets: testSecrets,
    timeZoneOf: async () => "America/Sao_Paulo",
  });
  mountContacts(app, service);
  mountPeople(
    app,
    openPeople({
      ...{ changes, downloads, repliesOf, secrets: testSecrets, chats: personChats },
      deleteEventsOf: deleteUnrecognizedOf,
      timeZoneOf: async () => "America/Sao_Paulo",
    }),
  );
  return {
    app,
    spool,
    dataFolder,
    importer,
    anotherProcess: process,
    as: (id) => callsAs(app, importer, id),
  };
}

function callsAs(app: App, importer: Importer, accountId: string): ReturnType<ContactsApp["as"]> {
  const request = async <T>(method: string, place: string, body?: BodyInit, type?: string) => {
    const headers = { "x-account": accountId, ...(type ? { "content-type": type } : {}) };
    const response = await app.hono.request(place, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await response.arrayBuffer());
    const json = response.headers.get("content-type")?.includes("json");
    return {
      status: response.status,
      body: (json ? JSON.parse(text) : text) as T,
      text,
      headers: response.headers,
    };
  };
  const call = <T>(method: string, place: string, body?: unknown) =>
    body === undefined
      ? request<T>(method, place)
      : request<T>(method, place, JSON.stringify(body), "application/json");
  const upload = <T>(query: Record<string, string>, body: Uint8Array | string, type = "text/csv") =>
    request<T>("POST", `/api/contact-imports?${new URLSearchParams(query)}`, Buffer.from(body), type);
  const report = async (importId: number) => {
    const look = async () =>
      (await call<ContactImportReport>("GET", `/api/contact-imports/${importId}`)).body;
    await importer.tick();
    // It may run already, without a promise to await.
    await expect.poll(async () => (await look()).state).toMatch(/done|failed/);
    return look();
  };
  return {
    call,
    raw: <T>(place: string, body: Uint8Array | string, type: string) =>
      request<T>("POST", place, Buffer.from(body), type),
    upload,
    report,
    async import(body, query = { name: "Clientes" }) {
      const { status, body: made, text } = await upload<{ id: number }>(query, body);
      if (status !== 202) throw new Error(`the upload was refused: ${status} ${text}`);
      return report(made.id);
    },
  };
}

/** A file hook registered within a test is never called. */
function whenDone(clean: () => void): void {
  try {
    onTestFinished(clean);
  } catch {
    afterAll(clean);
  }
}

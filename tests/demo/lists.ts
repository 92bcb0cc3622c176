import { setTimeout as pause } from "node:timers/promises";
import type { ContactImportReport } from "../../src/contract/contacts.ts";
import type { Client } from "../support/client.ts";
import { type DemoPerson, demoPeople, writtenPhone } from "./people.ts";

export type DemoList = { id: number; people: DemoPerson[] };
export type DemoLists = { vip: DemoList; savassi: DemoList; ready: DemoList };

export async function importLists(call: Client): Promise<DemoLists> {
  const vip = demoPeople(0, 320);
  const savassi = demoPeople(400, 96);
  const ready = demoPeople(600, 64);
  const people = (list: DemoPerson[]) => list.map(({ name, phone }) => ({ name, phone }));
  return {
    savassi: await imported(call, "/api/contact-imports/json", savassi, {
      name: "Clientes Savassi",
      contacts: people(savassi),
    }),
    ready: await imported(call, fileImport("Óculos prontos", "oculos-prontos.csv"), ready, commaFile(ready)),
    vip: await imported(call, fileImport("Clientes VIP", "clientes-vip.csv"), vip, excelFile(vip)),
  };
}

const fileImport = (name: string, fileName: string) =>
  `/api/contact-imports?${new URLSearchParams({ name, fileName })}`;

async function imported(call: Client, path: string, people: DemoPerson[], body: unknown): Promise<DemoList> {
  const { id } = await call<ContactImportReport>("POST", path, body);
  for (;;) {
    const { state, listId, fault } = await call<ContactImportReport>("GET", `/api/contact-imports/${id}`);
    if (state === "failed") throw new Error(`import refused: ${fault?.error}`);
    if (state === "done" && listId !== null) return { id: listId, people };
    await pause(50);
  }
}

function excelFile(people: DemoPerson[]): Uint8Array {
  const rows = people.map(({ name, phone }) => `${name};${writtenPhone(phone)}`);
  const spoilt = [rows[0], "Recepção;", "Ótica Pampulha;5,51199E+12"];
  return Buffer.from(`${["Nome;Telefone", ...rows, ...spoilt].join("\r\n")}\r\n`, "latin1");
}

const commaFile = (people: DemoPerson[]): Uint8Array =>
  Buffer.from(`name,phone\n${people.map(({ name, phone }) => `${name},${phone}\n`).join("")}`);

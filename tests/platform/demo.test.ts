import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Me } from "../../src/contract/accounts.ts";
import type { Campaign, CampaignPage, DeliveryPage } from "../../src/contract/campaigns.ts";
import type { AgentAnswer, Chat } from "../../src/contract/chats.ts";
import type { Connection } from "../../src/contract/connections.ts";
import type { ContactListCard } from "../../src/contract/contacts.ts";
import type { Dashboard } from "../../src/contract/dashboard.ts";
import type { Gateway, Instance } from "../../src/contract/gateways.ts";
import { type Client, clientOf } from "../support/client.ts";
import { COMPILED } from "../support/server.ts";

const ROOT = path.join(import.meta.dirname, "..", "..");
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "recado-demo-"));
fs.chmodSync(temporary, 0o755);

let demo: ChildProcess | null = null;
afterEach(() => {
  demo?.kill("SIGKILL");
  fs.rmSync(temporary, { recursive: true, force: true });
});

function startDemo(port: number) {
  const child = spawn(process.execPath, ["tests/demo/main.ts", "--port", String(port)], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: os.homedir(), TMPDIR: temporary, ...COMPILED },
  });
  demo = child;
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return { child, output: () => output };
}

const said = (output: string, word: string) => new RegExp(`^ +${word} +(.+)$`, "m").exec(output)?.[1] ?? "";

async function campaignsOf(call: Client): Promise<Map<string, Campaign>> {
  const { items } = await call<CampaignPage>("GET", "/api/campaigns");
  return new Map(items.map((each) => [each.name, each]));
}

async function stateOf(call: Client, id: number | null): Promise<string | undefined> {
  const { connections } = await call<{ connections: Connection[] }>("GET", "/api/connections");
  return connections.find((connection) => connection.id === id)?.state;
}

async function expectTalks(call: Client, connections: Connection[]): Promise<void> {
  const chatsAt = async (name: string) => {
    const id = connections.find((connection) => connection.name === name)?.id;
    const { chats } = await call<{ chats: Chat[] }>("GET", `/api/chats?connectionId=${id}`);
    return { id, chats };
  };
  const { chats: atDevice } = await chatsAt("Matriz – Centro");
  const talks = atDevice.filter(({ last }) => last.text !== "Quero sim! Vocês abrem no sábado?");
  expect(talks.map(({ last }) => last.kind).sort()).toEqual(["image", "text", "text"]);
  expect(talks.filter(({ optedOut }) => optedOut)).toHaveLength(1);

  const { id, chats: atInstance } = await chatsAt("loja-savassi");
  const states = atInstance.map(({ assistant }) => assistant.state);
  expect(states.filter((state) => state === "paused")).toHaveLength(1);
  expect(states.filter((state) => state === "on").length).toBeGreaterThanOrEqual(1);
  const { answers } = await call<{ answers: AgentAnswer[] }>(
    "GET",
    `/api/connections/${id}/assistant/answers`,
  );
  expect(answers.filter(({ state }) => state === "sent").length).toBeGreaterThanOrEqual(2);
  expect(answers.filter(({ state }) => state === "failed")).toEqual([]);
}

async function expectFirstSteps(call: Client, url: string): Promise<Client> {
  const none = { connect: false, contacts: false, test: false, campaign: false };
  const all = { connect: true, contacts: true, test: true, campaign: true };
  expect(await call("GET", "/api/dashboard/first-steps")).toEqual(all);
  const visitor = clientOf(url);
  const password = "uma frase de senha longa";
  const person = { name: "Visita", email: "visita@exemplo.com.br", password, confirmPassword: password };
  const me = await visitor<Me>("POST", "/api/signup", { ...person, acceptTerms: true });
  expect(me).toMatchObject({ stepsHidden: false, riskRead: false });
  expect(await visitor("GET", "/api/dashboard/first-steps")).toEqual(none);
  return visitor;
}

async function expectPhone(call: Client, deviceId: string): Promise<void> {
  await call("POST", "/api/whatsapp/connect", { deviceId, connectionName: "Filial" });
  const status = () => call<{ status: string }>("GET", `/api/whatsapp/status/${deviceId}`);
  await expect.poll(async () => (await status()).status).toBe("connected");
}

test("the demonstration starts on another port when its own is taken, and shows the main job", async () => {
  const taken = net.createServer();
  await once(taken.listen(0, "127.0.0.1"), "listening");
  const { port } = taken.address() as net.AddressInfo;
  const { child, output } = startDemo(port);
  await expect
    .poll(output, { timeout: 400_000, interval: 100 })
    .toMatch(/Ctrl-C encerra tudo|terminou|\bError\b/);
  taken.close();
  const url = said(output(), "Endereço");
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(url).not.toContain(`:${port}`);

  const call = clientOf(url);
  await call("POST", "/api/login", { email: said(output(), "E-mail"), password: said(output(), "Senha") });
  const { connections } = await call<{ connections: Connection[] }>("GET", "/api/connections");
  expect(connections.map(({ name, kind, state }) => [name, kind, state])).toEqual([
    ["Matriz – Centro", "device", "connected"],
    ["loja-savassi", "instance", "connected"],
    ["loja-pampulha", "instance", "pending"],
  ]);
  const { items: lists } = await call<{ items: ContactListCard[] }>("GET", "/api/contact-lists");
  expect(lists.map(({ name, count }) => [name, count])).toEqual([
    ["Clientes VIP", 320],
    ["Óculos prontos", 64],
    ["Clientes Savassi", 96],
  ]);

  const campaigns = await campaignsOf(call);
  expect(
    [...campaigns.values()].map(({ name, status, attachment }) => [name, status, attachment !== null]),
  ).toEqual([
    ["Black Friday – clientes VIP", "sending", true],
    ["Loja Savassi reformada", "completed", false],
    ["Seus óculos chegaram", "partially_completed", false],
    ["Coleção primavera", "completed", true],
    ["Pesquisa de satisfação", "completed", false],
    ["Natal antecipado", "scheduled", true],
    ["Volta às aulas", "draft", false],
  ]);
  const running = campaigns.get("Black Friday – clientes VIP");
  expect(running?.people).toBe(320);
  expect(output()).toContain(`/campaigns?detalhes=${running?.id}`);
  const minutes =
    (Date.parse(running?.progress?.endsAt ?? "") - Date.parse(running?.startedAt ?? "")) / 60_000;
  expect(minutes).toBeGreaterThan(13);
  expect(minutes).toBeLessThan(20);

  const failed = campaigns.get("Seus óculos chegaram");
  expect(failed?.counts).toMatchObject({ total: 64, sent: 56, errors: 8, remaining: 0, uncertain: 0 });
  const { items: errors } = await call<DeliveryPage>(
    "GET",
    `/api/campaigns/${failed?.id}/deliveries?status=error`,
  );
  expect(new Set(errors.map(({ reason }) => reason))).toEqual(new Set(["not_on_whatsapp", "wa_406"]));
  await expect
    .poll(async () => (await campaignsOf(call)).get("Pesquisa de satisfação")?.counts.read)
    .toBe(72);

  await expectTalks(call, connections);
  const visitor = await expectFirstSteps(call, url);
  await expectPhone(call, "5521907771234");
  await expectPhone(visitor, "5521907774321");

  const [gateway] = (await call<{ gateways: Gateway[] }>("GET", "/api/gateways")).gateways;
  const made = { instanceName: "quiosque", number: "31 90777-6632", token: "token-quiosque" };
  const { connectionId } = await call<Instance>("POST", `/api/gateways/${gateway?.id}/instances`, made);
  await expect.poll(() => stateOf(call, connectionId)).toBe("connected");

  const { cards, statuses, gauge } = await call<Dashboard>("GET", "/api/dashboard");
  expect(statuses.total).toBe(7);
  expect(cards.contacts.value).toBe(480);
  expect(cards.sent.value).toBeGreaterThanOrEqual(96 + 96 + 56 + 95);
  expect(gauge.errors).toBeGreaterThanOrEqual(8);

  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(fs.readdirSync(temporary)).toEqual([]);
}, 600_000);

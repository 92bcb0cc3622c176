import { setTimeout as pause } from "node:timers/promises";
import type { Campaign, CampaignInput } from "../../src/contract/campaigns.ts";
import type { Attachment } from "../../src/contract/files.ts";
import type { Client } from "../support/client.ts";
import type { DemoLists } from "./lists.ts";
import { demoPicture } from "./picture.ts";

const ZONE = "America/Sao_Paulo";
const RUNNING_INTERVAL_S = 3;

export async function sendTest(call: Client, number: string): Promise<void> {
  const text = "Oi, {nome}! A coleção *primavera* chegou.";
  await call("POST", "/api/campaigns/test", { number, text, name: "Marina" });
}

export async function createCampaigns(call: Client, lists: DemoLists): Promise<void> {
  await create(call, {
    name: "Volta às aulas",
    text: "Oi, {nome}! Antes de comprar o material, que tal um exame de vista para as crianças?",
    intent: "draft",
    intervalS: 60,
  });
  await create(call, {
    name: "Natal antecipado",
    text: "{nome}, o presente deste ano pode ser um novo olhar. Reservamos condições especiais para quem já é cliente.",
    listId: lists.vip.id,
    attachmentId: await picture(call, "spring"),
    intervalS: 60,
    extraS: 30,
    schedule: { kind: "at", wall: tomorrowAtNine(), zone: ZONE },
  });
  await finish(call, {
    name: "Pesquisa de satisfação",
    text: "Oi, {nome}, como foi seu atendimento? De 0 a 10, quanto você indicaria a Ótica Horizonte a um amigo?",
    listId: lists.savassi.id,
  });
  await finish(call, {
    name: "Coleção primavera",
    text: "{nome}, a coleção *primavera* chegou à loja da Savassi. Venha experimentar!",
    listId: lists.savassi.id,
    attachmentId: await picture(call, "spring"),
  });
  await finish(call, {
    name: "Seus óculos chegaram",
    text: "{nome}, seus óculos estão prontos! Pode retirar na loja do Centro, de segunda a sábado, das 9h às 19h.",
    listId: lists.ready.id,
  });
}

export async function createAtInstance(call: Client, lists: DemoLists, connectionId: number): Promise<void> {
  await finish(call, {
    name: "Loja Savassi reformada",
    text: "Oi, {nome}! A loja da Savassi reabriu, maior e mais clara. Passe para um café e uma limpeza grátis dos seus óculos.",
    listId: lists.savassi.id,
    connectionId,
  });
}

export async function createRunning(call: Client, lists: DemoLists): Promise<Campaign> {
  return create(call, {
    name: "Black Friday – clientes VIP",
    text: "Oi, {nome}! A Black Friday da Ótica Horizonte começou mais cedo para você: *40% de desconto* em todas as armações até domingo.",
    listId: lists.vip.id,
    attachmentId: await picture(call, "sale"),
    intervalS: RUNNING_INTERVAL_S,
  });
}

type Named = Partial<CampaignInput> & { name: string };

const create = (call: Client, input: Named) =>
  call<Campaign>("POST", "/api/campaigns", { intent: "create", intervalS: 0, ...input });

const finish = async (call: Client, input: Named) => ended(call, (await create(call, input)).id);

const picture = async (call: Client, theme: "spring" | "sale") =>
  (await call<Attachment>("POST", "/api/attachments", await demoPicture(theme))).id;

async function ended(call: Client, id: number): Promise<void> {
  for (;;) {
    const { endedAt } = await call<Campaign>("GET", `/api/campaigns/${id}`);
    if (endedAt !== null) return;
    await pause(100);
  }
}

function tomorrowAtNine(): string {
  const day = new Intl.DateTimeFormat("sv-SE", { timeZone: ZONE }).format(Date.now() + 24 * 3_600_000);
  return `${day}T09:00`;
}

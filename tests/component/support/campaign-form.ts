import { expect } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { CampaignInput } from "../../../src/contract/campaigns.ts";
import type { EndpointKey } from "../../../src/web/api/call.ts";
import { type Handler, refuse } from "./endpoints.ts";
import type { FakeServer } from "./fake-server.ts";
import { attachment, campaign, uploaded } from "./rows.ts";
import { button, press } from "./screen.ts";
import type { World } from "./world.ts";

export const name = () => page.getByLabelText("Nome da campanha");
export const text = () => page.getByRole("textbox", { name: "Texto", exact: true });
export const list = () => page.getByLabelText("Lista de contatos");
export const connectionField = () => page.getByLabelText("Conexão WhatsApp");
export const interval = () => page.getByLabelText("Intervalo entre mensagens");
export const preview = () => page.getByRole("complementary", { name: "Pré-visualização" });
export const recovered = () => page.getByText("Recuperamos o que você tinha escrito.");
export const card = (title: string) => page.getByRole("article", { name: title, exact: true });
export const lastLook = () => page.getByRole("alertdialog", { name: /^Conferir antes de / });

export async function confirmLook(): Promise<void> {
  await typeTotal();
  await button(/^(Criar Campanha|Agendar)$/, lastLook()).click();
}

export async function typeTotal(): Promise<void> {
  await expect.element(lastLook()).toBeVisible();
  await expect.element(lastLook()).not.toMatchTextContent("Contando...");
  const total = lastLook().getByLabelText(/^Para confirmar, digite o total: /);
  if (total.elements().length === 0) return;
  const { people = "" } = /: (?<people>[\d.]+)/.exec(lastLook().element().textContent ?? "")?.groups ?? {};
  await total.fill(people);
}

export async function createCampaign(): Promise<void> {
  await press("Criar Campanha");
  await confirmLook();
}

export async function fill(title: string, chosen: string): Promise<void> {
  await name().fill(title);
  await text().fill("Oi, {nome}! *40%* até domingo.");
  await list().selectOptions(chosen);
}

/** While `lost`, what was done is not heard of. */
export function losable<K extends EndpointKey>(server: FakeServer, key: K, handler: Handler<K>) {
  const answers = { lost: false };
  server.on(key, (call) => {
    const answer = handler(call);
    if (answers.lost) throw new TypeError("Failed to fetch");
    return answer;
  });
  return answers;
}

export function savesCampaigns(server: FakeServer): { lost: boolean } {
  const { world } = server;
  const done = new Map<string, { content: string; id: number }>();
  const saved = (id: number) => {
    const { inPeriod: _, ...row } = world.campaigns.find((each) => each.id === id) ?? campaign();
    return row;
  };
  const once = ({ idempotencyKey = "", ...content }: CampaignInput, store: () => number) => {
    const before = done.get(idempotencyKey);
    if (before && before.content !== JSON.stringify(content)) throw refuse("idempotency_mismatch");
    const id = before?.id ?? store();
    done.set(idempotencyKey, { content: JSON.stringify(content), id });
    void server.publish("campaigns");
    return saved(id);
  };
  server.on("PUT /api/campaigns/{id}", ({ params: { id }, body: { basedOn, ...body } }) =>
    once(body, () => {
      const { updatedAt } = saved(id);
      if (basedOn !== updatedAt) throw refuse("campaign_changed", { details: { updatedAt } });
      const row = { ...rowOf(world, body), id };
      world.campaigns = world.campaigns.map((each) => (each.id === id ? row : each));
      return id;
    }),
  );
  return losable(server, "POST /api/campaigns", ({ body }) =>
    once(body, () => {
      const row = rowOf(world, body);
      world.campaigns = [...world.campaigns, row];
      return row.id;
    }),
  );
}

function rowOf({ connections, lists }: World, body: CampaignInput) {
  const { intent, schedule, intervalS, extraS, ...rest } = body;
  const { keepPlaceholders: _, idempotencyKey: __, attachmentId, moreAttachmentIds, ...fields } = rest;
  const through = connections.find(({ id }) => id === fields.connectionId) ?? connections[0];
  const sends = through?.state === "connected" && through.cause === null;
  const at = schedule.kind === "at" ? new Date(`${schedule.wall}:00-03:00`).toISOString() : null;
  const running = sends ? ("sending" as const) : ("paused" as const);
  const created = at === null ? running : ("scheduled" as const);
  const status = intent === "draft" ? "draft" : created;
  // «Conexão padrão» takes its connection at the start.
  const bound = fields.connectionId !== null || (status !== "draft" && status !== "scheduled");
  return campaign({
    ...fields,
    status,
    schedule,
    intervalS: Number(intervalS),
    extraS: Number(extraS),
    attachment: attachmentId === null ? null : attachment({ id: attachmentId }),
    moreAttachments: moreAttachmentIds.map((id) => attachment({ id })),
    scheduledAt: at,
    updatedAt: new Date().toISOString(),
    connectionId: bound ? (through?.id ?? null) : null,
    connectionName: bound ? (through?.name ?? null) : null,
    listName: lists.find(({ id }) => id === fields.listId)?.name ?? null,
    states: { pending: lists.find(({ id }) => id === fields.listId)?.count ?? 0 },
    ...(status === "paused" && { cause: "connection", connectionCause: through?.cause ?? null }),
  });
}

export const file = (called: string, type = "image/png") => new File([called], called, { type });

export async function chooseFile(chosen: File | File[]): Promise<void> {
  const picker = document.querySelector("input[type=file]");
  if (!picker) throw new Error("no picker of files");
  await userEvent.upload(picker, chosen);
}

/** Keeps pictures; `stored`: the files' names by id. */
export function storesPictures(server: FakeServer) {
  const stored = new Map<number | null, string>();
  const answers = losable(server, "POST /api/attachments", ({ body }) => {
    const id = 71 + stored.size;
    stored.set(id, body instanceof File ? body.name : "");
    return uploaded({ id, width: 400, height: 200, bytes: body.size });
  });
  return Object.assign(answers, { stored });
}

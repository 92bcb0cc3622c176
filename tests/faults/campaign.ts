import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { type Files, storeFiles, TEXT_ALONE } from "./files.ts";
import { type Installation, until } from "./installation.ts";
import type { Intervention, Kill } from "./plan.ts";

const LONGEST_MS = 300_000;

type Campaign = {
  index: number;
  listId: number;
  paced: boolean;
  kills: readonly Kill[];
  intervention: Intervention;
  whileDead?: (id: number) => Promise<void>;
  files?: Files;
};

export async function runCampaign(
  at: Installation,
  { index, listId, paced, kills, intervention, whileDead, files = TEXT_ALONE }: Campaign,
  random: () => number,
  during: (id: number) => Promise<void>,
): Promise<{ id: number; killed: number }> {
  await giveCodes(at);
  const stored = await storeFiles(at.database.db, index, files);
  if (kills[0]) await at.arm(kills[0]);
  const id = await createCampaign(at, {
    name: `Falha ${index}`,
    text: `Oi, {nome}! Código {codigo}. Rodada ${index}`,
    variables: [{ key: "codigo", fallback: null }],
    listId,
    connectionId: null,
    ...stored,
    intervalS: paced ? 1 : 0,
  });
  let killed = 0;
  const done = during(id).then(() => intervene(at, intervention, id, random));
  done.catch(() => undefined);
  for (const [nth, kill] of kills.entries()) {
    if (await died(at, kill, id)) {
      killed += 1;
      await changeCodes(at, id);
      await whileDead?.(id);
    }
    await at.restart(kills[nth + 1] ?? null);
  }
  await done;
  await until(
    `the end of run ${index}`,
    async () => {
      const { status, open } = await campaignOf(at, id);
      return (status === "ended" || status === "cancelled") && open === 0;
    },
    LONGEST_MS,
  );
  return { id, killed };
}

/** The id is read from the database: an armed kill may come between the commit and the answer. */
export async function createCampaign(
  at: Installation,
  campaign: Record<string, unknown> & { name: string },
): Promise<number> {
  await at.call("POST", "/api/campaigns", { ...campaign, intent: "create" }).catch(async (error: unknown) => {
    if (!isLostAnswer(error)) throw error;
    await until("the kill that took the answer", async () => at.ended());
  });
  const { rows } = await sql<{ id: number }>`select id from campaign where name = ${campaign.name}
    order by id desc limit 1`.execute(at.database.db);
  if (!rows[0]) throw new Error(`${campaign.name} was not created`);
  return rows[0].id;
}

/** What fetch throws when the other side closes the connection. */
const isLostAnswer = (error: unknown): boolean => error instanceof TypeError;

async function giveCodes(at: Installation): Promise<void> {
  const { items } = await at.call<{ items: { key: string }[] }>("GET", "/api/contact-fields");
  if (items.length === 0) await at.call("POST", "/api/contact-fields", { label: "Código", kind: "text" });
  await sql`update person set fields = jsonb_build_object('codigo', 'C' || phone)`.execute(at.database.db);
}

async function changeCodes(at: Installation, id: number): Promise<void> {
  await sql`update person set fields = '{"codigo": "trocado"}'
    where exists (select from campaign where id = ${id} and started_at is not null)`.execute(at.database.db);
}

export const hasWrongCode = ({ to, text }: { to: string; text: string | null }): boolean =>
  text?.includes("Código") === true && !text.includes(`Código C${to}.`);

async function died(at: Installation, kill: Kill, campaignId: number): Promise<boolean> {
  if ("afterMs" in kill) {
    await pause(kill.afterMs);
    await at.product.kill9();
    return true;
  }
  return until("the kill or the end", async () => {
    if (at.ended()) return { killed: true };
    const { status, open } = await campaignOf(at, campaignId);
    return (status === "ended" || status === "cancelled") && open === 0 ? { killed: false } : null;
  }).then((end) => end.killed);
}

async function intervene(
  at: Installation,
  intervention: Intervention,
  id: number,
  random: () => number,
): Promise<void> {
  if (intervention === "nothing") return;
  await pause(Math.floor(random() * 600));
  const act = (action: "pause" | "resume" | "cancel") =>
    until(
      action,
      async () => {
        const { status } = await campaignOf(at, id);
        if (status === "ended" || status === "cancelled") return "over";
        if (action === "pause" && status === "paused") return "done";
        if (action === "resume" && status !== "paused") return "done";
        return at.call("POST", `/api/campaigns/${id}/${action}`).then(
          () => "done",
          () => null,
        );
      },
      LONGEST_MS,
    );
  if (intervention === "cancel") await act("cancel");
  else if ((await act("pause")) === "done") {
    await pause(100);
    await act("resume");
  }
}

async function campaignOf(at: Installation, id: number): Promise<{ status: string; open: number }> {
  const { rows } = await sql<{ status: string; open: number }>`select
      -- Receipts may be lost with webhooks: accepted people count as ended.
      case when status = 'sending' and pending_count + sending_count + waiting_count = 0 and accepted_count > 0 then 'ended' else status end as status,
      sending_count + waiting_count + case when status = 'cancelled' then pending_count else 0 end as open
    from campaign where id = ${id}`.execute(at.database.db);
  return rows[0] ?? { status: "gone", open: 0 };
}

import { sql } from "kysely";
import type { Logger } from "pino";
import { AppError } from "../../domain/errors.ts";
import type { Db } from "../db/client.ts";
import { readRestoreLock } from "../db/restore-lock.ts";
import type { Secrets } from "../db/secrets.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import type { EvolutionClient, WantedWebhook } from "../transports/gateway/evolution-client.ts";
import type { StoredWebhook } from "../transports/gateway/shapes.ts";
import { keyOf } from "./access.ts";
import {
  findReached,
  forgetHooks,
  type HookState,
  type Reached,
  storeFormerWebhook,
  storeHook,
  storeNoticed,
} from "./instances-repo.ts";
import type { ReachServer } from "./server.ts";
import { HOOK_SECRET_HEADER, hookSecretPlace } from "./webhook-secret.ts";

export type HookDeps = {
  secrets: Pick<Secrets, "open">;
  reach: ReachServer;
  /** Which addresses of people may stand at a gateway, resolved. */
  guard: Pick<GuardedFetch, "checkResolved">;
  log: Logger;
  webhookUrl: string;
};

const HOOKS = "/hooks/evolution/";
/** What tells of messages alone would leave us without receipts, refusals and disconnections. */
const EVENTS = ["MESSAGES_UPSERT", "MESSAGES_UPDATE", "SEND_MESSAGE", "CONNECTION_UPDATE", "QRCODE_UPDATED"];

/** Our webhook, as every instance gets it. Nothing is left out: what is, keeps its old value at the gateway. */
export function ourWebhook(webhookUrl: string, hookId: string, secret: string): WantedWebhook {
  return {
    enabled: true,
    url: `${webhookUrl}${HOOKS}${hookId}`,
    headers: { [HOOK_SECRET_HEADER]: secret },
    events: EVENTS,
  };
}

/** The person's own, set at a gateway that cannot reach us: the specification's call. Our secret must not stay in its headers. */
export const literalWebhook = (url: string): WantedWebhook => ({
  enabled: true,
  url,
  headers: {},
  events: ["MESSAGES_UPSERT"],
});

/** Webhooks name the address we had when they were set: under another one all of them are set anew. */
export async function keepWebhookUrl(db: Db, webhookUrl: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { rows } = await sql`
      insert into setting (key, value) values ('webhook_url', to_jsonb(${webhookUrl}::text))
      on conflict (key) do update set value = excluded.value where setting.value <> excluded.value
      returning true as changed`.execute(tx);
    if (rows.length > 0) await forgetHooks(tx);
  });
}

/** The address the server that runs on this database was last started with; null before its first start. */
export async function knownWebhookUrl(db: Db): Promise<string | null> {
  const { rows } = await sql<{
    url: string;
  }>`select value #>> '{}' as url from setting where key = 'webhook_url'`.execute(db);
  return rows[0]?.url ?? null;
}

/** Which of the two an instance gets. The operator's server never calls a person's address: it stands inside the operator's network. */
export const wantedHook = (row: Pick<Reached, "reaches_us" | "relay_url" | "own">): "ours" | "literal" =>
  row.own && row.reaches_us === "no" && row.relay_url !== null ? "literal" : "ours";

/**
 * Sets an instance's webhook as it should be now, and keeps how that went. Throws what the gateway said, and `restored_held` in a copy
 * that is held: the original's events would come here. It is set once the copy is released.
 */
export async function setHook(deps: HookDeps, db: Db, connectionId: number): Promise<void> {
  const row = await findReached(db, connectionId);
  if (!row || row.withdrawn) return;
  if (await readRestoreLock(db)) {
    await storeHook(db, connectionId, "unset");
    throw new AppError("restored_held");
  }
  const client = deps.reach({ url: row.url, provided: !row.own }, keyOf(deps.secrets, row));
  try {
    await storeHook(db, connectionId, await set(deps, db, row, client));
  } catch (error) {
    await storeHook(db, connectionId, "failed");
    throw error;
  }
  // Another address was wanted while this one was on its way, and whoever set that may have been overtaken: who writes last looks last.
  const now = await findReached(db, connectionId);
  if (now && addressOf(now) !== addressOf(row)) await setHook(deps, db, connectionId);
}

/** The person's own address where it is to stand at the gateway; null: ours. */
const addressOf = (row: Reached) => (wantedHook(row) === "literal" ? row.relay_url : null);

/** Set once, and as we left it when it was last looked at; or taken since then by another address. */
const SET: readonly HookState[] = ["ours", "literal", "taken"];

/**
 * What a gateway has as an instance's webhook (`find` asks): none, or one that is switched off, after it was made anew or put back from a
 * copy. The job then sets ours again. Where another address stands, somebody wanted it there: the person is told, and decides. True: it is not
 * as we thought.
 */
export async function noticeHook(
  db: Db,
  connectionId: number,
  find: () => Promise<StoredWebhook | null>,
): Promise<boolean> {
  // Before it is asked: what is set meanwhile is newer than the answer.
  const row = await findReached(db, connectionId);
  if (!row || !SET.includes(row.hook_state)) return false;
  const found = await find();
  const { hook_state: before } = row;
  const now = stateOf(row, found);
  // What another Recado has put there is nothing to pass messages on to.
  const taker = now === "taken" && found && !found.url.includes(HOOKS) ? found.url : null;
  return before !== now && storeNoticed(db, connectionId, { before, now, taker });
}

function stateOf({ hook_id, relay_url }: Reached, found: StoredWebhook | null): HookState {
  if (!found?.enabled) return "unset";
  if (found.url.includes(`${HOOKS}${hook_id}`)) return isWhole(found) ? "ours" : "unset";
  return found.url === relay_url ? "literal" : "taken";
}

/**
 * Whether a webhook under our address tells all that ours shall. A gateway's own pages let anybody tick its events off and have each posted
 * to an address of its own, and a call with other headers takes our secret's place (recording 05): we would refuse or never hear what comes.
 */
function isWhole({ events, headers, byEvents, base64 }: StoredWebhook): boolean {
  const told = new Set(events);
  // 1.8 tells neither events nor headers.
  const hears = told.size === 0 || EVENTS.every((event) => told.has(event));
  const proves = Object.keys(headers).length === 0 || Object.hasOwn(headers, HOOK_SECRET_HEADER);
  // Without base64 no picture comes.
  return hears && proves && base64 && !byEvents;
}

async function set(deps: HookDeps, db: Db, row: Reached, client: EvolutionClient): Promise<HookState> {
  // Asked before it is written over: an address that somebody relied on must not be lost.
  const former = await client.findWebhook(row.name);
  if (former?.enabled && !former.url.includes(HOOKS) && former.url !== row.relay_url)
    await storeFormerWebhook(db, row.connection_id, former.url);
  const wanted = wantedHook(row);
  if (wanted === "literal" && row.relay_url !== null) await deps.guard.checkResolved(row.relay_url);
  const secret = deps.secrets.open(row.hook_secret, hookSecretPlace(row.connection_id)).toString();
  const webhook =
    wanted === "literal" && row.relay_url !== null
      ? literalWebhook(row.relay_url)
      : ourWebhook(deps.webhookUrl, row.hook_id, secret);
  await client.setWebhook(row.name, webhook);
  return wanted;
}

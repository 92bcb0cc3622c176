import type { Logger } from "pino";
import { AppError } from "../../domain/errors.ts";
import type { Db } from "../db/client.ts";
import { readRestoreLock } from "../db/restore-lock.ts";
import type { Secrets } from "../db/secrets.ts";
import { putSetting, readSetting } from "../db/settings.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import type { EvolutionClient } from "../transports/gateway/evolution-client.ts";
import type { WantedWebhook } from "../transports/gateway/evolution-requests.ts";
import type { StoredWebhook } from "../transports/gateway/shapes.ts";
import { keyOf } from "./access.ts";
import {
  findReached,
  type HookState,
  pruneHooks,
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
  guard: Pick<GuardedFetch, "checkResolved">;
  log: Logger;
  webhookUrl: string;
};

const HOOKS = "/hooks/evolution/";
/** Message events alone would omit receipts, refusals and disconnections. */
const EVENTS = [
  "MESSAGES_UPSERT",
  "MESSAGES_UPDATE",
  "MESSAGES_DELETE",
  "SEND_MESSAGE",
  "CONNECTION_UPDATE",
  "QRCODE_UPDATED",
];

/** An omitted field keeps its old value at the gateway. */
export function ourWebhook(webhookUrl: string, hookId: string, secret: string): WantedWebhook {
  return {
    enabled: true,
    url: `${webhookUrl}${HOOKS}${hookId}`,
    headers: { [HOOK_SECRET_HEADER]: secret },
    events: EVENTS,
  };
}

/** For gateways that cannot reach us; its headers must not contain our secret. */
export const literalWebhook = (url: string): WantedWebhook => ({
  enabled: true,
  url,
  headers: {},
  events: ["MESSAGES_UPSERT"],
});

const WEBHOOK_URL = "webhook_url";

export async function storeWebhookUrl(db: Db, webhookUrl: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (await putSetting(tx, WEBHOOK_URL, webhookUrl)) await pruneHooks(tx);
  });
}

export async function knownWebhookUrl(db: Db): Promise<string | null> {
  const url = await readSetting(db, WEBHOOK_URL);
  return typeof url === "string" ? url : null;
}

/** The operator's server, inside its network, never calls a user's address. */
export const wantedHook = (row: Pick<Reached, "reaches_us" | "relay_url" | "own">): "ours" | "literal" =>
  row.own && row.reaches_us === "no" && row.relay_url !== null ? "literal" : "ours";

/**
 * Stores the result. Throws the gateway's error, or `restored_held` in a held copy, which would receive the
 * original's events.
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
  // A concurrent change may have been overwritten: the last writer checks.
  const now = await findReached(db, connectionId);
  if (now && addressOf(now) !== addressOf(row)) await setHook(deps, db, connectionId);
}

const addressOf = (row: Reached) => (wantedHook(row) === "literal" ? row.relay_url : null);

const SET: readonly HookState[] = ["ours", "literal", "taken"];

/**
 * `find` asks the gateway. The job restores a missing or disabled webhook; another address is the user's
 * decision. True: the state changed.
 */
export async function noticeHook(
  db: Db,
  connectionId: number,
  find: () => Promise<StoredWebhook | null>,
): Promise<boolean> {
  // Read first: a later change is newer than the answer.
  const row = await findReached(db, connectionId);
  if (!row || !SET.includes(row.hook_state)) return false;
  const found = await find();
  const { hook_state: before } = row;
  const now = stateOf(row, found);
  // Another Recado's address gets no relayed messages.
  const taker = now === "taken" && found && !found.url.includes(HOOKS) ? found.url : null;
  return before !== now && storeNoticed(db, connectionId, { before, now, taker });
}

function stateOf({ hook_id, relay_url }: Reached, found: StoredWebhook | null): HookState {
  if (!found?.enabled) return "unset";
  if (found.url.includes(`${HOOKS}${hook_id}`)) return isWhole(found) ? "ours" : "unset";
  return found.url === relay_url ? "literal" : "taken";
}

/**
 * False when events were unticked or split, or our header was replaced (recording 05): we would miss or
 * refuse events.
 */
function isWhole({ events, headers, byEvents, base64 }: StoredWebhook): boolean {
  const stored = new Set(events);
  // 1.8 returns neither events nor headers.
  const hears = stored.size === 0 || EVENTS.every((event) => stored.has(event));
  const proves = Object.keys(headers).length === 0 || Object.hasOwn(headers, HOOK_SECRET_HEADER);
  // Without base64 images are missing.
  return hears && proves && base64 && !byEvents;
}

async function set(deps: HookDeps, db: Db, row: Reached, client: EvolutionClient): Promise<HookState> {
  // The replaced address must not be lost.
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

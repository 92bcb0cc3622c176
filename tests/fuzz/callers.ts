import { type RawBuilder, sql } from "kysely";
import type { Evolution } from "../../simulators/evolution/evolution.ts";
import type { EndpointSpec } from "../../src/contract/endpoint.ts";
import type { Db } from "../../src/server/db/client.ts";
import { createSecrets } from "../../src/server/db/secrets.ts";
import { UNSUBSCRIBE_KEY, unsubscribeToken } from "../../src/server/notifications/unsubscribe.ts";
import { campaignRow, connectionRow, imageRow, listRow } from "../support/campaign-rows.ts";
import { type ComposedApp, PASSWORD, SECRET_KEY } from "../support/compose-app.ts";
import { fixtureOf, HOOK_SECRET, OWNED_ROWS } from "../support/owned-fixtures.ts";
import type { Caller } from "./requests.ts";
import type { Known } from "./values.ts";

const UNSUBSCRIBING = createSecrets(SECRET_KEY).derive(UNSUBSCRIBE_KEY);

type Person = Omit<Caller, "rows"> & { id: string; gatewayId: number };

/**
 * The same person while the session lasts, a new one after a deletion. Rows for the route are made each time,
 * since earlier ones may be gone.
 */
export function callers(db: Db, composed: ComposedApp, gateway: Evolution, known: Known) {
  let count = 0;
  let one: Person | null = null;

  async function isKnown({ cookie }: Person): Promise<boolean> {
    const request = new Request("http://localhost/", { headers: { cookie } });
    return (await composed.services.accounts.authenticate(request)) !== null;
  }

  return async (route: EndpointSpec): Promise<Caller> => {
    if (!one || !(await isKnown(one))) one = await newPerson(db, composed, gateway, `fuzz${++count}`);
    const { dataFolder } = composed;
    const make = fixtureOf(route.path);
    const rows = make ? [await make(db, one.id, dataFolder), await make(db, one.id, dataFolder)] : [];
    if (route.path.startsWith("/api/gateways/{id}")) rows.push({ id: one.gatewayId, name: "loja" });
    if (route.path.startsWith("/api/campaigns/{id}")) rows.push(...(await livelyCampaigns(db, one.id)));
    if (/agent|assistant/.test(route.path)) {
      const { id: agentId } = await poster(composed, one)<{ id: string }>("/api/mistral/agents", {
        name: "Ana",
      });
      one.known = { ...one.known, agentId: [agentId] };
      if (route.path.includes("{agentId}")) rows.push({ agentId });
    }
    if (route.path.startsWith("/api/opt-outs"))
      one.known = { ...one.known, undo: await undoOf(composed, one) };
    if (route.path.includes("{token}"))
      rows.push({ token: unsubscribeToken(UNSUBSCRIBING, one.id, "product") });
    if (route.path.includes("{hookId}")) rows.push({ hookId: one.known.hookId?.[0] ?? "" });
    return { ...one, known: { ...known, ...one.known }, rows };
  };
}

async function livelyCampaigns(db: Db, account: string) {
  const people = { sent: 1, error: 1, uncertain: 1, pending: 1 };
  const lives = ["sending", "paused", "ended"];
  const ids = await Promise.all(lives.map((status) => campaignRow(db, account, { status, people })));
  return ids.flatMap((id) => [0, 1, 2, 3].map((seq) => ({ id, seq })));
}

async function undoOf(composed: ComposedApp, one: Person): Promise<string[]> {
  const phone = "5531987650000";
  await poster(composed, one)("/api/opt-outs", { phone });
  const { undo } = await poster(composed, one)<{ undo: string }>(`/api/opt-outs/${phone}`, null, "DELETE");
  return [undo];
}

function poster({ app }: ComposedApp, { cookie }: Pick<Caller, "cookie">) {
  return async <T>(path: string, body: object | null, method = "POST"): Promise<T> => {
    const headers = { cookie, ...(body ? { "content-type": "application/json" } : {}) };
    const answer = await app.hono.request(path, { method, headers, body: body && JSON.stringify(body) });
    return (await answer.json()) as T;
  };
}

async function newPerson(db: Db, composed: ComposedApp, gateway: Evolution, name: string): Promise<Person> {
  const { id, cookie } = await composed.signUp(name);
  const post = poster(composed, { cookie });
  const { key } = await post<{ key: string }>("/api/settings/api-keys", { name: "Loja" });
  const server = { name: "Servidor", url: gateway.url, apiKey: gateway.apiKey };
  const { id: gatewayId } = await post<{ id: number }>("/api/gateways", server);
  await OWNED_ROWS["/api/gateways/{id}/instances/{name}"]?.(db, id, composed.dataFolder);
  const connections = [await connectionRow(db, id, "connected"), await connectionRow(db, id, "disconnected")];
  const known = {
    listId: [await listRow(db, id, 3)],
    attachmentId: [await imageRow(db, id)],
    connectionId: connections,
    campaign: [await campaignRow(db, id, { people: { sent: 2, error: 1, pending: 1 } })],
    deviceId: await textsOf(db, sql`select device_id from connection where account_id = ${id}::uuid`),
    userId: [id],
    hookId: await textsOf(db, sql`select hook_id from instance where account_id = ${id}::uuid`),
    instance: await textsOf(db, sql`select name from instance where account_id = ${id}::uuid`),
    email: [`${name}@exemplo.com.br`, `${name}-novo@exemplo.com.br`],
    password: [PASSWORD],
    newPassword: [PASSWORD],
    confirmPassword: [PASSWORD],
  };
  return { id, cookie, apiKey: key, hook: { "x-recado-secret": HOOK_SECRET }, known, gatewayId };
}

async function textsOf(db: Db, query: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await query.execute(db);
  return rows.flatMap((row) => Object.values(row as Record<string, string>));
}

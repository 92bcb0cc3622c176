import type { z } from "zod";
import type { Instance, NewInstance } from "../../contract/gateways.ts";
import { AppError } from "../../domain/errors.ts";
import { record } from "../audit/service.ts";
import { type FillPlace, withRoom } from "../db/account-limits.ts";
import type { Changes } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import { refuseWhileRestoreLocked } from "../db/restore-lock.ts";
import type { Secrets } from "../db/secrets.ts";
import { fieldError } from "../http/errors.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import { wake } from "../sending/sending.ts";
import { deleteThere } from "../transports/gateway/end-there.ts";
import type { EvolutionClient } from "../transports/gateway/evolution-client.ts";
import type { GatewayInstance } from "../transports/gateway/shapes.ts";
import { apiKeyPlace, tokenPlace } from "./access.ts";
import { foundBy } from "./check.ts";
import { orFailed } from "./failure.ts";
import { type HookDeps, literalWebhook, ourWebhook, setHook, wantedHook } from "./hook.ts";
import { type Link, toInstance } from "./instance-presenter.ts";
import {
  findInstance,
  forgetToken,
  holderOf,
  type InstanceRow,
  listInstances,
  listUnrecognized,
  type NewRow,
  storeFacts,
  storeRelay,
} from "./instances-repo.ts";
import { BAILEYS, makeInstance, readNewInstance, type Wanted } from "./new-instance.ts";
import { beginPendingInstance, endPendingInstance } from "./pending-instance.ts";
import { type Picture, pictureAnswer } from "./picture.ts";
import { isProbe } from "./probe.ts";
import { type Check, findGateway, type GatewayRow, serverOf, storeCheck } from "./repo.ts";
import { storeInstance, takeIn } from "./take-in.ts";
import { checkLiteralWebhook, readWebhookUrl } from "./user-webhook.ts";
import { hookChanged } from "./webhook-hooks.ts";
import { makeHookId, makeHookSecret } from "./webhook-secret.ts";

export type InstanceService = ReturnType<typeof instanceService>;

export type InstanceDeps = HookDeps & {
  secrets: Pick<Secrets, "seal" | "open">;
  changes: Pick<Changes, "mark">;
  removeConnection(owner: Owner, connectionId: number): Promise<void>;
  /** How long a gateway keeps the name of a refused instance. */
  releaseMs: number;
  guard: Pick<GuardedFetch, "check" | "checkResolved">;
  pictureOf(accountId: string, address: string): Promise<Picture | null>;
  links(owner: Owner): Promise<readonly Link[]>;
};

/** State reasons that a listed instance disproves. */
const DISPROVED: ReadonlySet<string> = new Set(["gone", "unreachable", "server_errors", "license_required"]);

type Place = { owner: Owner; gateway: GatewayRow; client: EvolutionClient };

export function instanceService(deps: InstanceDeps) {
  const { secrets, changes } = deps;

  async function at(owner: Owner, gatewayId: number): Promise<Place> {
    const gateway = await findGateway(owner, gatewayId);
    if (!gateway) throw new AppError("not_found");
    const apiKey = secrets.open(gateway.api_key, apiKeyPlace(gateway.id)).toString();
    return { owner, gateway, client: deps.reach(serverOf(gateway), apiKey, owner.accountId) };
  }

  /** An own server's key opens all instances; the operator's only the account's. */
  const isOwn = ({ owner, gateway }: Place) => gateway.account_id === owner.accountId;

  function tell(owner: Owner, connectionId: number): void {
    changes.mark(owner.accountId, "connections", connectionId);
  }

  async function needUsed({ owner, gateway }: Place, name: string): Promise<InstanceRow> {
    const row = await findInstance(owner, gateway.id, name);
    if (!row) throw new AppError("not_found");
    return row;
  }

  async function found({ client }: Place, name: string): Promise<GatewayInstance | null> {
    const rows = await client.fetchInstances(name).catch((error: unknown) => {
      if (error instanceof AppError && error.code === "instance_unknown") return [];
      throw error;
    });
    return rows.find((row) => row.name === name) ?? null;
  }

  async function show(place: Place, used: InstanceRow, there: GatewayInstance | null) {
    return toInstance(place.gateway.id, there, used, await deps.links(place.owner));
  }

  async function showUsed(place: Place, name: string) {
    const there = place.gateway.withdrawn ? null : await found(place, name).catch(expectedNull);
    return show(place, await needUsed(place, name), there);
  }

  async function list(owner: Owner, gatewayId: number): Promise<{ instances: z.input<typeof Instance>[] }> {
    const place = await at(owner, gatewayId);
    const used = new Map((await listInstances(owner, gatewayId)).map((row) => [row.name, row]));
    if (!isOwn(place) && (used.size === 0 || place.gateway.withdrawn))
      return { instances: await gone(place, used) };
    const all = await orFailed("instances_fetch_failed", listed(place));
    const seen = all.filter(({ name }) => used.has(name) || (isOwn(place) && name !== "" && !isProbe(name)));
    await keepFacts(owner, seen, used);
    if (isOwn(place)) for (const { name } of seen) await openAgain(place, used.get(name));
    await lookAgain(owner, used, new Set(all.map(({ name }) => name)));
    const agents = await deps.links(owner);
    const there = seen.map((row) => toInstance(gatewayId, row, used.get(row.name) ?? null, agents));
    for (const { name } of seen) used.delete(name);
    return { instances: [...there, ...(await gone(place, used))] };
  }

  /** Stores the check too, so that server and instance states agree. */
  async function listed({ owner, gateway, client }: Place): Promise<GatewayInstance[]> {
    const note = async (check: Check | null) => {
      if (check && check.state !== gateway.check_state) await storeCheck(owner.db, gateway.id, check);
    };
    const all = await client.fetchInstances().catch(async (error: unknown) => {
      await note(foundBy(error));
      throw error;
    });
    // A returning server may be another version: check again.
    if (gateway.check_state !== "ok") {
      const version = await client.version().catch(expectedNull);
      await note({ state: "ok", version, licenseUrl: null });
    }
    return all;
  }

  async function gone({ owner, gateway }: Place, used: ReadonlyMap<string, InstanceRow>) {
    const agents = await deps.links(owner);
    return [...used.values()].map((row) => toInstance(gateway.id, null, row, agents));
  }

  async function keepFacts(
    { db }: Owner,
    seen: readonly GatewayInstance[],
    used: ReadonlyMap<string, InstanceRow>,
  ): Promise<void> {
    for (const { name, phone, profileName, pictureUrl } of seen) {
      const row = used.get(name);
      const same = row?.phone === phone && row.profile_name === profileName && row.picture_url === pictureUrl;
      if (row && !same) await storeFacts(db, row.connection_id, { phone, profileName, pictureUrl });
    }
  }

  /** In state `wrong_key`: drops a token that is still refused and wakes the lane. */
  async function openAgain({ owner, gateway }: Place, row: InstanceRow | undefined): Promise<void> {
    if (!row?.token || row.cause !== "wrong_key") return;
    const token = secrets.open(row.token, tokenPlace(row.connection_id)).toString();
    // A server that was ill also refuses good tokens: only one still refused is dropped.
    const refused = await deps
      .reach(serverOf(gateway), token, owner.accountId)
      .connectionState(row.name)
      .then(
        () => false,
        (error: unknown) => error instanceof AppError && error.code === "gateway_wrong_key",
      );
    if (refused) await forgetToken(owner.db, row.connection_id);
    await wake(owner.db, row.connection_id, "poke");
  }

  /** Without a wakeup its lane would check only after minutes. */
  async function lookAgain(
    { db }: Owner,
    used: ReadonlyMap<string, InstanceRow>,
    listed: ReadonlySet<string>,
  ): Promise<void> {
    for (const { name, connection_id, state, cause } of used.values()) {
      const disproved = listed.has(name) ? DISPROVED.has(cause ?? "") : state !== "disconnected";
      if (disproved) await wake(db, connection_id, "poke");
    }
  }

  async function create(owner: Owner, gatewayId: number, body: z.output<typeof NewInstance>) {
    const place = await at(owner, gatewayId);
    const { gateway, client } = place;
    if (gateway.withdrawn) throw new AppError("gateway_withdrawn");
    const wanted = readNewInstance(deps.guard, body);
    const { name, token, number, relayUrl } = wanted;
    if (await isMadeSo(place, wanted)) return showUsed(place, name);
    const taken = (await holderOf(owner.db, gateway.url, name)) !== null;
    if (taken) await orFailed("instance_create_failed", Promise.reject(new AppError("instance_name_taken")));
    const [hookId, secret] = [makeHookId(), makeHookSecret()];
    const hook = await wantedAt(place, relayUrl, "webhook");
    const literal = hook === "literal" && relayUrl !== null;
    const webhook = literal ? literalWebhook(relayUrl) : ourWebhook(deps.webhookUrl, hookId, secret);
    const row: NewRow = {
      ...{ gatewayId: gateway.id, gatewayUrl: gateway.url, name, number, hookId, relayUrl },
      ...{ integration: BAILEYS, hookState: hook },
    };
    await withRoom(
      owner,
      isOwn(place) ? ["instances"] : ["instances", "operator_instances"],
      async (fill) => {
        await beginPendingInstance(owner.db, hookId);
        try {
          await orFailed("instance_create_failed", makeInstance(client, wanted, webhook, deps.releaseMs));
          tell(owner, await store(place, row, { token, hookSecret: secret }, fill));
        } finally {
          await endPendingInstance(owner.db, hookId);
        }
      },
    );
    return showUsed(place, name);
  }

  /** Throws `invalid_fields` where messages could not or must not go. */
  async function wantedAt({ gateway }: Place, relayUrl: string | null, field: string) {
    const { provided } = serverOf(gateway);
    if (provided && gateway.reaches_us === "no" && relayUrl !== null)
      throw fieldError({ [field]: "webhook_unreached" });
    const wanted = wantedHook({ reaches_us: gateway.reaches_us, relay_url: relayUrl, own: !provided });
    if (wanted === "literal" && relayUrl !== null) await checkLiteralWebhook(deps.guard, relayUrl, field);
    return wanted;
  }

  /** After a repeated request or lost answer, the token identifies it. */
  async function isMadeSo({ owner, gateway }: Place, { name, token, number, relayUrl }: Wanted) {
    const used = await findInstance(owner, gateway.id, name);
    if (!used?.token || used.number !== number || used.relay_url !== relayUrl) return false;
    return secrets.open(used.token, tokenPlace(used.connection_id)).toString() === token;
  }

  async function store(
    place: Place,
    row: NewRow,
    keys: { token: string; hookSecret: string },
    fill: FillPlace,
  ) {
    try {
      return await storeInstance(secrets, place.owner, row, keys, "instance_created", fill);
    } catch (error) {
      // The operator's server would hide it for ever; an own one lets it be adopted.
      if (!isOwn(place)) await place.client.deleteInstance(row.name).catch(() => undefined);
      throw error;
    }
  }

  async function adopt(owner: Owner, gatewayId: number, name: string) {
    const place = await at(owner, gatewayId);
    const used = await findInstance(owner, gatewayId, name);
    if (used) return showUsed(place, name);
    const there = isOwn(place) ? await orFailed("instances_fetch_failed", found(place, name)) : null;
    if (!there || isProbe(name)) throw new AppError("not_found");
    const id = await withRoom(owner, ["instances"], (fill) =>
      takeIn(secrets, owner, place.gateway, there, fill),
    );
    // The error is shown and retried; the instance is usable.
    await setHook(deps, owner.db, id).catch(expected);
    tell(owner, id);
    return show(place, await needUsed(place, name), there);
  }

  async function remove(owner: Owner, gatewayId: number, name: string) {
    const place = await at(owner, gatewayId);
    const used = await findInstance(owner, gatewayId, name);
    if (!used && !isOwn(place)) throw new AppError("not_found");
    await refuseWhileRestoreLocked(owner.db);
    const unknown = await orFailed("instance_delete_failed", removedThere(place, name));
    if (!used && unknown) throw new AppError("not_found");
    if (used) {
      await deps.removeConnection(owner, used.connection_id);
      await hookChanged(owner.db, used.connection_id);
    } else await record(owner, { kind: "instance_removed", subject: name });
    return { success: true };
  }

  /** True when the gateway did not know it. A withdrawn server's key must not be used. */
  async function removedThere({ gateway, client }: Place, name: string): Promise<boolean> {
    if (gateway.withdrawn) return false;
    return !(await deleteThere(client, name));
  }

  async function setWebhook(owner: Owner, gatewayId: number, name: string, typed: string) {
    const place = await at(owner, gatewayId);
    const row = await needUsed(place, name);
    const url = readWebhookUrl(deps.guard, typed);
    const wanted = await wantedAt(place, url, "url");
    // The first attempt could not remove it at the gateway.
    const ended = row.relay_url === null && row.hook_state !== "failed";
    if (url === null && ended) throw new AppError("webhook_url_required");
    await storeRelay(owner, { connectionId: row.connection_id, name }, url);
    await hookChanged(owner.db, row.connection_id);
    try {
      if (wanted === "literal" || row.hook_state !== "ours")
        await orFailed("webhook_failed", setHook(deps, owner.db, row.connection_id));
    } finally {
      tell(owner, row.connection_id);
    }
    return showUsed(place, name);
  }

  async function picture(owner: Owner, gatewayId: number, name: string): Promise<Response> {
    const place = await at(owner, gatewayId);
    const used = await findInstance(owner, gatewayId, name);
    if (!used && !isOwn(place)) throw new AppError("not_found");
    const known = used?.picture_url || place.gateway.withdrawn;
    const there = known ? null : await found(place, name).catch(expectedNull);
    if (!used && !there) throw new AppError("not_found");
    const address = used?.picture_url ?? there?.pictureUrl;
    const shown = address ? await deps.pictureOf(owner.accountId, address) : null;
    if (!shown) throw new AppError("picture_missing");
    return pictureAnswer(shown);
  }

  return {
    ...{ list, create, adopt, remove, setWebhook, picture },
    oddities: async (owner: Owner, gatewayId: number, name: string) => {
      const { connection_id } = await needUsed(await at(owner, gatewayId), name);
      const rows = await listUnrecognized(owner, connection_id);
      return {
        oddities: rows.map(({ received_at, ...row }) => ({ ...row, at: received_at.toISOString() })),
      };
    },
  };
}

function expectedNull(error: unknown): null {
  expected(error);
  return null;
}

/** Gateway refusals are stored; other errors are ours. */
function expected(error: unknown): void {
  if (!(error instanceof AppError)) throw error;
}

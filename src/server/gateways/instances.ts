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
import { pokeLane } from "../sending/ledger/signals.ts";
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
  /** Takes a connection away, its campaigns paused first. */
  removeConnection(owner: Owner, connectionId: number): Promise<void>;
  /** How long a gateway holds the name of an instance that it refused to make. */
  releaseMs: number;
  /** Which addresses of people may be called at all. */
  guard: Pick<GuardedFetch, "check" | "checkResolved">;
  pictureOf(accountId: string, address: string): Promise<Picture | null>;
  /** Which agents answer at the account's connections. */
  links(owner: Owner): Promise<readonly Link[]>;
};

/** Causes that a server's list proves wrong by naming the instance. */
const DISPROVED: ReadonlySet<string> = new Set(["gone", "unreachable", "server_errors", "license_required"]);

type Place = { owner: Owner; gateway: GatewayRow; client: EvolutionClient };

/** Instances of gateways: what exists there, what is used here, and how the one becomes the other. */
export function instanceService(deps: InstanceDeps) {
  const { secrets, changes } = deps;

  async function at(owner: Owner, gatewayId: number): Promise<Place> {
    const gateway = await findGateway(owner, gatewayId);
    if (!gateway) throw new AppError("not_found");
    const apiKey = secrets.open(gateway.api_key, apiKeyPlace(gateway.id)).toString();
    return { owner, gateway, client: deps.reach(serverOf(gateway), apiKey, owner.accountId) };
  }

  /** The key of an own server opens all of it; the operator's shares nothing but the instances the account has there. */
  const isOwn = ({ owner, gateway }: Place) => gateway.account_id === owner.accountId;

  function tell(owner: Owner, connectionId: number): void {
    changes.mark(owner.accountId, "connections", connectionId);
  }

  async function needUsed({ owner, gateway }: Place, name: string): Promise<InstanceRow> {
    const row = await findInstance(owner, gateway.id, name);
    if (!row) throw new AppError("not_found");
    return row;
  }

  /** Null: the gateway does not know it. */
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

  /** A test goes by the same answer: what the screen says of the server must not contradict what it says of its instances. */
  async function listed({ owner, gateway, client }: Place): Promise<GatewayInstance[]> {
    const note = async (check: Check | null) => {
      if (check && check.state !== gateway.check_state) await storeCheck(owner.db, gateway.id, check);
    };
    const all = await client.fetchInstances().catch(async (error: unknown) => {
      await note(foundBy(error));
      throw error;
    });
    // A server that was away may have come back as another version: what was known is not vouched for.
    if (gateway.check_state !== "ok") {
      const version = await client.version().catch(expectedNull);
      await note({ state: "ok", version, licenseUrl: null });
    }
    return all;
  }

  /** Used here, and not told of by the server: shown all the same, with what their connections know. */
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

  /** There under its name: deaf to the key that we know of it, or to be spoken to again. */
  async function openAgain({ owner, gateway }: Place, row: InstanceRow | undefined): Promise<void> {
    if (!row?.token || row.cause !== "wrong_key") return;
    const token = secrets.open(row.token, tokenPlace(row.connection_id)).toString();
    // A server that was ill for a while refused a good key: only one that it still refuses is thrown away.
    const refused = await deps
      .reach(serverOf(gateway), token, owner.accountId)
      .connectionState(row.name)
      .then(
        () => false,
        (error: unknown) => error instanceof AppError && error.code === "gateway_wrong_key",
      );
    if (refused) await forgetToken(owner.db, row.connection_id);
    await pokeLane(owner.db, row.connection_id);
  }

  /** What the list disproves stands on the same screen: a lane that nobody tells looks for itself only minutes later. */
  async function lookAgain(
    { db }: Owner,
    used: ReadonlyMap<string, InstanceRow>,
    listed: ReadonlySet<string>,
  ): Promise<void> {
    for (const { name, connection_id, state, cause } of used.values()) {
      const disproved = listed.has(name) ? DISPROVED.has(cause ?? "") : state !== "disconnected";
      if (disproved) await pokeLane(db, connection_id);
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
    // Before the gateway makes one that could not be taken in.
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

  /** Which webhook this address makes there. Throws `invalid_fields` where messages would never reach it, or must not. */
  async function wantedAt({ gateway }: Place, relayUrl: string | null, field: string) {
    const { provided } = serverOf(gateway);
    if (provided && gateway.reaches_us === "no" && relayUrl !== null)
      throw fieldError({ [field]: "webhook_unreached" });
    const wanted = wantedHook({ reaches_us: gateway.reaches_us, relay_url: relayUrl, own: !provided });
    if (wanted === "literal" && relayUrl !== null) await checkLiteralWebhook(deps.guard, relayUrl, field);
    return wanted;
  }

  /** Asked for once more, as its answer got lost: its token says that it is the one, as where the gateway's own answer got lost. */
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
      // On the operator's server nobody could ever see it again; on an own one it can be adopted.
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
    // What the gateway says to our webhook is shown with the instance, and tried again: it is used here all the same.
    await setHook(deps, owner.db, id).catch(expected);
    tell(owner, id);
    return show(place, await needUsed(place, name), there);
  }

  async function remove(owner: Owner, gatewayId: number, name: string) {
    const place = await at(owner, gatewayId);
    const used = await findInstance(owner, gatewayId, name);
    if (!used && !isOwn(place)) throw new AppError("not_found");
    // The original may send through it.
    await refuseWhileRestoreLocked(owner.db);
    const unknown = await orFailed("instance_delete_failed", removedThere(place, name));
    if (!used && unknown) throw new AppError("not_found");
    if (used) {
      await deps.removeConnection(owner, used.connection_id);
      await hookChanged(owner.db, used.connection_id);
    } else await record(owner, { kind: "instance_removed", subject: name });
    return { success: true };
  }

  /** True when the gateway did not have it. A withdrawn server is not asked: its key is not ours to use any more. */
  async function removedThere({ gateway, client }: Place, name: string): Promise<boolean> {
    if (gateway.withdrawn) return false;
    return !(await deleteThere(client, name));
  }

  async function setWebhook(owner: Owner, gatewayId: number, name: string, typed: string) {
    const place = await at(owner, gatewayId);
    const row = await needUsed(place, name);
    const url = readWebhookUrl(deps.guard, typed);
    const wanted = await wantedAt(place, url, "url");
    // One that is ended twice was ended here, and could not be at the gateway.
    const ended = row.relay_url === null && row.hook_state !== "failed";
    if (url === null && ended) throw new AppError("webhook_url_required");
    await storeRelay(owner, { connectionId: row.connection_id, name }, url);
    await hookChanged(owner.db, row.connection_id);
    try {
      if (wanted === "literal" || row.hook_state !== "ours")
        await orFailed("webhook_failed", setHook(deps, owner.db, row.connection_id));
    } finally {
      // The address is kept in any case.
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

/** A gateway's refusal is kept with the row; anything else is a fault of ours. */
function expected(error: unknown): void {
  if (!(error instanceof AppError)) throw error;
}

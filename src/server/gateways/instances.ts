import type { z } from "zod";
import type { Instance, NewInstance } from "../../contract/gateways.ts";
import { AppError } from "../../domain/errors.ts";
import { record } from "../audit/service.ts";
import { connectionCounts } from "../connections/service.ts";
import { type FillPlace, withRoom } from "../db/account-limits.ts";
import type { Changes } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import { refuseWhileRestoreLocked } from "../db/restore-lock.ts";
import type { Secrets } from "../db/secrets.ts";
import { fieldError } from "../http/errors.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";
import { deleteThere } from "../transports/gateway/end-there.ts";
import type { GatewayInstance } from "../transports/gateway/instance-rows.ts";
import { tokenPlace } from "./access.ts";
import { OPERATOR_INSTANCES } from "./counts.ts";
import { orFailed } from "./failure.ts";
import { type HookDeps, literalWebhook, ourWebhook, setHook, wantedHook } from "./hook.ts";
import { InstanceList } from "./instance-list.ts";
import { expected, expectedNull, found, isOwn, needUsed, type Place, placeOf } from "./instance-place.ts";
import { type Link, toInstance } from "./instance-presenter.ts";
import {
  findInstance,
  holderOf,
  type InstanceRow,
  listUnrecognized,
  type NewRow,
  storeRelay,
} from "./instances-repo.ts";
import { BAILEYS, makeInstance, readNewInstance, type Wanted } from "./new-instance.ts";
import { beginPendingInstance, endPendingInstance } from "./pending-instance.ts";
import { type Picture, pictureAnswer } from "./picture.ts";
import { isProbe } from "./probe.ts";
import { serverOf } from "./repo.ts";
import { storeInstance, takeIn } from "./take-in.ts";
import { checkLiteralWebhook, readWebhookUrl } from "./user-webhook.ts";
import { hookChanged } from "./webhook-hooks.ts";
import { makeHookId, makeHookSecret } from "./webhook-secret.ts";

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

export class InstanceService {
  readonly #deps: InstanceDeps;
  readonly #list: InstanceList;

  constructor(deps: InstanceDeps) {
    this.#deps = deps;
    this.#list = new InstanceList(deps);
  }

  list(owner: Owner, gatewayId: number): Promise<{ instances: z.input<typeof Instance>[] }> {
    return this.#list.list(owner, gatewayId);
  }

  async create(owner: Owner, gatewayId: number, body: z.output<typeof NewInstance>) {
    const place = await placeOf(this.#deps, owner, gatewayId);
    const { gateway, client } = place;
    if (gateway.withdrawn) throw new AppError("gateway_withdrawn");
    const wanted = readNewInstance(this.#deps.guard, body);
    const { name, token, number, relayUrl } = wanted;
    if (await this.#isMadeSo(place, wanted)) return this.#showUsed(place, name);
    const taken = (await holderOf(owner.db, gateway.url, name)) !== null;
    if (taken) await orFailed("instance_create_failed", Promise.reject(new AppError("instance_name_taken")));
    const [hookId, secret] = [makeHookId(), makeHookSecret()];
    const hook = await this.#wantedAt(place, relayUrl, "webhook");
    const literal = hook === "literal" && relayUrl !== null;
    const webhook = literal ? literalWebhook(relayUrl) : ourWebhook(this.#deps.webhookUrl, hookId, secret);
    const row: NewRow = {
      gatewayId: gateway.id,
      gatewayUrl: gateway.url,
      name,
      number,
      hookId,
      relayUrl,
      integration: BAILEYS,
      hookState: hook,
    };
    await withRoom(
      owner,
      isOwn(place) ? [connectionCounts.INSTANCES] : [connectionCounts.INSTANCES, OPERATOR_INSTANCES],
      async (fill) => {
        await beginPendingInstance(owner.db, hookId);
        try {
          await orFailed(
            "instance_create_failed",
            makeInstance(client, wanted, webhook, this.#deps.releaseMs),
          );
          this.#publish(owner, await this.#store(place, row, { token, hookSecret: secret }, fill));
        } finally {
          await endPendingInstance(owner.db, hookId);
        }
      },
    );
    return this.#showUsed(place, name);
  }

  async adopt(owner: Owner, gatewayId: number, name: string) {
    const place = await placeOf(this.#deps, owner, gatewayId);
    const used = await findInstance(owner, gatewayId, name);
    if (used) return this.#showUsed(place, name);
    const there = isOwn(place) ? await orFailed("instances_fetch_failed", found(place, name)) : null;
    if (!there || isProbe(name)) throw new AppError("not_found");
    const id = await withRoom(owner, [connectionCounts.INSTANCES], (fill) =>
      takeIn(this.#deps.secrets, owner, place.gateway, there, fill),
    );
    // The error is shown and retried; the instance is usable.
    await setHook(this.#deps, owner.db, id).catch(expected);
    this.#publish(owner, id);
    return this.#show(place, await needUsed(place, name), there);
  }

  async remove(owner: Owner, gatewayId: number, name: string) {
    const place = await placeOf(this.#deps, owner, gatewayId);
    const used = await findInstance(owner, gatewayId, name);
    if (!used && !isOwn(place)) throw new AppError("not_found");
    await refuseWhileRestoreLocked(owner.db);
    const unknown = await orFailed("instance_delete_failed", this.#removedThere(place, name));
    if (!used && unknown) throw new AppError("not_found");
    if (used) {
      await this.#deps.removeConnection(owner, used.connection_id);
      await hookChanged(owner.db, used.connection_id);
    } else await record(owner, { kind: "instance_removed", subject: name });
    return { success: true };
  }

  async setWebhook(owner: Owner, gatewayId: number, name: string, typed: string) {
    const place = await placeOf(this.#deps, owner, gatewayId);
    const row = await needUsed(place, name);
    const url = readWebhookUrl(this.#deps.guard, typed);
    const wanted = await this.#wantedAt(place, url, "url");
    // The first attempt could not remove it at the gateway.
    const ended = row.relay_url === null && row.hook_state !== "failed";
    if (url === null && ended) throw new AppError("webhook_url_required");
    await storeRelay(owner, { connectionId: row.connection_id, name }, url);
    await hookChanged(owner.db, row.connection_id);
    try {
      if (wanted === "literal" || row.hook_state !== "ours")
        await orFailed("webhook_failed", setHook(this.#deps, owner.db, row.connection_id));
    } finally {
      this.#publish(owner, row.connection_id);
    }
    return this.#showUsed(place, name);
  }

  async picture(owner: Owner, gatewayId: number, name: string): Promise<Response> {
    const place = await placeOf(this.#deps, owner, gatewayId);
    const used = await findInstance(owner, gatewayId, name);
    if (!used && !isOwn(place)) throw new AppError("not_found");
    const known = used?.picture_url || place.gateway.withdrawn;
    const there = known ? null : await found(place, name).catch(expectedNull);
    if (!used && !there) throw new AppError("not_found");
    const address = used?.picture_url ?? there?.pictureUrl;
    const shown = address ? await this.#deps.pictureOf(owner.accountId, address) : null;
    if (!shown) throw new AppError("picture_missing");
    return pictureAnswer(shown);
  }

  async oddities(owner: Owner, gatewayId: number, name: string) {
    const { connection_id } = await needUsed(await placeOf(this.#deps, owner, gatewayId), name);
    const rows = await listUnrecognized(owner, connection_id);
    return { oddities: rows.map(({ received_at, ...row }) => ({ ...row, at: received_at.toISOString() })) };
  }

  #publish(owner: Owner, connectionId: number): void {
    this.#deps.changes.mark(owner.accountId, "connections", connectionId);
  }

  async #show(place: Place, used: InstanceRow, there: GatewayInstance | null) {
    return toInstance(place.gateway.id, there, used, await this.#deps.links(place.owner));
  }

  async #showUsed(place: Place, name: string) {
    const there = place.gateway.withdrawn ? null : await found(place, name).catch(expectedNull);
    return this.#show(place, await needUsed(place, name), there);
  }

  /** Throws `invalid_fields` where messages could not or must not go. */
  async #wantedAt({ gateway }: Place, relayUrl: string | null, field: string) {
    const { provided } = serverOf(gateway);
    if (provided && gateway.reaches_us === "no" && relayUrl !== null)
      throw fieldError({ [field]: "webhook_unreached" });
    const wanted = wantedHook({ reaches_us: gateway.reaches_us, relay_url: relayUrl, own: !provided });
    if (wanted === "literal" && relayUrl !== null)
      await checkLiteralWebhook(this.#deps.guard, relayUrl, field);
    return wanted;
  }

  /** After a repeated request or lost answer, the token identifies it. */
  async #isMadeSo({ owner, gateway }: Place, { name, token, number, relayUrl }: Wanted) {
    const used = await findInstance(owner, gateway.id, name);
    if (!used?.token || used.number !== number || used.relay_url !== relayUrl) return false;
    return this.#deps.secrets.open(used.token, tokenPlace(used.connection_id)).toString() === token;
  }

  async #store(place: Place, row: NewRow, keys: { token: string; hookSecret: string }, fill: FillPlace) {
    try {
      return await storeInstance(this.#deps.secrets, place.owner, row, keys, "instance_created", fill);
    } catch (error) {
      // The operator's server would hide it for ever; an own one lets it be adopted.
      if (!isOwn(place)) await place.client.deleteInstance(row.name).catch(() => undefined);
      throw error;
    }
  }

  /** True when the gateway did not know it. A withdrawn server's key must not be used. */
  async #removedThere({ gateway, client }: Place, name: string): Promise<boolean> {
    if (gateway.withdrawn) return false;
    return !(await deleteThere(client, name));
  }
}

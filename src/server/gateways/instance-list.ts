import type { z } from "zod";
import type { Instance } from "../../contract/gateways.ts";
import { AppError } from "../../domain/errors.ts";
import type { Owner } from "../db/owner.ts";
import type { Secrets } from "../db/secrets.ts";
import { wake } from "../sending/sending.ts";
import type { GatewayInstance } from "../transports/gateway/instance-rows.ts";
import { tokenPlace } from "./access.ts";
import { foundBy } from "./check.ts";
import { orFailed } from "./failure.ts";
import { expectedNull, isOwn, type Place, placeOf } from "./instance-place.ts";
import { type Link, toInstance } from "./instance-presenter.ts";
import { deleteToken, type InstanceRow, listInstances, storeFacts } from "./instances-repo.ts";
import { isProbe } from "./probe.ts";
import { type Check, serverOf, storeCheck } from "./repo.ts";
import type { ReachServer } from "./server.ts";

type ListDeps = {
  secrets: Pick<Secrets, "open">;
  reach: ReachServer;
  links(owner: Owner): Promise<readonly Link[]>;
};

/** State reasons that a listed instance disproves. */
const DISPROVED: ReadonlySet<string> = new Set(["gone", "unreachable", "server_errors", "license_required"]);

/** Lists a server's instances, and stores what the list shows about those in use. */
export class InstanceList {
  readonly #deps: ListDeps;

  constructor(deps: ListDeps) {
    this.#deps = deps;
  }

  async list(owner: Owner, gatewayId: number): Promise<{ instances: z.input<typeof Instance>[] }> {
    const place = await placeOf(this.#deps, owner, gatewayId);
    const used = new Map((await listInstances(owner, gatewayId)).map((row) => [row.name, row]));
    if (!isOwn(place) && (used.size === 0 || place.gateway.withdrawn))
      return { instances: await this.#gone(place, used) };
    const all = await orFailed("instances_fetch_failed", this.#listed(place));
    const seen = all.filter(({ name }) => used.has(name) || (isOwn(place) && name !== "" && !isProbe(name)));
    await this.#keepFacts(owner, seen, used);
    if (isOwn(place)) for (const { name } of seen) await this.#openAgain(place, used.get(name));
    await this.#wakeDisproved(owner, used, new Set(all.map(({ name }) => name)));
    const agents = await this.#deps.links(owner);
    const there = seen.map((row) => toInstance(gatewayId, row, used.get(row.name) ?? null, agents));
    for (const { name } of seen) used.delete(name);
    return { instances: [...there, ...(await this.#gone(place, used))] };
  }

  /** Stores the check too, so that server and instance states agree. */
  async #listed({ owner, gateway, client }: Place): Promise<GatewayInstance[]> {
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

  async #gone({ owner, gateway }: Place, used: ReadonlyMap<string, InstanceRow>) {
    const agents = await this.#deps.links(owner);
    return [...used.values()].map((row) => toInstance(gateway.id, null, row, agents));
  }

  async #keepFacts(
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
  async #openAgain({ owner, gateway }: Place, row: InstanceRow | undefined): Promise<void> {
    if (!row?.token || row.cause !== "wrong_key") return;
    const token = this.#deps.secrets.open(row.token, tokenPlace(row.connection_id)).toString();
    // A server that was ill also refuses good tokens: only one still refused is dropped.
    const refused = await this.#deps
      .reach(serverOf(gateway), token, owner.accountId)
      .connectionState(row.name)
      .then(
        () => false,
        (error: unknown) => error instanceof AppError && error.code === "gateway_wrong_key",
      );
    if (refused) await deleteToken(owner.db, row.connection_id);
    await wake(owner.db, row.connection_id, "poke");
  }

  /** Without a wakeup its lane would check only after minutes. */
  async #wakeDisproved(
    { db }: Owner,
    used: ReadonlyMap<string, InstanceRow>,
    listed: ReadonlySet<string>,
  ): Promise<void> {
    for (const { name, connection_id, state, cause } of used.values()) {
      const disproved = listed.has(name) ? DISPROVED.has(cause ?? "") : state !== "disconnected";
      if (disproved) await wake(db, connection_id, "poke");
    }
  }
}

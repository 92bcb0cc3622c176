import type { z } from "zod";
import type { Gateway, GatewayInput, gateways } from "../../contract/gateways.ts";
import { AppError } from "../../domain/errors.ts";
import { hostOf, readGatewayUrl } from "../base/gateway-url.ts";
import { isUniqueViolation } from "../db/errors.ts";
import { once, submissionOf } from "../db/idempotency.ts";
import type { Changes } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import { keyHint, type Secrets } from "../db/secrets.ts";
import { fieldError } from "../http/errors.ts";
import { wake } from "../sending/sending.ts";
import type { EvolutionClient } from "../transports/gateway/evolution-client.ts";
import { apiKeyPlace } from "./access.ts";
import { checkServer } from "./check.ts";
import * as counts from "./counts.ts";
import { listInstances } from "./instances-repo.ts";
import type { Probe } from "./probe.ts";
import * as reads from "./reads.ts";
import {
  type Check,
  findGateway,
  type GatewayRow,
  hasClosedGateways,
  insertGateway,
  listGateways,
  serverOf,
  storeCheck,
  updateGateway,
} from "./repo.ts";
import type { ReachServer } from "./server.ts";
import { deleteUnrecognizedOf as deleteUnrecognized } from "./unrecognized-events.ts";

/** What other features read of instances. */
export const gatewayReads = reads;
export const gatewayCounts = counts;
export const deleteUnrecognizedOf = deleteUnrecognized;

export type GatewayDeps = {
  secrets: Pick<Secrets, "seal" | "open">;
  reach: ReachServer;
  probe: Probe;
  /** Throws `too_many_requests`. */
  limitTests(accountId: string): Promise<void>;
  changes: Pick<Changes, "mark">;
  forget(owner: Owner, gatewayId: number): Promise<void>;
  /** Sets our webhooks at a server found to reach us. */
  setHooks(owner: Owner, gatewayId: number): Promise<void>;
};

/** Header-safe; other characters were pasted by mistake. */
const KEY = /^[\x21-\x7e]{1,1000}$/;

/** Keys are stored sealed and never returned. */
export class GatewayService {
  readonly #deps: GatewayDeps;

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
  }

  async list(owner: Owner) {
    return {
      gateways: (await listGateways(owner)).map((row) => toGateway(row, owner)),
      providedClosed: await hasClosedGateways(owner),
    };
  }

  async create(owner: Owner, body: z.output<typeof gateways.create.body>) {
    const { url, apiKey } = readServer(body);
    const check = await this.#checkNew(owner, url, apiKey);
    const name = nameOf(body.name, url);
    const server = { name, url, hint: keyHint(apiKey) };
    // A hash of the key would let a weak one be guessed.
    const submission = submissionOf("gateway", body.idempotencyKey, server);
    const { made } = await once(owner, submission, (inside) =>
      insertGateway(inside, server, (row) => this.#deps.secrets.seal(apiKey, apiKeyPlace(row))),
    ).catch(notTwice);
    return this.#finishTest(owner, await need(owner, made), check);
  }

  async update(
    owner: Owner,
    id: number,
    body: Partial<z.output<typeof GatewayInput>>,
  ): Promise<z.input<typeof Gateway>> {
    const row = await needOwn(owner, id);
    const { url, apiKey } = readServer({ url: body.url ?? row.url, apiKey: body.apiKey || this.#keyOf(row) });
    // A person at an open page could send the stored key to their own address.
    if (new URL(url).origin !== new URL(row.url).origin && !body.apiKey)
      throw fieldError({ apiKey: "gateway_key_again" });
    const check = await this.#checkNew(owner, url, apiKey);
    const name = body.name === undefined ? row.name : nameOf(body.name, url);
    const key = {
      sealed: this.#deps.secrets.seal(apiKey, apiKeyPlace(id)),
      hint: keyHint(apiKey),
      changed: apiKey !== this.#keyOf(row),
    };
    // Changed during the test: omitted fields come from the new row.
    if (!(await updateGateway(owner, row, { name, url, key }).catch(notTwice)))
      return this.update(owner, id, body);
    // Lanes may be waiting for this key.
    for (const { connection_id } of await listInstances(owner, id))
      await wake(owner.db, connection_id, "poke");
    return this.#finishTest(owner, await need(owner, id), check);
  }

  async movesAddress(owner: Owner, id: number, url: string | undefined): Promise<boolean> {
    return url !== undefined && readGatewayUrl(url) !== (await needOwn(owner, id)).url;
  }

  async remove(owner: Owner, id: number) {
    await needOwn(owner, id);
    await this.#deps.forget(owner, id);
    return { success: true };
  }

  async test(owner: Owner, id: number) {
    const row = await need(owner, id);
    if (row.withdrawn) throw new AppError("gateway_withdrawn");
    await this.#deps.limitTests(owner.accountId);
    return this.#finishTest(owner, row, await checkServer(this.#clientOf(owner, row)));
  }

  #keyOf(row: GatewayRow): string {
    return this.#deps.secrets.open(row.api_key, apiKeyPlace(row.id)).toString();
  }

  #clientOf(owner: Owner, row: GatewayRow): EvolutionClient {
    return this.#deps.reach(serverOf(row), this.#keyOf(row), owner.accountId);
  }

  async #checkNew(owner: Owner, url: string, apiKey: string): Promise<Check> {
    const { limitTests, reach } = this.#deps;
    await limitTests(owner.accountId);
    return checkServer(reach({ url, provided: false }, apiKey, owner.accountId));
  }

  async #finishTest(owner: Owner, row: GatewayRow, check: Check): Promise<z.input<typeof Gateway>> {
    const { probe, setHooks, changes } = this.#deps;
    await storeCheck(owner.db, row.id, check);
    if (check.state === "ok") {
      await probe(owner.db, row, this.#clientOf(owner, row));
      await setHooks(owner, row.id);
    }
    changes.mark(owner.accountId, "connections");
    return toGateway(await need(owner, row.id), owner);
  }
}

async function need(owner: Owner, id: number): Promise<GatewayRow> {
  const row = await findGateway(owner, id);
  if (!row) throw new AppError("not_found");
  return row;
}

async function needOwn(owner: Owner, id: number): Promise<GatewayRow> {
  const row = await need(owner, id);
  if (row.account_id === null) throw new AppError("gateway_provided");
  return row;
}

function readServer(body: { url: string; apiKey: string }): { url: string; apiKey: string } {
  const url = readGatewayUrl(body.url);
  const apiKey = body.apiKey.trim();
  const errors = {
    ...(body.url.trim() === "" ? { url: "required" as const } : {}),
    ...(body.url.trim() !== "" && url === null ? { url: "gateway_url_invalid" as const } : {}),
    ...(apiKey === "" ? { apiKey: "required" as const } : {}),
    ...(apiKey !== "" && !KEY.test(apiKey) ? { apiKey: "invalid_text" as const } : {}),
  };
  if (url === null || Object.keys(errors).length > 0) throw fieldError(errors);
  return { url, apiKey };
}

function nameOf(typed: string, url: string): string {
  if (typed.includes("\0") || !typed.isWellFormed()) throw fieldError({ name: "invalid_text" });
  return typed.trim() || hostOf(url);
}

/** At a new address an instance may be another account's. */
const INSTANCES = "instance_gateway_url_name_key";

function notTwice(error: unknown): never {
  if (isUniqueViolation(error, INSTANCES)) throw new AppError("instance_taken");
  if (isUniqueViolation(error)) throw new AppError("gateway_exists");
  throw error;
}

function toGateway(row: GatewayRow, owner: Owner): z.input<typeof Gateway> {
  const own = row.account_id === owner.accountId;
  return {
    id: row.id,
    name: row.name,
    // Shown only to accounts that may use the operator's server.
    url: own || !row.withdrawn ? row.url : "",
    provided: !own,
    withdrawn: row.withdrawn,
    // Not even its end is shown.
    keyHint: own ? row.key_hint : null,
    check:
      row.check_state === null || row.checked_at === null || (!own && row.withdrawn)
        ? null
        : {
            state: row.check_state,
            version: row.version,
            licenseUrl: row.license_url,
            reachesUs: row.reaches_us,
            at: row.checked_at.toISOString(),
          },
    instances: row.instances,
    createdAt: row.created_at.toISOString(),
  };
}

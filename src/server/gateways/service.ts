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
import { apiKeyPlace } from "./access.ts";
import { checkServer } from "./check.ts";
import { listInstances } from "./instances-repo.ts";
import type { Probe } from "./probe.ts";
import {
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

export type GatewayService = ReturnType<typeof gatewayService>;

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
export function gatewayService(deps: GatewayDeps) {
  const { secrets, reach } = deps;
  const keyOf = (row: GatewayRow) => secrets.open(row.api_key, apiKeyPlace(row.id)).toString();

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

  const show = async (owner: Owner, id: number) => shown(await need(owner, id), owner);

  async function test(
    owner: Owner,
    row: GatewayRow,
    known = checkServer(reach(serverOf(row), keyOf(row), owner.accountId)),
  ) {
    const check = await known;
    await storeCheck(owner.db, row.id, check);
    if (check.state === "ok") {
      await deps.probe(owner.db, row, reach(serverOf(row), keyOf(row), owner.accountId));
      await deps.setHooks(owner, row.id);
    }
    deps.changes.mark(owner.accountId, "connections");
    return show(owner, row.id);
  }

  async function update(
    owner: Owner,
    id: number,
    body: Partial<z.output<typeof GatewayInput>>,
  ): Promise<z.input<typeof Gateway>> {
    const row = await needOwn(owner, id);
    const { url, apiKey } = readServer({ url: body.url ?? row.url, apiKey: body.apiKey || keyOf(row) });
    // A person at an open page could send the stored key to their own address.
    if (new URL(url).origin !== new URL(row.url).origin && !body.apiKey)
      throw fieldError({ apiKey: "gateway_key_again" });
    await deps.limitTests(owner.accountId);
    const check = await checkServer(reach({ url, provided: false }, apiKey, owner.accountId));
    const name = body.name === undefined ? row.name : nameOf(body.name, url);
    const key = {
      ...{ sealed: secrets.seal(apiKey, apiKeyPlace(id)), hint: keyHint(apiKey) },
      changed: apiKey !== keyOf(row),
    };
    // Changed during the test: omitted fields come from the new row.
    if (!(await updateGateway(owner, row, { name, url, key }).catch(notTwice)))
      return update(owner, id, body);
    // Lanes may be waiting for this key.
    for (const { connection_id } of await listInstances(owner, id))
      await wake(owner.db, connection_id, "poke");
    return test(owner, await need(owner, id), Promise.resolve(check));
  }

  return {
    list: async (owner: Owner) => ({
      gateways: (await listGateways(owner)).map((row) => shown(row, owner)),
      providedClosed: await hasClosedGateways(owner),
    }),

    create: async (owner: Owner, body: z.output<typeof gateways.create.body>) => {
      const { url, apiKey } = readServer(body);
      await deps.limitTests(owner.accountId);
      const check = await checkServer(reach({ url, provided: false }, apiKey, owner.accountId));
      const name = nameOf(body.name, url);
      const server = { name, url, hint: keyHint(apiKey) };
      // A hash of the key would let a weak one be guessed.
      const submission = submissionOf("gateway", body.idempotencyKey, server);
      const { made } = await once(owner, submission, (inside) =>
        insertGateway(inside, server, (row) => secrets.seal(apiKey, apiKeyPlace(row))),
      ).catch(notTwice);
      return test(owner, await need(owner, made), Promise.resolve(check));
    },

    update,

    movesAddress: async (owner: Owner, id: number, url: string | undefined): Promise<boolean> =>
      url !== undefined && readGatewayUrl(url) !== (await needOwn(owner, id)).url,

    remove: async (owner: Owner, id: number) => {
      await needOwn(owner, id);
      await deps.forget(owner, id);
      return { success: true };
    },

    test: async (owner: Owner, id: number) => {
      const row = await need(owner, id);
      if (row.withdrawn) throw new AppError("gateway_withdrawn");
      await deps.limitTests(owner.accountId);
      return test(owner, row);
    },
  };
}

function readServer(body: { url: string; apiKey: string }): { url: string; apiKey: string } {
  const url = readGatewayUrl(body.url);
  const apiKey = body.apiKey.trim();
  const faults = {
    ...(body.url.trim() === "" ? { url: "required" as const } : {}),
    ...(body.url.trim() !== "" && url === null ? { url: "gateway_url_invalid" as const } : {}),
    ...(apiKey === "" ? { apiKey: "required" as const } : {}),
    ...(apiKey !== "" && !KEY.test(apiKey) ? { apiKey: "invalid_text" as const } : {}),
  };
  if (url === null || Object.keys(faults).length > 0) throw fieldError(faults);
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

function shown(row: GatewayRow, owner: Owner): z.input<typeof Gateway> {
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

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
import { pokeLane } from "../sending/ledger/signals.ts";
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
  /** How to speak to a server. */
  reach: ReachServer;
  probe: Probe;
  /** Counts a test that an account asks for, alone or with what it types; throws `too_many_requests` after a few. */
  limitTests(accountId: string): Promise<void>;
  changes: Pick<Changes, "mark">;
  /** Takes a server and its instances from the account. */
  forget(owner: Owner, gatewayId: number): Promise<void>;
  /** A server was found to reach us: webhooks of the account that were set without us, or not at all, are set anew. */
  setHooks(owner: Owner, gatewayId: number): Promise<void>;
};

/** What a header can carry; anything else was pasted with something around it. */
const KEY = /^[\x21-\x7e]{1,1000}$/;

/** Servers that speak the Evolution API: the account's own, and those the operator provides. Their keys go in and never come out. */
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

  /** All that can be known of a server: what it answers, and whether its events arrive here. */
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
    // Otherwise whoever sits at an open page could have the stored key sent to an address of theirs.
    if (new URL(url).origin !== new URL(row.url).origin && !body.apiKey)
      throw fieldError({ apiKey: "gateway_key_again" });
    await deps.limitTests(owner.accountId);
    const check = await checkServer(reach({ url, provided: false }, apiKey, owner.accountId));
    const name = body.name === undefined ? row.name : nameOf(body.name, url);
    const key = {
      ...{ sealed: secrets.seal(apiKey, apiKeyPlace(id)), hint: keyHint(apiKey) },
      changed: apiKey !== keyOf(row),
    };
    // Changed by another window while this was tested: what is left out here is what stands there now.
    if (!(await updateGateway(owner, row, { name, url, key }).catch(notTwice)))
      return update(owner, id, body);
    // Their lanes may be waiting for just this key.
    for (const { connection_id } of await listInstances(owner, id)) await pokeLane(owner.db, connection_id);
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
      // Before it is stored: an address that may not be called is no server of anybody.
      const check = await checkServer(reach({ url, provided: false }, apiKey, owner.accountId));
      const name = nameOf(body.name, url);
      const server = { name, url, hint: keyHint(apiKey) };
      // Of the key no more than the row tells: a hash of one that can be guessed would give it away.
      const deed = submissionOf("gateway", body.idempotencyKey, server);
      const { made } = await once(owner, deed, (inside) =>
        insertGateway(inside, server, (row) => secrets.seal(apiKey, apiKeyPlace(row))),
      ).catch(notTwice);
      return test(owner, await need(owner, made), Promise.resolve(check));
    },

    update,

    /** Whether an own server would be spoken to at another address than now. */
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

/** Of one server an instance belongs to one account: under another address it may be somebody else's. */
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
    // The operator's address is for accounts that may use it.
    url: own || !row.withdrawn ? row.url : "",
    provided: !own,
    withdrawn: row.withdrawn,
    // The operator's key is nobody's here, not even its end.
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

import type { Logger } from "pino";
import { errorText } from "../../contract/error-messages.ts";
import { AppError } from "../../domain/errors.ts";
import { StartError } from "../base/start-error.ts";
import type { Owner } from "../db/owner.ts";
import type { Secrets } from "../db/secrets.ts";
import { apiKeyPlace } from "./access.ts";
import { type HookDeps, knownWebhookUrl, setHook } from "./hook.ts";
import { listOperatorGateways, type OperatorRow } from "./repo.ts";
import type { ReachServer } from "./server.ts";
import { takeIn } from "./take-in.ts";

export type AssignDeps = {
  secrets: Pick<Secrets, "seal" | "open">;
  reach: ReachServer;
  guard: HookDeps["guard"];
  log: Logger;
};

/**
 * Decision 4. `gateway`: name or address, optional with a single server. Returns text to print; throws
 * StartError.
 */
export async function assignInstance(
  deps: AssignDeps,
  owner: Owner,
  wanted: { gateway: string | undefined; instance: string },
): Promise<string> {
  const gateway = choose(await listOperatorGateways(owner.db), wanted.gateway);
  const apiKey = deps.secrets.open(gateway.api_key, apiKeyPlace(gateway.id)).toString();
  const all = await inWords(deps.reach({ url: gateway.url, provided: true }, apiKey).fetchInstances());
  const there = all.find(({ name }) => name === wanted.instance);
  if (!there) throw new StartError(`${gateway.name} não tem uma instância de nome ${wanted.instance}.`);
  const id = await inWords(takeIn(deps.secrets, owner, gateway, there));
  const webhookUrl = await knownWebhookUrl(owner.db);
  // The running server then sets it within minutes.
  if (webhookUrl !== null) await setHook({ ...deps, webhookUrl }, owner.db, id).catch(() => undefined);
  return `A instância ${there.name} de ${gateway.name} agora é desta conta.`;
}

function choose(provided: readonly OperatorRow[], wanted: string | undefined): OperatorRow {
  const usable = provided.filter(({ withdrawn }) => !withdrawn);
  const named = usable.filter(({ name, url }) => wanted === undefined || name === wanted || url === wanted);
  const [gateway] = named;
  if (gateway && named.length === 1) return gateway;
  if (usable.length === 0)
    throw new StartError("Nenhum servidor foi fornecido. Defina RECADO_GATEWAYS e inicie o Recado uma vez.");
  const names = usable.map(({ name, url }) => `  ${name}  ${url}`).join("\n");
  throw new StartError(`Diga qual servidor com --gateway (nome ou endereço):\n${names}`);
}

async function inWords<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    throw new StartError(errorText(error.code, error.details));
  });
}

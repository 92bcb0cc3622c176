import { ApiKeyScope } from "../../contract/settings.ts";
import { normalizeName } from "../../domain/account.ts";
import { createApiKey } from "../accounts/administration.ts";
import { findApiKey, listApiKeys, revokeApiKey } from "../accounts/repo.ts";
import { record } from "../audit/service.ts";
import { StartError } from "../base/start-error.ts";
import { type CommandDeps, find, type Options, refuseLongName, USAGE } from "./command.ts";

const MAX_DAYS = 3_650;

const day = (date: Date | null) => date?.toISOString().slice(0, 10) ?? "–";

export async function listKeys(deps: CommandDeps, options: Options): Promise<void> {
  const { owner } = await find(deps, options);
  const keys = await listApiKeys(owner);
  for (const key of keys)
    deps.print(`${key.id}  ${key.prefix}…  ${key.name}  ${stateOf(key, deps.clock.now())}`);
  deps.print(keys.length === 1 ? "1 chave" : `${keys.length} chaves`);
}

type KeyDates = {
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
};

function stateOf({ created_at, expires_at, revoked_at, last_used_at }: KeyDates, now: Date): string {
  const used = `criada em ${day(created_at)}, último uso ${day(last_used_at)}`;
  if (revoked_at) return `revogada em ${day(revoked_at)} (${used})`;
  if (!expires_at) return `sem validade (${used})`;
  return `${expires_at <= now ? "expirou" : "expira"} em ${day(expires_at)} (${used})`;
}

export async function createKey(deps: CommandDeps, options: Options): Promise<void> {
  const name = normalizeName(options.name ?? "");
  if (name === "") throw new StartError(`Falta --name: diga para que a chave serve.\n\n${USAGE}`);
  refuseLongName(name);
  const days = options.days === undefined ? null : Number(options.days);
  if (days !== null && !(Number.isInteger(days) && days >= 1 && days <= MAX_DAYS))
    throw new StartError(`--days aceita um número inteiro de 1 a ${MAX_DAYS}.`);
  const scope = ApiKeyScope.safeParse(options.scope ?? "all");
  if (!scope.success) throw new StartError("--scope aceita all, send ou read.");
  const { owner } = await find(deps, options);
  const { id, key, expiresAt } = await owner.db.transaction().execute(async (tx) => {
    const made = await createApiKey(owner.in(tx), { name, days, scope: scope.data }, deps.clock);
    await deps.emails.keyCreated(owner.in(tx), { id: made.id, name });
    await record(owner.in(tx), { kind: "key_created", subject: name, details: { scope: scope.data } });
    return made;
  });
  deps.print(key);
  deps.print(
    `Chave ${id} criada${expiresAt ? `, válida até ${expiresAt.toISOString()}` : ", sem validade"}. ` +
      "Guarde-a agora: ela não será mostrada de novo. Envie-a no cabeçalho Authorization: Bearer.",
  );
}

export async function revokeKey(deps: CommandDeps, options: Options): Promise<void> {
  const id = Number(options.id);
  if (!Number.isSafeInteger(id) || id < 1) throw new StartError(`Falta --id: o número da chave.\n\n${USAGE}`);
  const { owner } = await find(deps, options);
  const { name = "" } = (await findApiKey(owner, id)) ?? {};
  await owner.db.transaction().execute(async (tx) => {
    if (!(await revokeApiKey(owner.in(tx), id, deps.clock.now())))
      throw new StartError(`A conta não tem uma chave ativa de número ${id}.`);
    await record(owner.in(tx), { kind: "key_revoked", subject: name });
  });
  deps.print(`Chave ${id} revogada.`);
}

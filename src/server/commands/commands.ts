import { parseArgs } from "node:util";
import { OPERATOR_SERVICES } from "../../domain/limits.ts";
import type { Found } from "../accounts/administration.ts";
import { updateMonthlyLimit } from "../accounts/settings-repo.ts";
import { record } from "../audit/service.ts";
import { during, operatorRequest } from "../base/request-context.ts";
import { StartError } from "../base/start-error.ts";
import { mayUse, readServicePolicy, setServiceOpen } from "../db/operator-services.ts";
import type { Owner } from "../db/owner.ts";
import { findInstanceIds } from "../gateways/instances-repo.ts";
import { wake } from "../sending/sending.ts";
import { readAllLimits } from "../usage/limits.ts";
import { figure, refuseTwice } from "./cli-words.ts";
import { type Command, type CommandDeps, find, LIMIT_OPTIONS, type Options, USAGE } from "./command.ts";
import { endInvitation, invite, showInvitations } from "./invitation-commands.ts";
import { createKey, listKeys, revokeKey } from "./key-commands.ts";
import { applyLimitChange, limitLine, readLimitChanges } from "./limit-commands.ts";
import { changePassword, confirm, create } from "./password-commands.ts";
import { remove, resume, showAccounts, suspend } from "./suspension-commands.ts";

const COMMANDS: Readonly<Record<string, { options: (keyof Options)[]; run: Command }>> = {
  list: {
    options: ["email"],
    run: (deps, options) => (options.email ? listKeys(deps, options) : showAccounts(deps)),
  },
  "reset-password": { options: ["email", "generate"], run: changePassword },
  "confirm-email": { options: ["email"], run: confirm },
  "create-key": { options: ["email", "name", "days", "scope"], run: createKey },
  "revoke-key": { options: ["email", "id"], run: revokeKey },
  "set-limit": { options: ["email", "all", "messages", ...LIMIT_OPTIONS], run: changeLimits },
  limits: { options: ["email"], run: showLimits },
  invite: { options: ["email", "days"], run: invite },
  invitations: { options: [], run: showInvitations },
  "revoke-invitation": { options: ["id"], run: endInvitation },
  create: { options: ["email", "name", "generate"], run: create },
  suspend: { options: ["email"], run: async (deps, options) => suspend(deps, await find(deps, options)) },
  resume: { options: ["email"], run: async (deps, options) => resume(deps, await find(deps, options)) },
  remove: {
    options: ["email", "confirm"],
    run: async (deps, options) => remove(deps, await find(deps, options), options.confirm),
  },
  allow: { options: ["email", "service"], run: (deps, options) => changeService(deps, options, true) },
  disallow: { options: ["email", "service"], run: (deps, options) => changeService(deps, options, false) },
  status: { options: [], run: async ({ print, status }) => (await status()).forEach(print) },
  "assign-instance": { options: ["email", "instance", "gateway"], run: assign },
};

export type ParsedCommand = (deps: CommandDeps) => Promise<void>;

/** Runs before the database is opened. Throws StartError. */
export function parseCommand(args: string[]): ParsedCommand {
  const [name = "", ...rest] = args;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new StartError(name === "" ? USAGE : `Comando desconhecido: ${name}\n\n${USAGE}`);
  const options = parseOptions(name, rest, command.options);
  return (deps) => during(operatorRequest(), () => command.run(deps, options));
}

const SWITCHES: ReadonlySet<keyof Options> = new Set(["generate", "all"]);

function parseOptions(name: string, args: string[], allowed: (keyof Options)[]): Options {
  const known = Object.fromEntries(
    allowed.map((option) => [option, { type: SWITCHES.has(option) ? "boolean" : "string" } as const]),
  );
  try {
    const { values, tokens } = parseArgs({ args, options: known, tokens: true });
    refuseTwice(tokens, USAGE);
    return values;
  } catch (error) {
    if (error instanceof StartError) throw error;
    const wanted = allowed.map((option) => `--${option}`).join(", ") || "nenhuma";
    throw new StartError(`Opções de ${name}: ${wanted}.\n\n${USAGE}`);
  }
}

async function changeLimits(deps: CommandDeps, options: Options): Promise<void> {
  const changes = readLimitChanges(options, USAGE);
  const found = options.all ? null : await find(deps, options);
  if (options.all && options.email) throw new StartError(`--all ou --email, não os dois.\n\n${USAGE}`);
  if (options.messages !== undefined) await setMonthlyLimit(deps, found, options.messages);
  for (const change of changes) deps.print(await applyLimitChange(deps.db, found, change));
}

const MAX_MESSAGES = 1_000_000_000;

async function setMonthlyLimit(deps: CommandDeps, found: Found | null, messages: string): Promise<void> {
  const limit = messages === "none" ? null : Number(messages);
  if (limit !== null && !(/^\d+$/.test(messages) && limit <= MAX_MESSAGES))
    throw new StartError(`--messages aceita um número inteiro de 0 a ${MAX_MESSAGES}, ou none.\n\n${USAGE}`);
  if (!found) throw new StartError(`--messages vale para uma conta: diga --email.\n\n${USAGE}`);
  const { owner, account } = found;
  await owner.db.transaction().execute(async (tx) => {
    await updateMonthlyLimit(owner.in(tx), limit);
    await record(owner.in(tx), {
      kind: "limit_set",
      ...(limit === null ? {} : { details: { messages: limit } }),
    });
  });
  deps.print(
    limit === null
      ? `${account.email}: sem limite de mensagens. Campanhas pausadas pelo limite são retomadas na tela.`
      : `${account.email}: até ${figure(limit)} mensagens por mês.`,
  );
}

async function showLimits(deps: CommandDeps, options: Options): Promise<void> {
  const { owner } = await find(deps, options);
  for (const limit of await readAllLimits(owner)) deps.print(limitLine(limit));
}

async function changeService(deps: CommandDeps, options: Options, open: boolean): Promise<void> {
  const service = OPERATOR_SERVICES.find((name) => name === options.service);
  if (!service) throw new StartError(`--service aceita ${OPERATOR_SERVICES.join(", ")}.\n\n${USAGE}`);
  const { owner, account } = await find(deps, options);
  await owner.db.transaction().execute(async (tx) => {
    if (!(await setServiceOpen(owner.in(tx), service, open))) return;
    await record(owner.in(tx), {
      kind: open ? "service_opened" : "service_closed",
      details: { service },
    });
  });
  if (service === "gateways") await pokeInstances(owner);
  deps.print(`${account.email}: ${SERVICE_NAMES[service]} ${open ? "abertos" : "fechados"}.`);
  if (!open && (await readServicePolicy(deps.db, service)) === "all")
    deps.print(
      `Mas RECADO_${service.toUpperCase()}_FOR é all (ou o Recado só atende nesta máquina): todas as contas usam.`,
    );
}

const SERVICE_NAMES = {
  mistral: "robôs com a chave do Mistral desta instalação",
  gateways: "servidores Evolution desta instalação",
  mail: "avisos por e-mail",
} as const;

/** Lanes learn at once whether they may use the operator's servers. */
async function pokeInstances(owner: Owner): Promise<void> {
  for (const id of await findInstanceIds(owner)) await wake(owner.db, id, "poke");
}

async function assign(deps: CommandDeps, options: Options): Promise<void> {
  const { instance, gateway } = options;
  if (!instance) throw new StartError(`Falta --instance: o nome dela no servidor.\n\n${USAGE}`);
  const { owner } = await find(deps, options);
  if (!(await mayUse(owner, "gateways")))
    throw new StartError(
      `Os servidores desta instalação não estão abertos a esta conta. Antes: npm run account -- allow --email ${options.email} --service gateways`,
    );
  deps.print(await deps.assignInstance(owner, { gateway, instance }));
}

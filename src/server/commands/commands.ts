import { parseArgs } from "node:util";
import { sql } from "kysely";
import type { Access, Terms } from "../../contract/accounts.ts";
import { fieldText } from "../../contract/error-messages.ts";
import { ApiKeyScope } from "../../contract/settings.ts";
import { ACCOUNT_NAME_MAX, normalizeEmail, normalizeName } from "../../domain/account.ts";
import type { Clock } from "../../domain/clock.ts";
import { LIMIT_NAMES, type LimitName, OPERATOR_SERVICES } from "../../domain/limits.ts";
import {
  accountOf,
  createAccount,
  createApiKey,
  type Found,
  generatePassword,
  resetPassword,
} from "../accounts/administration.ts";
import { confirmEmail } from "../accounts/email-confirmation.ts";
import type { AccountEmails } from "../accounts/emails.ts";
import { forgiveSignIns } from "../accounts/limits.ts";
import { newPasswordError } from "../accounts/new-password.ts";
import type { PasswordHasher } from "../accounts/password.ts";
import { findAccountByPendingEmail, findApiKey, listApiKeys, revokeApiKey } from "../accounts/repo.ts";
import type { OutwardAccess } from "../accounts/revoke-access.ts";
import { updateMonthlyLimit } from "../accounts/settings-repo.ts";
import type { SuspensionDeps } from "../accounts/suspension.ts";
import { record } from "../audit/service.ts";
import { during, operatorRequest } from "../base/request-context.ts";
import { StartError } from "../base/start-error.ts";
import { readLimits } from "../db/account-limits.ts";
import type { Db } from "../db/client.ts";
import { isUniqueViolation } from "../db/errors.ts";
import { mayUse, readServicePolicy, setServiceOpen } from "../db/operator-services.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import { wake } from "../sending/sending.ts";
import { figure, refuseTwice } from "./cli-words.ts";
import { endInvitation, invite, showInvitations } from "./invitation-commands.ts";
import {
  applyLimitChange,
  type LimitOption,
  limitLine,
  optionOf,
  readLimitChanges,
} from "./limit-commands.ts";
import { remove, resume, showAccounts, suspend } from "./suspension-commands.ts";

const LIMIT_OPTIONS = LIMIT_NAMES.map(optionOf);

export const USAGE = `Uso: npm run account -- <comando>

  list                                            lista as contas
  list --email E                                  lista as chaves de API de uma conta
  invite [--email E] [--days N]                   cria um convite: um link com que uma pessoa cria a sua conta (7 dias)
  invitations                                     lista os convites
  revoke-invitation --id N                        revoga um convite que ainda não foi usado
  suspend --email E                               suspende uma conta: ninguém entra nela e nada sai por ela
  resume --email E                                devolve uma conta suspensa; cada campanha espera que alguém a continue
  remove --email E --confirm E                    exclui uma conta e tudo o que é dela, para sempre
  create --email E --name NOME [--generate]       cria uma conta com uma primeira senha
  reset-password --email E [--generate]           troca a senha e encerra todas as sessões, chaves de API e endereços
                                                  que recebem mensagens da conta
  confirm-email --email E                         confirma o e-mail de uma conta, ou o novo que espera pela confirmação
  create-key --email E --name NOME [--days N] [--scope all|send|read]
                                                  cria uma chave de API (mostrada uma única vez)
  revoke-key --email E --id N                     revoga uma chave de API
  set-limit --email E --messages N|none           limita as mensagens de cada mês (campanhas param no limite)
  set-limit --email E|--all --LIMITE N|none|default
                                                  muda outro limite de uma conta, ou de todas que não têm o seu; LIMITE é um de
                                                  ${LIMIT_OPTIONS.join(", ")}
  limits --email E                                mostra os limites de uma conta e quanto ela usa de cada um
  allow --email E --service mistral|gateways|mail  abre à conta a chave do Mistral, os servidores Evolution ou os avisos por e-mail
                                                  desta instalação (RECADO_MISTRAL_FOR, RECADO_GATEWAYS_FOR, RECADO_MAIL_FOR)
  disallow --email E --service mistral|gateways|mail
                                                  fecha o serviço para a conta
  assign-instance --email E --instance NOME [--gateway SERVIDOR]
                                                  dá a uma conta uma instância de um servidor de RECADO_GATEWAYS
  status                                          diz como está a instalação: versão, banco, disco, processos, filas, cópia

Sem --generate, a senha nova é digitada duas vezes, ou lida da entrada padrão.`;

export type CommandDeps = {
  db: Db;
  clock: Clock;
  hasher: PasswordHasher;
  /** The owner gets an e-mail: a stranger may have asked the operator. */
  emails: Pick<AccountEmails, "passwordChanged" | "keyCreated" | "notifyAgain" | "emailChanged">;
  outward: OutwardAccess;
  print: (line: string) => void;
  assignInstance: (
    owner: Owner,
    wanted: { gateway: string | undefined; instance: string },
  ) => Promise<string>;
  suspension: SuspensionDeps;
  /** Public address, without a trailing slash. */
  origin: string;
  terms: () => Terms;
  status: () => Promise<string[]>;
  askSecret: (question: string) => Promise<string>;
};

export type Options = { [Limit in LimitName as LimitOption<Limit>]?: string } & {
  email?: string;
  name?: string;
  days?: string;
  scope?: string;
  id?: string;
  generate?: boolean;
  confirm?: string;
  messages?: string;
  all?: boolean;
  gateway?: string;
  instance?: string;
  service?: string;
};
type Command = (deps: CommandDeps, options: Options) => Promise<void>;

const MAX_DAYS = 3_650;

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

async function find({ db }: CommandDeps, { email }: Options): Promise<Found> {
  if (!email) throw new StartError(`Falta --email.\n\n${USAGE}`);
  const found = await accountOf(db, email);
  if (!found) throw new StartError(`Não há conta com o e-mail ${email}.`);
  return found;
}

const day = (date: Date | null) => date?.toISOString().slice(0, 10) ?? "–";

async function listKeys(deps: CommandDeps, options: Options): Promise<void> {
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

async function changePassword(deps: CommandDeps, options: Options): Promise<void> {
  const { owner, account } = await find(deps, options);
  const password = options.generate ? generatePassword() : await askNewPassword(deps, account);
  const { endedSessions, ended, living } = await resetPassword(owner, password, deps);
  // Failed attempts often reached the limit before.
  await forgiveSignIns(deps.db, account.email);
  if (options.generate) deps.print(`Senha nova: ${password}`);
  deps.print(`A senha de ${account.email} foi trocada. Sessões encerradas: ${endedSessions}.`);
  for (const one of ended) deps.print(`Revogado: ${accessText(one)}`);
  for (const one of living) deps.print(`Continua ligado à conta: ${accessText(one)}`);
}

function accessText(one: Access): string {
  if (one.kind === "mistral") return `chave da Mistral que termina em ${one.hint}`;
  if (one.kind === "key") return `chave de API «${one.name}» (${one.prefix}…)`;
  const what = one.kind === "relay" ? "endereço que recebe as mensagens da instância" : "servidor Evolution";
  return `${what} «${one.name}» (${one.host})`;
}

/** Where no link works, the operator knows the owner of the address. */
async function confirm(deps: CommandDeps, { email }: Options): Promise<void> {
  if (!email) throw new StartError(`Falta --email.\n\n${USAGE}`);
  const normal = normalizeEmail(email);
  const pending = normal && (await findAccountByPendingEmail(deps.db, normal));
  const { owner, account } = pending
    ? { owner: ownerOf(deps.db, pending.id), account: pending }
    : await find(deps, { email });
  // The account's own e-mail was named: a pending change stays.
  const named = pending ? account : { ...account, pending_email: null };
  await deps.db
    .transaction()
    .execute((tx) => confirmEmail(deps, owner.in(tx), named))
    .catch((error: unknown) => {
      if (!isUniqueViolation(error, "account_email_key")) throw error;
      throw new StartError(`Outra conta já usa o e-mail ${normal}.`);
    });
  deps.print(
    pending
      ? `O e-mail de ${account.email} passou a ser ${normal}, e está confirmado.`
      : `O e-mail ${account.email} está confirmado.`,
  );
}

async function askNewPassword(
  deps: CommandDeps,
  account: { email: string; name: string },
  undone = "A senha não foi trocada.",
): Promise<string> {
  const password = await deps.askSecret("Senha nova: ");
  const error = newPasswordError(password, account);
  if (error) throw new StartError(`${undone} ${fieldText(error)}`);
  const again = await deps.askSecret("Repita a senha nova: ");
  if (again !== password) throw new StartError(`${undone} ${fieldText("passwords_differ")}`);
  return password;
}

async function create(deps: CommandDeps, options: Options): Promise<void> {
  const { email: typed = "", name: typedName = "" } = options;
  const [email, name] = [normalizeEmail(typed), normalizeName(typedName)];
  if (!email) throw new StartError(`Falta --email, ou ele não é um e-mail.\n\n${USAGE}`);
  if (name === "") throw new StartError(`Falta --name: o nome da pessoa.\n\n${USAGE}`);
  refuseLongName(name);
  if (await accountOf(deps.db, email)) throw new StartError(`Já há uma conta com o e-mail ${email}.`);
  const password = options.generate
    ? generatePassword()
    : await askNewPassword(deps, { email, name }, "A conta não foi criada.");
  const terms = deps.terms();
  await createAccount(deps, { email, name, password, terms });
  deps.print(`Conta criada: ${email}`);
  if (options.generate) deps.print(`Primeira senha: ${password}`);
  deps.print(
    `O aceite dos termos de uso (versão ${terms.version}) foi registrado em nome da pessoa: mostre-os a ela.`,
  );
}

function refuseLongName(name: string): void {
  if (Array.from(name).length > ACCOUNT_NAME_MAX)
    throw new StartError(`--name aceita no máximo ${ACCOUNT_NAME_MAX} caracteres.`);
}

async function createKey(deps: CommandDeps, options: Options): Promise<void> {
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

async function revokeKey(deps: CommandDeps, options: Options): Promise<void> {
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
  for (const limit of await readLimits(owner)) deps.print(limitLine(limit));
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
  const { rows } = await sql<{ id: number }>`select id from connection
    where account_id = ${owner.accountId}::uuid and kind = 'instance'`.execute(owner.db);
  for (const { id } of rows) await wake(owner.db, id, "poke");
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

import type { Access } from "../../contract/accounts.ts";
import { fieldText } from "../../contract/error-messages.ts";
import { normalizeEmail, normalizeName } from "../../domain/account.ts";
import { accountOf, createAccount, generatePassword, resetPassword } from "../accounts/administration.ts";
import { confirmEmail } from "../accounts/email-confirmation.ts";
import { forgiveSignIns } from "../accounts/limits.ts";
import { newPasswordError } from "../accounts/new-password.ts";
import { findAccountByPendingEmail } from "../accounts/repo.ts";
import { StartError } from "../base/start-error.ts";
import { isUniqueViolation } from "../db/errors.ts";
import { ownerOf } from "../db/owner.ts";
import { type CommandDeps, find, type Options, refuseLongName, USAGE } from "./command.ts";

export async function changePassword(deps: CommandDeps, options: Options): Promise<void> {
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
export async function confirm(deps: CommandDeps, { email }: Options): Promise<void> {
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

export async function create(deps: CommandDeps, options: Options): Promise<void> {
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

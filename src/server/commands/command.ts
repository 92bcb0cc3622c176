import type { Terms } from "../../contract/accounts.ts";
import { ACCOUNT_NAME_MAX } from "../../domain/account.ts";
import type { Clock } from "../../domain/clock.ts";
import { LIMIT_NAMES, type LimitName } from "../../domain/limits.ts";
import { accountOf, type Found } from "../accounts/administration.ts";
import type { AccountEmails } from "../accounts/emails.ts";
import type { PasswordHasher } from "../accounts/password.ts";
import type { OutwardAccess } from "../accounts/revoke-access.ts";
import type { SuspensionDeps } from "../accounts/suspension.ts";
import { StartError } from "../base/start-error.ts";
import type { Db } from "../db/client.ts";
import type { Owner } from "../db/owner.ts";
import { type LimitOption, optionOf } from "./limit-commands.ts";

export const LIMIT_OPTIONS = LIMIT_NAMES.map(optionOf);

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
export type Command = (deps: CommandDeps, options: Options) => Promise<void>;

export async function find({ db }: CommandDeps, { email }: Options): Promise<Found> {
  if (!email) throw new StartError(`Falta --email.\n\n${USAGE}`);
  const found = await accountOf(db, email);
  if (!found) throw new StartError(`Não há conta com o e-mail ${email}.`);
  return found;
}

export function refuseLongName(name: string): void {
  if (Array.from(name).length > ACCOUNT_NAME_MAX)
    throw new StartError(`--name aceita no máximo ${ACCOUNT_NAME_MAX} caracteres.`);
}

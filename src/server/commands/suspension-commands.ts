import { normalizeEmail } from "../../domain/account.ts";
import type { Clock } from "../../domain/clock.ts";
import type { Found } from "../accounts/administration.ts";
import { closeByOperator } from "../accounts/removal.ts";
import { listAccounts } from "../accounts/repo.ts";
import { resumeAccount, type SuspensionDeps, suspendAccount } from "../accounts/suspension.ts";
import { findLastEvents } from "../audit/repo.ts";
import { StartError } from "../base/start-error.ts";
import { connectionReads } from "../connections/service.ts";
import { contactReads } from "../contacts/service.ts";
import type { Db } from "../db/client.ts";
import { figure } from "./cli-words.ts";

type Deps = { db: Db; clock: Clock; suspension: SuspensionDeps; print: (line: string) => void };

export async function showAccounts({ db, print }: Pick<Deps, "db" | "print">): Promise<void> {
  const [accounts, events, numbers, people] = await Promise.all([
    listAccounts(db),
    findLastEvents(db),
    connectionReads.countByAccount(db),
    contactReads.countByAccount(db),
  ]);
  for (const { id, email, name, created_at, suspended_at, seen_at } of accounts)
    print(
      `${day(created_at)}  ${email}  ${name}  visto em ${day(latest(seen_at, events.get(id) ?? null))}, ` +
        `números: ${figure(numbers.get(id) ?? 0)}, pessoas: ${figure(people.get(id) ?? 0)}` +
        (suspended_at ? `, suspensa desde ${day(suspended_at)}` : ""),
    );
  print(accounts.length === 1 ? "1 conta" : `${accounts.length} contas`);
}

const latest = (a: Date | null, b: Date | null) => (a === null || (b !== null && b > a) ? b : a);

const day = (date: Date | null) => date?.toISOString().slice(0, 10) ?? "–";

export async function suspend({ suspension, print }: Deps, { owner, account }: Found): Promise<void> {
  const done = await suspendAccount(owner, suspension);
  print(
    `${account.email} ${done.already ? "já estava suspensa" : "está suspensa"}. Sessões encerradas: ${done.sessions}; ` +
      `campanhas pausadas: ${done.campaigns}; mensagens avulsas não enviadas: ${done.singles}.`,
  );
  if (done.owned > 0)
    print(
      `Atenção: ${done.owned} das conexões dela ainda estão com um processo que não as largou. Elas não começam nada novo; ` +
        "rode o comando de novo para conferir.",
    );
}

export async function resume({ print }: Deps, { owner, account }: Found): Promise<void> {
  if (!(await resumeAccount(owner))) throw new StartError(`${account.email} não está suspensa.`);
  print(
    `${account.email} pode entrar de novo, e os números dela voltam a conectar. Nada é enviado sozinho: cada campanha pausada ` +
      "espera que alguém toque em «Continuar»; as agendadas para depois de agora saem na sua hora.",
  );
}

export async function remove(
  { clock, print }: Deps,
  { owner, account }: Found,
  confirm: string | undefined,
): Promise<void> {
  const { email } = account;
  if (normalizeEmail(confirm ?? "") !== email)
    throw new StartError(
      `Isto exclui a conta de ${email} para sempre, com listas, campanhas, conversas e números. ` +
        `Para excluir: npm run account -- remove --email ${email} --confirm ${email}`,
    );
  await closeByOperator(owner, { clock });
  print(
    `A conta de ${email} foi fechada. O que era dela é apagado em seguida, enquanto o Recado estiver ligado.`,
  );
}

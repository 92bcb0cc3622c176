import { normalizeEmail } from "../../domain/account.ts";
import type { Clock } from "../../domain/clock.ts";
import {
  type InvitationRow,
  insertInvitation,
  listInvitations,
  revokeInvitation,
} from "../accounts/invitations-repo.ts";
import { hashInvitation, newInvitationToken } from "../accounts/signup-policy.ts";
import { StartError } from "../base/start-error.ts";
import type { Db } from "../db/client.ts";

type Deps = { db: Db; clock: Clock; origin: string; print: (line: string) => void };

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 7;
const MAX_DAYS = 90;

/** Only the link's hash is stored. */
export async function invite(
  { db, clock, origin, print }: Deps,
  { email: typed, days: typedDays }: { email?: string; days?: string },
): Promise<void> {
  const email = typed === undefined ? null : normalizeEmail(typed);
  if (email === undefined) throw new StartError(`${typed} não é um e-mail.`);
  const days = typedDays === undefined ? DEFAULT_DAYS : Number(typedDays);
  if (!(Number.isInteger(days) && days >= 1 && days <= MAX_DAYS))
    throw new StartError(`--days aceita um número inteiro de 1 a ${MAX_DAYS}.`);
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + days * DAY_MS);
  const token = newInvitationToken();
  const id = await insertInvitation(db, { hash: hashInvitation(token), email, now, expiresAt });
  print(`${origin}/signup#${token}`);
  print(
    `Convite ${id}${email === null ? "" : `, só para ${email}`}, válido até ${expiresAt.toISOString()}, para uma conta. ` +
      "Envie o link à pessoa: ele não será mostrado de novo.",
  );
}

export async function showInvitations({ db, clock, print }: Deps): Promise<void> {
  const invitations = await listInvitations(db);
  for (const one of invitations)
    print(
      `${one.id}  ${day(one.created_at)}  ${one.email ?? "qualquer e-mail"}  ${stateOf(one, clock.now())}`,
    );
  print(invitations.length === 1 ? "1 convite" : `${invitations.length} convites`);
}

const day = (date: Date) => date.toISOString().slice(0, 10);

function stateOf({ expires_at, used_at, used_by, revoked_at }: InvitationRow, now: Date): string {
  if (used_at) return `usado em ${day(used_at)} por ${used_by ?? "uma conta excluída"}`;
  if (revoked_at) return `revogado em ${day(revoked_at)}`;
  return `${expires_at <= now ? "expirou" : "expira"} em ${day(expires_at)}`;
}

export async function endInvitation(
  { db, clock, print }: Deps,
  { id: typed }: { id?: string },
): Promise<void> {
  const id = Number(typed);
  if (!Number.isSafeInteger(id) || id < 1) throw new StartError("Falta --id: o número do convite.");
  if (!(await revokeInvitation(db, id, clock.now())))
    throw new StartError(`Não há um convite de número ${id} que ainda valha.`);
  print(`Convite ${id} revogado.`);
}

import { PORTUGUESE } from "../../contract/error-messages.ts";
import { LIMIT_NAMES, type LimitName, type LimitUse } from "../../domain/limits.ts";
import type { Found } from "../accounts/administration.ts";
import { record } from "../audit/service.ts";
import { StartError } from "../base/start-error.ts";
import { readLimit, setLimit, unsetLimit } from "../db/account-limits.ts";
import type { Db } from "../db/client.ts";
import { LIMIT_OF } from "../usage/limits.ts";

export type LimitOption<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Head}-${LimitOption<Rest>}`
  : Name;

type LimitChange = { name: LimitName; value: number | null | "default" };

const MAX_LIMIT = 1_000_000_000_000;

export const optionOf = (name: LimitName) => name.replaceAll("_", "-") as LimitOption<LimitName>;

export function readLimitChanges(
  options: { [Limit in LimitOption<LimitName>]?: string } & { messages?: string },
  usage: string,
): LimitChange[] {
  const changes = LIMIT_NAMES.flatMap((name) => {
    const { [optionOf(name)]: text } = options;
    return text === undefined ? [] : [{ name, value: readValue(name, text, usage) }];
  });
  if (changes.length === 0 && options.messages === undefined)
    throw new StartError(`Diga que limite muda, como --${optionOf("numbers")} 20.\n\n${usage}`);
  return changes;
}

function readValue(name: LimitName, text: string, usage: string): LimitChange["value"] {
  if (text === "none") return null;
  if (text === "default") return "default";
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= MAX_LIMIT) return value;
  throw new StartError(
    `--${optionOf(name)} aceita um número inteiro de 0 a ${MAX_LIMIT}, none ou default.\n\n${usage}`,
  );
}

/** `found` null: all accounts without a limit of their own. Returns the text to print. */
export async function applyLimitChange(
  db: Db,
  found: Found | null,
  { name, value }: LimitChange,
): Promise<string> {
  const accountId = found?.owner.accountId ?? null;
  await db.transaction().execute(async (tx) => {
    if (value === "default") await unsetLimit(tx, accountId, name);
    else await setLimit(tx, accountId, name, value);
    if (found) await record(found.owner.in(tx), { kind: "account_limit_set", details: { limit: name } });
  });
  if (found) return `${found.account.email}: ${limitLine(await readLimit(found.owner, LIMIT_OF[name]))}`;
  return value === "default"
    ? `Todas as contas: --${optionOf(name)} volta ao que o Recado traz.`
    : `Todas as contas sem limite próprio: --${optionOf(name)} ${value === null ? "sem limite" : PORTUGUESE.limitText(name, value)}.`;
}

export function limitLine({ name, most, used }: LimitUse): string {
  const allowed = most === null ? "sem limite" : `até ${PORTUGUESE.limitText(name, most)}`;
  return `--${optionOf(name)}  ${allowed}, em uso ${PORTUGUESE.limitText(name, used)}`;
}

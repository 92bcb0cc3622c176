import { AppError } from "../../domain/errors.ts";
import { record } from "../audit/service.ts";
import { type ErasedSecrets, holdErasures, isErased, removeErased } from "../db/erased-people.ts";
import type { Owner } from "../db/owner.ts";

export async function refuseErased(
  inside: Owner,
  secrets: ErasedSecrets,
  phone: string,
  takeBack = false,
): Promise<void> {
  await holdErasures(inside.db, inside.accountId, "write");
  if (!(await isErased(inside, secrets, phone))) return;
  if (!takeBack) throw new AppError("person_erased");
  await removeErased(inside, secrets, phone);
  await record(inside, { kind: "person_taken_back" });
}

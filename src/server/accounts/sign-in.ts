import { isAPIError } from "better-auth/api";
import { AppError } from "../../domain/errors.ts";
import type { Db } from "../db/client.ts";
import type { Auth } from "./auth.ts";
import { deleteSessionByToken, findLoginHash, isSuspendedByEmail } from "./repo.ts";

type SignIn = { email: string; password: string; headers: Headers };

/**
 * Throws `login_failed`, `account_suspended`. The hash is compared again under a lock: a concurrent password
 * change ends all sessions, and this one would survive.
 */
export async function signIn(
  { auth, db }: { auth: Auth; db: Db },
  { email, password, headers }: SignIn,
): Promise<Headers> {
  const compared = await findLoginHash(db, email);
  const answer = await auth.api
    .signInEmail({ body: { email, password }, headers, returnHeaders: true })
    .catch((error: unknown) => {
      throw isAPIError(error) ? new AppError("login_failed") : error;
    });
  const suspended = await isSuspendedByEmail(db, email);
  if (!suspended && (await findLoginHash(db, email, { hold: true })) === compared) return answer.headers;
  await deleteSessionByToken(db, answer.response.token);
  throw new AppError(suspended ? "account_suspended" : "login_failed");
}

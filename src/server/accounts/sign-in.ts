import { isAPIError } from "better-auth/api";
import { AppError } from "../../domain/errors.ts";
import type { Db } from "../db/client.ts";
import type { Auth } from "./auth.ts";
import { deleteSessionByToken, findLoginHash, isSuspendedByEmail } from "./repo.ts";

type SignIn = { email: string; password: string; headers: Headers };

/**
 * A session for the person who knows the password; answers the library's headers, with its cookie. Throws `login_failed`,
 * and `account_suspended`.
 *
 * The library compares the password and makes the session afterwards, and somebody may change the password in between: all sessions end
 * with that, and this one would begin after it. So what was compared is looked at once more, behind whoever is changing it.
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
  // Said to who knows the password alone.
  throw new AppError(suspended ? "account_suspended" : "login_failed");
}

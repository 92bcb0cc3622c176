import type { Me } from "../../contract/accounts.ts";
import { ApiError } from "../api/api-error.ts";
import { api } from "../api/call.ts";
import { accountsText } from "../messages/accounts.ts";

export const NO_COOKIES = "no_cookies";

/**
 * Checks that the login holds: without cookies the user would return to the login page with "session ended".
 */
export async function entered(me: Me): Promise<Me> {
  try {
    return await api("GET /api/me");
  } catch (error) {
    if (error instanceof ApiError && error.status === 401)
      throw new ApiError({ code: NO_COOKIES, text: accountsText.noCookies, status: 401 });
    return me;
  }
}

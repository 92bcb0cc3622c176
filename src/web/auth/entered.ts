import type { Me } from "../../contract/accounts.ts";
import { ApiError } from "../api/api-error.ts";
import { api } from "../api/call.ts";
import { accountsText } from "../messages/accounts.ts";

export const NO_COOKIES = "no_cookies";

/**
 * Whoever was just let in, as the next question finds them: a browser that keeps no cookies would be shown the door again at each try,
 * and read there that their session had ended.
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

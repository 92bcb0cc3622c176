import { ApiError } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";

/** What may be done on the sign-up page now. `email`: the only one that the invitation is for. */
export type Door = {
  token: string;
  state: "open" | "invited" | "closed" | "over";
  /** Whether a person without an invitation may sign up. */
  open: boolean;
  email: string | null;
};

/** `token`: of the invitation's link; empty without one. */
export async function askDoor(token: string): Promise<Door> {
  const [{ open }, invitation] = await Promise.all([api("GET /api/signup/policy"), lookAt(token)]);
  if (token === "") return { token, open, state: open ? "open" : "closed", email: null };
  if (!invitation) return { token, open, state: "over", email: null };
  return { token, open, state: "invited", email: invitation.email };
}

/** Null when it is over, or when there is none. */
async function lookAt(token: string): Promise<{ email: string | null } | null> {
  if (token === "") return null;
  try {
    return await api("POST /api/signup/invitation", { body: { token } });
  } catch (error) {
    if (isOver(error)) return null;
    throw error;
  }
}

const isOver = (error: unknown) => error instanceof ApiError && error.code === "invitation_over";

/** The door has closed since the page was opened: the first account was made, or the invitation was used. */
export const isClosed = (error: unknown) =>
  isOver(error) || (error instanceof ApiError && error.code === "signup_closed");

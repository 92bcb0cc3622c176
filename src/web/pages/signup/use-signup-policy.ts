import { ApiError } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";

/** `email`: the only one the invitation allows. */
export type Door = {
  token: string;
  state: "open" | "invited" | "closed" | "over";
  open: boolean;
  email: string | null;
};

export async function askDoor(token: string): Promise<Door> {
  const [{ open }, invitation] = await Promise.all([api("GET /api/signup/policy"), lookAt(token)]);
  if (token === "") return { token, open, state: open ? "open" : "closed", email: null };
  if (!invitation) return { token, open, state: "over", email: null };
  return { token, open, state: "invited", email: invitation.email };
}

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

/** Closed since opening: first account made, or invitation used. */
export const isClosed = (error: unknown) =>
  isOver(error) || (error instanceof ApiError && error.code === "signup_closed");

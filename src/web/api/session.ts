import type { Me } from "../../contract/accounts.ts";
import { api } from "./call.ts";

/** Who is signed in, asked for once: every other call notices by itself when the session has ended. */
export type Session = {
  /** Asks the server the first time. Throws an `ApiError` with status 401 when nobody is signed in. */
  load: () => Promise<Me>;
  remember: (me: Me) => void;
  /** Says whether somebody had been signed in. */
  forget: () => boolean;
};

/** Knows nobody yet. Without the query library: login and sign-up do without its weight. */
export function makeSession(): Session {
  let known: Me | null = null;
  return {
    async load() {
      known ??= await api("GET /api/me");
      return known;
    },
    remember(me) {
      known = me;
    },
    forget() {
      const had = known !== null;
      known = null;
      return had;
    },
  };
}

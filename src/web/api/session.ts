import type { Me } from "../../contract/accounts.ts";
import { ApiError } from "./api-error.ts";
import { api } from "./call.ts";
import { sessionEnded } from "./session-end.ts";

/** Who is signed in, asked for once: every other call notices by itself when the session has ended. */
export type Session = {
  /** Asks the server the first time. Throws an `ApiError` with status 401 when nobody is signed in. */
  load: () => Promise<Me>;
  remember: (me: Me) => void;
  /** Says whether somebody had been signed in. */
  forget: () => boolean;
  /** Asks the server how they are called by now and in which zone they live: that may have been changed in another browser. */
  invalidateQuery: () => Promise<void>;
  /** Forgets, in every tab: the person has signed out. */
  leave: () => void;
};

/**
 * Whether the server has said in the page that the browser held no session (server/http/static.ts). For the first question alone: a sign-in
 * in another tab may have changed it since.
 */
function cameWithoutSession(): boolean {
  const came = isWithoutSession();
  document.querySelector(MARK)?.remove();
  return came;
}

const MARK = 'meta[name="session"]';
export const isWithoutSession = () => document.querySelector(MARK) !== null;

/** What a page shows of somebody; the language is that of the page until it is loaded anew (language.ts). */
const shownOf = (me: Me) => JSON.stringify({ ...me, language: null });

/**
 * Knows nobody yet. Without the query library: login and sign-up do without its weight. All tabs of a browser have one cookie: each tells
 * the others whose it is, or one would go on showing somebody's data while it asks and writes as somebody else; and how they are called by
 * now, in which zone they live, which other browsers hear of the server (api/events.ts). `onChange`: that was said elsewhere.
 */
export function makeSession(onChange: () => void): Session {
  let known: Me | null = null;
  const tabs = new BroadcastChannel("recado-session");
  tabs.onmessage = ({ data: id }: MessageEvent<string | null>) => {
    cameWithoutSession();
    if (known && known.id !== id) sessionEnded();
  };
  const profiles = new BroadcastChannel("recado-profile");
  profiles.onmessage = ({ data: told }: MessageEvent<Me>) => {
    // It may have been read before what this tab knows: which of the two holds only the server can say.
    if (known?.id === told.id && shownOf(known) !== shownOf(told)) void invalidateQuery();
  };
  let asked = 0;
  async function invalidateQuery() {
    const question = ++asked;
    const me = await api("GET /api/me").catch(() => null);
    // What came meanwhile, or is still to come, is younger.
    if (question !== asked || !me || known?.id !== me.id || shownOf(known) === shownOf(me)) return;
    known = { ...me, language: known.language };
    onChange();
  }
  const remember = (me: Me) => {
    asked++;
    known = me;
    tabs.postMessage(me.id);
    profiles.postMessage(me);
  };
  return {
    async load() {
      if (known) return known;
      if (cameWithoutSession()) throw new ApiError({ code: "unauthenticated", text: "", status: 401 });
      const me = await api("GET /api/me");
      remember(me);
      return me;
    },
    remember,
    invalidateQuery,
    forget() {
      const had = known !== null;
      known = null;
      return had;
    },
    leave() {
      known = null;
      tabs.postMessage(null);
    },
  };
}

import type { Me } from "../../contract/accounts.ts";
import { ApiError } from "./api-error.ts";
import { api } from "./call.ts";
import { sessionEnded } from "./session-end.ts";

export type Session = {
  /** First request. Throws an `ApiError` with status 401 when signed out. */
  load: () => Promise<Me>;
  /** The user of a login; a later answer about this user is an `update`. */
  remember: (me: Me) => void;
  /** An answer that arrives after its user has left is ignored: it would sign other tabs out. */
  update: (me: Me) => void;
  forget: () => boolean;
  refetch: () => Promise<void>;
  leave: () => void;
};

function cameWithoutSession(): boolean {
  const came = isWithoutSession();
  document.querySelector(MARK)?.remove();
  return came;
}

const MARK = 'meta[name="session"]';
export const isWithoutSession = () => document.querySelector(MARK) !== null;

/** What a page shows of a user; the language changes only on a reload (language.ts). */
const shownOf = (me: Me) => JSON.stringify({ ...me, language: null });

/**
 * Works without the query library, which login pages do not load. Tabs share one cookie, so each announces
 * its user: otherwise a tab shows one account and writes as another.
 */
export function makeSession(onChange: () => void): Session {
  let known: Me | null = null;
  let announcements = 0;
  const tabs = new BroadcastChannel("recado-session");
  tabs.onmessage = ({ data: id }: MessageEvent<string | null>) => {
    announcements++;
    cameWithoutSession();
    if (known && known.id !== id) sessionEnded();
  };
  const profiles = new BroadcastChannel("recado-profile");
  profiles.onmessage = ({ data: received }: MessageEvent<Me>) => {
    // It may be older than what this tab knows: ask the server.
    if (known?.id === received.id && shownOf(known) !== shownOf(received)) void refetch();
  };
  let asked = 0;
  async function refetch() {
    const question = ++asked;
    const me = await api("GET /api/me").catch(() => null);
    // A newer answer has arrived or is still to come.
    if (question !== asked || !me || known?.id !== me.id || shownOf(known) === shownOf(me)) return;
    known = { ...me, language: known.language };
    onChange();
  }
  async function askWhoIsHere(): Promise<Me> {
    const before = announcements;
    const me = await api("GET /api/me");
    // A login in another tab during the question may have made it an answer about the user before.
    return announcements === before ? me : askWhoIsHere();
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
      const me = await askWhoIsHere();
      remember(me);
      return me;
    },
    remember,
    update: (me) => {
      if (known?.id === me.id) remember(me);
    },
    refetch,
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

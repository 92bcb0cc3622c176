import { getRouteApi } from "@tanstack/react-router";
import { useCallback } from "react";
import { type ContactsAddress, contactsAddress } from "../../routes/contacts.ts";
import { useStillWanted } from "../../routes/use-still-wanted.ts";

const SCREEN = "/shell/contacts";
const route = getRouteApi(SCREEN);

type Wish = { [N in keyof ContactsAddress]: ContactsAddress[N] | undefined };

/** Replaces the entry: letters of a search are not history steps. */
export function useAddress() {
  const navigate = route.useNavigate();
  const stillWanted = useStillWanted(SCREEN);
  return useCallback(
    (wish: Wish) => {
      if (!stillWanted()) return;
      void navigate({
        search: (before) => contactsAddress({ ...before, ...wish }),
        state: true,
        replace: true,
        resetScroll: false,
      });
    },
    [navigate, stillWanted],
  );
}

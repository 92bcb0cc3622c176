import { useCallback } from "react";
import { type ContactsAddress, contactsAddress } from "../../routes/contacts.ts";
import { useReplaceSearch } from "../../routes/use-replace-search.ts";

type Wish = { [N in keyof ContactsAddress]: ContactsAddress[N] | undefined };

export function useAddress() {
  const replace = useReplaceSearch("/shell/contacts", contactsAddress);
  return useCallback((wish: Wish) => replace((before) => ({ ...before, ...wish })), [replace]);
}

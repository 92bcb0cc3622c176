import { getRouteApi } from "@tanstack/react-router";
import type { Me } from "../../contract/accounts.ts";

const shell = getRouteApi("/shell");

/** The signed-in person; only inside the shell, whose guard has already asked. */
export function useMe(): Me {
  return shell.useRouteContext().me;
}

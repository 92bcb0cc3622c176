import { getRouteApi } from "@tanstack/react-router";
import type { Me } from "../../contract/accounts.ts";

const shell = getRouteApi("/shell");

/** The signed-in user. Only inside the shell, whose guard has loaded it. */
export function useMe(): Me {
  return shell.useRouteContext().me;
}
